"""`CheckpointManager`: the last few checkpoints of a folder."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable
from typing import Any

from runtime.core.files import Path
from runtime.train.checkpoint import Checkpoint, CheckpointOptions
from runtime.train.checkpoint_file import file_of
from runtime.train.checkpoint_state import CheckpointState, get_checkpoint_state, write_state
from runtime.variables.variable import Variable


class CheckpointManager:
    """Saves numbered checkpoints into a folder, and deletes old ones.

    Args:
        checkpoint: the Checkpoint to save.
        directory: the folder; those that it has already, by its state file, are taken over.
        max_to_keep: how many stay, None: all.
        keep_checkpoint_every_n_hours: one of those that would be deleted stays for ever when so
            many hours have passed since the last that did.
        checkpoint_name: the prefix of the names.
        step_counter: a variable that counts steps, for `checkpoint_interval`.
        checkpoint_interval: how many steps lie between two saves; calls in between save nothing.
        init_fn: what `restore_or_initialize` calls where there is no checkpoint.

    Raises ValueError for a `max_to_keep` or an interval that is not positive, or an interval
    without a counter.

    >>> import tempfile
    >>> folder, step = tempfile.TemporaryDirectory(), rt.Variable(0)
    >>> manager = rt.train.CheckpointManager(
    ...     rt.train.Checkpoint(step=step), folder.name, max_to_keep=2
    ... )
    >>> for _ in range(3):
    ...     _, path = step.assign_add(1), manager.save()
    >>> [path[-6:] for path in manager.checkpoints]
    ['ckpt-2', 'ckpt-3']
    >>> folder.cleanup()
    """

    def __init__(
        self,
        checkpoint: Checkpoint,
        directory: Path,
        max_to_keep: int | None,
        keep_checkpoint_every_n_hours: float | None = None,
        checkpoint_name: str = "ckpt",
        step_counter: Variable | None = None,
        checkpoint_interval: int | None = None,
        init_fn: Callable[[], Any] | None = None,
    ) -> None:
        if max_to_keep is not None and max_to_keep <= 0:
            raise ValueError(
                f"Expected a positive integer or `None` for `max_to_keep`, got {max_to_keep}."
            )
        if checkpoint_interval is not None and (checkpoint_interval <= 0 or step_counter is None):
            raise ValueError(
                "checkpoint_interval counts steps: it is positive, and step_counter is the "
                f"variable that counts them; got {checkpoint_interval} and {step_counter!r}"
            )
        self._checkpoint = checkpoint
        self._directory = os.fspath(directory)
        self._max_to_keep = max_to_keep
        self._hours = keep_checkpoint_every_n_hours
        self._name = checkpoint_name
        self._step_counter = step_counter
        self._interval = checkpoint_interval
        self._init_fn = init_fn
        self._last_step: int | None = None
        state = get_checkpoint_state(self._directory)
        known = [] if state is None else state.all_model_checkpoint_paths
        times = [] if state is None else state.all_model_checkpoint_timestamps
        if len(times) != len(known):
            times = [time.time()] * len(known)
        self._kept = {
            path: at for path, at in zip(known, times, strict=True) if os.path.isfile(file_of(path))
        }
        preserved = None if state is None else state.last_preserved_timestamp
        self._last_preserved = time.time() if preserved is None else preserved

    @property
    def directory(self) -> str:
        """The folder."""
        return self._directory

    @property
    def checkpoint(self) -> Checkpoint:
        """The Checkpoint that it saves."""
        return self._checkpoint

    @property
    def checkpoint_interval(self) -> int | None:
        """The number of steps between two saves; None: every call saves."""
        return self._interval

    @property
    def checkpoints(self) -> list[str]:
        """The names of the checkpoints that are kept and may be deleted, from the oldest."""
        return list(self._kept)

    @property
    def latest_checkpoint(self) -> str | None:
        """The name of the latest, None where there is none."""
        return next(reversed(self._kept), None)

    def save(
        self,
        checkpoint_number: Any = None,
        check_interval: bool = True,
        options: CheckpointOptions | None = None,
    ) -> str | None:
        """Save, delete what is too old, and return the name; None if it is too soon for a save.

        Checkpoints are numbered by `checkpoint_number` (an integer or a variable), by default by
        the `save_counter`. Raises as `Checkpoint.save` does; then all that was there stays.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     checkpoint = rt.train.Checkpoint(v=rt.Variable(1.0))
        ...     rt.train.CheckpointManager(checkpoint, folder, 3).save(7)[-6:]
        'ckpt-7'
        """
        step = None if self._step_counter is None else int(self._step_counter.numpy())
        if check_interval and self._interval is not None and step is not None:
            if self._last_step is not None and step - self._last_step < self._interval:
                return None
            self._last_step = step
        os.makedirs(self._directory, exist_ok=True)
        number = None if checkpoint_number is None else int(checkpoint_number)
        prefix = os.path.join(self._directory, self._name)
        path = self._checkpoint._save(prefix, number, options)
        self._kept.pop(path, None)
        self._kept[path] = time.time()
        old = self._too_old()
        self._write_state()
        # Only now: until here a stop of the machine leaves a state that names what is there.
        for name in old:
            with contextlib.suppress(FileNotFoundError):
                os.remove(file_of(name))
        return path

    def _too_old(self) -> list[str]:
        old = []
        while self._max_to_keep is not None and len(self._kept) > self._max_to_keep:
            path, at = next(iter(self._kept.items()))
            del self._kept[path]
            if self._hours is not None and at - self._last_preserved >= self._hours * 3600:
                self._last_preserved = at
            else:
                old.append(path)
        return old

    def _write_state(self) -> None:
        names, times = list(self._kept), list(self._kept.values())
        state = CheckpointState(names[-1], names, times, self._last_preserved)
        write_state(self._directory, state)

    def restore_or_initialize(self) -> str | None:
        """Restore the latest checkpoint and return its name; call `init_fn` where there is none.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     checkpoint = rt.train.Checkpoint(v=rt.Variable(1.0))
        ...     rt.train.CheckpointManager(checkpoint, folder, 3).restore_or_initialize() is None
        True
        """
        path = self.latest_checkpoint
        if path is not None:
            self._checkpoint.restore(path)
            if self._step_counter is not None:
                self._last_step = int(self._step_counter.numpy())
        elif self._init_fn is not None:
            self._init_fn()
        return path

    def sync(self) -> None:
        """Nothing: a save has ended when it returns.

        >>> rt.train.CheckpointManager(rt.train.Checkpoint(), "/no/such/folder", 3).sync()
        """
