"""The programs that are refused, with lists of numbers as tensors and as lists of tensors."""

REFUSED: dict[str, frozenset[str]] = {
    "tensors": frozenset(
        [
            "account_caught",
            "ackermann",
            "balance_after",
            "equal_installments",
            "least_squares_slope",
            "mean_variance",
            "memo_grid",
            "moving_average",
            "polynomial",
            "rotate_in_place",
            "stack_reverse",
            "trapezoid",
            "xor_gate",
        ]
    ),
    "lists": frozenset(
        [
            "least_squares_slope",
            "mean_variance",
            "moving_average",
            "quick_sort",
        ]
    ),
}
