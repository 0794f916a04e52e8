"""Version 1's way of TensorFlow: graphs that are built op by op, and sessions that run them.

A name that is not here is that of version 2.
"""

# fmt: off
# ruff: noqa: I001
from typing import Any as _Any

from runtime.compat.v1 import initializers as initializers, losses as losses, train as train
from runtime.compat.v1.moved import MOVED as _MOVED
from runtime.compat.v1.namespaces import (
    data as data, debugging as debugging, gfile as gfile, image as image, io as io,
    linalg as linalg, logging as logging,
    manip as manip, math as math, nn as nn, python_io as python_io, random as random,
    spectral as spectral, strings as strings, summary as summary,
)
from runtime.compat.v1.older import (
    add_to_collections as add_to_collections, arg_max as arg_max, arg_min as arg_min,
    colocate_with as colocate_with, control_flow_v2_enabled as control_flow_v2_enabled,
    convert_to_tensor_or_indexed_slices as convert_to_tensor_or_indexed_slices,
    enable_control_flow_v2 as enable_control_flow_v2,
    enable_tensor_equality as enable_tensor_equality,
    enable_v2_tensorshape as enable_v2_tensorshape,
    executing_eagerly_outside_functions as executing_eagerly_outside_functions,
    get_local_variable as get_local_variable, guarantee_const as guarantee_const,
    is_symbolic_tensor as is_symbolic_tensor, make_template as make_template,
    model_variables as model_variables, moving_average_variables as moving_average_variables,
    multinomial as multinomial, no_regularizer as no_regularizer, setdiff1d as setdiff1d,
    tables_initializer as tables_initializer, tuple as tuple,
    verify_tensor_all_finite as verify_tensor_all_finite,
)
from runtime.compat.texts import dimension_value as dimension_value
from runtime.compat.v1.ops import (
    Print as Print, batch_gather as batch_gather, batch_to_space as batch_to_space,
    clip_by_average_norm as clip_by_average_norm, cond as cond, constant as constant,
    div as div,
    space_to_batch as space_to_batch, to_bfloat16 as to_bfloat16, to_complex64 as to_complex64,
    to_complex128 as to_complex128,
    to_double as to_double, to_float as to_float, to_int32 as to_int32, to_int64 as to_int64,
    where as where, while_loop as while_loop,
    with_older_arguments as _with_older_arguments,
)
from runtime.compat.v1.scattering import (
    scatter_add as scatter_add, scatter_div as scatter_div, scatter_max as scatter_max,
    scatter_min as scatter_min, scatter_mul as scatter_mul, scatter_nd_add as scatter_nd_add,
    scatter_nd_sub as scatter_nd_sub, scatter_nd_update as scatter_nd_update,
    scatter_sub as scatter_sub, scatter_update as scatter_update,
)
from runtime.compat.v1.settings import (
    ConfigProto as ConfigProto, GPUOptions as GPUOptions,
    disable_v2_behavior as disable_v2_behavior,
    enable_resource_variables as enable_resource_variables,
    enable_v2_behavior as enable_v2_behavior,
    resource_variables_enabled as resource_variables_enabled,
)
from runtime.compat.v1.variables import (
    Variable as Variable, add_to_collection as add_to_collection, assign as assign,
    assign_add as assign_add, assign_sub as assign_sub, count_up_to as count_up_to,
    get_collection as get_collection, get_collection_ref as get_collection_ref,
    global_variables as global_variables,
    global_variables_initializer as global_variables_initializer,
    initialize_all_variables as initialize_all_variables,
    is_variable_initialized as is_variable_initialized, local_variables as local_variables,
    local_variables_initializer as local_variables_initializer, placeholder as placeholder,
    placeholder_with_default as placeholder_with_default,
    report_uninitialized_variables as report_uninitialized_variables,
    set_random_seed as set_random_seed, trainable_variables as trainable_variables,
    variables_initializer as variables_initializer,
)
from runtime.core.absent import AbsentName as _AbsentName
from runtime.core.lazy import facade as _facade
from runtime.sessions.initializers import (
    constant_initializer as constant_initializer,
    glorot_normal_initializer as glorot_normal_initializer,
    glorot_uniform_initializer as glorot_uniform_initializer, ones_initializer as ones_initializer,
    orthogonal_initializer as orthogonal_initializer,
    random_normal_initializer as random_normal_initializer,
    random_uniform_initializer as random_uniform_initializer,
    truncated_normal_initializer as truncated_normal_initializer,
    uniform_unit_scaling_initializer as uniform_unit_scaling_initializer,
    variance_scaling_initializer as variance_scaling_initializer,
    zeros_initializer as zeros_initializer,
)
from runtime.sessions.default_session import get_default_session as get_default_session
from runtime.sessions.open_graph import (
    GraphKeys as GraphKeys, OpenGraph as _OpenGraph,
    disable_eager_execution as disable_eager_execution,
    enable_eager_execution as enable_eager_execution, get_default_graph as get_default_graph,
    reset_default_graph as reset_default_graph,
)
from runtime.sessions.session import InteractiveSession as InteractiveSession, Session as Session
from runtime.sessions.variable_scopes import (
    AUTO_REUSE as AUTO_REUSE, VariableScope as VariableScope, get_variable as get_variable,
    get_variable_scope as get_variable_scope, variable_scope as variable_scope,
)

Graph = _OpenGraph

def __getattr__(name: str) -> _Any:
    import runtime

    found: _Any = runtime
    try:
        for part in _MOVED.get(name, name).split("."):
            found = getattr(found, part)
    except _AbsentName:
        raise _AbsentName(__name__, name) from None
    return _with_older_arguments(found)


__dir__ = _facade(__name__, "initializers losses train")
