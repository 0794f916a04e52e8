"""What the documents say is true: their examples run, and what they name is there."""

import doctest
import importlib
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import autograph
from tests.support import harness

ROOT = Path(__file__).parent.parent
OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
GENERATED_CODE = ROOT / "docs" / "generated-code.md"
README = ROOT / "README.md"
DOCUMENTS = [
    README,
    ROOT / "CONTRIBUTING.md",
    ROOT / "fixtures" / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
]
CONVERTERS = sorted(
    path.stem
    for path in (ROOT / "autograph" / "converters").glob("*.py")
    if not path.stem.startswith("_")
)


FILE = re.compile(r"`(\w+\.py)`:\n\n```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SHOWN = re.compile(
    r"`((?:\w+=\w+ )*(?:autograph|python) [^`]+)`[^`\n]*:\n\n```\w+\n(.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


class Command(NamedTuple):
    """A command that a document gives, and the output that it shows below it."""

    document: Path
    command: str
    output: str


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def commands() -> list[Command]:
    texts = {path: path.read_text(encoding="utf-8") for path in DOCUMENTS}
    return [Command(path, *shown) for path, text in texts.items() for shown in SHOWN.findall(text)]


def write_files(document: Path, folder: Path) -> list[str]:
    """The names of the files that a document shows, which are written to a folder."""
    files = FILE.findall(document.read_text(encoding="utf-8"))
    for name, text in files:
        (folder / name).write_text(text, encoding="utf-8")
    return [name for name, _ in files]


@pytest.mark.parametrize("shown", commands(), ids=lambda shown: shown.command)
def test_a_command_prints_what_a_document_shows(shown: Command, tmp_path: Path) -> None:
    write_files(shown.document, tmp_path)
    *before, program, line = re.split(r"\b(autograph|python)\b", shown.command, maxsplit=1)
    settings = dict(word.split("=") for word in "".join(before).split())
    arguments = shlex.split(line)
    plain = {"AUTOGRAPH_FULL_TRACEBACK": "", "COLUMNS": "80", "NO_COLOR": "1"}
    settings = plain | {"PYTHONPATH": str(ROOT)} | settings
    done = subprocess.run(
        [sys.executable, *(["-m", program] if program == "autograph" else []), *arguments],
        cwd=tmp_path,
        env=os.environ | settings,
        capture_output=True,
        encoding="utf-8",
    )
    # Which part of a line a traceback underlines, each version of Python decides for itself.
    expected, printed = (
        re.sub(r"^ *[~^]+\n", "", text, flags=re.MULTILINE)
        for text in (shown.output, (done.stdout + done.stderr).replace(f"{tmp_path}{os.sep}", ""))
    )
    assert doctest.OutputChecker().check_output(expected, printed, doctest.ELLIPSIS), printed


@pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)
def test_examples_in_documents(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # A closing fence would be taken for expected output.
    text = re.sub(r"^```.*$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    monkeypatch.syspath_prepend(tmp_path)
    names: dict[str, Any] = {}
    if path == README:  # its examples use what its files define
        for file in write_files(path, tmp_path):
            monkeypatch.delitem(sys.modules, file.removesuffix(".py"), raising=False)
            names |= vars(importlib.import_module(file.removesuffix(".py")))
    test = doctest.DocTestParser().get_doctest(text, names, path.name, str(path), 0)
    assert doctest.DocTestRunner(optionflags=OPTIONS).run(test).failed == 0


def test_the_case_that_the_guide_to_fixtures_shows_is_one(tmp_path: Path) -> None:
    (name,) = write_files(ROOT / "fixtures" / "README.md", tmp_path)
    case = harness.read_case(tmp_path / name)
    for row in case.rows:
        expected = harness.observe(case, row, lambda function: function)
        assert harness.observe(case, row, autograph.convert) == expected
    assert case.staged == ["x"]
    assert harness.executed_lines(case) >= set(harness.lines_of_functions(case.code))


def test_the_names_that_are_documented_are_there() -> None:
    text = GENERATED_CODE.read_text(encoding="utf-8")
    assert re.findall(r"`autograph\.(\w+)", text)
    for name in re.findall(r"`@?autograph\.(\w+)", text):
        assert hasattr(autograph, name), name


def test_every_method_of_a_backend_is_documented() -> None:
    text = (ROOT / "docs" / "backends.md").read_text(encoding="utf-8")
    methods = {name for name in vars(autograph.Backend) if not name.startswith("_")}
    assert methods <= set(re.findall(r"`(\w+)\(", text))


@pytest.mark.parametrize("name", CONVERTERS)
def test_examples_in_converters(name: str) -> None:
    module = importlib.import_module(f"autograph.converters.{name}")
    done = doctest.testmod(module, optionflags=OPTIONS)
    assert done.failed == 0
    assert done.attempted > 0, "a converter's docstring shows the code before and after"


def test_the_table_of_ops_is_up_to_date() -> None:
    # A process of its own: other tests may add rows.
    code = "from docs.make_ops import document; print(document(), end='')"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, encoding="utf-8", check=True
    )
    text = (ROOT / "docs" / "ops.md").read_text(encoding="utf-8")
    assert done.stdout == text, "write it anew: python -m docs.make_ops"


def test_every_document_is_listed() -> None:
    text = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    names = {path.name for path in (ROOT / "docs").glob("*.md")} - {"README.md"}
    assert names <= set(re.findall(r"\]\(([\w-]+\.md)\)", text))


@pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)
def test_links_and_paths_lead_somewhere(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    named = re.findall(
        r"`((?:autograph|runtime|tests|docs|benchmarks|examples|fixtures)/[\w/.]*)`", text
    )
    linked = re.findall(r"\]\((?!https?:|#)([^)#]+)", text)
    missing = [name for name in named if not (ROOT / name).exists()]
    missing += [link for link in linked if not (path.parent / link).exists()]
    assert missing == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_names_are_defined_in_the_files_that_documents_give(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    pattern = r"`([\w.]+)(?:\([^`]*\))?`\s(?:of|in|from)\s`((?:runtime|autograph)/[\w/]+\.py)`"
    for name, path in re.findall(pattern, text):
        source = (ROOT / path).read_text(encoding="utf-8")
        own = re.escape(name.split(".")[0])
        assert re.search(rf"^((def|class) )?{own}\b", source, flags=re.MULTILINE), (name, path)
