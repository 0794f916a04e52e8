"""Calls of graphs, run in this process and again by one that has only the files: run as a program,
it loads the graphs, runs them, and writes down what came of it.
"""

import contextlib
import io
import pickle
import queue  # noqa: F401  # a graph that raises Empty needs the class
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

ROOT = Path(__file__).parent.parent.parent.parent
TRACER = (
    *(
        "runtime.staging.tracing",
        "runtime.staging.symbolic_tensor",
        "runtime.staging.backend",
        "gast",
        "astor",
    ),
    *("runtime.staging.symbolic_number", "runtime.functions.polymorphic_function"),
    *("runtime.autodiff.tape", "autograph"),
)


class Outcome(NamedTuple):
    """What a call leaves: results, bit for bit, or an error with the user's lines; and its text."""

    results: Any
    error: Any
    printed: str


def outcome(run: Callable[[], Any]) -> Outcome:
    text = io.StringIO()
    with contextlib.redirect_stdout(text), contextlib.redirect_stderr(text):
        try:
            results, error = [exactly(item) for item in run()], None
        except Exception as failure:
            results, error = None, described(failure)
    return Outcome(results, error, text.getvalue())


def exactly(item: Any) -> Any:
    raw = getattr(item, "raw", item)
    if isinstance(raw, list):
        return [exactly(part) for part in raw]
    if isinstance(raw, np.ndarray | np.generic):
        bits = raw.tolist() if raw.dtype.kind == "O" else np.ascontiguousarray(raw).tobytes()
        return str(raw.dtype), raw.shape, bits
    return type(raw).__name__, repr(raw)


def described(error: BaseException) -> Any:
    cause = None if error.__cause__ is None else repr(error.__cause__)
    return type(error).__qualname__, str(error), cause, list(lines(error))


def lines(error: BaseException) -> Iterator[tuple[str, int, str]]:
    traceback = error.__traceback__
    while traceback is not None:
        frame = traceback.tb_frame
        if frame.f_globals.get("__name__") == "__graph__":
            yield frame.f_code.co_filename, traceback.tb_lineno, frame.f_code.co_qualname
        traceback = traceback.tb_next


def elsewhere(folder: Path, calls: list[tuple[str, list[list[Any]]]]) -> tuple[Any, set[str]]:
    """The outcomes of calls in a fresh process, which knows the files only, and what it imported.

    Each call is a file in the folder, and lists of raw arguments.
    """
    (folder / "calls").write_bytes(pickle.dumps(calls))
    done = subprocess.run(
        [sys.executable, "-P", __file__, str(folder), str(ROOT)],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    made: tuple[Any, set[str]] = pickle.loads((folder / "outcomes").read_bytes())
    return made


def main(folder: Path, root: str) -> None:
    # The package without its public names, which tell autograph of this library.
    package = type(sys)("runtime")
    package.__path__ = [f"{root}/runtime"]
    sys.modules["runtime"] = package
    sys.path.insert(0, root)
    from runtime.graph.running import Runner
    from runtime.graph.storage import load

    outcomes = []
    for file, calls in pickle.loads((folder / "calls").read_bytes()):
        run = Runner(load(folder / file))
        outcomes.append([tuple(outcome(partial(run, *raws))) for raws in calls])
    imported = {name for name in TRACER if name in sys.modules}
    (folder / "outcomes").write_bytes(pickle.dumps((outcomes, imported)))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
