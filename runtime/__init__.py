"""Tensors on NumPy, with automatic differentiation and graphs; names, arguments and results follow TensorFlow 2."""

from runtime.ops import *  # noqa: F403
