"""A fixed tenth of Keras' own tests; `make keras-tests` runs all of them."""

import re
import subprocess
import sys
from importlib.util import find_spec

import pytest

from tests.support.keras_tests import arguments

# Each part is a process of its own, and how many tests of it pass at least.
PARTS = {
    "src/losses src/activations src/regularizers src/constraints "
    "src/optimizers/adam_test.py src/optimizers/sgd_test.py src/optimizers/optimizer_test.py "
    "src/metrics/accuracy_metrics_test.py src/metrics/regression_metrics_test.py": 300,
    "src/layers/core/dense_test.py src/layers/core/embedding_test.py "
    "src/layers/rnn/lstm_test.py src/layers/rnn/gru_test.py src/models/sequential_test.py "
    "src/layers/normalization/batch_normalization_test.py src/callbacks/early_stopping_test.py "
    "src/layers/pooling/max_pooling_test.py src/layers/merging src/layers/convolutional": 260,
    "src/trainers/trainer_test.py src/trainers/data_adapters/array_data_adapter_test.py "
    "src/trainers/compile_utils_test.py src/trainers/epoch_iterator_test.py": 180,
}


@pytest.mark.skipif(find_spec("keras") is None, reason="Keras is not installed")
@pytest.mark.parametrize("files", PARTS)
def test_keras_own_tests_pass(files: str) -> None:
    command = [sys.executable, "-m", "pytest", *arguments(*files.split()), "-p", "no:xdist"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    found = re.search(r"(\d+) passed", done.stdout)
    assert found is not None
    assert int(found[1]) >= PARTS[files], done.stdout[-300:]
