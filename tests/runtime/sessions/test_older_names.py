"""Short functions of version 1: what they give, eagerly and in a graph."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import runtime as tf

v1 = tf.compat.v1
ROWS: dict[str, tuple[Any, Any]] = {
    "arg_max": (lambda: v1.arg_max([[1.0, 3.0], [4.0, 2.0]], dimension=1), [1, 0]),
    "arg_min": (lambda: v1.arg_min([[1.0, 3.0], [4.0, 2.0]], 0), [0, 1]),
    "setdiff1d": (lambda: v1.setdiff1d([1, 2, 3, 2, 5], [2, 9]).out, [1, 3, 5]),
    "places": (lambda: v1.setdiff1d([1, 2, 3, 2, 5], [2, 9]).idx, [0, 2, 4]),
    "guarantee": (lambda: v1.guarantee_const([1, 2]), [1, 2]),
    "finite": (lambda: v1.debugging.is_finite([1.0, np.inf]), [True, False]),
    "roll": (lambda: v1.manip.roll([1, 2, 3], 1, 0), [3, 1, 2]),
    "spectral": (lambda: tf.abs(v1.spectral.rfft([1.0, 0.0])), [1.0, 1.0]),
    "transpose": (lambda: v1.linalg.transpose([[1, 2]]), [[1], [2]]),
    "layer": (lambda: v1.nn.relu_layer([[1.0, 2.0]], [[1.0], [-2.0]], [4.0]), [[1.0]]),
}


@pytest.mark.parametrize("name", ROWS)
def test_values(name: str) -> None:
    function, wanted = ROWS[name]
    assert function().numpy().tolist() == wanted
    with tf.Graph().as_default(), v1.Session() as session:
        assert session.run(function()).tolist() == wanted


def test_all_are_there_or_none() -> None:
    kept = v1.tuple([tf.constant(1), None, tf.constant(2)])
    assert [None if x is None else int(x) for x in kept] == [1, None, 2]
    with tf.Graph().as_default(), v1.Session() as session:
        counted = v1.get_variable("n", initializer=0)
        first, _ = v1.tuple([tf.constant(7), counted.assign_add(1)])
        session.run(v1.global_variables_initializer())
        assert session.run(first) == 7
        assert session.run(counted) == 1


def test_templates_share_variables() -> None:
    with tf.Graph().as_default(), v1.Session() as session:

        def scaled(x: float, k: float = 1.0) -> Any:
            return x * v1.get_variable("w", initializer=2.0) * k

        scale = v1.make_template("scale", scaled, k=3.0)
        made = [scale(1.0), scale(2.0, k=5.0)]
        other = v1.make_template("scale", scaled)(1.0)
        assert [v.name for v in v1.global_variables()] == ["scale/w:0", "scale_1/w:0"]
        session.run([v1.global_variables_initializer(), v1.tables_initializer()])
        assert session.run([*made, other]) == [6.0, 20.0, 2.0]


def test_collections() -> None:
    with tf.Graph().as_default():
        v1.add_to_collections(["a", "b"], 5)
        assert v1.get_collection("a") == v1.get_collection("b") == [5]
        local = v1.get_local_variable("count", initializer=0.0)
        assert v1.local_variables() == [local]
        assert v1.trainable_variables() == v1.model_variables() == []
        assert not v1.executing_eagerly_outside_functions()
    assert v1.executing_eagerly_outside_functions()


def test_files(tmp_path: Path) -> None:
    with v1.gfile.Open(str(tmp_path / "x"), "w") as file:
        file.write("text")
    assert v1.gfile.Exists(str(tmp_path / "x"))
    assert v1.gfile.ListDirectory(str(tmp_path)) == ["x"]
    with v1.python_io.TFRecordWriter(str(tmp_path / "r")) as writer:
        writer.write(b"one")
    assert [*v1.python_io.tf_record_iterator(str(tmp_path / "r"))] == [b"one"]
    with pytest.raises(AttributeError, match="it has"):
        getattr(v1.gfile, "Nothing")  # noqa: B009


def test_the_logger_has_version_1s_names(caplog: pytest.LogCaptureFixture) -> None:
    before = tf.get_logger().level
    try:
        v1.logging.set_verbosity(v1.logging.ERROR)
        assert v1.logging.get_verbosity() == v1.logging.ERROR
        v1.logging.info("no %s", 1)
        v1.logging.error("yes %s", 2)
        assert caplog.messages == ["yes 2"]
    finally:
        tf.get_logger().setLevel(before)


def test_messages_that_nobody_handles_are_shown() -> None:
    code = (
        "import runtime.compat.v1 as tf; tf.logging.info('a'); "
        "tf.logging.set_verbosity(tf.logging.INFO); tf.logging.info('b %d', 1)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == "b 1\n"


def test_version_2_is_the_package_itself() -> None:
    import runtime.compat.v2 as tf2

    assert tf2.constant is tf.constant
    assert tf2.math is tf.math is tf.compat.v2.math
    assert dir(tf2) == dir(tf)
    with pytest.raises(AttributeError, match=r"the nearest is runtime\.reduce_sum"):
        tf2.reduce_summ  # noqa: B018


def test_symbols_are_told_from_values() -> None:
    held = tf.constant(1)
    asked = tf.function(
        lambda x: tf.is_symbolic_tensor(tensor=x) and not v1.is_symbolic_tensor(held)
    )
    assert asked(held)
    assert not tf.is_symbolic_tensor(held)
    assert int(tf.guarantee_const(held)) == 1
