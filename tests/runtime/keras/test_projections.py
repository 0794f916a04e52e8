"""Projected images: whole steps are NumPy's own padding, and halves are means of neighbours."""

from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

import runtime as rt

if find_spec("keras") is None:
    pytest.skip("Keras is not installed", allow_module_level=True)

import runtime.keras as keras
from runtime.keras.projections import project

IMAGES = np.random.default_rng(0).random((2, 4, 5, 3)).astype("f")


def moved(x: float, y: float, interpolation: str, mode: str) -> Any:
    transforms = rt.constant([[1.0, 0.0, x, 0.0, 1.0, y, 0.0, 0.0]])
    shape = rt.constant([4, 5])
    return project(rt.constant(IMAGES), transforms, shape, interpolation, mode, 0.5).numpy()


@pytest.mark.parametrize("interpolation", ["NEAREST", "BILINEAR"])
@pytest.mark.parametrize(
    ("mode", "padding"),
    [("CONSTANT", "constant"), ("NEAREST", "edge"), ("REFLECT", "symmetric")],
)
def test_whole_steps_are_padding(interpolation: str, mode: str, padding: Any) -> None:
    options = {"constant_values": 0.5} if padding == "constant" else {}
    padded = np.pad(IMAGES, [(0, 0), (3, 3), (3, 3), (0, 0)], padding, **options)
    for x in range(-3, 4):
        for y in (-2, 0, 3):
            expected = padded[:, 3 + y : 7 + y, 3 + x : 8 + x]
            np.testing.assert_array_equal(moved(x, y, interpolation, mode), expected)


def test_halves_are_means() -> None:
    made = moved(0.5, 0.0, "BILINEAR", "NEAREST")
    after = np.concatenate([IMAGES[:, :, 1:], IMAGES[:, :, -1:]], axis=2)
    np.testing.assert_allclose(made, (IMAGES + after) / 2, rtol=1e-6)


def test_a_layer_that_turns_images() -> None:
    layer = keras.layers.RandomRotation((0.25, 0.25), seed=0)  # a quarter, whatever the seed
    squares = IMAGES[:, :, :4]
    np.testing.assert_allclose(
        layer(squares, training=True), np.rot90(squares, axes=(1, 2)), atol=1e-5
    )
