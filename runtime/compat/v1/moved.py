"""Names of version 1 that stand for functions of version 2 with the same arguments.

The source is TensorFlow 2.21: a name is here if both versions give the same object for it, or
functions that differ by what `with_older_arguments` knows.
"""

from __future__ import annotations

_SAME_NAME = {
    "debugging": (
        "assert_greater_equal assert_integer assert_less_equal assert_near assert_negative "
        "assert_non_negative assert_non_positive assert_none_equal assert_positive "
        "assert_proper_iterable assert_rank_at_least assert_rank_in assert_same_float_dtype "
        "assert_scalar assert_type check_numerics is_numeric_tensor"
    ),
    "errors": "OpError",
    "image": "random_crop",
    "io": (
        "FixedLenFeature FixedLenSequenceFeature decode_base64 encode_base64 parse_example "
        "parse_single_example parse_tensor read_file serialize_tensor write_file"
    ),
    "linalg": "cholesky cholesky_solve cross global_norm matrix_transpose qr svd trace",
    "math": (
        "accumulate_n angle betainc bincount ceil confusion_matrix conj count_nonzero cumprod "
        "digamma erf erfc expm1 floordiv floormod igamma igammac imag "
        "invert_permutation is_finite is_inf is_nan is_non_decreasing is_strictly_increasing "
        "lbeta lgamma log log1p log_sigmoid logical_xor mod polygamma real reciprocal rint rsqrt "
        "segment_max segment_mean segment_min segment_prod segment_sum squared_difference "
        "unsorted_segment_max unsorted_segment_mean unsorted_segment_min unsorted_segment_prod "
        "unsorted_segment_sqrt_n unsorted_segment_sum zeta"
    ),
    "nn": "depth_to_space space_to_depth",
    "random": "truncated_normal",
    "signal": "fft fft2d fft3d ifft ifft2d ifft3d",
    "strings": "reduce_join regex_replace substr",
}
_OTHER_NAME = {
    "all_variables": "compat.v1.global_variables",
    "diag": "linalg.tensor_diag",
    "diag_part": "linalg.tensor_diag_part",
    "batch_to_space_nd": "batch_to_space",
    "decode_raw": "io.decode_raw",
    "div_no_nan": "math.divide_no_nan",
    "floor_div": "math.floordiv",
    "initialize_local_variables": "compat.v1.local_variables_initializer",
    "initialize_variables": "compat.v1.variables_initializer",
    "lin_space": "linspace",
    "matrix_band_part": "linalg.band_part",
    "matrix_determinant": "linalg.det",
    "matrix_diag": "linalg.diag",
    "matrix_diag_part": "linalg.diag_part",
    "matrix_inverse": "linalg.inv",
    "matrix_set_diag": "linalg.set_diag",
    "matrix_solve": "linalg.solve",
    "matrix_solve_ls": "linalg.lstsq",
    "matrix_square_root": "linalg.sqrtm",
    "matrix_triangular_solve": "linalg.triangular_solve",
    "extract_image_patches": "image.extract_patches",
    "get_seed": "random.get_seed",
    "py_func": "numpy_function",
    "random_gamma": "random.gamma",
    "random_normal": "random.normal",
    "random_poisson": "compat.v1.random.poisson",
    "random_shuffle": "random.shuffle",
    "random_uniform": "random.uniform",
    "reverse_v2": "reverse",
    "self_adjoint_eig": "linalg.eigh",
    "self_adjoint_eigvals": "linalg.eigvalsh",
    "space_to_batch_nd": "space_to_batch",
    "initialize_all_tables": "compat.v1.tables_initializer",
    "string_join": "strings.join",
    "string_strip": "strings.strip",
    "string_to_hash_bucket": "strings.to_hash_bucket",
    "string_to_hash_bucket_fast": "strings.to_hash_bucket_fast",
    "string_to_hash_bucket_strong": "strings.to_hash_bucket_strong",
    "string_to_number": "strings.to_number",
    "tensor_scatter_add": "tensor_scatter_nd_add",
    "tensor_scatter_sub": "tensor_scatter_nd_sub",
    "tensor_scatter_update": "tensor_scatter_nd_update",
    "where_v2": "where",
}
MOVED = {
    **{name: f"{place}.{name}" for place, names in _SAME_NAME.items() for name in names.split()},
    **_OTHER_NAME,
}
"""From a name of version 1 to that of version 2."""
