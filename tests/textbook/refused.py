"""The programs that are refused, with lists of numbers as tensors and as lists of tensors."""

REFUSED: dict[str, frozenset[str]] = {
    "tensors": frozenset(
        [
            "linked_list_iterated",
            "linked_list_found",
            "tree_sort",
            "tree_search",
            "heap_merge",
            "vector_arithmetic",
            "vector_item",
            "temperature",
            "rational_sum",
            "greedy_knapsack",
            "roman",
            "caesar_text",
            "digits_of",
            "loan_installment",
            "inside_polygon",
            "robot_walk",
            "add_fractions",
            "matrix_power_trace",
            "balance_after",
            "equal_installments",
            "least_squares_slope",
            "mean_variance",
            "moving_average",
            "polynomial",
            "rotate_in_place",
            "trapezoid",
            "xor_gate",
        ]
    ),
    "lists": frozenset(
        [
            "pancake_sort",
            "merge_sort_popping",
            "linked_list_found",
            "heap_merge",
            "least_squares_slope",
            "mean_variance",
            "moving_average",
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
