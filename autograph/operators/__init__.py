"""The operators that generated code calls: plain Python values take Python's own path, staged ones
a backend's.

Each operator takes itself out of a traceback that passes through it. Argument names follow the
fields of the AST's nodes. `call` is in `autograph.calls`, since it converts.

cond, branches, definedness         `if`; of a staged test; names that may be unbound
while_loop, for_loop, until         loops; a `for` with a stop condition
unrolling, early_exits              a plain `for` written out; generators in such loops
staged_loops                        what all loops of a backend have in common
work_of_rounds                      how much the rounds of a plain loop are to trace
staged_rest, indexed_items          the rest of a plain loop as a staged one; its items by places
loop_options, shared                `set_loop_options`; names that blocks assign where they live
blocks                              facts of block functions
comprehensions, growing             comprehensions; lists that may grow
displays, unpacking, items          `[*a]`, `{a, b}`; `a, *rest = items`; `x[i]`
logical, truths, class_checks       `and`, `==`; truth of objects; tests that guard a `raise`
matching                            parts of patterns of `match`
assertion, raising, tries           `assert`; `raise` of a name; `try`
managers                            context managers
texts                               f-strings and `%`
builtin_calls, reductions           builtins of staged arguments, and of generators
methods                             methods of the user's that answer for Python
dataclass_comparisons               what `@dataclass` writes: `==`, `<`,
dataclass_factories                 and `__init__`
"""

from autograph.operators.assertion import assert_
from autograph.operators.class_checks import has_class, passes
from autograph.operators.comprehensions import dict_comp, generator, list_comp, set_comp
from autograph.operators.cond import cond
from autograph.operators.definedness import defined
from autograph.operators.displays import dict_of, set_of, set_spread, spread, tuple_spread
from autograph.operators.for_loop import for_loop
from autograph.operators.growing import growing
from autograph.operators.items import getitem, setitem, store_item, store_update, update_item
from autograph.operators.logical import all_, and_, any_, compare, not_, or_
from autograph.operators.matching import (
    is_instance,
    is_sequence,
    middle,
    parts,
    subject,
    values_at,
    without,
)
from autograph.operators.raising import raised
from autograph.operators.texts import format, imod, mod, template, text
from autograph.operators.tries import try_
from autograph.operators.unpacking import starred
from autograph.operators.until import until
from autograph.operators.while_loop import while_loop

__all__ = [
    "all_",
    "and_",
    "any_",
    "assert_",
    "compare",
    "cond",
    "defined",
    "dict_comp",
    "dict_of",
    "for_loop",
    "format",
    "generator",
    "getitem",
    "growing",
    "has_class",
    "imod",
    "is_instance",
    "is_sequence",
    "list_comp",
    "middle",
    "mod",
    "not_",
    "or_",
    "parts",
    "passes",
    "raised",
    "set_comp",
    "set_of",
    "set_spread",
    "setitem",
    "spread",
    "starred",
    "store_item",
    "store_update",
    "subject",
    "template",
    "text",
    "try_",
    "tuple_spread",
    "until",
    "update_item",
    "values_at",
    "while_loop",
    "without",
]
