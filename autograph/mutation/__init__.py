"""Hidden changes: what staged code does to Python objects.

snapshots                           what is within reach of a block, compared and put back
kinds, kind_table                   what objects of a type hold; which kind is whose
containers, instances, functions    kinds of objects: Python's own,
variables, iterators                and of what names hold, and how far an iterator is
standard, foreign, foreign_calls    objects and functions of the standard library and of packages
item_targets, paths                 which items are assigned; how the user writes a place
ownership, purity, users_code       who else holds an object; what acts; whose code it is
"""
