"""Checkpoints: the variables of objects in files.

`trackable.py` says which objects take part, `checkpoint.py` saves them, `restoration.py` gives
values back, `checkpoint_file.py` is the format, `checkpoint_state.py` the file that names the
latest, `checkpoint_manager.py` keeps the last few, `checkpoint_reader.py` looks into one.
`moving_average.py` has averages of variables.
"""

from runtime.core.lazy import facade as _facade
from runtime.train.checkpoint import Checkpoint, CheckpointOptions
from runtime.train.checkpoint_manager import CheckpointManager
from runtime.train.checkpoint_reader import (
    CheckpointReader,
    list_variables,
    load_checkpoint,
    load_variable,
)
from runtime.train.checkpoint_state import (
    CheckpointState,
    get_checkpoint_state,
    latest_checkpoint,
)
from runtime.train.moving_average import ExponentialMovingAverage

__all__ = [
    "Checkpoint",
    "CheckpointManager",
    "CheckpointOptions",
    "CheckpointReader",
    "CheckpointState",
    "ExponentialMovingAverage",
    "get_checkpoint_state",
    "latest_checkpoint",
    "list_variables",
    "load_checkpoint",
    "load_variable",
]
__dir__ = _facade(__name__)
