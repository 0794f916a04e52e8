"""Tensors on NumPy, with automatic differentiation and graphs.

Names, arguments and results follow TensorFlow 2: `import runtime as tf`.
"""

# fmt: off
# ruff: noqa: I001, F401
import typing as _typing
from runtime.core.collector import paused as _paused
with _paused():
    from runtime.staging import registration as _converted
    from runtime.variables import operators as _variable_operators
from runtime import dtypes as dtypes, errors as errors
from runtime.core.convert import (
    constant as constant, convert_to_tensor as convert_to_tensor,
    get_static_value as get_static_value, register_conversion as register_conversion,
    register_tensor_conversion_function as register_tensor_conversion_function,
)
from runtime.core.device import device as device
from runtime.dtypes import (
    DType as DType, as_dtype as as_dtype, bool as bool, complex64 as complex64,
    complex128 as complex128, double as double, float16 as float16, float32 as float32,
    float64 as float64, half as half, int8 as int8, int16 as int16, int32 as int32, int64 as int64,
    string as string, uint8 as uint8, uint16 as uint16, uint32 as uint32, uint64 as uint64,
)
from runtime.functions.function import function as function
from runtime.ops.indexed_slices import IndexedSlices as IndexedSlices
from runtime.core.lazy import attributes as _attributes
from runtime.core.naming import (
    get_current_name_scope as get_current_name_scope, name_scope as name_scope,
)
from runtime.ops.comparison import (
    equal as equal, greater as greater, greater_equal as greater_equal, less as less,
    less_equal as less_equal, logical_and as logical_and, logical_not as logical_not,
    logical_or as logical_or, not_equal as not_equal,
)
from runtime.ops.complex import complex as complex
from runtime.ops.creation import (
    eye as eye, fill as fill, linspace as linspace, meshgrid as meshgrid, one_hot as one_hot,
    ones as ones, ones_like as ones_like, range as range, sequence_mask as sequence_mask,
    zeros as zeros, zeros_like as zeros_like,
)
from runtime.ops.einsum import einsum as einsum
from runtime.ops.gathering import gather as gather, gather_nd as gather_nd
from runtime.ops.indexing import strided_slice as strided_slice, unravel_index as unravel_index
from runtime.ops.joining import (
    concat as concat, parallel_stack as parallel_stack, split as split, stack as stack,
    unstack as unstack,
)
from runtime.ops.linalg import matmul as matmul, tensordot as tensordot
from runtime.ops.math import (
    abs as abs, acos as acos, acosh as acosh, add as add, asin as asin, asinh as asinh,
    atan as atan, atan2 as atan2, atanh as atanh, cast as cast, cos as cos, cosh as cosh,
    divide as divide, exp as exp, floor as floor, identity as identity,
    identity_n as identity_n, maximum as maximum, minimum as minimum, multiply as multiply,
    negative as negative, pow as pow, round as round,
    sign as sign, sin as sin, sinh as sinh, sqrt as sqrt, square as square,
    stop_gradient as stop_gradient, subtract as subtract, tan as tan, tanh as tanh,
    truediv as truediv,
)
from runtime.ops.nn import sigmoid as sigmoid
from runtime.ops.padding import pad as pad, repeat as repeat, tile as tile
from runtime.ops.reductions import (
    add_n as add_n, cumsum as cumsum, reduce_all as reduce_all, reduce_any as reduce_any,
    reduce_logsumexp as reduce_logsumexp, reduce_max as reduce_max, reduce_mean as reduce_mean,
    reduce_min as reduce_min, reduce_prod as reduce_prod, reduce_sum as reduce_sum,
)
from runtime.ops.reshaping import (
    broadcast_dynamic_shape as broadcast_dynamic_shape,
    broadcast_static_shape as broadcast_static_shape, broadcast_to as broadcast_to,
    ensure_shape as ensure_shape, expand_dims as expand_dims, rank as rank, reshape as reshape,
    shape as shape, shape_n as shape_n, size as size, squeeze as squeeze,
)
from runtime.ops.scattering import (
    scatter_nd as scatter_nd, tensor_scatter_nd_add as tensor_scatter_nd_add,
    tensor_scatter_nd_max as tensor_scatter_nd_max, tensor_scatter_nd_min as tensor_scatter_nd_min,
    tensor_scatter_nd_sub as tensor_scatter_nd_sub,
    tensor_scatter_nd_update as tensor_scatter_nd_update,
)
from runtime.ops.selection import boolean_mask as boolean_mask, where as where
from runtime.ops.slicing import slice_ as _slice
from runtime.ops.transposition import reverse as reverse, roll as roll, transpose as transpose
from runtime.core.shapes import TensorShape as TensorShape, TensorSpec as TensorSpec
from runtime.core.state import init_scope as init_scope
from runtime.core.tensor import (
    Tensor as Tensor, executing_eagerly as executing_eagerly, inside_function as inside_function,
    is_tensor as is_tensor,
)
from runtime.core.tracebacks import install as _install
from runtime.variables.variable import Variable as Variable
from runtime.variables.creation import (
    VariableAggregation as VariableAggregation, VariableSynchronization as VariableSynchronization,
    variable_creator_scope as variable_creator_scope,
)

