r"""Patterns as RE2 reads them: what Python's `re` reads otherwise.

The characters of a category are those that `unicodedata` names, and the others follow the syntax
page of RE2.
"""

import unicodedata
from typing import Any

import pytest

import runtime as tf
from runtime import errors

TEXT = "héLlo 12 ٣Ⅳ½_-+«»$€ \tß漢!\x7f\v\n\U0001f600"
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def replaced(pattern: str, text: str = TEXT) -> str:
    return bytes(tf.strings.regex_replace(text, pattern, "#").numpy()).decode()


def by(holds: Any, text: str = TEXT) -> str:
    return "".join("#" if holds(c) else c for c in text)


def category(c: str) -> str:
    return unicodedata.category(c)


CATEGORIES = ["L", "Lu", "Ll", "Lo", "N", "Nd", "Nl", "No", "P", "Pd", "Pi", "S", "Sc", "Z", "Cc"]


@pytest.mark.parametrize("name", CATEGORIES)
def test_categories(name: str) -> None:
    inside = by(lambda c: category(c).startswith(name))
    outside = by(lambda c: not category(c).startswith(name))
    assert replaced(rf"\p{{{name}}}") == replaced(rf"\P{{^{name}}}") == inside
    assert replaced(rf"[\p{{{name}}}]") == replaced(rf"[^\P{{{name}}}]") == inside
    assert replaced(rf"\P{{{name}}}") == replaced(rf"\p{{^{name}}}") == outside
    assert replaced(rf"[^\p{{{name}}}]") == outside
    if len(name) == 1:
        assert replaced(rf"\p{name}") == inside
        assert replaced(rf"\P{name}") == outside


def test_categories_among_others() -> None:
    assert replaced(r"[\p{Lu}\pN_]") == by(lambda c: category(c)[0] == "N" or c in "L_")
    assert replaced(r"\p{Any}") == "#" * len(TEXT)
    assert replaced(r"\P{Any}") == TEXT
    assert replaced(r"\\p", r"a\pb") == "a#b"
    assert replaced(r"(\p{Lu})(\p{Ll})", "aBc") == "a#"


NAMED = [
    ("[[:alpha:]]", lambda c: c.lower() in LETTERS),
    ("[[:^alpha:]]", lambda c: c.lower() not in LETTERS),
    ("[^[:alpha:]]", lambda c: c.lower() not in LETTERS),
    ("[[:digit:][:space:]]", lambda c: c in "12 \t\v\n"),
    ("[[:punct:]]", lambda c: c in "_-+$!"),
    ("[[:cntrl:]_]", lambda c: c in "\t\v\n\x7f_"),
    ("[[:word:]]", lambda c: c.lower() in LETTERS + "12_"),
    (r"\s", lambda c: c in " \t\n"),
    (r"[\S]", lambda c: c not in " \t\n"),
    (r"\w", lambda c: c.lower() in LETTERS + "12_"),
    (r"\d|\W", lambda c: c.lower() not in LETTERS + "_"),
    (r"[\D]", lambda c: c not in "12"),
    (r"[$]|[[é]|[]h]", lambda c: c in "$éh"),
]  # fmt: skip


@pytest.mark.parametrize(("pattern", "holds"), NAMED)
def test_classes(pattern: str, holds: Any) -> None:
    assert replaced(pattern) == by(holds)


ENDS = [
    ("a$", "a\na\n", "a\na\n"),
    (r"a\n$", "a\na\n", "a\n#"),
    (r"a\n\z", "a\na\n", "a\n#"),
    ("(?m)a$", "a\na\n", "#\n#\n"),
    (r"\$", "a$", "a#"),
    (r"\Qa.\E|c", "abca.", "ab##"),
    (r"\Qa.", "aba.", "ab#"),
    (r"\bé", "é aé", "é a#"),
    ("(?i)é", "É", "#"),
    (r"[a[]b", "[b", "#"),
    (r"[a[]$", "[a", "[#"),
    ("a{,2}", "aa{,2}", "a#"),
    ("[{,]", "{,2}", "##2}"),
    (r"\x{41}|\x{1F600}", "A\U0001f600", "##"),
    (r"[\x{e8}-\x{ea}]", "é", "#"),
    (r"\B", "", "#"),
    (r"\B", "ab é", "a#b #é#"),
    # Where a match has ended, there is no empty one.
    ("x*", "xxab", "#a#b#"),
    ("x*", "axxb", "#a#b#"),
    ("x*?", "xx", "#x#x#"),
    ("|xx", "xx", "#x#x#"),
    ("a|$", "ba", "b#"),
    ("", "é", "#é#"),
    ("", "", "#"),
]


@pytest.mark.parametrize(("pattern", "text", "wanted"), ENDS)
def test_ends_and_plain_text(pattern: str, text: str, wanted: str) -> None:
    assert replaced(pattern, text) == wanted
    assert replaced(pattern, text) == wanted


@pytest.mark.parametrize(
    "pattern",
    [r"\p{Foo}", r"\p{}", r"\p{L", r"\p", "[[:foo:]]", r"\p{Greek}", r"\x{110000}", r"\x{}"],
)
def test_unknown_classes_are_refused(pattern: str) -> None:
    with pytest.raises(errors.InvalidArgumentError, match="invalid pattern"):
        replaced(pattern)


def test_scripts_name_the_way_out() -> None:
    with pytest.raises(errors.InvalidArgumentError, match="of scripts nothing is known here"):
        tf.strings.regex_full_match("a", r"\p{Greek}")
