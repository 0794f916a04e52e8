"""The programs that are refused, with lists of numbers as tensors and as lists of tensors."""

REFUSED: dict[str, frozenset[str]] = {
    "tensors": frozenset(
        [
            "memo_grid",
            "xor_gate",
            "rotate_in_place",
            "entry_on_one_path",
            "deleted_entry",
            "missing_key",
            "popped_entry",
            "most_common_small",
            "grouped_by_remainder",
            "count_words_if",
            "fib_memo",
            "linked_list_iterated",
            "linked_list_found",
            "tree_sort",
            "greedy_knapsack",
            "ohms_law_by_key",
            "unique_prime_factors",
            "factor_counts",
            "mode_by_dict",
            "two_sum_dict",
            "n_queens",
            "yahtzee",
            "blackjack",
            "maze_distance",
            "total_area",
            "income_tax",
        ]
    ),
    "lists": frozenset(
        [
            "most_common_small",
            "pancake_sort",
            "merge_sort_popping",
            "mode_by_dict",
            "two_sum_dict",
            "yahtzee",
            "blackjack",
            "maze_distance",
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
        "quick_select",
        "radix_sort",
        "mode",
        "report",
        "merge_and_dedupe",
        "rotate_left",
    ]
)
"""The programs whose lists cannot be tensors: `+` joins them, they are asked for their truth, or
have methods of lists, or become other lists.
"""