__version__ = "0.1.0"
newaxis = None
slice = _slice

# What few programs use, or is slow to import, is imported when it is first asked for.
_MODULES = (
    "autodiff autograph bitwise compat config data debugging dtypes errors experimental image "
    "io linalg lookup math nest nn random raw_ops saved_model signal strings summary train"
)
_WITH_EXTRAS = "keras keras.initializers keras.losses keras.metrics keras.optimizers"
_LATER = {
    "runtime.dtypes": "bfloat16",
    "runtime.autodiff": (
        "GradientTape UnconnectedGradients custom_gradient grad_pass_through recompute_grad"
    ),
    "runtime.staging.explicit_control_flow": (
        "case cond control_dependencies group no_op switch_case while_loop"
    ),
    "runtime.debugging": (
        "Assert assert_equal assert_greater assert_less assert_rank timestamp"
    ),
    "runtime.core.log": "get_logger",
    "runtime.staging.functional": "foldl foldr map_fn scan",
    "runtime.autodiff.mapping": "vectorized_map",
    "runtime.autodiff.symbolic": "gradients hessians",
    "runtime.autodiff.python_calls": "numpy_function py_function",
    "runtime.variables.initializers": (
        "constant_initializer ones_initializer random_normal_initializer "
        "random_uniform_initializer zeros_initializer"
    ),
    "runtime.variables.module": "Module",
    "runtime.compat.v1": "Graph guarantee_const is_symbolic_tensor",
    "runtime.ops.blocks": "batch_to_space space_to_batch",
    "runtime.ops.casting": "bitcast saturate_cast",
    "runtime.ops.clip": "clip_by_global_norm clip_by_norm clip_by_value",
    "runtime.ops.counting": "histogram_fixed_width histogram_fixed_width_bins",
    "runtime.ops.decompositions": "eig eigvals",
    "runtime.ops.division": "realdiv truncatediv truncatemod",
    "runtime.ops.norms": "norm",
    "runtime.ops.ordering": "argmax argmin argsort searchsorted sort unique unique_with_counts",
    "runtime.ops.partitioning": "dynamic_partition dynamic_stitch",
    "runtime.ops.sequences": "reverse_sequence",
    "runtime.ops.special": "scalar_mul",
    "runtime.ops.strings.conversion": "as_string",
    "runtime.ops.strings.row_fingerprints": "fingerprint",
    "runtime.ops.print_op": "print",
    "runtime.staging.critical_section": "CriticalSection",
    "runtime.summary.protos": "make_ndarray make_tensor_proto",
    "runtime.staging.lists.tensor_array": "TensorArray",
}

