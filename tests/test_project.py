"""The project as a whole: what its files promise is there, and what must not be there is not."""

import ast
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
SOURCES = sorted(path for top in ("autograph", "runtime") for path in (ROOT / top).rglob("*.py"))
TEXTS = sorted(
    path
    for suffix in ("py", "md", "toml", "yaml")
    for path in ROOT.rglob(f"*.{suffix}")
    if not any(part.startswith(".") and part != ".ci" for part in path.relative_to(ROOT).parts)
)
TARGETS = [
    *("demo", "test", "test-all", "lint", "golden", "soak", "bench", "keras-tests", "clean"),
]

needs_make = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")


def make(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["make", *arguments], cwd=ROOT, capture_output=True, text=True, timeout=60
    )


@needs_make
@pytest.mark.parametrize("target", TARGETS)
def test_make_knows_the_target(target: str) -> None:
    assert make("--dry-run", target).returncode == 0


@needs_make
def test_make_help_names_every_target() -> None:
    assert re.findall(r"^make ([\w-]+)", make("help").stdout, re.MULTILINE) == TARGETS


@needs_make
def test_setup_refuses_a_python_that_does_not_run(tmp_path: Path) -> None:
    done = make("test", f"VENV={tmp_path / 'venv'}", "PYTHON=/no/such/python")
    assert done.returncode != 0
    assert done.stderr.splitlines()[0].startswith("setup: needs Python 3.11 to 3.14; found")


@needs_make
@pytest.mark.parametrize(
    ("python", "folder"),
    [
        ("", ".venv"),
        ("python3.12", ".venv-python3.12"),
        ("/opt/bin/python3.13", ".venv-python3.13"),
    ],
)
def test_each_python_has_an_environment_of_its_own(python: str, folder: str) -> None:
    recipe = make("--dry-run", "--always-make", "test", f"PYTHON={python}").stdout
    assert f"PYTHON='{python}' sh .ci/setup '{folder}' 'demo,test'" in recipe
    assert f"{folder}/bin/python -m pytest" in recipe


@pytest.mark.parametrize("package", ["autograph", "runtime"])
def test_packages_are_typed(package: str) -> None:
    assert (ROOT / package / "py.typed").exists()


def test_version_is_in_the_changelog_or_unreleased() -> None:
    headings = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert headings[0] == "Unreleased" or headings[0].startswith(PROJECT["project"]["version"])


def test_python_versions_agree() -> None:
    claimed = [c.rpartition(" ")[2] for c in PROJECT["project"]["classifiers"] if "Python ::" in c]
    assert claimed == ["3.11", "3.12", "3.13", "3.14"]
    assert PROJECT["project"]["requires-python"] == ">=3.11,<3.15"


@pytest.mark.parametrize("word", ["TO" + "DO", "FIX" + "ME", "X" + "XX"])
def test_nothing_is_left_for_later(word: str) -> None:
    places = [str(path.relative_to(ROOT)) for path in SOURCES if word in path.read_text("utf-8")]
    assert places == []


def test_no_path_of_one_machine() -> None:
    pattern = re.compile("/" + r"(?:home|root|work|Users)/\w")
    places = [
        str(path.relative_to(ROOT)) for path in TEXTS if pattern.search(path.read_text("utf-8"))
    ]
    assert places == []


@pytest.mark.parametrize("package", ["autograph", "runtime"])
def test_functions_are_short(package: str) -> None:
    lengths = sorted(
        (node.end_lineno or node.lineno) - node.lineno + 1
        for path in (ROOT / package).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )
    assert lengths[len(lengths) // 2] < 10
    assert lengths[len(lengths) * 9 // 10] < 30


RIDDLE = re.compile(r"(?:What|Which|How|Where|Why|When|Who|Whose)\b")
FIRST_SENTENCE = re.compile(r".*?[.!?](?=\s|$)", re.DOTALL)


def riddles(source: str) -> list[str]:
    """The first lines of docstrings that begin with a question word, or ask."""
    kinds = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, kinds)]
    texts = [text for node in nodes if (text := ast.get_docstring(node))]
    return [text.splitlines()[0] for text in texts if is_riddle(text)]


def is_riddle(text: str) -> bool:
    first = FIRST_SENTENCE.match(text.partition("\n\n")[0])
    return bool(RIDDLE.match(text)) or (first is not None and first.group().endswith("?"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Is it one?", True),
        ("What it is.", True),
        ("Where it\nis.", True),
        ("Does it\nend? It does.", True),
        ("Whether it is one.", False),
        ("It is one. Is it?", False),
        ("Whatever it is.", False),
    ],
)
def test_what_a_riddle_is(text: str, expected: bool) -> None:
    assert bool(riddles(f'def f():\n    """{text}"""')) is expected


@pytest.mark.parametrize("package", ["autograph", "runtime"])
def test_docstrings_say_what_a_thing_is_or_does(package: str) -> None:
    found = {
        str(path.relative_to(ROOT)): here
        for path in sorted((ROOT / package).rglob("*.py"))
        if (here := riddles(path.read_text(encoding="utf-8")))
    }
    assert found == {}


# Lines such as "tape, recorder     what was computed", behind which the text begins in one column.
ROW = re.compile(r"^([a-z_0-9]+(?:, [a-z_0-9]+)*) {2,}(?=\S)", re.MULTILINE)


def listed(folder: Path) -> set[str]:
    """The modules that the docstring of a folder lists in a table, if it has one."""
    text = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8")))
    return {name for row in ROW.findall(text or "") for name in row.split(", ")}


FOLDERS = [
    path.parent
    for package in ("autograph", "runtime")
    for path in sorted((ROOT / package).rglob("__init__.py"))
]


@pytest.mark.parametrize("folder", [*filter(listed, FOLDERS)], ids=lambda path: path.name)
def test_a_folder_lists_its_modules(folder: Path) -> None:
    modules = {path.stem for path in folder.glob("*.py")} - {"__init__"}
    folders = {path.parent.name for path in folder.glob("*/__init__.py")}
    names = {name.removesuffix(".py") for name in listed(folder)}
    assert names == modules | folders


ROOMS = (
    *("autograph", "runtime/autodiff", "runtime/core", "runtime/data", "runtime/functions"),
    *("runtime/graph/format", "runtime/graph/passes", "runtime/graph/storage", "runtime/ops"),
    *("runtime/keras", "runtime/sessions", "runtime/staging", "runtime/train", "runtime/variables"),
)


@pytest.mark.parametrize("folder", ROOMS)
def test_the_name_of_a_class_is_that_of_one(folder: str) -> None:
    places: dict[str, list[str]] = {}
    for path in (ROOT / folder).rglob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(path.name)
    assert {name: files for name, files in places.items() if len(files) > 1} == {}


def test_an_interpreter_of_pyenv_is_found(tmp_path: Path) -> None:
    found = tmp_path / "versions/3.77.1/bin/python3.77"
    found.parent.mkdir(parents=True)
    command = ["sh", ".ci/python", "3.77"]
    environment = {"PATH": "/usr/bin:/bin", "PYENV_ROOT": str(tmp_path)}
    assert subprocess.run(command, cwd=ROOT, env=environment, timeout=60).returncode == 1
    found.write_text("#!/bin/sh\n")
    found.chmod(0o755)
    told = subprocess.check_output(command, cwd=ROOT, env=environment, text=True, timeout=60)
    assert told == f"{found}\n"
