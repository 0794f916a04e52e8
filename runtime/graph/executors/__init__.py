"""Ways to run a graph. Each gives a callable from raw arrays and numbers to a tuple of them.

program, specialization             a graph as a NumPy program; one for each shape of the inputs
reference                           op by op, for tapes and checks of each op
writer, holding, variables, scalars the text of the program: lines, inlined expressions, names
kernels, layouts                    what is known of arrays: how ops use memory, and its order
escapes, lifetimes                  who sees an array later, and when it is released
buffers, pool, rooms, blocks        where results go: planned, kept between calls, growing, in tiles
ranges                              integers that stay within their dtype
failures                            errors at run time, at the user's line
"""
