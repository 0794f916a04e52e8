"""Automatic differentiation: tapes record ops, gradient rules of the op table lead back over them."""

from runtime.autodiff.tape import GradientTape as GradientTape
from runtime.autodiff.tape import UnconnectedGradients as UnconnectedGradients
