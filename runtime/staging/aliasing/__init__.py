"""Several names for one thing, and changes that all of them see.

sharing             which tensors share memory
item_assignments    what `x[i] = v` changes in them, in a graph
eager_assignments   the same, eagerly
assigned_values     what is assigned to slices
shared_tensors      loops over such symbols
aliases             Python objects of which a staged value chooses one
identities          `TensorArray`s: which of those that stand for one are as they should be
"""
