"""What asks for a value, or for a file, where only a run has one is refused where it stands: no
`except` of the program takes it for an exception that Python raises there.
"""

from __future__ import annotations

import queue
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import runtime as rt
from autograph import StagingError
from runtime import errors

STEP = rt.Variable(3.0, name="step")
STORED = rt.train.Checkpoint(step=STEP)

USES: dict[str, tuple[Callable[[Any, str], Any], str]] = {
    "numpy of a variable": (lambda x, path: STEP.numpy(), "'step:0' is asked for its value"),
    "eval of a variable": (lambda x, path: STEP.eval(), "'step:0' is asked for its value"),
    "DLPack of a variable": (lambda x, path: STEP.__dlpack__(), "'step:0' is asked for its value"),
    "numpy of a tensor": (lambda x, path: x.numpy(), "for its value by numpy()"),
    "cpu": (lambda x, path: x.cpu(), "no 'cpu'"),
    "DLPack": (lambda x, path: x.__dlpack__(), "as another library's array"),
    "to_dlpack": (lambda x, path: rt.experimental.dlpack.to_dlpack(x), "to_dlpack()"),
    "make_tensor_proto": (lambda x, path: rt.make_tensor_proto(x), "make_tensor_proto"),
    "saved": (lambda x, path: STORED.save(path), "Checkpoint.save() works on files"),
    "written": (lambda x, path: STORED.write(path), "Checkpoint.write() works on files"),
    "restored": (lambda x, path: STORED.restore(path), "Checkpoint.restore() works on files"),
    "summaries": (
        lambda x, path: rt.summary.create_file_writer(path),
        "create_file_writer() opens a file",
    ),
}


@pytest.mark.parametrize(("use", "message"), USES.values(), ids=USES)
@pytest.mark.parametrize("is_chosen", [True, False])
def test_refused_in_a_try(
    use: Callable[[Any, str], Any], message: str, is_chosen: bool, tmp_path: Path
) -> None:
    path = str(tmp_path / "saved")

    @rt.function
    def tried(x: Any) -> Any:
        found = 0
        try:
            if is_chosen or x > 5.0:
                use(x, path)
                found = 1
        except (RuntimeError, ValueError, AttributeError, NotImplementedError):
            found = 2
        return found

    with pytest.raises((StagingError, errors.OperatorNotAllowedInGraphError)) as caught:
        tried(rt.constant(1.0))
    assert message in str(caught.value)
    error: Any = caught.value
    assert error.filename == __file__
    assert error.hint
    assert not list(tmp_path.iterdir())


def test_a_proto_of_a_tensor_that_has_left_its_graph() -> None:
    left: queue.SimpleQueue[Any] = queue.SimpleQueue()
    rt.function(lambda x: left.put(x * 2), autograph=False).get_concrete_function(rt.TensorSpec([]))
    tensor = left.get_nowait()
    with pytest.raises(errors.InaccessibleTensorError, match="is used outside of it"):
        rt.make_tensor_proto(tensor)
