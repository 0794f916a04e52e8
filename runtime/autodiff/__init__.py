"""Automatic differentiation: tapes record ops, the rules of the op table lead back over them."""

from runtime.autodiff.custom import custom_gradient as custom_gradient
from runtime.autodiff.custom import grad_pass_through as grad_pass_through
from runtime.autodiff.custom import recompute_grad as recompute_grad
from runtime.autodiff.requests import UnconnectedGradients as UnconnectedGradients
from runtime.autodiff.tape import GradientTape as GradientTape
