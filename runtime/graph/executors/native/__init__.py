"""The native executor: runs of statements of the lowered form that have no effects become machine
code, by way of LLVM.

Native code answers, or steps aside: it writes only to memory that it made itself, so that it can
give up at any place and call its fallback, the Python of the same statements, with the same
arguments. No error, and no exact Python integer, is made in machine code.

`llvmlite` is imported by the modules of this package, and so are they only where it is used.
"""
