"""`runtime.autograph` hands on what `autograph` does."""

from typing import Any

import pytest

import autograph
import runtime as rt


def clip(x: Any, limit: Any) -> Any:
    if x > limit:
        x = limit
    return x


def test_to_code_is_autographs() -> None:
    assert rt.autograph.to_code(clip) == autograph.to_code(clip)
    assert rt.autograph.to_code(rt.function(clip)) == autograph.to_code(clip)


@pytest.mark.parametrize(("x", "limit"), [(1, 2), (3, 2)])
def test_to_graph_converts(x: int, limit: int) -> None:
    assert rt.autograph.to_graph(clip)(x, limit) == clip(x, limit)
    assert autograph.is_converted(rt.autograph.to_graph(rt.function(clip)))


def test_experimental_names() -> None:
    assert rt.autograph.experimental.do_not_convert is autograph.do_not_convert
    assert rt.autograph.experimental.set_loop_options is autograph.set_loop_options


def test_trace_prints_symbols(capsys: pytest.CaptureFixture[str]) -> None:
    @rt.function
    def traced(x: Any) -> Any:
        rt.autograph.trace(x, 1)
        return x

    traced(rt.constant(1.0))
    traced(rt.constant(2.0))
    assert capsys.readouterr().out.count("<tf.Tensor 'x:0' shape=() dtype=float32> 1") == 1
