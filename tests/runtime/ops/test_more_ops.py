"""CTC, factors and roots of matrices, boxes, files: against definitions written out here."""

import base64
import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import runtime as tf

RNG = np.random.default_rng(4)
MATRICES = RNG.standard_normal((2, 3, 3)) + 3 * np.eye(3)


def alignments(logits: Any, label: list[int], blank: int) -> float:
    """The probability of all ways to say a label, each of them listed."""
    p = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)
    total = 0.0
    for path in itertools.product(range(p.shape[1]), repeat=len(p)):
        said = [c for c, _ in itertools.groupby(path)]
        if [c for c in said if c != blank] == label:
            total += float(np.prod([p[t, c] for t, c in enumerate(path)]))
    return total


@pytest.mark.parametrize("blank", [0, 2, -1])
@pytest.mark.parametrize("staged", [False, True])
def test_ctc_is_the_sum_of_all_alignments(blank: int, staged: bool) -> None:
    logits = RNG.standard_normal((5, 3, 4))
    others = [c for c in range(4) if c != blank % 4]
    labels = [[others[0], others[1], others[1]], [others[2], others[0]], []]
    padded = np.array([label + [others[0]] * (3 - len(label)) for label in labels])
    sizes, frames = [3, 2, 0], [5, 4, 3]

    def loss(x: Any) -> Any:
        return tf.nn.ctc_loss(padded, x, sizes, frames, blank_index=blank)

    found = (tf.function(loss) if staged else loss)(tf.constant(logits))
    for at, label in enumerate(labels):
        wanted = alignments(logits[: frames[at], at], label, blank % 4)
        assert_allclose(found[at], -np.log(wanted))