if _typing.TYPE_CHECKING:
    from runtime import (
        autodiff as autodiff, autograph as autograph, bitwise as bitwise, compat as compat,
        config as config, data as data, debugging as debugging, experimental as experimental,
        image as image, io as io, linalg as linalg, lookup as lookup, math as math, nest as nest,
        nn as nn, random as random, raw_ops as raw_ops, saved_model as saved_model,
        signal as signal, strings as strings, summary as summary, train as train, keras as keras,
    )
    from runtime.dtypes import bfloat16 as bfloat16
    from runtime.autodiff import (
        GradientTape as GradientTape, UnconnectedGradients as UnconnectedGradients,
        custom_gradient as custom_gradient, grad_pass_through as grad_pass_through,
        recompute_grad as recompute_grad,
    )
    from runtime.staging.explicit_control_flow import (
        case as case, cond as cond, control_dependencies as control_dependencies, group as group,
        no_op as no_op, switch_case as switch_case, while_loop as while_loop,
    )
    from runtime.debugging import (
        Assert as Assert, assert_equal as assert_equal, assert_greater as assert_greater,
        assert_less as assert_less, assert_rank as assert_rank, timestamp as timestamp,
    )
    from runtime.core.log import get_logger as get_logger
    from runtime.staging.functional import (
        foldl as foldl, foldr as foldr, map_fn as map_fn, scan as scan,
    )
    from runtime.autodiff.mapping import vectorized_map as vectorized_map
    from runtime.autodiff.symbolic import gradients as gradients, hessians as hessians
    from runtime.autodiff.python_calls import (
        numpy_function as numpy_function, py_function as py_function,
    )
    from runtime.variables.initializers import (
        constant_initializer as constant_initializer, ones_initializer as ones_initializer,
        random_normal_initializer as random_normal_initializer,
        random_uniform_initializer as random_uniform_initializer,
        zeros_initializer as zeros_initializer,
    )
    from runtime.variables.module import Module as Module
    from runtime.compat.v1 import (
        Graph as Graph, guarantee_const as guarantee_const,
        is_symbolic_tensor as is_symbolic_tensor,
    )
    from runtime.ops.blocks import (
        batch_to_space as batch_to_space, space_to_batch as space_to_batch,
    )
    from runtime.ops.clip import (
        clip_by_global_norm as clip_by_global_norm, clip_by_norm as clip_by_norm,
        clip_by_value as clip_by_value,
    )
    from runtime.ops.counting import (
        histogram_fixed_width as histogram_fixed_width,
        histogram_fixed_width_bins as histogram_fixed_width_bins,
    )
    from runtime.ops.decompositions import eig as eig, eigvals as eigvals
    from runtime.ops.norms import norm as norm
    from runtime.ops.casting import bitcast as bitcast, saturate_cast as saturate_cast
    from runtime.ops.division import (
        realdiv as realdiv, truncatediv as truncatediv, truncatemod as truncatemod,
    )
    from runtime.ops.partitioning import (
        dynamic_partition as dynamic_partition, dynamic_stitch as dynamic_stitch,
    )
    from runtime.ops.sequences import reverse_sequence as reverse_sequence
    from runtime.ops.ordering import (
        argmax as argmax, argmin as argmin, argsort as argsort, searchsorted as searchsorted,
        sort as sort, unique as unique, unique_with_counts as unique_with_counts,
    )
    from runtime.ops.special import scalar_mul as scalar_mul
    from runtime.ops.strings.conversion import as_string as as_string
    from runtime.ops.strings.row_fingerprints import fingerprint as fingerprint
    from runtime.ops.print_op import print as print
    from runtime.staging.critical_section import CriticalSection as CriticalSection
    from runtime.summary.protos import (
        make_ndarray as make_ndarray, make_tensor_proto as make_tensor_proto,
    )
    from runtime.staging.lists.tensor_array import TensorArray as TensorArray
else:
    __getattr__, __dir__ = _attributes(__name__, _LATER, _MODULES, _WITH_EXTRAS)
# fmt: on

_install()
