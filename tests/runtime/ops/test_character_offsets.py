"""At which byte each character begins: by the lengths of what Python encodes, and for bytes that
are none by figures of TensorFlow 2.21.
"""

from typing import Any

import pytest

import runtime as tf


def plain(x: Any) -> Any:
    return x.to_list() if hasattr(x, "to_list") else x.numpy().tolist()


@pytest.mark.parametrize("encoding", ["UTF-8", "UTF-16-BE", "UTF-32-BE"])
@pytest.mark.parametrize("text", ["", "a", "aéb", "😀x", "né\x01 ü"])
def test_offsets_are_the_lengths_of_what_is_before(text: str, encoding: str) -> None:
    given = text.encode(encoding.lower())
    wanted = [len(text[:at].encode(encoding.lower())) for at in range(len(text))]
    points, starts = tf.strings.unicode_decode_with_offsets(given, encoding)
    assert (plain(points), plain(starts)) == ([ord(c) for c in text], wanted)
    parts, starts = tf.function(tf.strings.unicode_split_with_offsets)(tf.constant(given), encoding)
    assert (plain(parts), plain(starts)) == ([c.encode() for c in text], wanted)


BAD = 0xFFFD
INVALID = [
    (b"\xc3a", {}, [BAD, 97], [0, 1]),
    (b"\xf0\x9f\x98", {}, [BAD], [0]),
    (b"\xff\xfea", {}, [BAD, BAD, 97], [0, 1, 2]),
    (b"\xc3a", {"errors": "ignore"}, [97], [1]),
    (b"\x01b", {"replace_control_characters": True}, [BAD, 98], [0, 1]),
    (b"\x01b", {"replace_control_characters": True, "errors": "ignore"}, [98], [1]),
    (["né", "", "ab"], {}, [[110, 233], [], [97, 98]], [[0, 1], [], [0, 1]]),
]


@pytest.mark.parametrize(("given", "how", "points", "starts"), INVALID)
def test_offsets_of_what_cannot_be_read(given: Any, how: Any, points: Any, starts: Any) -> None:
    found = tf.strings.unicode_decode_with_offsets(given, "UTF-8", **how)
    assert [plain(part) for part in found] == [points, starts]


def test_strict_offsets() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="invalid UTF-8"):
        tf.strings.unicode_decode_with_offsets(b"\xff", "UTF-8", errors="strict")
