"""Tensors on NumPy, with automatic differentiation and graphs.

Names, arguments and results follow TensorFlow 2: `import runtime as tf`.
"""

# fmt: off
from importlib import import_module as _import_module
from typing import Any as _Any

from runtime import (
    autodiff as autodiff,
)
from runtime import (
    bitwise as bitwise,
)
from runtime import (
    dtypes as dtypes,
)
from runtime import (
    errors as errors,
)
from runtime import (
    linalg as linalg,
)
from runtime import (
    math as math,
)
from runtime import (
    nest as nest,
)
from runtime import (
    nn as nn,
)
from runtime.autodiff import (
    GradientTape as GradientTape,
)
from runtime.autodiff import (
    UnconnectedGradients as UnconnectedGradients,
)
from runtime.control_flow import (
    case as case,
)
from runtime.control_flow import (
    cond as cond,
)
from runtime.control_flow import (
    switch_case as switch_case,
)
from runtime.control_flow import (
    while_loop as while_loop,
)
from runtime.convert import (
    constant as constant,
)
from runtime.convert import (
    convert_to_tensor as convert_to_tensor,
)
from runtime.convert import (
    register_conversion as register_conversion,
)
from runtime.dtypes import (
    DType as DType,
)
from runtime.dtypes import (
    as_dtype as as_dtype,
)
from runtime.dtypes import (
    bool as bool,
)
from runtime.dtypes import (
    complex64 as complex64,
)
from runtime.dtypes import (
    complex128 as complex128,
)
from runtime.dtypes import (
    double as double,
)
from runtime.dtypes import (
    float16 as float16,
)
from runtime.dtypes import (
    float32 as float32,
)
from runtime.dtypes import (
    float64 as float64,
)
from runtime.dtypes import (
    half as half,
)
from runtime.dtypes import (
    int8 as int8,
)
from runtime.dtypes import (
    int16 as int16,
)
from runtime.dtypes import (
    int32 as int32,
)
from runtime.dtypes import (
    int64 as int64,
)
from runtime.dtypes import (
    string as string,
)
from runtime.dtypes import (
    uint8 as uint8,
)
from runtime.dtypes import (
    uint16 as uint16,
)
from runtime.dtypes import (
    uint32 as uint32,
)
from runtime.dtypes import (
    uint64 as uint64,
)
from runtime.function import function as function
from runtime.naming import name_scope as name_scope
from runtime.ops.array import (
    broadcast_dynamic_shape as broadcast_dynamic_shape,
)
from runtime.ops.array import (
    broadcast_static_shape as broadcast_static_shape,
)
from runtime.ops.array import (
    broadcast_to as broadcast_to,
)
from runtime.ops.array import (
    concat as concat,
)
from runtime.ops.array import (
    ensure_shape as ensure_shape,
)
from runtime.ops.array import (
    expand_dims as expand_dims,
)
from runtime.ops.array import (
    pad as pad,
)
from runtime.ops.array import (
    parallel_stack as parallel_stack,
)
from runtime.ops.array import (
    rank as rank,
)
from runtime.ops.array import (
    repeat as repeat,
)
from runtime.ops.array import (
    reshape as reshape,
)
from runtime.ops.array import (
    reverse as reverse,
)
from runtime.ops.array import (
    roll as roll,
)
from runtime.ops.array import (
    shape as shape,
)
from runtime.ops.array import (
    shape_n as shape_n,
)
from runtime.ops.array import (
    size as size,
)
from runtime.ops.array import slice_ as slice
from runtime.ops.array import (
    split as split,
)
from runtime.ops.array import (
    squeeze as squeeze,
)
from runtime.ops.array import (
    stack as stack,
)
from runtime.ops.array import (
    tile as tile,
)
from runtime.ops.array import (
    transpose as transpose,
)
from runtime.ops.array import (
    unstack as unstack,
)
from runtime.ops.clip import (
    clip_by_global_norm as clip_by_global_norm,
)
from runtime.ops.clip import (
    clip_by_norm as clip_by_norm,
)
from runtime.ops.clip import (
    clip_by_value as clip_by_value,
)
from runtime.ops.comparison import (
    equal as equal,
)
from runtime.ops.comparison import (
    greater as greater,
)
from runtime.ops.comparison import (
    greater_equal as greater_equal,
)
from runtime.ops.comparison import (
    less as less,
)
from runtime.ops.comparison import (
    less_equal as less_equal,
)
from runtime.ops.comparison import (
    logical_and as logical_and,
)
from runtime.ops.comparison import (
    logical_not as logical_not,
)
from runtime.ops.comparison import (
    logical_or as logical_or,
)
from runtime.ops.comparison import (
    not_equal as not_equal,
)
from runtime.ops.complex import (
    complex as complex,
)
from runtime.ops.creation import (
    eye as eye,
)
from runtime.ops.creation import (
    fill as fill,
)
from runtime.ops.creation import (
    linspace as linspace,
)
from runtime.ops.creation import (
    meshgrid as meshgrid,
)
from runtime.ops.creation import (
    one_hot as one_hot,
)
from runtime.ops.creation import (
    ones as ones,
)
from runtime.ops.creation import (
    ones_like as ones_like,
)
from runtime.ops.creation import (
    range as range,
)
from runtime.ops.creation import (
    sequence_mask as sequence_mask,
)
from runtime.ops.creation import (
    zeros as zeros,
)
from runtime.ops.creation import (
    zeros_like as zeros_like,
)
from runtime.ops.decompositions import (
    eig as eig,
)
from runtime.ops.decompositions import (
    eigvals as eigvals,
)
from runtime.ops.decompositions import (
    norm as norm,
)
from runtime.ops.einsum import (
    einsum as einsum,
)
from runtime.ops.indexing import (
    boolean_mask as boolean_mask,
)
from runtime.ops.indexing import (
    gather as gather,
)
from runtime.ops.indexing import (
    gather_nd as gather_nd,
)
from runtime.ops.indexing import (
    scatter_nd as scatter_nd,
)
from runtime.ops.indexing import (
    tensor_scatter_nd_add as tensor_scatter_nd_add,
)
from runtime.ops.indexing import (
    tensor_scatter_nd_max as tensor_scatter_nd_max,
)
from runtime.ops.indexing import (
    tensor_scatter_nd_min as tensor_scatter_nd_min,
)
from runtime.ops.indexing import (
    tensor_scatter_nd_sub as tensor_scatter_nd_sub,
)
from runtime.ops.indexing import (
    tensor_scatter_nd_update as tensor_scatter_nd_update,
)
from runtime.ops.indexing import (
    where as where,
)
from runtime.ops.linalg import (
    matmul as matmul,
)
from runtime.ops.linalg import (
    tensordot as tensordot,
)
from runtime.ops.math import (
    abs as abs,
)
from runtime.ops.math import (
    acos as acos,
)
from runtime.ops.math import (
    acosh as acosh,
)
from runtime.ops.math import (
    add as add,
)
from runtime.ops.math import (
    asin as asin,
)
from runtime.ops.math import (
    asinh as asinh,
)
from runtime.ops.math import (
    atan as atan,
)
from runtime.ops.math import (
    atan2 as atan2,
)
from runtime.ops.math import (
    atanh as atanh,
)
from runtime.ops.math import (
    cast as cast,
)
from runtime.ops.math import (
    cos as cos,
)
from runtime.ops.math import (
    cosh as cosh,
)
from runtime.ops.math import (
    divide as divide,
)
from runtime.ops.math import (
    exp as exp,
)
from runtime.ops.math import (
    floor as floor,
)
from runtime.ops.math import (
    identity as identity,
)
from runtime.ops.math import (
    maximum as maximum,
)
from runtime.ops.math import (
    minimum as minimum,
)
from runtime.ops.math import (
    multiply as multiply,
)
from runtime.ops.math import (
    negative as negative,
)
from runtime.ops.math import (
    pow as pow,
)
from runtime.ops.math import (
    round as round,
)
from runtime.ops.math import (
    sign as sign,
)
from runtime.ops.math import (
    sin as sin,
)
from runtime.ops.math import (
    sinh as sinh,
)
from runtime.ops.math import (
    sqrt as sqrt,
)
from runtime.ops.math import (
    square as square,
)
from runtime.ops.math import (
    stop_gradient as stop_gradient,
)
from runtime.ops.math import (
    subtract as subtract,
)
from runtime.ops.math import (
    tan as tan,
)
from runtime.ops.math import (
    tanh as tanh,
)
from runtime.ops.math import (
    truediv as truediv,
)
from runtime.ops.misc import (
    bitcast as bitcast,
)
from runtime.ops.misc import (
    dynamic_partition as dynamic_partition,
)
from runtime.ops.misc import (
    dynamic_stitch as dynamic_stitch,
)
from runtime.ops.misc import (
    get_static_value as get_static_value,
)
from runtime.ops.misc import (
    histogram_fixed_width as histogram_fixed_width,
)
from runtime.ops.misc import (
    histogram_fixed_width_bins as histogram_fixed_width_bins,
)
from runtime.ops.misc import (
    identity_n as identity_n,
)
from runtime.ops.misc import (
    realdiv as realdiv,
)
from runtime.ops.misc import (
    reverse_sequence as reverse_sequence,
)
from runtime.ops.misc import (
    saturate_cast as saturate_cast,
)
from runtime.ops.misc import (
    strided_slice as strided_slice,
)
from runtime.ops.misc import (
    truncatediv as truncatediv,
)
from runtime.ops.misc import (
    truncatemod as truncatemod,
)
from runtime.ops.misc import (
    unravel_index as unravel_index,
)
from runtime.ops.nn import (
    sigmoid as sigmoid,
)
from runtime.ops.ordering import (
    argmax as argmax,
)
from runtime.ops.ordering import (
    argmin as argmin,
)
from runtime.ops.ordering import (
    argsort as argsort,
)
from runtime.ops.ordering import (
    searchsorted as searchsorted,
)
from runtime.ops.ordering import (
    sort as sort,
)
from runtime.ops.ordering import (
    unique as unique,
)
from runtime.ops.ordering import (
    unique_with_counts as unique_with_counts,
)
from runtime.ops.reductions import (
    add_n as add_n,
)
from runtime.ops.reductions import (
    cumsum as cumsum,
)
from runtime.ops.reductions import (
    reduce_all as reduce_all,
)
from runtime.ops.reductions import (
    reduce_any as reduce_any,
)
from runtime.ops.reductions import (
    reduce_logsumexp as reduce_logsumexp,
)
from runtime.ops.reductions import (
    reduce_max as reduce_max,
)
from runtime.ops.reductions import (
    reduce_mean as reduce_mean,
)
from runtime.ops.reductions import (
    reduce_min as reduce_min,
)
from runtime.ops.reductions import (
    reduce_prod as reduce_prod,
)
from runtime.ops.reductions import (
    reduce_sum as reduce_sum,
)
from runtime.ops.special import (
    scalar_mul as scalar_mul,
)
from runtime.shapes import TensorShape as TensorShape
from runtime.shapes import TensorSpec as TensorSpec
from runtime.tensor import (
    Tensor as Tensor,
)
from runtime.tensor import (
    executing_eagerly as executing_eagerly,
)
from runtime.tensor import (
    is_tensor as is_tensor,
)
from runtime.variable import (
    IndexedSlices as IndexedSlices,
)
from runtime.variable import (
    Variable as Variable,
)
from runtime.variable import (
    VariableAggregation as VariableAggregation,
)
from runtime.variable import (
    VariableSynchronization as VariableSynchronization,
)
from runtime.variable import (
    init_scope as init_scope,
)
from runtime.variable import (
    variable_creator_scope as variable_creator_scope,
)

# fmt: on

newaxis = None

# What few programs use is imported when it is first asked for.
_LATER = frozenset(("compat", "config", "data", "debugging", "image", "io", "keras", "random", "strings", "summary", "train"))


def __getattr__(name: str) -> _Any:
    if name in _LATER:
        return _import_module(f"runtime.{name}")
    raise AttributeError(f"module 'runtime' has no attribute {name!r}")
