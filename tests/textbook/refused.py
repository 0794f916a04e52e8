"""The programs that are refused, with lists of numbers as tensors and as lists of tensors."""

REFUSED: dict[str, frozenset[str]] = {
    "tensors": frozenset(
        [
            "robot_walk",
            "add_fractions",
            "matrix_power_trace",
            "entry_on_one_path",
            "deleted_entry",
            "missing_key",
            "popped_entry",
            "most_common_small",
            "grouped_by_remainder",
            "count_words_if",
            "pascal_rows",
            "even_and_odd",
            "account_caught",
            "balance_after",
            "equal_installments",
            "least_squares_slope",
            "mean_variance",
            "memo_grid",
            "moving_average",
            "polynomial",
            "rotate_in_place",
            "trapezoid",
            "xor_gate",
        ]
    ),
    "lists": frozenset(
        [
            "most_common_small",
            "least_squares_slope",
            "mean_variance",
            "moving_average",
        ]
    ),
}
