"""bfloat16: moved as it is, computed in float32 and rounded once; the second opinion is ml_dtypes'
own rounding of float32 results, and TensorFlow in `tests/peers`.
"""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import runtime as tf
from runtime.core.primitive import TABLE, Primitive, Sample, bind
from tests.runtime.ops.samples import arrays

ml_dtypes = pytest.importorskip("ml_dtypes")
NARROW = np.dtype(ml_dtypes.bfloat16)
X = tf.constant([1.5, 2.25, -3.1], tf.bfloat16)

SAMPLES = [
    pytest.param(primitive, sample, id=f"{primitive.name}-{at}")
    for primitive in TABLE.values()
    if primitive.is_op and not primitive.effect
    for at, sample in enumerate(primitive.samples)
    if any(x.dtype == np.float64 for x in arrays(primitive, sample))
]


def parts(made: Any) -> list[Any]:
    return [np.asarray(part.numpy()) for part in tf.nest.flatten(made)]


@pytest.mark.parametrize(("primitive", "sample"), SAMPLES)
def test_results_are_rounded_once(primitive: Primitive, sample: Sample) -> None:
    given = [x.astype(NARROW) if x.dtype == np.float64 else x for x in arrays(primitive, sample)]
    wide = [x.astype(np.float32) if x.dtype == NARROW else x for x in given]
    try:
        wanted = parts(bind(primitive, *map(tf.constant, wide), **sample[1]))
    except tf.errors.OpError:
        with pytest.raises(tf.errors.OpError):
            bind(primitive, *map(tf.constant, given), **sample[1])
        return

    def apply(*tensors: Any) -> Any:
        return bind(primitive, *tensors, **sample[1])

    for run in (apply, tf.function(apply, autograph=False)):
        for a, b in zip(parts(run(*map(tf.constant, given))), wanted, strict=True):
            if a.dtype == NARROW:
                assert b.dtype == np.float32
                np.testing.assert_array_equal(a.astype("f"), b.astype(NARROW).astype("f"))
            elif primitive.name not in ("string_format", "fingerprint"):
                np.testing.assert_array_equal(a, b)


def test_its_facts() -> None:
    assert tf.bfloat16 is tf.as_dtype("bfloat16") is tf.as_dtype(ml_dtypes.bfloat16)
    assert tf.as_dtype(NARROW) is tf.dtypes.bfloat16 is tf.as_dtype(14)
    assert tf.bfloat16.is_floating
    assert tf.bfloat16.is_numeric
    assert not tf.bfloat16.is_integer
    assert (tf.bfloat16.size, tf.bfloat16.max) == (2, float(ml_dtypes.finfo(NARROW).max))
    assert X.dtype == "bfloat16"
    assert X.numpy().dtype == NARROW
    assert tf.constant(np.ones(2, NARROW)).dtype is tf.bfloat16


def test_numbers_take_it_and_other_floats_do_not() -> None:
    assert ((X + 1) * 2.5 - True * 1).dtype is tf.bfloat16
    assert (2 / X).dtype is tf.bfloat16
    assert (X > 1).dtype is tf.bool
    with pytest.raises(tf.errors.WrongDtypeError, match=r"input 0 has dtype bfloat16.*cast"):
        X + tf.constant(1.0)
    with pytest.raises(TypeError, match="bfloat16"):
        tf.function(lambda x: tf.constant([1.0]) * x)(X)
    with pytest.raises(tf.errors.WrongDtypeError, match="it takes"):
        tf.bitwise.invert(X)
    assert tf.cast(X, tf.int32).numpy().tolist() == [1, 2, -3]
    assert tf.cast([1, 2], tf.bfloat16).dtype is tf.bfloat16


@pytest.mark.parametrize("staged", [False, True])
def test_gradients_have_its_dtype(staged: bool) -> None:
    def slope(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in tf.range(3):
                if tf.reduce_sum(y) > 100.0:
                    break
                y = tf.sin(y) * x
        return tape.gradient(y, x)

    exact = slope(tf.cast(X, tf.float32))
    made = (tf.function(slope) if staged else slope)(X)
    assert made.dtype is tf.bfloat16
    np.testing.assert_allclose(made.numpy().astype("f"), exact, rtol=0.05)


def test_variables_and_random_numbers() -> None:
    v = tf.Variable(X)
    v.assign_add(X)
    v.assign(v * 2)
    assert v.dtype is tf.bfloat16
    assert v.numpy().astype("f").tolist() == [6.0, 9.0, -12.375]
    for make in (tf.random.normal, tf.random.uniform, tf.random.truncated_normal):
        drawn = make([1000], dtype=tf.bfloat16).numpy().astype("f")
        assert abs(drawn.mean()) < 0.6
        assert drawn.std() > 0.2
        assert make is not tf.random.uniform or (drawn.min() >= 0 and drawn.max() < 1)
    assert tf.random.stateless_normal([2], [1, 2], dtype=tf.bfloat16).dtype is tf.bfloat16


def test_texts(capsys: pytest.CaptureFixture[str]) -> None:
    assert repr(X[0]) == "<tf.Tensor: shape=(), dtype=bfloat16, numpy=1.5>"
    tf.print(X)
    assert capsys.readouterr().err == "[1.5 2.25 -3.09375]\n"
    assert (
        tf.strings.as_string(X[:2]).numpy().tolist() == tf.as_string([1.5, 2.25]).numpy().tolist()
    )


def test_a_graph_with_it_is_saved(tmp_path: Path) -> None:
    large = tf.constant(np.arange(300), tf.bfloat16)

    def f(x: Any) -> Any:
        return x * 2.5 + large, tf.zeros([2], tf.bfloat16)

    concrete = tf.function(f).get_concrete_function(tf.TensorSpec([300], tf.bfloat16))
    concrete.graph.save(tmp_path / "graph.zip")
    from runtime.graph.ir import Graph

    loaded = Graph.load(tmp_path / "graph.zip")
    assert str(loaded) == str(concrete.graph)


def test_without_its_package_the_extra_is_named() -> None:
    code = (
        "import sys; sys.modules['ml_dtypes'] = None\n"
        "import runtime as rt\n"
        "print(hasattr(rt, 'bfloat16'))\n"
        "for ask in (lambda: rt.bfloat16, lambda: rt.zeros([1], 'bfloat16')):\n"
        "    try: ask()\n"
        "    except (AttributeError, ImportError) as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    line = "bfloat16 needs the package ml_dtypes: pip install 'autograph-runtime[bfloat16]'"
    assert done.stdout.splitlines() == ["False", line, line]
