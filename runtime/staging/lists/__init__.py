"""Lists: of which only the run knows the length, or which item is meant.

growing_list, list_builtins     the list that stands for one of the user's; sorting and comparing
walks                           the items of such, in loops of the graph
growing, staged_items           what it holds: Python's items, or columns of the graph
row_tables, extremes            lists in lists of the graph; the largest of them
loop_tables                     lists of Python's that a loop indexes as rows of one list
row_swaps                       two of them that change places
growing_deque, queues           deques; `queue.Queue`
growing_tuple                   tuples
growing_set, set_order          sets; who asks for their order
sequences, chosen_lists         `table[i]` of Python's sequences, where only the run knows `i`
optional_bounds                 slices of which a bound may be None
chosen_containers               that is one of several sets or dicts
arenas, list_places             objects of a class: a list for each attribute; lists that meet
repetition, ordered_lists       `[0] * n`; `heapq` and `bisect`
comparison_sort                 the order of objects with a `__lt__`
iterator_functions              `itertools`
endless_counts                  `itertools.count`
spread_calls                    `zip(*rows)`
shown_items                     their texts, where code of the user's gives those of items
growing_dict, dict_entries      dicts that may become lists of the graph
found_entries                   what is under a key
dict_views, dict_rows           their keys, values and items; lists as their values
counters, ordered_dicts         `Counter`; `OrderedDict`
remembered_calls, eager_caches  `functools.cache`; what it remembers of eager calls
enum_members                    members of an `Enum` by their values
keys, staged_keys, dict_reads   keys that only the run knows; dicts that Python knows
tensor_array                    `rt.TensorArray`
"""
