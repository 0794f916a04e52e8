"""Automatic differentiation: tapes record ops, the rules of the op table lead back over them.

tape, recorder, records     what was computed, and the backward pass over it
requests                    what a gradient is asked for
tape_scopes                 where tapes may be used while a graph is traced
custom, at_call             gradients that the user gives, and what they read when they are called
calls                       graphs that run while tapes record
activity                    what depends on the sources
reverse, blocks, derived    the backward pass over nodes: ops; branches and loops; calls
residuals, sent             what nodes keep for it; whether the run sends a gradient
staged                      tapes inside a graph
jacobians                   the rows of a jacobian, one after the other
staged_jacobians            and in a graph: in a loop, or
vectorization               all at once
mapping                     functions of all rows of tensors
forward                     products of a jacobian and a vector
symbolic                    gradients of a graph without a tape: `gradients`, `hessians`
python_calls                Python of the user's as a node
"""

from runtime.autodiff.custom import custom_gradient as custom_gradient
from runtime.autodiff.custom import grad_pass_through as grad_pass_through
from runtime.autodiff.custom import recompute_grad as recompute_grad
from runtime.autodiff.forward import ForwardAccumulator as ForwardAccumulator
from runtime.autodiff.requests import UnconnectedGradients as UnconnectedGradients
from runtime.autodiff.tape import GradientTape as GradientTape
from runtime.core.lazy import facade as _facade

__dir__ = _facade(__name__)
