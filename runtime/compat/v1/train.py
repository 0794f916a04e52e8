"""Checkpoints of sessions, and their names."""

from runtime.core.lazy import facade as _facade
from runtime.sessions.saver import Saver as Saver
from runtime.train import CheckpointManager as CheckpointManager
from runtime.train import get_checkpoint_state as get_checkpoint_state
from runtime.train import latest_checkpoint as latest_checkpoint

__dir__ = _facade(__name__)
