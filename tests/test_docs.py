"""What the documents say is true: their examples run, and what they name is there."""

import doctest
import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
CONVERTERS = sorted(
    path.stem
    for path in (ROOT / "autograph" / "converters").glob("*.py")
    if not path.stem.startswith("_")
)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_examples_in_documents(path: Path) -> None:
    # A closing fence would be taken for expected output.
    text = re.sub(r"^```.*$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    test = doctest.DocTestParser().get_doctest(text, {}, path.name, str(path), 0)
    assert doctest.DocTestRunner(optionflags=OPTIONS).run(test).failed == 0


@pytest.mark.parametrize("name", CONVERTERS)
def test_examples_in_converters(name: str) -> None:
    module = importlib.import_module(f"autograph.converters.{name}")
    done = doctest.testmod(module, optionflags=OPTIONS)
    assert done.failed == 0
    assert done.attempted > 0, "a converter's docstring shows the code before and after"


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
