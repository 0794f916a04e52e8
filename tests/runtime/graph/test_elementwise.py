"""Ops that compute element by element."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from runtime.core.primitive import bind
from runtime.core.tensor import EagerTensor
from runtime.graph.passes.rewriting import is_elementwise
from tests.runtime.ops.samples import arrays, cases

CASES = [case for case in cases() if is_elementwise(case[1])]


@pytest.mark.parametrize(("name", "row", "sample", "dtype"), CASES, ids=[case[0] for case in CASES])
def test_elements_are_computed_one_by_one(name: str, row: Any, sample: Any, dtype: Any) -> None:
    inputs = np.broadcast_arrays(*arrays(row, sample, dtype))
    flat = [np.ravel(item) for item in inputs]
    together = bind(row, *map(EagerTensor, flat), **sample[1]).numpy()
    for at, expected in enumerate(together):
        one = bind(row, *[EagerTensor(item[at : at + 1]) for item in flat], **sample[1]).numpy()[0]
        if isinstance(expected, bytes):
            assert one == expected
        else:
            # Long arrays may be computed by other instructions.
            np.testing.assert_allclose(one, expected, rtol=1e-6)


def test_there_are_such_rows_and_others() -> None:
    names = {case[1].name for case in CASES}
    assert {"add", "exp", "where", "less", "cast"} <= names
    assert names.isdisjoint({"sum", "cumsum", "softmax", "matmul", "reverse", "transpose"})
