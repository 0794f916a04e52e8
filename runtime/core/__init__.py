"""The lowest layer: tensors, types, the definition of an op, and the state of a thread.

types, shapes, tensor           dtypes with shapes; the eager tensor
primitive, convert              what an op is, and the one way to apply it; values to tensors
widening                        dtypes in which nothing is computed, and the wider ones for them
forms, intervals, identities    facts about ops: as Python writes them, ranges, simplifications
state, eager_mode, device       what is active on a thread
settings                        which functions change settings of the process, or files
executor                        what runs graphs: machine code or NumPy
naming, lazy, absent, log       name scopes; names that are imported when asked for, or not there
displays, cells, reloading, tracebacks, pickling    notebooks, tracebacks, other processes
dataclasses, collector          dataclasses that are cheap to define; a pause of the collector
workspace, cached, inspection   memory for results; attributes that are computed once; signatures
blas, threads, stacks, locks    threads: how many, and their stacks; locks of forked processes
files, kept_files, tfrecords    files that are whole, or kept between processes; TFRecord files
compiler, extras                Python's compiler; packages of extras
"""
