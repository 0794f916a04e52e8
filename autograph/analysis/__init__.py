"""Pure functions from a tree to a table: they write nothing on nodes.

scopes, liveness, definedness       names: read and bound, read later, surely with a value
growth                              lists, sets and dicts that may grow
sequences                           names that stand for sequences and texts
flow, blocks                        how control leaves statements; what a block is given and gives
conditions, patterns                what only the truth is asked of; patterns of `match`
"""
