"""Staging: how the Python that autograph converted becomes a graph while it runs.

tracing, scopes                     the active trace, and the regions that it builds
symbolic_tensor, symbolic_number    what Python handles while tracing
asked_numbers                       `int` and `float` of objects with methods for it
exact_integers                      Python's ints beside integer tensors
backend, builtin_functions          what converted code calls: statements, operators, builtins
library_calls, draws                functions of NumPy and cmath; Python's `random`
intercepted_calls                   which functions are replaced where traced code calls them
type_tests                          `isinstance`, `type` and their like
staged_print, texts, images         `print`, texts and exceptions with values of the run in them
nest_calls                          functions of `rt.nest`, given values of several kinds
optional_arguments                  arguments that are None where only the run knows
chosen_values, text_sinks           Python values of which the run chooses; who makes texts at once
streams                             where graphs print to
block_recorder, outside             what Python objects blocks change, and which calls may
late_reads                          what gradient functions read when the gradient is asked for
registration                        what autograph is told when `runtime` is imported
explicit_control_flow, functional   `rt.cond`, `rt.while_loop`, ...; `rt.map_fn`, `rt.scan`, ...
critical_section, ctc               `rt.CriticalSection`; losses of sequences, made of loops
frames, bytecode                    the user's frames, and what their bytecode tells
refusals, error_notes               errors, and their places
unconverted                         why some code runs as it is, and the way out
control                             branches, loops, and how their values are joined
aliasing                            names and objects that share what one of them changes
lists                               lists and arrays of which only the run knows the length
arrays                              NumPy's arrays of which only the run knows the numbers
guarding                            what a trace read from outside, compared at each call
"""
