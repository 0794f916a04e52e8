"""The native executor: runs of statements of the lowered form that have no effects become machine
code, by way of LLVM.

Native code answers, or steps aside: it writes only to memory that it made itself, so that it can
give up at any place and call its fallback, the Python of the same statements, with the same
arguments. No error, and no exact Python integer, is made in machine code.

`llvmlite` is imported by the modules of this package, and so are they only where it is used.

executor, support                 graphs as a whole; what keeps one from machine code
islands, resuming                 parts of a program; the rests of hot loops
compiling, emitter, entry         a module; the body of one function; the one that Python calls
control, loops, increments        branches and calls; loops; Python's ints that loops count with
updates                           arrays that loops assign items of

lowering_rules                    the tables of instructions, which these fill:
numbers                           Python's numbers,
scalars, halves, math             elements of arrays, single or by vectors; of 16 bits,
indexing, copying, scattering     kernels on arrays: elements at other places,
reductions, ordering, products    sums, sorts, products of matrices,
convolving, pooling, normalizing  windows, and rows of softmax,
widening                          and what is computed in float32
lists, rows, copied_lists         lists, and lists of rows; those that are copied before a write
list_arrays                       lists as arrays, outside of machine code
scalar_ops, elements              which instructions an op on numbers, or an elementwise one, has
fusing, fusion, arrays            elementwise kernels: collected, as the steps of one loop, written
row_loops, sharing                such loops by vectors, and by several threads

ir, values, builder               LLVM's language, as text; values in registers and in memory; what
                                  writes code by them: counts, elements, loops
code, machine, elf                machine code in memory; by LLVM; without it
compilation_cache, kept_graphs    machine code that later processes find
calling, objects, symbols         its functions for Python; their objects; addresses of what it uses
numpy_interface, blas             NumPy's C interface and products
arena, stack, thread_pool, clock  memory, stack, threads and time while it runs
views                             machine code to read
"""
