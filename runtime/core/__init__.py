"""The ground of all else: tensors, types, ops as such, and the state of a thread.

types, shapes, tensor           dtypes with shapes; the eager tensor
primitive, convert              what an op is, and the one way to apply it; values to tensors
forms, intervals, identities    facts about ops: as Python writes them, ranges, simplifications
state, eager_mode, device       what is active on a thread
naming, lazy, log               name scopes; names that are imported when asked for; the logger
displays, cells, reloading, tracebacks, pickling    notebooks, tracebacks, other processes
workspace, blas                 memory for results; threads of the linear algebra
"""
