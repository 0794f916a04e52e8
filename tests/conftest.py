"""Options, profiles and the `golden` fixture that all tests share."""

import difflib
import importlib.util
import os
import resource
from collections.abc import Callable
from pathlib import Path

import hypothesis
import pytest

hypothesis.settings.register_profile("default", deadline=None, max_examples=60, derandomize=True)
hypothesis.settings.register_profile("soak", deadline=None, max_examples=5000)
hypothesis.settings.load_profile("default")

# What is compared with real peers exists only where they do.
_PEERS = {
    "test_a_backend_for_jax.py": "jax",
    "test_data_like_tensorflow.py": "tensorflow",
    "test_forms_like_tensorflow.py": "tensorflow",
    "test_keras_like_tensorflow.py": "tensorflow",
    "test_names_like_tensorflow.py": "tensorflow",
    "test_neighbours.py": "torch",
    "test_ops_like_tensorflow.py": "tensorflow",
}
collect_ignore = [
    f"peers/{name}" for name, peer in _PEERS.items() if importlib.util.find_spec(peer) is None
]

MEMORY = 6 << 30


def pytest_configure() -> None:
    # What grows without end fails its own test, and does not take the machine with it.
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    # What another run has compiled is no part of this one.
    for variable in ("AUTOGRAPH_NATIVE_CACHE", "AUTOGRAPH_CONVERSION_CACHE"):
        os.environ.setdefault(variable, "off")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="write golden files instead of comparing"
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "golden" in getattr(item, "fixturenames", ()):
            item.add_marker("golden")


@pytest.fixture(autouse=True)
def written_at_once(monkeypatch: pytest.MonkeyPatch) -> int:
    """First calls are programs, which most tests are of, though they call a function once. Gives
    what `Patience.first` is outside of tests.
    """
    from runtime.graph.executors.work import Patience

    before = Patience.first
    monkeypatch.setattr(Patience, "first", 0)
    return before


@pytest.fixture
def interpreted(written_at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """First calls are interpreted where that is less work, as they are outside of tests."""
    from runtime.graph.executors.work import Patience

    monkeypatch.setattr(Patience, "first", written_at_once)


@pytest.fixture
def little_is_much(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops that Python runs become loops of the graph after few operations."""
    from autograph.operators import staged_rest, work_of_rounds
    from runtime.staging import backend
    from runtime.staging.control import long_loops

    monkeypatch.setattr(work_of_rounds, "MUCH", 10)
    monkeypatch.setattr(work_of_rounds, "FEW", 1)
    for module in (work_of_rounds, backend):
        monkeypatch.setattr(module, "VERY_MUCH", 20)
    for module in (work_of_rounds, staged_rest, long_loops):
        monkeypatch.setattr(module, "LONG", 2)


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[Path, str], None]:
    """`golden(path, text)`: the file holds exactly the text; a missing file fails."""
    if request.config.getoption("--update-golden"):
        return write_golden
    return compare_golden


def write_golden(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def compare_golden(path: Path, text: str) -> None:
    if not path.exists():
        pytest.fail(f"{path} is missing: make it by `pytest --update-golden`, then read it")
    expected = path.read_text(encoding="utf-8")
    if text != expected:
        changed = difflib.unified_diff(
            expected.splitlines(), text.splitlines(), str(path), "now", lineterm=""
        )
        pytest.fail("\n".join(changed), pytrace=False)
