"""What functions leave behind when Python exits."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]

CALLED = """
    import runtime as rt

    def increment(x):
        return x + 1

    @rt.function
    def apply(f, x):
        return f(x)

    @rt.function
    def nested(f, x):
        return apply(f, x) + rt.map_fn(f, rt.stack([x, x]))[0]

    class Model:
        @rt.function
        def call(self, f, x):
            return f(x)

    class Doubling:
        def __call__(self, x):
            return x * 2

    model, double = Model(), Doubling()
    for use in (apply, nested, model.call):
        for f in (increment, double):
            use(f, rt.constant(1))
            use(f, rt.constant(1.0))
    del f
"""
EMPTIED = """
    # What Python does with modules when it exits, in an order that depends on who holds them.
    import runtime.functions.trace_cache

    names = vars(runtime.functions.trace_cache)
    names.update({name: None for name in names if not name.startswith("__")})
    del double, increment
"""


@pytest.mark.parametrize("end", ["", EMPTIED], ids=["as it is", "modules emptied first"])
def test_functions_as_arguments_leave_nothing_to_say(end: str, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(CALLED) + textwrap.dedent(end))
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    ended = subprocess.run(
        [sys.executable, str(script)], env=environment, capture_output=True, text=True, timeout=60
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
