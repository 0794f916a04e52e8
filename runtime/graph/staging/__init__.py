"""Staging: Python's control flow, values and objects become parts of a graph while it is traced.

blocks, branches, loops, logic      control flow: what blocks leave is joined
iteration, invariants               what a `for` goes over; shapes that loops declare
joins, optional_values              one Python value out of two; None and unbound
carried_objects, aliases, identity  objects that blocks change; which one is which
growing, lists                      lists of which only the run knows the length
deferred_exceptions                 exceptions put off to run time
"""
