"""Keras on TensorFlow: the stored figures that this backend is compared with are its own."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.support import keras_models

pytestmark = pytest.mark.peers
FIGURES = json.loads(Path("fixtures/keras/tensorflow.json").read_text("utf-8"))["cases"]


def test_the_figures_are_tensorflows() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.keras_models"],
        env={**os.environ, "KERAS_BACKEND": "tensorflow", "TF_CPP_MIN_LOG_LEVEL": "3"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    made = json.loads(done.stdout)
    assert list(made) == list(FIGURES) == list(keras_models.CASES)
    for name, parts in FIGURES.items():
        for part, expected in parts.items():
            np.testing.assert_allclose(made[name][part], expected, rtol=5e-6, err_msg=name)
