"""AutoGraph: plain Python control flow, rewritten so that it may depend on staged values.

Python in, Python out: it knows no array library. One plugs in with a `Backend`.

api, policy                         what the user calls; which functions are converted
conversion, pipeline, forms         one conversion; the converters in their order; its purposes
converters, analysis, quoting       one construct each; tables of facts; scaffolding
context, names, rewriting           what converters share: the state, fresh names, walks,
lowering, exits, branch_marks       blocks and calls on them, exits as flags, marks for coverage
compiler                            Python's own, for one thread at a time
source, magics, code_comparison     from a function to its tree
trees, load                         trees of `ast` and gast; from a tree to a function
printing, line_wrapping             from a tree to text
string_literals                     literals in it
operators, backend                  what generated code calls; where a tensor library plugs in
optional_parameters                 where None means a default, of what is not converted
calls, twins                        the converted function for what code calls
class_members, user_attributes      what Python calls by itself: special methods, properties,
user_iterators, generator_managers  iterators, generators, by
yields                              their `yield`s as calls
operator_methods                    operators by the names of their methods
undefined, attributes               a name without a value; what a twin has of its function
mutation, objects                   what code changes; objects below what classes override
codes, instructions, handlers       facts of code objects, of bytecode, of `try` and `with`
errors, users_words, frames, cells  refusals: words and places; the user's frames, and notebooks
kept_conversions, kept_files        conversions that later processes find
library_code                        the library's own code that is converted
observers, line_profiles            who looks on: coverage, line_profiler
locks, versions                     forked processes; versions of Python
command_line, __main__              `python -m autograph`
"""

import autograph.user_iterators  # noqa: F401  # of which operators make use
from autograph.api import (
    convert,
    convert_for_staging,
    converted_code,
    do_not_convert,
    is_converted,
    to_code,
    to_graph,
    why_not_converted,
)
from autograph.backend import (
    Backend,
    backend_of,
    register_backend,
    register_hashing,
    register_identity,
    register_item_setter,
)
from autograph.calls import call, constructor, observe_calls, register_functions
from autograph.class_members import meet_class, members_converted
from autograph.errors import AutographError, ConversionError, StagingError
from autograph.frames import register_library
from autograph.line_profiles import profile_lines
from autograph.operators.builtin_calls import Rest
from autograph.operators.growing import lists_made_by, register_stand_in
from autograph.operators.loop_options import loop_options, set_loop_options
from autograph.policy import convert_package
from autograph.undefined import Undefined
from autograph.versions import check_version

check_version()

__version__ = "0.1.0"

__all__ = [
    "AutographError",
    "Backend",
    "ConversionError",
    "Rest",
    "StagingError",
    "Undefined",
    "backend_of",
    "call",
    "constructor",
    "convert",
    "convert_for_staging",
    "convert_package",
    "converted_code",
    "do_not_convert",
    "is_converted",
    "lists_made_by",
    "loop_options",
    "meet_class",
    "members_converted",
    "observe_calls",
    "profile_lines",
    "register_backend",
    "register_functions",
    "register_hashing",
    "register_identity",
    "register_item_setter",
    "register_library",
    "register_stand_in",
    "set_loop_options",
    "to_code",
    "to_graph",
    "why_not_converted",
]
