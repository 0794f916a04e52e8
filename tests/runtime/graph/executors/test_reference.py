"""What a graph means is what the reference interpreter makes of it: the NumPy executor gives the
same, for every fixture, for every op and for programs with all that graphs have.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

import runtime as rt
from runtime.core.primitive import Primitive, bind
from runtime.core.tensor import EagerTensor
from tests.runtime.graph.test_storage import INPUTS, OWN, counter
from tests.runtime.ops.samples import arrays, cases
from tests.runtime.staging.staged_programs import PROGRAMS
from tests.support import reference, staging
from tests.support.harness import Case
from tests.test_staged_fixtures import STAGED_CASES, call

OPS = [case for case in cases() if case[1].name != "constant" and not case[1].effect]


@pytest.mark.parametrize("case", STAGED_CASES, ids=lambda case: case.name)
def test_fixtures(case: Case) -> None:
    for row in case.rows:
        with reference.compared():
            staging.attempt(partial(call, case, row, rt.function, case.staged))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda row: row[0].__name__)
def test_staged_programs(program: Any) -> None:
    function, *inputs = program
    for given_ in inputs:
        arguments = [rt.constant(np.asarray(item)) for item in given_]
        concrete = rt.function(function).get_concrete_function(*arguments)
        reference.compare(concrete, [item.raw for item in arguments])


@pytest.mark.parametrize("made", [*OWN, counter()], ids=lambda f: f.__name__)
def test_all_that_graphs_have(made: Any) -> None:
    concrete = rt.function(made).get_concrete_function(rt.TensorSpec([None]))
    for values in INPUTS:
        reference.compare(concrete, [rt.constant(values).raw])


@pytest.mark.parametrize(
    ("row", "sample", "dtype"), [case[1:] for case in OPS], ids=[case[0] for case in OPS]
)
def test_ops(row: Primitive, sample: Any, dtype: Any) -> None:
    inputs = [EagerTensor(np.asarray(array)) for array in arrays(row, sample, dtype)]
    concrete = rt.function(lambda *xs: bind(row, *xs, **sample[1])).get_concrete_function(*inputs)
    for _ in range(2):
        reference.compare(concrete, [item.raw for item in inputs])
