"""`@rt.function`: a Python function with its traces.

function, polymorphic_function      the decorator; the object that is called
traced                              the trace that serves a call, made where there is none
function_spec                       what a function takes, in words
parameters, signatures              the arguments of a call, and the key that they make
trace_cache, retracing              the traces by key; the warning about too many
function_tracing, initial_values    one trace; values for variables that it creates
results                             what a traced function returns, as its callers get it
concrete_function                   the graph that a call runs
recursion, recursion_over_numbers   calls of what is being traced; numbers that would not end them
recursion_state, kept_objects       objects that recursions, and all functions, read and change
shared_arguments                    arguments that share memory
returned_arguments                  lists that recursions return, and were given
assigned_variables                  tensors that recursions assign to, as arguments
own_containers                      Python's own lists and dicts in them, behind a trace
changed_arguments, placed_arguments  lists among the arguments that are changed; chosen ones
lasting_effects                     calls after which a function is not traced anew
restored_function                   the functions of a saved module
serving                             the signatures of a saved module
signature_text, tracing_lock        signatures as text; one thread traces at a time
"""
