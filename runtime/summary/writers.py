"""Writers of event files."""

from __future__ import annotations

import contextlib
import os
import weakref
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any

from runtime.core.files import Path
from runtime.core.settings import changes_files, changes_settings
from runtime.core.state import state
from runtime.summary import settings
from runtime.summary.events import module


class SummaryWriter:
    """Writes events into a file; made by `create_file_writer`.

    >>> isinstance(rt.summary.create_noop_writer(), rt.summary.SummaryWriter)
    True
    """

    def __init__(self, file: Any) -> None:
        self._file = file
        # Also when it is dropped, and at the end of the process.
        self._finish = weakref.finalize(self, file.close)

    def as_default(self, step: Any = None) -> AbstractContextManager[SummaryWriter]:
        """Inside this block summaries go to this writer, and have this step if it is given.

        Raises RuntimeError for a writer that is closed.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     writer = rt.summary.create_file_writer(folder)
        ...     with writer.as_default(step=2):
        ...         bool(rt.summary.scalar("loss", 0.5))
        ...     writer.close()
        True
        """
        self._check()
        return self._as_default(step)

    @contextlib.contextmanager
    def _as_default(self, step: Any) -> Iterator[SummaryWriter]:
        with contextlib.ExitStack() as block:
            block.enter_context(settings.changed(settings.writer, self))
            if step is not None:
                block.enter_context(settings.changed(settings.step, step))
            yield self
            if self._finish.alive and state.trace is None:
                self.flush()

    @changes_settings
    def set_as_default(self, step: Any = None) -> None:
        """From here on summaries go to this writer, and have this step if it is given.

        Raises RuntimeError for a writer that is closed.

        >>> rt.summary.create_noop_writer().set_as_default()
        """
        self._check()
        settings.writer.set(settings.setting(self))
        if step is not None:
            settings.set_step(step)

    def _check(self) -> None:
        if not self._finish.alive:
            raise RuntimeError(f"SummaryWriter {self!r} is already closed")

    def init(self) -> None:
        """Nothing: the file is made with the writer. Raises RuntimeError for one that is closed.

        >>> rt.summary.create_noop_writer().init()
        """
        self._check()

    def write(self, event: Any) -> None:
        """Write an event, a message of TensorBoard's. RuntimeError for a writer that is closed.

        >>> rt.summary.create_noop_writer().write(None)
        """
        self._check()
        self._file.add_event(event)

    def flush(self) -> None:
        """Write what waits to be written.

        >>> rt.summary.create_noop_writer().flush()
        """
        if self._finish.alive:
            self._file.flush()

    @changes_files
    def close(self) -> None:
        """Write what waits to be written, and close the file; a second time does nothing.

        >>> writer = rt.summary.create_noop_writer()
        >>> writer.close(), writer.close()
        (None, None)
        """
        self._finish()


class _NoWriter(SummaryWriter):
    """Writes nothing."""

    def __init__(self) -> None:
        super().__init__(_Nothing())


class _Nothing:
    def add_event(self, event: Any) -> None:
        pass

    def flush(self) -> None:
        pass

    def close(self) -> None:
        pass


def create_file_writer(
    logdir: Path,
    max_queue: int | None = None,
    flush_millis: int | None = None,
    filename_suffix: str | None = None,
    name: str | None = None,
    experimental_trackable: bool = False,
) -> SummaryWriter:
    """A writer of an event file in `logdir`, which is made if it is not there.

    Args:
        max_queue: how many events wait before they are written, 10 by default.
        flush_millis: after how many milliseconds they are, 120000 by default.
        filename_suffix: the end of the file's name, ".v2" by default.

    Raises ImportError where TensorBoard's package is missing, OSError where the folder cannot be
    written.

    >>> import tempfile, os
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     writer = rt.summary.create_file_writer(folder)
    ...     with writer.as_default():
    ...         bool(rt.summary.scalar("loss", 0.5, step=1))
    ...     writer.close()
    ...     len(os.listdir(folder))
    True
    1
    """
    if state.trace is not None:
        raise state.trace.refused(
            "create_file_writer() opens a file, which is no part of a graph",
            "call it outside of the staged function",
        )
    return SummaryWriter(
        module("summary.writer.event_file_writer").EventFileWriter(
            os.fspath(logdir),
            max_queue_size=10 if max_queue is None else max_queue,
            flush_secs=120 if flush_millis is None else flush_millis / 1000,
            filename_suffix=".v2" if filename_suffix is None else filename_suffix,
        )
    )


def create_noop_writer() -> SummaryWriter:
    """A writer that writes nothing.

    >>> with rt.summary.create_noop_writer().as_default():
    ...     bool(rt.summary.scalar("loss", 0.5, step=1))
    False
    """
    return _NoWriter()


def is_noop(writer: SummaryWriter | None) -> bool:
    """True if what is written to it goes nowhere."""
    return writer is None or isinstance(writer, _NoWriter)


def flush(writer: SummaryWriter | None = None, name: str | None = None) -> None:
    """Write what waits in a writer, by default the one that is the default.

    >>> rt.summary.flush()
    """
    chosen = settings.writer.get().value if writer is None else writer
    if chosen is not None:
        chosen.flush()
