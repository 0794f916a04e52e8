"""Version 1's initializers by their short names."""

from runtime.compat.v1 import variables as _variables
from runtime.core.lazy import facade as _facade
from runtime.sessions import initializers as _made

constant = _made.constant_initializer
glorot_normal = _made.glorot_normal_initializer
glorot_uniform = _made.glorot_uniform_initializer
he_normal = _made.he_normal
he_uniform = _made.he_uniform
identity = _made.identity_initializer
lecun_normal = _made.lecun_normal
lecun_uniform = _made.lecun_uniform
ones = _made.ones_initializer
orthogonal = _made.orthogonal_initializer
random_normal = _made.random_normal_initializer
random_uniform = _made.random_uniform_initializer
truncated_normal = _made.truncated_normal_initializer
uniform_unit_scaling = _made.uniform_unit_scaling_initializer
variance_scaling = _made.variance_scaling_initializer
zeros = _made.zeros_initializer

global_variables = _variables.global_variables_initializer
local_variables = _variables.local_variables_initializer
variables = _variables.variables_initializer

__dir__ = _facade(__name__)
