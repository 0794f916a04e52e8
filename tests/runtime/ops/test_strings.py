"""Strings: what Python's own functions give, and the texts that TensorFlow prints."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import runtime as tf
from runtime import errors

S = tf.strings
WORDS = [["ab", " Cé "], ["", "xyz"]]
BYTES = [[b"ab", b" C\xc3\xa9 "], [b"", b"xyz"]]


def plain(made: Any) -> Any:
    value = made.to_list() if hasattr(made, "to_list") else made.numpy()
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


# call, result
RESULTS: list[tuple[Any, Any]] = [
    (
        lambda: S.join([WORDS, WORDS], "-"),
        [[b"ab-ab", b" C\xc3\xa9 - C\xc3\xa9 "], [b"-", b"xyz-xyz"]],
    ),
    (lambda: S.join(["a", ["b", "c"]]), [b"ab", b"ac"]),
    (lambda: S.join(["abc", tf.constant("def")], " "), b"abc def"),
    (lambda: S.join([]), b""),
    (lambda: S.length(WORDS), [[2, 5], [0, 3]]),
    (lambda: S.length(WORDS, "UTF8_CHAR"), [[2, 4], [0, 3]]),
    (lambda: S.length(b"\xff\xfe", "UTF8_CHAR"), 2),
    (lambda: S.lower("ABCÉ"), "abcÉ".encode()),
    (lambda: S.lower("ABCÉ", "utf-8"), "abcé".encode()),
    (lambda: S.upper(["abcé", "x"]), ["ABCé".encode(), b"X"]),
    (lambda: S.upper("abcé", "utf-8"), "ABCÉ".encode()),
    (lambda: S.strip([" a ", "\tb\n"]), [b"a", b"b"]),
    (lambda: S.substr("hello", 1, 3), b"ell"),
    (lambda: S.substr("hello", -3, 2), b"ll"),
    (lambda: S.substr("hello", 5, 1), b""),
    (lambda: S.substr("héllo", 1, 1, unit="UTF8_CHAR"), "é".encode()),
    (lambda: S.substr(["hello", "world"], [1, 2], [3, 1]), [b"ell", b"r"]),
    (lambda: S.substr(["hello", "world"], [1], [3]), [b"ell", b"orl"]),
    (lambda: S.substr(["a", "b"], [[0], [0]], [[1], [1]]), [[b"a", b"b"], [b"a", b"b"]]),
    (lambda: S.reduce_join([["a", "b"], ["c", "d"]]), b"abcd"),
    (lambda: S.reduce_join([["a", "b"], ["c", "d"]], 0), [b"ac", b"bd"]),
    (lambda: S.reduce_join([["a", "b"], ["c", "d"]], 1, separator=","), [b"a,b", b"c,d"]),
    (lambda: S.reduce_join([["a", "b"], ["c", "d"]], [0, 1]), b"acbd"),
    (lambda: S.reduce_join([["a", "b"], ["c", "d"]], [1, 0]), b"abcd"),
    (lambda: S.reduce_join([["a", "b"], ["c", "d"]], -1, keepdims=True), [[b"ab"], [b"cd"]]),
    (lambda: S.reduce_join("a"), b"a"),
    (lambda: S.unsorted_segment_join(["a", "b", "c"], [0, 1, 0], 2, ":"), [b"a:c", b"b"]),
    (
        lambda: S.unsorted_segment_join([["a", "x"], ["b", "y"]], [1, 1], 2),
        [[b"", b""], [b"ab", b"xy"]],
    ),
    (lambda: S.split("a b  c "), [b"a", b"b", b"c"]),
    (lambda: S.split("a,b,,c", ","), [b"a", b"b", b"", b"c"]),
    (lambda: S.split("a b c", maxsplit=1), [b"a", b"b c"]),
    (lambda: S.split(["a b", "", "c"]), [[b"a", b"b"], [], [b"c"]]),
    (lambda: S.split(["a b", "", "c"]).to_tensor("?"), [[b"a", b"b"], [b"?", b"?"], [b"c", b"?"]]),
    (lambda: S.bytes_split("aé"), [b"a", b"\xc3", b"\xa9"]),
    (lambda: S.bytes_split(["ab", "c"]), [[b"a", b"b"], [b"c"]]),
    (lambda: S.unicode_split("aé", "UTF-8"), [b"a", "é".encode()]),
    (lambda: S.unicode_decode(["aé", "b"], "UTF-8"), [[97, 233], [98]]),
    (lambda: S.unicode_decode(b"a\xffb", "UTF-8"), [97, 0xFFFD, 98]),
    (lambda: S.unicode_decode(b"a\xffb", "UTF-8", "replace", 63), [97, 63, 98]),
    (lambda: S.unicode_decode(b"a\xffb", "UTF-8", "ignore"), [97, 98]),
    (lambda: S.unicode_encode([[97, 233], [98, -1]], "UTF-8", "ignore"), ["aé".encode(), b"b"]),
    (lambda: S.unicode_transcode("aé", "UTF-8", "UTF-16-BE"), b"\x00a\x00\xe9"),
    (lambda: S.ngrams(["a", "b", "c"], [1, 2], "-"), [b"a", b"b", b"c", b"a-b", b"b-c"]),
    (lambda: S.ngrams(["a"], 2), []),
    (
        lambda: S.ngrams(["a", "b"], 3, pad_values=("<", ">")),
        [b"< < a", b"< a b", b"a b >", b"b > >"],
    ),
    (lambda: S.ngrams(["a", "b"], 3, "-", "x", 1), [b"x-a-b", b"a-b-x"]),
    (lambda: S.ngrams(["a"], 5, pad_values="x", padding_width=1), []),
    (lambda: S.ngrams(["a"], [4, 5], "-", "x", 1, True), [b"x-a-x"]),
    (lambda: S.ngrams(["a", "b"], 3, preserve_short_sequences=True), [b"a b"]),
    (lambda: S.ngrams(tf.constant([], tf.string), 2, pad_values="x"), []),
    (lambda: S.ngrams([["a", "b", "c"], ["d", "", "f"]], 2), [[b"a b", b"b c"], [b"d ", b" f"]]),
    (lambda: S.ngrams(S.split(["a b c", "", "d"]), [2, 1]),
     [[b"a b", b"b c", b"a", b"b", b"c"], [], [b"d"]]),
    (lambda: S.ngrams(S.split(["a", "", "b c"]), 2, pad_values=("L", "R")),
     [[b"L a", b"a R"], [b"L R"], [b"L b", b"b c", b"c R"]]),
    (lambda: S.ngrams(S.split(["", "a"]), [3, 1], "-", ("L", "R")),
     [[b"L-L-R", b"L-R-R"], [b"L-L-a", b"L-a-R", b"a-R-R", b"a"]]),
    (lambda: S.ngrams(S.split(["", "a"]), 3, "", ("L", "R"), 1, True), [[], [b"LaR"]]),
    (lambda: S.ngrams(S.split(["", "a"]), 5, "", ("L", "R"), 1, True), [[], [b"LaR"]]),
    (lambda: S.ngrams(S.split(["", ""]), 2, pad_values=("L", "R")), [[], []]),
    (lambda: S.split(["a b c", "d"]).to_tensor("?", shape=[None, 2]), [[b"a", b"b"], [b"d", b"?"]]),
    (lambda: S.split(["a b", "d"]).to_tensor(shape=[3, 3]),
     [[b"a", b"b", b""], [b"d", b"", b""], [b"", b"", b""]]),
    (lambda: S.regex_replace("abab", "b", "X"), b"aXaX"),
    (lambda: S.regex_replace("abab", "b", "X", replace_global=False), b"aXab"),
    (lambda: S.regex_replace("abc", "(b)(x)?", r"<\1\2\0\\>"), rb"a<bb\>c"),
    (lambda: S.regex_replace([b"a\xc3\xa9", b"\xff"], ".", "x"), [b"xx", b"x"]),
    (lambda: S.regex_replace(b"a\xff", "a", "é"), b"\xc3\xa9\xff"),
    (lambda: S.regex_full_match([["abc", "abcd"]], "a.c"), [[True, False]]),
    (
        lambda: S.to_number(["1", "-2.5", " 3 ", "1e3", "inf", ".5", "0x10"]),
        [1, -2.5, 3, 1000, np.inf, 0.5, 16],
    ),
    (lambda: S.to_number("+12", "int64"), 12),
    (lambda: S.as_string([1, 2]), [b"1", b"2"]),
    (lambda: S.as_string(3.14159), b"3.141590"),
    (lambda: S.as_string(3.14159, precision=2), b"3.14"),
    (lambda: S.as_string(1.5, scientific=True), b"1.500000e+00"),
    (
        lambda: S.as_string([1e10, 1e-5, 0.1, 123456.789], shortest=True),
        [b"1e+10", b"1e-05", b"0.1", b"123457"],
    ),
    (lambda: S.as_string([True, False]), [b"true", b"false"]),
    (lambda: S.as_string([1, 23], width=4, fill="0"), [b"0001", b"0023"]),
    (lambda: S.as_string(5, width=4, fill="-"), b"5   "),
    (lambda: S.as_string(tf.constant(1 + 2j)), b"(1.000000,2.000000)"),
    (lambda: S.as_string("a"), b"a"),
    (lambda: S.as_string(float("nan")), b"nan"),
    (lambda: S.format("a {} b {}", (tf.constant([1, 2]), "x")), b'a [1 2] b "x"'),
    (lambda: S.format("{}", tf.range(10)), b"[0 1 2 ... 7 8 9]"),
    (lambda: S.format("{}", tf.range(10), summarize=-1), b"[0 1 2 3 4 5 6 7 8 9]"),
    (lambda: S.format("{}", tf.constant([[1.5, 2.0], [3.0, 1e10]])), b"[[1.5 2]\n [3 1e+10]]"),
    (lambda: S.format("%%, {}", 3, placeholder="%%"), b"3, {}"),
    (lambda: S.format("x", ()), b"x"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "expected"), RESULTS, ids=[str(i) for i in range(len(RESULTS))])
def test_results(call: Any, expected: Any) -> None:
    assert plain(call()) == expected


@pytest.mark.parametrize(("call", "expected"), RESULTS, ids=[str(i) for i in range(len(RESULTS))])
def test_results_in_a_graph(call: Any, expected: Any) -> None:
    def dense() -> Any:
        made = call()
        return (made.values, made.row_splits) if hasattr(made, "row_splits") else made

    made = tf.function(dense)()
    if isinstance(made, tuple):
        values, splits = (t.numpy().tolist() for t in made)
        assert [values[i:j] for i, j in pairwise(splits)] == expected
    else:
        assert plain(made) == expected


def test_shapes_stay() -> None:
    for call in (S.lower, S.upper, S.strip, S.length, lambda x: S.regex_replace(x, "a", "b")):
        assert call(WORDS).shape == (2, 2)
        assert call("a").shape == ()
        assert call(tf.zeros((0, 3), tf.string)).shape == (0, 3)


@given(st.text(), st.integers(-5, 5), st.integers(0, 5))
def test_substr_is_a_slice(text: str, start: int, count: int) -> None:
    if not -len(text) <= start <= len(text):
        with pytest.raises(errors.InvalidArgumentError, match="out of range"):
            S.substr(text, start, count, "UTF8_CHAR")
        return
    first = start % len(text) if start < 0 else start
    made = S.substr(text, start, count, "UTF8_CHAR").numpy().decode()
    assert made == text[first : first + count]


@given(st.lists(st.text("ab ,", max_size=6), max_size=4), st.sampled_from([None, ",", "ab"]))
def test_split_and_join_again(texts: list[str], separator: str | None) -> None:
    rows = S.split(tf.constant(texts, tf.string, (len(texts),)), separator)
    assert rows.to_list() == [[w.encode() for w in text.split(separator)] for text in texts]
    assert [len(row.numpy()) for row in rows] == rows.row_lengths().numpy().tolist()
    assert len(rows) == rows.nrows().numpy() == rows.shape[0] == len(texts)
    if separator:
        again = [S.reduce_join(row, separator=separator).numpy().decode() for row in rows]
        assert again == texts


@given(st.floats(allow_subnormal=False) | st.integers(-(2**31), 2**31 - 1))
def test_numbers_there_and_back(number: float) -> None:
    if isinstance(number, int):
        assert S.to_number(S.as_string(number), "int32").numpy() == number
        return
    value = tf.constant(number, tf.float64)
    back = S.to_number(S.as_string(value, precision=16, scientific=True), "float64")
    np.testing.assert_allclose(back.numpy(), number, rtol=1e-15)


@given(st.lists(st.text(), max_size=3))
def test_code_points_there_and_back(texts: list[str]) -> None:
    points = S.unicode_decode(tf.constant(texts, tf.string, (len(texts),)), "UTF-8")
    assert points.to_list() == [[ord(c) for c in text] for text in texts]
    for row, text in zip(points, texts, strict=True):
        assert S.unicode_encode(row, "UTF-8").numpy().decode() == text


HASHES: dict[int, tuple[int, int, int]] = {
    0: (1936946117179621455, 105434511174508091, 1583518726171341606),
    1: (107802420385376258, 3881744365135738864, 4362545907581988254),
    3: (3091163115821544028, 1721236532880327372, 588271811441275149),
    4: (1720235418723337390, 3945164219720925181, 1700005808579631080),
    7: (1227340135899025967, 3860022913985354175, 3486630191277597703),
    8: (416454844068956798, 1927888461177315151, 4335118323797548125),
    9: (3938540446998675217, 1376572647460694083, 451083188568302284),
    16: (3320895591121647644, 1260831952859287914, 1051610219437264773),
    17: (2082709914559524773, 4161156153655800118, 1988933131307461383),
    32: (3678204687145032709, 1793624403848994371, 3147027087952610663),
    33: (3046993373088323127, 3465179299843832916, 3165619467822117846),
    64: (2304502108871267256, 4406794248521735754, 2246778680268126865),
    65: (323337772074164025, 387508316990748746, 1987244897731692259),
    128: (1256696753479420951, 4037345427863627909, 1349889236808956513),
    129: (3958089325734133430, 3195003237087479494, 3645836121486608084),
    200: (103930210689786815, 1680667619926591871, 2637937541762394312),
}
"""By the length of a string of x: its buckets out of 2**62 in TensorFlow 2.21, fast, of the old
kind and strong under the key (1, -2).
"""


def test_hash_buckets_are_those_of_tensorflow() -> None:
    words = ["x" * size for size in HASHES]
    count = 2**62
    fast, old, strong = zip(*HASHES.values(), strict=True)
    assert S.to_hash_bucket_fast(words, count).numpy().tolist() == list(fast)
    assert S.to_hash_bucket(words, count).numpy().tolist() == list(old)
    assert S.to_hash_bucket_strong(words, count, key=[1, -2]).numpy().tolist() == list(strong)


@pytest.mark.parametrize(
    ("data", "of_tensorflow"),
    [
        (np.int32([[1, 2], [3, 4]]), [788354958964363852, 18389873380686603006]),
        (np.zeros((2, 0)), [11160318154034397263] * 2),
        ([["a", "b"], ["c", "dd"]], [5996327986519556218, 774346167830209358]),
        ([["a"], ["c"]], [12917804110809363939, 11430444447143000872]),
        (np.zeros((0, 3)), []),
    ],
)
def test_fingerprints_of_rows_are_those_of_tensorflow(data: Any, of_tensorflow: Any) -> None:
    for found in (tf.fingerprint(data), tf.function(tf.fingerprint)(tf.constant(data))):
        assert (found.dtype, found.shape) == (tf.uint8, [len(of_tensorflow), 8])
        assert found.numpy().view("<u8").ravel().tolist() == of_tensorflow


def test_the_fingerprint_of_a_text_decides_its_bucket() -> None:
    words = ["x" * size for size in HASHES]
    numbers = tf.fingerprint(words).numpy().view("<u8").ravel() % 2**62
    assert numbers.tolist() == S.to_hash_bucket_fast(words, 2**62).numpy().tolist()


def test_a_scalar_has_no_fingerprints_of_rows() -> None:
    with pytest.raises(ValueError, match="a scalar has no rows"):
        tf.fingerprint("a")
    with pytest.raises(ValueError, match="method must be 'farmhash64', got 'md5'"):
        tf.fingerprint(["a"], "md5")


def test_hash_buckets_are_filled_evenly() -> None:
    words = [str(i) for i in range(2000)]
    for hashed in (S.to_hash_bucket_fast, S.to_hash_bucket):
        assert np.abs(np.bincount(hashed(words, 10).numpy()) - 200).max() < 5 * 200**0.5
    strong = S.to_hash_bucket_strong(words, 10, key=[1, 2]).numpy()
    assert not np.array_equal(strong, S.to_hash_bucket_strong(words, 10, key=[1, 3]).numpy())


def test_ragged_tensors() -> None:
    rows = S.split(["a b", "", "c"])
    assert rows[0].numpy().tolist() == [b"a", b"b"]
    assert rows[-1].numpy().tolist() == [b"c"]
    assert rows.shape == [3, None]
    assert rows.dtype == "string"
    assert rows.ragged_rank == 1
    assert rows.flat_values.numpy().tolist() == [b"a", b"b", b"c"]
    assert repr(rows) == "<tf.RaggedTensor [[b'a', b'b'], [], [b'c']]>"
    assert [row.tolist() for row in rows.numpy()] == rows.to_list()
    for part in (slice(1, 3), slice(None), slice(2, 1), slice(-1, None), slice(5, 9)):
        assert rows[part].to_list() == rows.to_list()[part]
    assert rows[1:].row_splits.numpy().tolist() == [0, 0, 1]
    with pytest.raises(TypeError, match="in steps of 1"):
        rows[::2]
    with pytest.raises(TypeError, match=r"an integer or slice, not \(1, 0\)"):
        rows[1, 0]  # type: ignore[call-overload]
    with pytest.raises(IndexError, match="row 3 is out of range for 3 rows"):
        rows[3]


INVALID = errors.InvalidArgumentError
BAD: list[tuple[Any, type[Exception], str]] = [
    (lambda: S.join([["a", "b"], ["c"] * 3]), INVALID, "do not match"),
    (lambda: S.join([1, 2]), TypeError, "string"),
    (lambda: S.join("abc"), TypeError, "list"),
    (lambda: S.length("a", unit="CHAR"), ValueError, "'CHAR'"),
    (lambda: S.lower("a", "latin-1"), ValueError, "latin-1"),
    (lambda: S.lower(1), TypeError, "string"),
    (lambda: S.substr("hello", 6, 1), INVALID, "pos 6 out of range"),
    (lambda: S.substr("hello", 1, -1), INVALID, "negative"),
    (lambda: S.substr(["a", "b"], 0, [1, 1]), INVALID, "same shape"),
    (lambda: S.substr("a", 0.5, 1), INVALID, "float32"),
    (lambda: S.reduce_join(WORDS, 5), INVALID, "axis 5"),
    (lambda: S.reduce_join(WORDS, [0, 0]), INVALID, "duplicate"),
    (lambda: S.unsorted_segment_join(["a"], [3], 2), INVALID, "is not in"),
    (lambda: S.unsorted_segment_join(["a"], [0, 1], 2), INVALID, "do not fit"),
    (lambda: S.unsorted_segment_join(["a"], [0], -1), INVALID, "negative"),
    (lambda: S.split(WORDS), INVALID, "scalars and vectors"),
    (lambda: S.split("a", 5), TypeError, "sep"),
    (lambda: S.ngrams("a", 2), INVALID, "vector"),
    (lambda: S.ngrams(["a"], 0), ValueError, "positive"),
    (lambda: S.ngrams(["a"], 2, padding_width=1), ValueError, "pad_values"),
    (lambda: S.ngrams(["a"], 2, pad_values="x", padding_width=0), ValueError, "positive"),
    (lambda: S.ngrams(["a"], 2, pad_values=5), TypeError, "pad_values"),
    (lambda: S.regex_replace("a", "(", ""), INVALID, "invalid pattern"),
    (lambda: S.regex_replace("a", "a", r"\1"), INVALID, "names no group"),
    (lambda: S.regex_replace("a", ["a", "b"], ""), INVALID, "scalar"),
    (lambda: S.regex_full_match("a", "a{99999999999999}"), INVALID, "pattern"),
    (lambda: S.to_number("abc"), INVALID, "b'abc' to float32"),
    (lambda: S.to_number("1_000"), INVALID, "1_000"),
    (lambda: S.to_number("1.5", "int32"), INVALID, "int32"),
    (lambda: S.to_number("99999999999", "int32"), INVALID, "int32"),
    (lambda: S.to_number("-1", "uint32"), INVALID, "uint32"),
    (lambda: S.to_number("1", "float16"), ValueError, "float16"),
    (lambda: S.as_string(1, precision=2), ValueError, "int32"),
    (lambda: S.as_string(1.0, scientific=True, shortest=True), ValueError, "both"),
    (lambda: S.as_string(1, width=4, fill="ab"), ValueError, "'ab'"),
    (lambda: S.format("{} {}", [1]), ValueError, "1 tensors do not fit the 2 places"),
    (lambda: S.to_hash_bucket("a", 0), ValueError, "positive"),
    (lambda: S.to_hash_bucket_strong("a", 5, [1]), ValueError, "two integers"),
    (lambda: S.unicode_decode(b"\xff", "UTF-8", "strict"), INVALID, "invalid UTF-8"),
    (lambda: S.unicode_decode("a", "KLINGON"), INVALID, "KLINGON"),
    (lambda: S.unicode_decode("a", "UTF-8", "panic"), ValueError, "'panic'"),
    (lambda: S.unicode_decode("a", "UTF-8", "replace", 0xD800), ValueError, "code point"),
    (lambda: S.unicode_encode([0xD800], "UTF-8", "strict"), INVALID, "code point"),
    (lambda: S.unicode_encode(5, "UTF-8"), INVALID, "vector or a matrix"),
    (lambda: S.unicode_transcode("a", "UTF-8", "LATIN"), ValueError, "'LATIN'"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "error", "words"), BAD, ids=[str(i) for i in range(len(BAD))])
def test_bad_arguments_are_refused(call: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call()


def folded(c: Any) -> Any:
    made = c[0]
    for item in c:
        made = made + item
    return made


STAGED: list[tuple[Any, Any]] = [
    (lambda c: c[0], b"a"),
    (lambda c: c[1] + "x", b"bcx"),
    (lambda c: c[tf.size(c) - 1], b"bc"),
    (lambda c: tf.reshape(c[:1], []) + c[1], b"abc"),
    (lambda c: tf.squeeze(c[:1]) + c[1], b"abc"),
    (lambda c: tf.unstack(c)[0] + "x", b"ax"),
    (lambda c: tf.gather(c, 1) + "x", b"bcx"),
    (lambda c: tf.stack([c[0], c[1] + "x"]), [b"a", b"bcx"]),
    (lambda c: tf.expand_dims(c[1], 0), [b"bc"]),
    (lambda c: S.length(c[1]), 2),
    (lambda c: c[0] if c[0] == "b" else c[1] + "p", b"bcp"),
    (folded, b"aabc"),
]


@pytest.mark.parametrize(("read", "expected"), STAGED)
def test_single_strings_in_graphs(read: Any, expected: Any) -> None:
    words = tf.constant(["a", "bc"])
    assert plain(tf.function(read)(words)) == plain(read(words)) == expected


def test_fill_holds_texts_not_arrays_of_them() -> None:
    for fill in (tf.fill, tf.function(tf.fill)):
        assert fill([2, 1], tf.constant("ab")).numpy().tolist() == [[b"ab"], [b"ab"]]
    data = tf.data.Dataset.from_tensor_slices(["a", "bc"]).map(lambda x: tf.fill([2], x))
    assert [x.numpy().tolist() for x in data] == [[b"a", b"a"], [b"bc", b"bc"]]
