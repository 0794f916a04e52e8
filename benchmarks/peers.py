"""What is measured beside this project, where it is installed: TensorFlow and JAX."""

import importlib
import importlib.util
import os
from collections.abc import Callable
from typing import Any

from benchmarks.timing import median, row

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("JAX_PLATFORMS", "cpu")


def peer(name: str) -> Any:
    """The module, or None; which is printed."""
    if importlib.util.find_spec(name) is None:
        print(f"  {name}: not installed")
        return None
    module = importlib.import_module(name)
    if name == "tensorflow":
        module.config.threading.set_intra_op_parallelism_threads(1)
        module.config.threading.set_inter_op_parallelism_threads(1)
    return module


def report(label: str, run: Callable[[], object], unit: str, parts: int = 1) -> None:
    """Print the time of one of the `parts` of a run, which has ended when it returns."""
    row(label, median(run, seconds=0.5) / parts, unit)
