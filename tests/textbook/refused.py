"""The programs that are refused, with lists of numbers as tensors and as lists of tensors."""

REFUSED: dict[str, frozenset[str]] = {
    "tensors": frozenset(
        [
            "fib_memo",
            "linked_list_iterated",
            "linked_list_found",
            "tree_sort",
            "tree_search",
            "rational_sum",
            "greedy_knapsack",
            "ohms_law_by_key",
            "unique_prime_factors",
            "factor_counts",
            "mode_by_dict",
            "two_sum_dict",
            "matrix_power_trace",
            "entry_on_one_path",
            "deleted_entry",
            "missing_key",
            "popped_entry",
            "most_common_small",
            "grouped_by_remainder",
            "count_words_if",
            "memo_grid",
            "rotate_in_place",
            "xor_gate",
        ]
    ),
    "lists": frozenset(
        [
            "pancake_sort",
            "merge_sort_popping",
            "linked_list_found",
            "mode_by_dict",
            "two_sum_dict",
            "most_common_small",
        ]
    ),
}

NO_TENSORS = frozenset(
    [
        "permutations",
        "determinant",
        "pancake_sort",
        "merge_sort_popping",
        "present_value",
        "rotate_matrix",
        "quick_sort_by_filter",
        "quick_select",
        "radix_sort",
    ]
)
"""The programs whose lists cannot be tensors: `+` joins them, they are asked for their truth, or
have methods of lists, or become other lists.
"""
