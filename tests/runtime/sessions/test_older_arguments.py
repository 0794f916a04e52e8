"""Functions of version 1 whose arguments have another order than those of version 2.

The function of today, with its arguments by name, is the second opinion.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import runtime as rt
from runtime.compat import v1

PIXELS = np.arange(16.0, dtype=np.float32).reshape(1, 2, 2, 4)
ONE, FOUR = [1, 1, 1, 1], [1, 2, 2, 1]
MATRIX = np.arange(6.0, dtype=np.float32).reshape(2, 3)
FILTERS = np.arange(32.0, dtype=np.float32).reshape(2, 2, 4, 2)


@pytest.mark.parametrize(
    ("older", "today"),
    [
        (
            lambda: v1.confusion_matrix([1, 0], [1, 1], 2, rt.int64, "n", [2, 3]),
            lambda: rt.math.confusion_matrix([1, 0], [1, 1], 2, weights=[2, 3], dtype=rt.int64),
        ),
        (
            lambda: v1.count_nonzero(input_tensor=[[1, 0], [2, 3]], reduction_indices=0),
            lambda: rt.math.count_nonzero([[1, 0], [2, 3]], axis=0),
        ),
        (
            lambda: v1.depth_to_space(PIXELS, 2, "n", "NHWC"),
            lambda: rt.nn.depth_to_space(PIXELS, 2, "NHWC", "n"),
        ),
        (lambda: v1.nn.space_to_depth(PIXELS, 2, "n"), lambda: rt.nn.space_to_depth(PIXELS, 2)),
        (
            lambda: v1.reduce_join([["a", "b"]], 1, True, "-", "n"),
            lambda: rt.strings.reduce_join([["a", "b"]], 1, keepdims=True, separator="-"),
        ),
        (lambda: v1.substr("héllo", 1, 1, "n", "UTF8_CHAR"), lambda: rt.constant("é")),
        (lambda: v1.to_complex64([1.5]), lambda: rt.constant([1.5 + 0j], rt.complex64)),
        (lambda: v1.clip_by_average_norm([3.0, 4.0], 5.0), lambda: rt.constant([3.0, 4.0])),
        (lambda: v1.clip_by_average_norm([3.0, 4.0], 0.5), lambda: rt.constant([0.6, 0.8])),
        (
            lambda: v1.extract_image_patches(
                PIXELS, ksizes=FOUR, strides=ONE, rates=ONE, padding="SAME"
            ),
            lambda: rt.image.extract_patches(PIXELS, FOUR, ONE, ONE, "SAME"),
        ),
        (lambda: v1.transpose(MATRIX, [1, 0], "n", True), lambda: rt.constant(MATRIX.T)),
        (
            lambda: v1.boolean_mask(MATRIX, [True, False, True], "n", 1),
            lambda: rt.constant(MATRIX[:, ::2]),
        ),
        (lambda: v1.gather(MATRIX, [2], None, "n", 1), lambda: rt.constant(MATRIX[:, [2]])),
        (lambda: v1.gather_nd(MATRIX, [[1, 2]], "n"), lambda: rt.constant([5.0])),
        (
            lambda: v1.pad(MATRIX, [[0, 0], [0, 1]], "CONSTANT", "n", 7.0),
            lambda: rt.constant(np.pad(MATRIX, [[0, 0], [0, 1]], constant_values=7)),
        ),
        (lambda: v1.shape(MATRIX, "n", rt.int64), lambda: rt.constant([2, 3], rt.int64)),
        (lambda: v1.size(MATRIX, "n", rt.int64), lambda: rt.constant(6, rt.int64)),
        (lambda: v1.argmax(MATRIX, 1, "n", None, rt.int32), lambda: rt.constant([2, 2])),
        (lambda: v1.norm(MATRIX, 1, 1, keep_dims=True), lambda: rt.constant([[3.0], [12.0]])),
        (lambda: v1.zeros_like(tensor=MATRIX, optimize=False), lambda: rt.zeros([2, 3])),
        (lambda: v1.string_to_number("7", rt.int32, "n"), lambda: rt.constant(7)),
        (lambda: v1.convert_to_tensor(1, None, "n", rt.float32), lambda: rt.constant(1.0)),
        (
            lambda: v1.reverse_sequence(MATRIX, [1, 2], seq_dim=1, batch_dim=0),
            lambda: rt.constant([[0.0, 1.0, 2.0], [4.0, 3.0, 5.0]]),
        ),
        (
            lambda: v1.cond(rt.constant(True), lambda: [rt.constant(1)], lambda: [2]),
            lambda: rt.constant(1),
        ),
        (
            lambda: v1.while_loop(
                lambda i: i < 9, lambda i: i + 1, [0], None, 10, True, False, "n", 3
            ),
            lambda: rt.constant(3),
        ),
        (lambda: v1.squeeze([[1]], None, "n", [0]), lambda: rt.constant([1])),
        (lambda: v1.expand_dims([1], None, "n", 0), lambda: rt.constant([[1]])),
        (
            lambda: v1.nn.conv2d(PIXELS, FILTERS, ONE, "VALID", True, "NHWC", ONE, "n"),
            lambda: rt.nn.conv2d(PIXELS, FILTERS, 1, "VALID"),
        ),
        (
            lambda: v1.nn.convolution(PIXELS, FILTERS, "VALID"),
            lambda: rt.nn.conv2d(PIXELS, FILTERS, 1, "VALID"),
        ),
        (
            lambda: v1.nn.depthwise_conv2d(PIXELS, FILTERS, ONE, "SAME", [2, 2], "n"),
            lambda: rt.nn.depthwise_conv2d(PIXELS, FILTERS, ONE, "SAME", dilations=[2, 2]),
        ),
        (
            lambda: v1.nn.max_pool_with_argmax(PIXELS, 2, 1, "VALID", "NHWC", rt.int32)[1],
            lambda: rt.nn.max_pool_with_argmax(PIXELS, 2, 1, "VALID", output_dtype=rt.int32)[1],
        ),
        (
            lambda: v1.nn.pool(PIXELS, [2, 2], "MAX", "VALID"),
            lambda: rt.nn.max_pool2d(PIXELS, 2, 1, "VALID"),
        ),
        (lambda: v1.nn.embedding_lookup(MATRIX, [1], "mod"), lambda: rt.constant(MATRIX[1:])),
        (
            lambda: v1.nn.embedding_lookup([MATRIX], [1], "mod", "n", True, 1.0),
            lambda: rt.nn.embedding_lookup(MATRIX, [1], 1.0),
        ),
        (lambda: v1.strings.length("é", "n", "UTF8_CHAR"), lambda: rt.constant(1)),
        (
            lambda: v1.nn.space_to_batch(PIXELS, [[0, 0], [0, 0]], 2),
            lambda: rt.space_to_batch(PIXELS, [2, 2], [[0, 0], [0, 0]]),
        ),
        (
            lambda: v1.nn.max_pool(value=PIXELS, ksize=2, strides=1, padding="VALID"),
            lambda: rt.nn.max_pool2d(PIXELS, 2, 1, "VALID"),
        ),
        (
            lambda: v1.nn.conv2d_transpose(
                PIXELS, FILTERS[..., :1, :].repeat(2, 3), [1, 2, 2, 1], ONE, "SAME", "NHWC", "n"
            ),
            lambda: rt.nn.conv2d_transpose(
                PIXELS, FILTERS[..., :1, :].repeat(2, 3), [1, 2, 2, 1], 1, "SAME"
            ),
        ),
        (
            lambda: v1.nn.dilation2d(PIXELS, FILTERS[..., 0], ONE, ONE, "SAME"),
            lambda: rt.nn.dilation2d(PIXELS, FILTERS[..., 0], ONE, "SAME", "NHWC", ONE),
        ),
        (
            lambda: v1.nn.erosion2d(PIXELS, FILTERS[..., 0], ONE, ONE, "SAME"),
            lambda: rt.nn.erosion2d(PIXELS, FILTERS[..., 0], ONE, "SAME", "NHWC", ONE),
        ),
        (
            lambda: v1.nn.separable_conv2d(
                PIXELS, FILTERS, np.ones([1, 1, 8, 1], np.float32), ONE, "SAME", [2, 2], "n"
            ),
            lambda: rt.nn.separable_conv2d(
                PIXELS, FILTERS, np.ones([1, 1, 8, 1], np.float32), ONE, "SAME", dilations=[2, 2]
            ),
        ),
        (lambda: v1.nn.crelu([[1.0]], "n", 0), lambda: rt.constant([[1.0], [0.0]])),
        (
            lambda: v1.nn.weighted_moments([1.0, 2.0], [0], [1.0, 1.0], "n")[1],
            lambda: rt.constant(0.25),
        ),
        (
            lambda: v1.image.crop_and_resize(PIXELS, [[0, 0, 1, 1]], box_ind=[0], crop_size=[2, 2]),
            lambda: rt.constant(PIXELS),
        ),
        (
            lambda: v1.image.transpose(PIXELS),
            lambda: rt.constant(PIXELS.transpose(0, 2, 1, 3)),
        ),
        (
            lambda: v1.string_to_hash_bucket(["a"], 10, "n"),
            lambda: rt.strings.to_hash_bucket(["a"], 10),
        ),
        (
            lambda: v1.io.decode_raw(bytes=b"abcd", out_type=rt.uint8),
            lambda: rt.constant([97, 98, 99, 100], rt.uint8),
        ),
        (lambda: v1.manip.gather_nd(MATRIX, [[1, 2]], "n"), lambda: rt.constant([5.0])),
        (lambda: v1.constant(1, rt.int32, [], "n", True), lambda: rt.constant(1)),
        (
            lambda: v1.debugging.assert_all_finite(t=[1.0], msg="told"),
            lambda: rt.constant([1.0]),
        ),
        (lambda: v1.floor_div(-7, 2), lambda: rt.constant(-4)),
    ],
)
def test_arguments_in_the_order_of_version_1(older: Any, today: Any) -> None:
    found, expected = older(), today()
    assert found.dtype == expected.dtype
    if found.dtype == rt.string:
        assert found.numpy() == expected.numpy()
    else:
        np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=1e-6)


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("assert_equal", ([1], [1]), ([1], [2])),
        ("assert_none_equal", ([1], [2]), ([1], [1])),
        ("assert_greater_equal", (2, 2), (1, 2)),
        ("assert_near", (1.0, 1.0, 0.1, 0.1), (1.0, 2.0, 0.1, 0.1)),
        ("assert_positive", ([1],), ([-1],)),
        ("assert_non_negative", ([0],), ([-1],)),
        ("assert_rank_in", ([1], [1, 2]), ([1], [0])),
    ],
)
def test_assertions_of_version_1_take_data_before_the_message(
    name: str, right: tuple[Any, ...], wrong: tuple[Any, ...]
) -> None:
    for check in (getattr(v1, name), getattr(v1.debugging, name)):
        check(*right, ["data"], 3, "told")
        with pytest.raises(ValueError, match="told"):
            check(*wrong, ["data"], 3, "told")
        with pytest.raises(TypeError, match="two values for 'x'"):
            check(*right, x=1)
        with pytest.raises(TypeError, match="at most"):
            check(*range(9))


@pytest.mark.parametrize("kind", ["softmax", "sigmoid", "sparse_softmax"])
def test_cross_entropies_take_labels_and_logits(kind: str) -> None:
    name = f"{kind}_cross_entropy_with_logits"
    labels = [1] if kind == "sparse_softmax" else [[0.0, 1.0]]
    given = {"labels": labels, "logits": [[0.0, 2.0]], "name": "n"}
    expected = getattr(rt.nn, name)(**given)
    np.testing.assert_array_equal(getattr(v1.nn, name)(**given), expected)
    np.testing.assert_array_equal(getattr(v1.nn, name)(labels, [[0.0, 2.0]]), expected)


@pytest.mark.parametrize("way", [lambda f: f, rt.function])
@pytest.mark.parametrize("more", [{}, {"dim": 1}, {"axis": -1}])
def test_no_gradient_flows_to_labels_of_version_1(way: Any, more: Any) -> None:
    labels, logits = rt.constant([[0.25, 0.75]]), rt.constant([[1.0, 3.0]])

    @way
    def slopes(labels: Any, logits: Any) -> Any:
        with rt.GradientTape() as tape:
            tape.watch([labels, logits])
            loss = v1.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits, **more)
        return tape.gradient(loss, [labels, logits], unconnected_gradients="zero")

    of_labels, of_logits = slopes(labels, logits)
    np.testing.assert_array_equal(of_labels, [[0.0, 0.0]])
    powers = np.exp([[1.0, 3.0]])
    np.testing.assert_allclose(of_logits, powers / powers.sum() - [[0.25, 0.75]], rtol=1e-5)


@pytest.mark.parametrize("dtype", [rt.int32, rt.int64])
@pytest.mark.parametrize("way", [lambda f: f, rt.function])
def test_parts_of_an_embedding_take_turns(way: Any, dtype: Any) -> None:
    table, ids = np.arange(14.0).reshape(7, 2), np.array([[6, 0, 5], [3, 2, 4]])
    turns, runs = [table[at::3] for at in range(3)], np.array_split(table, 3)

    def looked_up(parts: Any, *more: Any) -> Any:
        given = [rt.constant(part) for part in parts]
        return way(lambda *parts: v1.nn.embedding_lookup(list(parts), rt.cast(ids, dtype), *more))(
            *given
        )

    for found in (looked_up(turns), looked_up(turns, "mod"), looked_up(runs, "div")):
        np.testing.assert_array_equal(found, table[ids])
    for wrong in (7, 8, -1):
        with pytest.raises(rt.errors.InvalidArgumentError, match="row of ids"):
            way(v1.nn.embedding_lookup)([*turns], rt.constant([wrong], dtype))
    with pytest.raises(ValueError, match=r"\"mod\" or \"div\", not 'hash'"):
        v1.nn.embedding_lookup([table], [0], "hash")


TABLE = np.arange(8.0).reshape(4, 2)
ROWS, NEW = [2, 0], np.array([[9.0, -2.0], [3.0, 4.0]])
CHANGES = {
    "scatter_add": lambda old: old + NEW,
    "scatter_sub": lambda old: old - NEW,
    "scatter_mul": lambda old: old * NEW,
    "scatter_div": lambda old: old / NEW,
    "scatter_max": lambda old: np.maximum(old, NEW),
    "scatter_min": lambda old: np.minimum(old, NEW),
    "scatter_update": lambda old: NEW,
    "scatter_nd_add": lambda old: old + NEW,
    "scatter_nd_sub": lambda old: old - NEW,
    "scatter_nd_update": lambda old: NEW,
}


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("in_graph", [False, True])
def test_slices_of_variables_are_changed(name: str, in_graph: bool) -> None:
    wanted = TABLE.copy()
    wanted[ROWS] = CHANGES[name](TABLE[ROWS])
    places = np.reshape(ROWS, [-1, 1]) if "_nd_" in name else ROWS
    if not in_graph:
        v = rt.Variable(TABLE)
        assert getattr(v1, name)(v, places, NEW).numpy().tolist() == wanted.tolist()
        assert v.numpy().tolist() == wanted.tolist()
        return
    with rt.Graph().as_default(), v1.Session() as session:
        v = v1.get_variable("v", initializer=TABLE)
        change = getattr(v1, name)(v, places, NEW, use_locking=True)
        session.run(v.initializer)
        assert session.run(change).tolist() == session.run(v).tolist() == wanted.tolist()


def test_a_tensor_has_no_slices_that_change() -> None:
    with pytest.raises(TypeError, match="scatter_add changes variables, not"):
        v1.scatter_add(rt.constant([1.0]), [0], [1.0])


@pytest.mark.parametrize("text", ["", "plain", "é日本"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_texts_and_bytes(text: str, encoding: str) -> None:
    coded = text.encode(encoding)
    as_bytes, as_text, as_str = rt.compat.as_bytes, rt.compat.as_text, rt.compat.as_str
    for given in (text, coded):
        assert as_bytes(given, encoding) == coded
        assert as_text(given, encoding) == as_str(given, encoding) == text
        assert rt.compat.as_str_any(given, encoding) == text
    assert as_bytes(bytearray(coded)) == coded


def test_what_is_no_text() -> None:
    for function in (rt.compat.as_bytes, rt.compat.as_text, rt.compat.as_str):
        with pytest.raises(TypeError, match="takes a text or bytes, not 1"):
            function(1)
    with pytest.raises(LookupError):
        rt.compat.as_text("a", "no code")
    assert rt.compat.as_str_any(1) == "1"
    assert rt.compat.path_to_str(Path("a") / "b") == "a/b"
    assert rt.compat.path_to_str(3) == 3


def test_a_constant_with_a_shape_to_be_verified() -> None:
    with pytest.raises(TypeError, match=r"value of shape \(\) for one of shape \(2,\)"):
        v1.constant(1, shape=[2], verify_shape=True)


@pytest.mark.parametrize("way", [lambda f: f, rt.function])
def test_the_beam_search_of_version_1_merges_repeated_labels(way: Any) -> None:
    p = np.full((3, 1, 3), 0.01)
    p[[0, 1, 2], 0, [0, 2, 0]] = 1  # a label, the blank, the label again
    x = rt.constant(np.log(p))
    for search, *more, expected in (
        (rt.nn.ctc_beam_search_decoder, [0, 0]),
        (v1.nn.ctc_beam_search_decoder_v2, [0, 0]),
        (v1.nn.ctc_beam_search_decoder, [0]),
        (v1.nn.ctc_beam_search_decoder, 10, 1, False, [0, 0]),
    ):
        found = way(lambda x, search=search, more=more: search(x, [3], *more)[0][0])(x)
        assert found.values.numpy().tolist() == expected
        assert found.dense_shape.numpy().tolist() == [1, len(expected)]


IMAGES = np.random.default_rng(7).normal(size=[2, 3, 2, 4]).astype(np.float32)


@pytest.mark.parametrize("way", [lambda f: f, rt.function])
@pytest.mark.parametrize("data_format", ["NHWC", "NCHW"])
@pytest.mark.parametrize("part", [1.0, 0.25])
@pytest.mark.parametrize("is_training", [True, False])
def test_fused_batch_norm(way: Any, data_format: str, part: float, is_training: bool) -> None:
    scale, offset = np.arange(1.0, 5.0, dtype=np.float32), np.arange(4.0, dtype=np.float32)
    old = np.full(4, 0.5, np.float32), np.full(4, 2.0, np.float32)
    given = old if part != 1 or not is_training else (None, None)
    order = (0, 3, 1, 2) if data_format == "NCHW" else (0, 1, 2, 3)
    back = (0, 2, 3, 1) if data_format == "NCHW" else (0, 1, 2, 3)

    @way
    def normalized(x: Any) -> Any:
        return v1.nn.fused_batch_norm(
            x, scale, offset, *given, 0.01, data_format, is_training, "n", part
        )

    made, mean, variance = normalized(rt.constant(IMAGES.transpose(order)))
    rows = IMAGES.reshape(-1, 4)
    used = (rows.mean(0), rows.var(0)) if is_training else old
    expected = (IMAGES - used[0]) / np.sqrt(used[1] + 0.01) * scale + offset
    np.testing.assert_allclose(made.numpy().transpose(back), expected, rtol=1e-4, atol=1e-5)
    wanted = (rows.mean(0), rows.var(0, ddof=1)) if is_training else old
    if is_training and part != 1:
        wanted = tuple(0.75 * a + 0.25 * b for a, b in zip(old, wanted, strict=True))
    np.testing.assert_allclose(mean, wanted[0], rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(variance, wanted[1], rtol=1e-4)


def test_no_gradient_flows_through_the_mean_that_is_returned() -> None:
    x, scale = rt.constant(IMAGES), rt.ones([4])
    with rt.GradientTape() as tape:
        tape.watch([x, scale])
        made, mean, variance = v1.nn.fused_batch_norm(x, scale, rt.zeros([4]))
        total = rt.reduce_sum(made) + rt.reduce_sum(mean) + rt.reduce_sum(variance)
    of_x, of_scale = tape.gradient(total, [x, scale])
    np.testing.assert_allclose(of_x, np.zeros_like(IMAGES), atol=1e-4)
    np.testing.assert_allclose(of_scale, np.zeros(4), atol=1e-4)


def test_what_fused_batch_norm_refuses() -> None:
    ones = rt.ones([4])
    with pytest.raises(ValueError, match="mean and variance are needed"):
        v1.nn.fused_batch_norm(IMAGES, ones, ones, is_training=False)
    with pytest.raises(rt.errors.InvalidArgumentError, match="4 channels have no"):
        v1.nn.fused_batch_norm(IMAGES, rt.ones([1]), ones)
    with pytest.raises(rt.errors.InvalidArgumentError, match="NHWC images have no shape"):
        v1.nn.fused_batch_norm(rt.ones([2, 4]), ones, ones)
