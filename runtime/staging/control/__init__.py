"""Control flow: blocks are traced into regions, and what they leave is joined.

blocks, branches, loops, logic      a block; `if`, `while` and `for`, `and` and `or`
iteration, invariants               what a `for` goes over; shapes that loops declare
long_loops                          the rest of a plain `for` whose exit has become staged
undoing                             steps that are undone: refused, or to be traced in another way
specs                               what a value is where paths meet
joins, parts                        one value out of two, by their parts; what cannot be joined
graph_values                        Python values as values of the graph, and back
item_comparisons                    tuples and lists, by the first items that differ
stand_ins                           what stands for a value: its attributes are the user's
sameness, choices, truths           Python values: equal on all paths, one of several, or a truth
joined_types                        types that meet
joined_tensors, joined_variables    tensors of which items were assigned; variables
optional_values, identity           None and unbound; `is`
tagged_unions                       results of several kinds
references                          objects of which the run chooses one
carried_objects                     Python objects that blocks change
deferred_exceptions                 exceptions put off to run time
failures, caught                    those that a `try` catches: where they may be, what follows them
unfit_shapes                        ops of which only the run knows whether the shapes fit
"""
