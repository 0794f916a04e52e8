"""Lists: of which only the run knows the length, or which item is meant.

growing_list, list_builtins     the list that stands for one of the user's; sorting and comparing
growing, staged_items           what it holds: Python's items, or columns of the graph
growing_dict, dict_views, counters, dict_entries, keys
                                the dict that stands for one of the user's, and its keys
growing_collections             deques and sets
sequences, chosen_lists         `table[i]` of Python's sequences, where only the run knows `i`
repetition, heaps               `[0] * n`; `heapq`
growing_collections             deques and sets
growing_dict, dict_entries      dicts that may become lists of the graph
keys, staged_keys, dict_reads   keys that only the run knows; dicts that Python knows
tensor_array                    `rt.TensorArray`
"""
