"""The programs that are refused, with lists of numbers as tensors and as lists of tensors."""

REFUSED: dict[str, frozenset[str]] = {
    "tensors": frozenset(
        [
            "account_caught",
            "ackermann",
            "convert_temperature",
            "count_evens",
            "dot",
            "doubled",
            "equal_installments",
            "evens_comprehension",
            "fibonacci",
            "harmonic",
            "is_perfect",
            "is_prime_all",
            "is_square",
            "least_squares_slope",
            "mean_variance",
            "memo_grid",
            "moving_average",
            "season",
            "softmax_list",
            "squares",
            "stack_reverse",
            "trapezoid",
            "xor_gate",
        ]
    ),
    "lists": frozenset(
        [
            "evens_comprehension",
            "least_squares_slope",
            "mean_variance",
            "moving_average",
            "quick_sort",
        ]
    ),
}
