"""What the documents say is true: their examples run, and what they name is there."""

import doctest
import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

import autograph
from autograph.__main__ import main

ROOT = Path(__file__).parent.parent
OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
CONVERTERS = sorted(
    path.stem
    for path in (ROOT / "autograph" / "converters").glob("*.py")
    if not path.stem.startswith("_")
)


@pytest.fixture
def first_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The README's first screen as a file: `collatz.py`."""
    path = tmp_path / "collatz.py"
    path.write_text(blocks(ROOT / "README.md")[0], encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "collatz", raising=False)
    return path


def blocks(path: Path) -> list[str]:
    text = path.read_text(encoding="utf-8")
    return re.findall(r"^```python\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)


def test_first_screen_shows_what_the_command_prints(
    first_example: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([f"{first_example}:collatz"]) == 0
    assert capsys.readouterr().out == blocks(ROOT / "README.md")[1]


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_examples_in_documents(path: Path, first_example: Path) -> None:
    # A closing fence would be taken for expected output.
    text = re.sub(r"^```.*$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    names = vars(importlib.import_module("collatz")) if ">>> " in text else {}
    test = doctest.DocTestParser().get_doctest(text, names, path.name, str(path), 0)
    assert doctest.DocTestRunner(optionflags=OPTIONS).run(test).failed == 0


def test_readme_names_what_is_there() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
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


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_links_and_paths_lead_somewhere(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    named = re.findall(
        r"`((?:autograph|runtime|tests|docs|benchmarks|examples|fixtures)/[\w/.]*)`", text
    )
    linked = re.findall(r"\]\((?!https?:|#)([^)#]+)", text)
    missing = [name for name in named if not (ROOT / name).exists()]
    missing += [link for link in linked if not (path.parent / link).exists()]
    assert missing == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_names_are_defined_in_the_files_that_documents_give(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    pattern = r"`([\w.]+)(?:\([^`]*\))?`\s(?:of|in|from)\s`((?:runtime|autograph)/[\w/]+\.py)`"
    for name, path in re.findall(pattern, text):
        source = (ROOT / path).read_text(encoding="utf-8")
        own = re.escape(name.split(".")[0])
        assert re.search(rf"^((def|class) )?{own}\b", source, flags=re.MULTILINE), (name, path)
