"""The programs that are refused, with lists of numbers as tensors and as lists of tensors."""

REFUSED: dict[str, frozenset[str]] = {
    "tensors": frozenset(
        [
            "groups_kept_too_long",
        ]
    ),
    "lists": frozenset(
        [
            "groups_kept_too_long",
        ]
    ),
}

NO_TENSORS = frozenset(
    [
        "permutations",
        "doubled_while_short",
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
        "matrix_power",
        "shuffled_deck",
        "taken_while_counted",
        "echoes",
        "combinations_of",
    ]
)
"""The programs whose lists cannot be tensors: `+` joins them, they are asked for their truth, or
have methods of lists, or become other lists.
"""
