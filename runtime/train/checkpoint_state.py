"""The file `checkpoint` of a folder, which names the checkpoints in it, the latest of all first."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from dataclasses import field

from runtime import errors
from runtime.core.dataclasses import dataclass
from runtime.core.files import Path, replacing
from runtime.core.locks import process_lock
from runtime.train.checkpoint_file import file_of

_lock = process_lock()


@dataclass()
class CheckpointState:
    """The checkpoints of a folder.

    >>> rt.train.get_checkpoint_state("/no/such/folder") is None
    True
    """

    model_checkpoint_path: str
    """The latest."""

    all_model_checkpoint_paths: list[str] = field(default_factory=list)
    """All, from the oldest."""

    all_model_checkpoint_timestamps: list[float] = field(default_factory=list)
    """Their times of writing, in seconds since the epoch, where these are known."""

    last_preserved_timestamp: float | None = None
    """The time of the last one that a manager keeps for ever."""


def get_checkpoint_state(
    checkpoint_dir: Path, latest_filename: str | None = None
) -> CheckpointState | None:
    """The content of the state file of a folder, None where there is none.

    Raises errors.DataLossError for one that cannot be read.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = rt.train.Checkpoint(v=rt.Variable(1.0)).save(folder + "/ckpt")
    ...     len(rt.train.get_checkpoint_state(folder).all_model_checkpoint_paths)
    1
    """
    name = os.path.join(checkpoint_dir, latest_filename or "checkpoint")
    try:
        with open(name, encoding="utf-8") as file:
            lines = file.read().splitlines()
        return _state(checkpoint_dir, filter(str.strip, lines))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except ValueError as error:
        raise errors.DataLossError(
            f"{name} is no state file of checkpoints: {error}",
            hint="delete it, and restore a checkpoint by its own name",
        ) from None


def _state(folder: Path, lines: Iterable[str]) -> CheckpointState:
    found: dict[str, list[str]] = {}
    for line in lines:
        entry = _TEXT.fullmatch(line) or _NUMBER.fullmatch(line)
        if entry is None:
            raise ValueError(repr(line))
        found.setdefault(entry[1], []).append(entry[2])

    def path(text: str) -> str:
        return os.path.join(folder, json.loads(text))

    kept = found.get("last_preserved_timestamp")
    return CheckpointState(
        path(found.get("model_checkpoint_path", ['""'])[-1]),
        list(map(path, found.get("all_model_checkpoint_paths", []))),
        list(map(float, found.get("all_model_checkpoint_timestamps", []))),
        float(kept[-1]) if kept else None,
    )


_TEXT = re.compile(r'(\w+_paths?): ("(?:[^"\\]|\\.)*")')
_NUMBER = re.compile(r"(\w+_timestamps?): ([-+.\de]+)")


def write_state(folder: Path, state: CheckpointState, latest_filename: str | None = None) -> None:
    """Write the state file of a folder; names in it are relative to the folder."""

    def line(key: str, value: str | float) -> str:
        if isinstance(value, str):
            value = json.dumps(os.path.relpath(value, folder), ensure_ascii=False)
        return f"{key}: {value}\n"

    lines = [line("model_checkpoint_path", state.model_checkpoint_path)]
    lines += [line("all_model_checkpoint_paths", each) for each in state.all_model_checkpoint_paths]
    times = state.all_model_checkpoint_timestamps
    lines += [line("all_model_checkpoint_timestamps", each) for each in times]
    if state.last_preserved_timestamp is not None:
        lines.append(line("last_preserved_timestamp", state.last_preserved_timestamp))
    with (
        replacing(os.path.join(folder, latest_filename or "checkpoint")) as name,
        open(name, "w", encoding="utf-8") as file,
    ):
        file.writelines(lines)


def update_state(path: str) -> None:
    """Let the state file of its folder name a checkpoint as the latest, and only that one."""
    with _lock:
        write_state(os.path.dirname(path) or ".", CheckpointState(path, [path]))


def latest_checkpoint(checkpoint_dir: Path, latest_filename: str | None = None) -> str | None:
    """The name of the latest checkpoint of a folder, for `restore`; None where there is none.

    Raises errors.DataLossError for a state file that cannot be read.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = rt.train.Checkpoint(v=rt.Variable(1.0)).save(folder + "/ckpt")
    ...     rt.train.latest_checkpoint(folder) == path
    True
    """
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    if state is None or not os.path.isfile(file_of(state.model_checkpoint_path)):
        return None
    return state.model_checkpoint_path
