"""NumPy's arrays and scalars of which only the run knows the numbers.

symbolic_array  what stands for one
operators       its operators and methods, and those of NumPy's beside it
equivalents     functions of NumPy as ops
items           places in it that only the run knows
indexed         arrays that an index makes: np.c_[x, y]
writing         functions of NumPy's that write to one
making          when an array that NumPy makes is one
"""
