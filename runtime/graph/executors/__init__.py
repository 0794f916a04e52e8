"""Ways to run a graph. Each gives a callable from raw arrays and numbers to a tuple of them.

reference                    node by node: what a graph means; for tapes and checks of each op
lowered, lowering            the lowered form, and how a graph becomes one: for all other executors
ranges, layouts, escapes     what lowering knows of integers, of arrays in memory, of who sees them
undecoded                    and of strings
kernels                      how ops use memory
buffer_assignment            the plan of who writes where
substitution, coalescing     of the lowered form: expressions in their places, names
lifetimes, printer, scalars  of the lowered form: releases, the text, and how Python writes numbers
program, module              a graph as a NumPy program, and its text
specialization               a program for each shape of the inputs
buffer_pool                  what programs keep between calls
native                       machine code
tiers, hot_loops             which graphs and loops become that, and when
work, estimates              work that is counted; that of statements
failures                     errors at run time, at the user's line
profiling, instrumentation   the time that each line takes
"""