def test_ctc_without_enough_frames_is_infinite() -> None:
    logits = tf.constant(RNG.standard_normal((3, 1, 3)))
    with tf.GradientTape() as tape:
        tape.watch(logits)
        loss = tf.nn.ctc_loss([[1, 1]], logits, [2], [2])
    assert float(loss[0]) == np.inf
    assert np.isfinite(tape.gradient(loss, logits)).all()
    with pytest.raises(tf.errors.InvalidArgumentError, match="logits of rank 3"):
        tf.nn.ctc_loss([[1]], logits[0], [1], [1])


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_ctc_of_halves_is_that_of_float32(dtype: str) -> None:
    pytest.importorskip("ml_dtypes")
    half = tf.cast(RNG.standard_normal((12, 3, 6)), dtype)

    def loss(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            found = tf.nn.ctc_loss([[1, 2], [3, 3], [5, 0]], x, [2, 2, 1], [12, 9, 4])
        return found, tape.gradient(found, x)

    for found, wide in zip(loss(half), loss(tf.cast(half, tf.float32)), strict=True):
        assert found.dtype.name == dtype
        assert found.numpy().tolist() == tf.cast(wide, dtype).numpy().tolist()


@pytest.mark.parametrize("staged", [False, True])
def test_labels_that_repeat(staged: bool) -> None:
    labels = np.array([[1, 3, 3, 3, 0], [1, 4, 4, 4, 0], [4, 2, 2, 9, 4], [2, 2, 7, 7, 2]])
    sizes = np.array([4, 5, 5, 0])
    fit = (lambda f: tf.function(f)) if staged else (lambda f: f)
    collapsed, lengths = fit(tf.nn.collapse_repeated)(labels, sizes)
    unique, places = fit(tf.nn.ctc_unique_labels)(labels)
    rows = [[k for k, _ in itertools.groupby(x[:n])] for x, n in zip(labels, sizes, strict=True)]
    assert lengths.numpy().tolist() == list(map(len, rows))
    assert collapsed.numpy().tolist() == [row + [0] * (4 - len(row)) for row in rows]
    assert collapsed.dtype == lengths.dtype == tf.int64
    assert fit(tf.nn.ctc_unique_labels)(labels.astype("i4"))[0].dtype == unique.dtype == tf.int64
    for row, found, at in zip(labels, unique, places, strict=True):
        known = list(dict.fromkeys(row.tolist()))
        assert found.numpy().tolist() == known + [0] * (5 - len(known))
        assert at.numpy().tolist() == [known.index(k) for k in row]
    with pytest.raises(tf.errors.InvalidArgumentError, match="rank 2"):
        tf.nn.ctc_unique_labels([1, 2])


def test_factors_and_roots() -> None:
    pytest.importorskip("scipy")
    factors, order = tf.linalg.lu(MATRICES)
    lower = np.tril(factors, -1) + np.eye(3)
    turned = np.take_along_axis(MATRICES, order.numpy()[..., None], -2)
    assert_allclose(lower @ np.triu(factors), turned)
    assert_allclose(tf.linalg.lu_reconstruct(factors, order), MATRICES)
    assert_allclose(tf.linalg.lu_solve(factors, order, MATRICES @ MATRICES), MATRICES)
    assert_allclose(tf.linalg.lu_matrix_inverse(factors, order), np.linalg.inv(MATRICES))
    positive = MATRICES @ MATRICES.swapaxes(-1, -2)
    root = tf.linalg.sqrtm(positive)
    assert_allclose(root @ root, positive)
    logarithm = tf.linalg.logm(positive.astype(complex))
    assert_allclose(tf.linalg.expm(logarithm), positive, rtol=1e-6)
    assert np.isnan(tf.linalg.sqrtm([[-1.0, 0.0], [0.0, 1.0]])).any()


@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.parametrize("is_complex", [False, True])
def test_gradients_of_eigenvalues_and_vectors(is_complex: bool, staged: bool) -> None:
    """By finite differences of what no phase of a vector changes."""

    def total(x: Any) -> Any:
        values, vectors = tf.linalg.eig(x)
        return tf.reduce_sum(tf.abs(values) ** 3 + tf.reduce_sum(tf.abs(vectors) ** 3, -2))

    def gradient(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = total(x)
        return tape.gradient(y, x)

    x = MATRICES + 1j * MATRICES[::-1] if is_complex else RNG.standard_normal((2, 3, 3))
    wanted = np.zeros_like(x)
    for index in np.ndindex(*x.shape):
        for direction in (1, 1j) if is_complex else (1,):
            step = np.zeros_like(x)
            step[index] = 1e-6 * direction
            wanted[index] += direction * (float(total(x + step)) - float(total(x - step))) / 2e-6
    found = (tf.function(gradient) if staged else gradient)(tf.constant(x))
    assert found.dtype == x.dtype
    assert_allclose(found, wanted, 1e-6, 1e-6)


@pytest.mark.parametrize("pad", [False, True])
def test_base64(pad: bool) -> None:
    texts = [b"", b"a", b"ab", b"abc", bytes(range(256))]
    wanted = [base64.urlsafe_b64encode(text) for text in texts]
    codes = tf.io.encode_base64(np.array(texts, object), pad)
    assert codes.numpy().tolist() == [w if pad else w.rstrip(b"=") for w in wanted]
    assert tf.io.decode_base64(codes).numpy().tolist() == texts
    empty = tf.function(tf.io.decode_base64)(np.empty((0, 3), object))
    assert empty.shape == (0, 3)


@pytest.mark.parametrize(
    "code", [b"abcde", b"ab?d", b"ab+d", b"ab/d", b"ab\x80d", b"YQ=", b"YWI==", b"YW=I", b"YWJj="]
)
def test_what_is_no_base64_is_refused(code: bytes) -> None:
    """As in TensorFlow 2.21."""
    with pytest.raises(tf.errors.InvalidArgumentError, match="base64"):
        tf.io.decode_base64(code)


def test_batch_gather() -> None:
    rows, places = np.arange(24.0).reshape(2, 3, 4), np.array([[[3, 0], [1, 1], [2, 3]]] * 2)
    found = tf.compat.v1.batch_gather(rows, places)
    assert_allclose(found, np.take_along_axis(rows, places, -1))
    assert_allclose(tf.compat.v1.batch_gather(rows, [1]), rows[[1]])


def test_placeholders_with_a_default() -> None:
    v1 = tf.compat.v1
    assert_allclose(v1.placeholder_with_default([1.0, 2.0], [None]), [1.0, 2.0])
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder_with_default([1.0, 2.0], [None], name="x")
        assert (x.op.type, x.shape.as_list()) == ("PlaceholderWithDefault", [None])
        y = v1.gradients(x * x, x)[0]
        assert_allclose(session.run(y), [2.0, 4.0])
        assert_allclose(session.run(y, {x: [3.0]}), [6.0])
        assert v1.placeholder_with_default([1.0], None).shape.rank is None
        with pytest.raises(ValueError, match="the default has the shape"):
            v1.placeholder_with_default([1.0], [2])


def test_boxes_are_cut_out_and_resized() -> None:
    image = RNG.standard_normal((2, 5, 7, 3)).astype("f")
    whole = tf.image.crop_and_resize(image, [[0, 0, 1, 1], [1, 0, 0, 1]], [0, 1], [5, 7])
    assert_allclose(whole[0], image[0], rtol=1e-5, atol=1e-6)
    assert_allclose(whole[1], image[1, ::-1], rtol=1e-5, atol=1e-6)
    half = tf.image.crop_and_resize(image, [[0, 0, 0.5, 0.5]], [1], [3, 4], "nearest")
    assert_allclose(half[0], image[1, :3, :4])
    beyond = tf.image.crop_and_resize(image, [[-1, -1, -0.5, -0.5]], [0], [2, 2], "bilinear", 9.0)
    assert beyond.numpy().ravel().tolist() == [9.0] * 12


def test_the_best_of_overlapping_boxes() -> None:
    corners = (RNG.uniform(size=(30, 4)) + np.array([0, 0, 0.4, 0.4])).astype("f")
    scores = RNG.uniform(size=30).astype("f")

    def overlap(a: Any, b: Any) -> float:
        a, b = (np.r_[np.minimum(c[:2], c[2:]), np.maximum(c[:2], c[2:])] for c in (a, b))
        sides = np.maximum(np.minimum(a[2:], b[2:]) - np.maximum(a[:2], b[:2]), 0)
        common = sides[0] * sides[1]
        return float(common / (np.prod(a[2:] - a[:2]) + np.prod(b[2:] - b[:2]) - common))

    kept: list[int] = []
    for at in np.argsort(-scores):
        if scores[at] > 0.2 and all(overlap(corners[at], corners[k]) <= 0.4 for k in kept):
            kept.append(int(at))
    best = tf.function(tf.image.non_max_suppression)
    assert best(corners, scores, 50, 0.4, 0.2).numpy().tolist() == kept
    assert best(corners, scores, 2, 0.4, 0.2).numpy().tolist() == kept[:2]
    with pytest.raises(tf.errors.InvalidArgumentError, match="a score for each box"):
        tf.image.non_max_suppression(corners, scores[:3], 5)


def test_similarity() -> None:
    x = RNG.uniform(size=(3, 12, 12, 2)).astype("f")
    assert_allclose(tf.image.ssim(x, x, 1.0), [1.0] * 3, rtol=1e-6)
    flat = np.full_like(x, 0.25)
    c = 0.01**2
    luminance = (2 * 0.25 * 0.75 + c) / (0.25**2 + 0.75**2 + c)
    assert_allclose(tf.image.ssim(flat, flat + 0.5, 1.0), [luminance] * 3, rtol=1e-4)
    with pytest.raises(tf.errors.InvalidArgumentError, match="smaller than a filter"):
        tf.image.ssim(x, x, 1.0, filter_size=13)


def test_similarity_at_scales() -> None:
    x = RNG.uniform(size=(2, 27, 25, 3)).astype("f")
    y = np.sqrt(x)
    assert_allclose(tf.image.ssim_multiscale(x, x, 1.0, (0.3, 0.7)), [1.0] * 2, rtol=1e-6)
    assert_allclose(tf.image.ssim_multiscale(x, y, 1.0, (1.0,)), tf.image.ssim(x, y, 1.0), 1e-5)
    # What is doubled in size is at the second scale what it was.
    doubled = [np.repeat(np.repeat(image, 2, 1), 2, 2) for image in (x, y)]
    second = tf.image.ssim_multiscale(*doubled, 1.0, (0.0, 1.0))
    assert_allclose(second, tf.image.ssim_multiscale(x, y, 1.0, (1.0,)), 1e-5)
    # An odd size is that with its last row and column repeated.
    wider = [np.pad(image, [(0, 0), (0, 1), (0, 1), (0, 0)], "edge") for image in (x, y)]
    odd, even = (tf.image.ssim_multiscale(*pair, 1.0, (0.0, 1.0)) for pair in ((x, y), wider))
    assert_allclose(odd, even, 1e-6)
    with pytest.raises(tf.errors.InvalidArgumentError, match="smaller than a filter"):
        tf.image.ssim_multiscale(x, y, 1.0)


def test_files_and_bytes(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "x.bin"

    @tf.function
    def through(text: Any) -> Any:
        tf.io.write_file(str(path), text)
        return tf.io.read_file(str(path))

    assert through(b"\x01\x00\x02\x01").numpy() == b"\x01\x00\x02\x01"
    read = tf.io.read_file(path)
    assert tf.io.decode_raw(read, tf.int16).numpy().tolist() == [1, 258]
    assert tf.io.decode_raw([read], tf.uint16, little_endian=False).numpy().tolist() == [[256, 513]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="no whole number of int32"):
        tf.io.decode_raw([b"abc"], tf.int32)
    with pytest.raises(tf.errors.NotFoundError, match="no such file"):
        tf.io.read_file(str(tmp_path / "none"))
    unknown = [tf.TensorSpec(None, tf.string)]
    read_any = tf.function(tf.io.read_file, input_signature=unknown)
    write_any = tf.function(lambda text: tf.io.write_file(path, text), input_signature=unknown)
    assert read_any(tf.constant(str(path))).numpy() == b"\x01\x00\x02\x01"
    for several in ([str(path)], [str(path), str(path)]):
        for call in (tf.io.read_file, read_any, write_any, tf.function(tf.io.read_file)):
            with pytest.raises(tf.errors.InvalidArgumentError, match="must be a string scalar"):
                call(tf.constant(several))
        with pytest.raises(tf.errors.InvalidArgumentError, match="`contents` must be"):
            tf.io.write_file(path, several)
    assert path.read_bytes() == b"\x01\x00\x02\x01"
    gfile = tf.io.gfile
    assert gfile.listdir(tmp_path) == ["deep"]
    assert gfile.glob(str(tmp_path / "*" / "*.bin")) == [str(path)]
    with pytest.raises(tf.errors.AlreadyExistsError):
        gfile.copy(path, path)
    with pytest.raises(tf.errors.NotFoundError):
        gfile.GFile(tmp_path / "none")


def test_decoders_find_the_best_labels() -> None:
    logits = RNG.standard_normal((4, 2, 3)) * 2
    (best,), scores = tf.function(lambda x: tf.nn.ctc_beam_search_decoder(x, [4, 3]))(logits)
    (greedy,), total = tf.nn.ctc_greedy_decoder(logits, [4, 3])
    for at, frames in enumerate([4, 3]):
        known = {
            label: alignments(logits[:frames, at], list(label), 2)
            for size in range(frames + 1)
            for label in itertools.product(range(2), repeat=size)
        }
        wanted = max(known, key=known.__getitem__)
        assert tuple(best.values[best.indices[:, 0] == at].numpy().tolist()) == wanted
        assert_allclose(scores[at, 0], np.log(known[wanted]))
        said = logits[:frames, at].argmax(1)
        merged = [c for c, _ in itertools.groupby(said.tolist()) if c != 2]
        assert greedy.values[greedy.indices[:, 0] == at].numpy().tolist() == merged
        assert_allclose(total[at, 0], -logits[:frames, at].max(1).sum())
    with pytest.raises(tf.errors.InvalidArgumentError, match="top_paths must be from 1"):
        tf.nn.ctc_beam_search_decoder(logits, [4, 3], 2, 3)
