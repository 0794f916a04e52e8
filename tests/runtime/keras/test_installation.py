"""`import runtime.keras` makes the one Keras of a process run on this runtime, or says why not."""

import subprocess
import sys
from importlib.util import find_spec

import pytest

if find_spec("keras") is None:
    pytest.skip("Keras is not installed", allow_module_level=True)


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    return done.stdout + done.stderr.strip().rpartition("\n")[2]


@pytest.mark.parametrize(
    "code",
    [
        "import runtime.keras, keras; print(keras.config.backend())",
        "import runtime as rt; print(rt.keras.config.backend())",
        "import runtime.keras as k, keras; assert k.layers is keras.layers; "
        "print(k.config.backend())",
        "from runtime.keras import layers; import keras; assert layers is keras.layers; "
        "print(keras.config.backend())",
        "from runtime.keras.layers import Dense; import keras; "
        "assert Dense is keras.layers.Dense; print(keras.config.backend())",
        "import runtime.keras.optimizers, keras, runtime as rt; "
        "assert rt.keras.optimizers is keras.optimizers; print(keras.config.backend())",
    ],
)
def test_it_is_the_keras_of_the_process(code: str) -> None:
    assert run(code) == "runtime\n"


def test_nothing_of_it_is_seen_elsewhere() -> None:
    code = (
        "import os; before = dict(os.environ); import runtime, sys; "
        "assert 'keras' not in sys.modules; import runtime.keras; "
        "print({'tensorflow', 'jax', 'torch'} & set(sys.modules), dict(os.environ) == before)"
    )
    assert run(code) == "set() True\n"


def test_another_backend_before_is_refused() -> None:
    code = (
        "import sys, types; config = types.ModuleType('config'); config.backend = lambda: 'numpy'; "
        "sys.modules['keras'], sys.modules['keras.src.backend.config'] = config, config; "
        "import runtime.keras"
    )
    assert run(code) == (
        "ImportError: Keras was imported before runtime.keras, with the backend 'numpy', and a "
        "process has one Keras: write `import runtime.keras` before the first `import keras`"
    )


FAKE = "import importlib.metadata as m; real = m.version; m.version = {}; import runtime.keras"


def test_an_untested_version_is_refused() -> None:
    assert run(FAKE.format("lambda name: '3.99.0'")) == (
        "ImportError: runtime.keras was tested with Keras >=3.15,<3.16, and Keras 3.99.0 is "
        "installed: pip install 'autograph-runtime[keras]' installs one that was"
    )


def test_a_missing_one_names_the_extra() -> None:
    code = (
        "import importlib.metadata as m\n"
        "def version(name): raise m.PackageNotFoundError(name)\n"
        "m.version = version\n{}"
    )
    words = (
        "runtime.keras needs Keras 3, which is not installed: pip install "
        "'autograph-runtime[keras]'"
    )
    assert run(code.format("import runtime.keras")) == f"ImportError: {words}"
    assert run(code.format("import runtime; runtime.keras")).startswith(f"AttributeError: {words}")
    assert run(code.format("import runtime; print(hasattr(runtime, 'keras'))")) == "False\n"


def test_no_module_of_ours_hides_one_of_keras() -> None:
    code = (
        "import runtime.keras, keras, pathlib; "
        "own = {p.stem for p in pathlib.Path(runtime.keras.__file__).parent.glob('*.py')}; "
        "print(own & set(dir(keras)))"
    )
    assert run(code) == "set()\n"


def test_names_that_are_not_there_say_so() -> None:
    code = "import runtime.keras.nonsense"
    assert run(code) == "ModuleNotFoundError: No module named 'runtime.keras.nonsense'"
    assert "no attribute 'nonsense'" in run("import runtime.keras as k; k.nonsense")
