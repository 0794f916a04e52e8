"""NumPy's arrays of which only the run knows the items: as in Python, or refused where others see
them.
"""

import itertools
import math
import statistics

import numpy as np
import pytest

import runtime as rt
from autograph import StagingError
from runtime.errors import OperatorNotAllowedInGraphError
from tests.support.staging import attempt, same_outcome, traces

TABLE = np.zeros(3)
CHANGED = np.zeros((3, 3))
GRID = np.arange(12.0).reshape(4, 3)


def filled(n):
    out = np.zeros(3)
    for i in range(n):
        out[i] = i + 0.5
    return out


def counted(n):
    out = np.zeros(3)
    for i in range(n):
        out[0] += i
    return out


def added(n):
    out = np.zeros(3)
    for i in range(n):
        out += i
    return out


def made_of_others(n):
    out = np.zeros(3)
    other = out
    for _ in range(n):
        out = out + 1
    return out, other


def backwards(n):
    out = np.zeros(3)
    while n > 0:
        n -= 1
        out[n] = 1.0
    return out


def nested(n):
    out = np.zeros((3, 3))
    for i in range(n):
        for j in range(n):
            out[i, j] = i * j + 1.0
    return out


def reshaped(n):
    out = np.arange(6.0).reshape(2, 3)
    for i in range(n):
        out[0, i] = 7.0
    return out


def tried(n):
    out = np.zeros(3)
    try:
        for i in range(n):
            out[i] = 1.0
            if i > 0:
                raise KeyError
    except KeyError:
        out = out + 1.0
    return out


def with_a_closure(n):
    out, k = np.zeros(3), 0

    def bump():
        nonlocal k
        k += 1
        return out[0]

    for i in range(n):
        bump()
        out[i] = k
    return out, bump()


def left_early(n):
    out = np.zeros(3)
    for i in range(100):
        out = out + 1.0
        if i > n:
            break
    return out


@pytest.mark.parametrize(
    "program",
    [
        filled,
        counted,
        added,
        made_of_others,
        backwards,
        nested,
        reshaped,
        tried,
        with_a_closure,
        left_early,
    ],
)
def test_an_array_of_the_function_is_changed_as_in_python(program):
    staged = rt.nest.map_structure(np.asarray, rt.function(program)(rt.constant(2)))
    rt.nest.map_structure(np.testing.assert_allclose, staged, program(2))


def another_name(n):
    out = other = np.zeros(3)
    for i in range(n):
        out[i] = 1.0
    return other


def in_a_list(n):
    out = np.zeros(3)
    box = [out]
    for i in range(n):
        out[i] = 1.0
    return box[0]


def a_row(n):
    m = np.zeros((2, 3))
    r = m[0]
    for i in range(n):
        r[i] = 1.0
    return m


def under_a_view(n):
    out = np.zeros(3)
    view = out[1:]
    for i in range(n):
        out[i] = 1.0
    return view


def unlike_names(n):
    m = np.zeros((3, 3))
    first, column, other = m[1], m[:, 2], m
    for i in range(n):
        m[i] = i
        first[0] += 1
        column[1] = 7
        other[i, i] -= 0.5
    return m, first, column


def of_many_makers(n):
    made = [
        *(np.linspace(0, 4, 3), np.tile([1, 2, 3], 1), np.geomspace(1, 4, 3), np.eye(3)[1]),
        *(np.arange(6.0).reshape(2, 3)[1], np.repeat([2], 3), np.diag(np.ones(3))[0].copy()),
        *(np.asarray([1.0, 2.0, 3.0]), np.concatenate([[1], [2, 3]]), np.full(3, 7).astype(float)),
    ]
    for each in made:
        each[n - 1] += n
    return made


def exchanged(n):
    first, second = np.zeros(3), np.array([n, 1.0, 4.0])
    for _ in range(n):
        first.fill(second.mean())
        first, second = second, first
        first[0] += 1
    return first, second


def by_an_attribute(n):
    class Body:
        def __init__(self):
            self.place, self.speed = np.zeros(2), np.array([1.0, 2.0])

        def step(self, dt):
            self.place += self.speed * dt
            self.speed *= 0.5

    body = Body()
    for _ in range(n):
        body.step(0.25)
    return body.place, body.speed


def in_a_branch(n):
    out = np.zeros(3)
    kept = out[1:]
    if n > 1:
        out[1] = n
    else:
        out[2] = 5
    return kept


def whole_numbers(n):
    out = np.zeros(3, int)
    for i in range(n):
        out[i] = 2.75
        out[i] //= 2
    return out, out / 2, out * 2.5, out.sum(), out.mean(), out + np.float32(0.5)


def divided(n):
    n = int(n)
    out = np.array([5, -7, n], np.int8)
    by = np.array([n - 1, 0, -2], np.int8)
    return (
        out // by,
        out % by,
        out // (n - 1),
        7 // by,
        out / by,
        out**2,
        out // 2,
        out % -3,
        out[1] // n,
    )


def reduced(n):
    out = np.arange(24.0).reshape(2, 3, 4) * int(n)
    out[0, 1, 2] = np.nan
    small, single = np.array([n, 100, 100], np.int8), np.array([n, 0.1, 0.2], np.float32)
    return (
        *(out.sum(), out.sum(axis=1), out.max(axis=-1, keepdims=True), out.min(), out.mean(0)),
        *(np.sum(out, 2), np.sum(out, axis=(0, 2)), small.sum(), small.mean(), small.max()),
        *(single.sum(), single.mean(), (small > 50).any(), (out > 3).all(axis=0), small.any()),
        *(np.nansum(out), single.prod(), np.sum(small, 0, np.float32), small.astype("u1").sum()),
    )


def of_single_precision(n):
    n = int(n)
    out = np.zeros(3, np.float32)
    for i in range(n):
        out[i] = 1.5
    return out, out + np.arange(3.0), out * 2.5, np.float32(2) * n, np.arange(3) * n


def masked(n):
    out = np.arange(6)
    out[out > n] = 0
    out[[0, 1]] = out[1:3] * n
    return out, out[out > 0], np.nonzero(out), np.where(out > 2, out, -1), np.unique(out)


def of_unknown_size(n):
    out = np.zeros((n, 2))
    out[-1, 1] = 9
    table = np.arange(n)
    return out.shape, table[::-1], table.sum(), len(table), np.vstack([out, np.ones((1, 2))])


def asked(n):
    out = np.ones(3) * int(n)
    is_one = isinstance(out, np.ndarray), isinstance(out[0], float), type(out) is np.ndarray
    return is_one, out.dtype == float, (*out.shape, 1), out.ndim, out.size


def taken_apart(n):
    out = np.array([1.0, n, 2.5, 4.0])
    waves = np.fft.fft(out)
    first, second = np.split(out, 2)
    total = out.item(1) + sum(out.tolist()) + out[2].item()
    return waves.real, waves.imag, first, second[::-1], np.full(2, total)


def filled_by_functions(n):
    n = int(n)
    square = np.zeros((3, 3))
    np.fill_diagonal(square, n)
    np.copyto(square[0], np.arange(3.0) * n)
    return (
        square,
        np.add.reduce(square),
        np.maximum.accumulate(square[0]),
        np.add.outer([n], [1, 2]),
    )


def sorted_in_place(n):
    out = np.array([3.0, n, 2.5])
    out.sort()
    out[1:].sort()
    first = out.copy()
    out.fill(n)
    return first, out, np.sort(first)[::-1], first.argsort(), first.reshape(3, 1).T


def of_bytes(n):
    out, k = np.array([250, 3, 128], np.uint8), int(n)
    out[0] -= k
    found = out < k + 300, out == 256, out != -1, out < k, out >= k, out.sum() > np.arange(3)
    out[1], out[2] = k, 2.75
    out[:2] = [k, 7.5]
    return found, out + k, out * 2, out // k, out


def of_truths(n):
    out, visited = np.zeros(3, int), np.zeros(3, bool)
    out[0], visited[0] = n, 1
    out[1], visited[1] = True, 0.5
    out[1:] += [True, int(n)]
    table = np.zeros((2, 2))
    table[int(n) - 1, :] = [visited[0], 7]
    return out, visited, out + visited, ~visited, table


def unlike_numbers(n):
    out = np.zeros(3)
    out[0] = n
    return out == None, out != "x", out[0] == None, out == {}, out != {1}  # noqa: E711


def compressed(n):
    out = np.zeros(3)
    out[0] = n
    return out.compress([1, 0, 1]), out.compress([True, False])


def repeated(n):
    out = np.array([2, 1]) * int(n)
    items = [0] * out[0]
    items.append(7)
    return items, out[1] * [5], out * [3, 4], [1, 2] * out


def at_a_place_of_python(n):
    k = int(n)
    out = np.arange(3.0) * k
    return np.take(out, k), np.delete(out, k), np.roll(out, k)


def by_slices(n):
    out, k = np.zeros((4, 4)), int(n)
    out[:n] = 1
    out[n:, :k] += np.arange(k)
    corner = out[k:, n:]
    corner[0] = 7
    table = np.arange(8)
    return out, table[:n], table[n::2].sum(), table[-k:][::-1]


def of_complex_numbers(n):
    out = np.zeros(2, complex)
    out[0] = float(n)
    out[1] = out[0] * 2j
    return out


def written_by_numpy(n):
    out, other = np.full((2, 3), np.inf), np.zeros(2)
    np.fill_diagonal(out, n)
    np.copyto(other, out[:, 1])
    return out, other


def items_of_arrays(n):
    k = int(n)
    out, small = np.arange(3) * k, np.arange(3, dtype=np.uint8) * np.uint8(2)
    truths = out > 1
    small[0] = k
    return [k in out, 2.5 in out, 300 in small, 1 in truths, None in out, out[1] in small]


def parts_of_numbers(n):
    out = np.array([1 + 2j, 3 - 1j]) * int(n)
    first = out.real[0].item() + out[1].imag
    return out.real, out.imag, first, np.isscalar(out[0]), np.isscalar(out)


def rounded(n):
    k = int(n)
    out = np.array([2.675, 1.005, -2.5]) * k
    single, whole = out.astype(np.float32), np.array([15, -25]) * k
    numbers = [round(out[0], 2), round(single[0], 2), round(whole[0], -1), round(out[1], k)]
    return [*numbers, round(out[2]), round(whole[1], -1), round(float(out[0]), 2)]


def of_sizes_that_agree(n):
    out = np.arange(3.0)
    shorter = np.delete(out, int(n))
    other = np.append(shorter, 7)
    return np.stack([out, other]), np.vstack([shorter, out[1:]]), np.eye(3) @ other


def of_square_matrices(n):
    out = np.array([[4.0, 1.0], [1.0, 3.0]]) * int(n)
    return np.linalg.cholesky(out), np.linalg.inv(out)


def inner_loop(n):
    out = other = np.zeros((3, 3))
    for i in range(n):
        for j in range(n):
            out[i, j] = 1.0
    return other


def both_in_the_loop(n):
    out = other = np.zeros(3)
    for i in range(n):
        out[i] = 1.0
        other = other + 1
    return out


def of_the_caller(n):
    def fill(out):
        for i in range(n):
            out[i] = 1.0

    out = np.zeros(3)
    fill(out)
    return out


def in_place(n):
    out = other = np.zeros(3)
    for i in range(n):
        out += i
    return other


def parts_of_the_table(n):
    k = int(n)
    places = np.array([k, 0])
    row = GRID[k] + 1
    row[0] = k
    some = GRID[places]
    some[0] = 9
    return row, some, GRID[k - 1 : k, 1], GRID[:, places], GRID[[k, 1]], GRID[GRID[:, k] > 4]


def at_places_in_lists(n):
    places, table = [], np.arange(8.0).reshape(2, 4)
    for i in range(n + 1):
        if i != 1:
            places.append(i)
    table[:, places] += int(n)
    table[0, range(n)] -= 1
    return table[:, places], table[places[0]][range(n)], (np.arange(5) * 2)[places]


def asked_for_sizes(n):
    out = np.ones((int(n), 3)) * int(n)
    rows, columns = np.shape(out)
    asked = np.iscomplexobj(out), np.isrealobj(out), np.ndim(out), np.size(out), np.size(out, 1)
    return rows - 1, columns, *asked, np.shape([n, n]), np.zeros(np.shape(out))


def of_an_index(n):
    k, out = int(n), np.arange(6.0).reshape(2, 3) * int(n)
    side_by_side = np.c_[np.ones(2), out, out[:, 0]], np.c_[out[0], out[1]], np.c_[k, 2.5]
    behind = np.r_[out[0], 1, k, out[1]], np.r_[0:k, 5], np.r_[k, 0:1:3j], np.r_[np.uint8([1]), k]
    rows, columns = np.mgrid[0:k, -1:2]
    along, across = np.ogrid[0:k, 0:2]
    fractions = np.mgrid[0:1:0.25, 0:k], np.mgrid[-1:1:5j, 0:k:3j], np.mgrid[0.5:k:0.5]
    return side_by_side, behind, rows, columns, along, across, along * across, fractions


def of_sizes_of_the_run(n):
    k, out = int(n), np.arange(24.0)
    some = out[out > 5]
    pooled = out[: k * 4].reshape(k, 2, 2).max(axis=(1, 2))
    rows = some.reshape(-1, 2), out.reshape(k, -1), out.reshape((k, 24 // k)), np.reshape(some, -1)
    return pooled, rows, np.convolve(out[:k], np.ones(k), "valid"), np.convolve(out, out[:k])


def with_fractions_of_the_run(n):
    third = int(n) / 3
    out, grid, complex_one = np.zeros(4), np.zeros((2, 2)), np.zeros(2, complex)
    out[0] = third
    out[1:3] = [third, 2 * third]
    out[np.array([False, False, False, True])] = third / 7
    grid[0], grid[1] = third, (third, 1 / third)
    complex_one.fill(third)
    np.fill_diagonal(grid, third / 9)
    whole = np.zeros(2, int)
    whole[0] = third * 55
    return out, grid, complex_one, whole


class Holder:
    def __init__(self):
        self.names = np.array([None, "a"])
        self.when = np.array(["2024-01-01"], "datetime64[D]")
        self.total = np.zeros(2)


def beside_arrays_of_objects(n):
    holder = Holder()
    for i in range(n):
        holder.total = holder.total + i
    return holder.total, holder.names[0] is None


def at_few_places(n):
    k, grid = int(n), np.ones((int(n), int(n)))
    np.fill_diagonal(grid, 7.0)
    out = np.arange(8.0)[::-1].copy()
    first = np.take(np.arange(2.0), k - 1), np.partition(out, k)[k]
    some = out[out > k]
    return grid, first, np.sort(some[np.argpartition(some, k)[:k]])


def as_they_are(n):
    out = np.ones(3) * int(n)
    same = np.asarray(out)
    same[0] = 9
    again, whole = np.asanyarray(out, dtype=float), np.asarray(out, int)
    again *= 2
    whole[2] = 5
    for i in range(n):
        same[i] += 1
    return out, same, again, whole, same is out, again is out


def enumerated(n):
    grid, found = np.arange(4.0).reshape(2, 2) * int(n), np.zeros((2, 2))
    for (i, j), each in np.ndenumerate(grid):
        found[j, i] = each + i
    return found


def squares_of_truths(n):
    truths = np.arange(3) * int(n) > 1
    return truths**2, truths**3, truths * 2, np.power(truths, 2)


def scalars(n):
    k = int(n)
    numbers = np.int8(k), np.bool_(k), np.complex64(k), np.float16(k), np.uint16(k) * 2
    return np.uint8(k) + np.uint8([250, 255]), *numbers


def by_recursion(n):
    def scaled(values, k):
        if k == 0:
            return values + np.ones(3), isinstance(values, np.ndarray)
        values[0] += k
        return scaled(values, k - 1)

    def halved(values):
        return values.sum() if len(values) < 2 else halved(values[1:]) + halved(values[:1])

    out = np.zeros(3, np.float32)
    wide, is_array = scaled(out, int(n))
    return out, wide, is_array, halved(wide), halved(out)


def added_at_places(n):
    k = int(n)
    counts, grid = np.zeros(4), np.ones((3, 3), int)
    np.add.at(counts, [0, k, k], 1.5)
    np.multiply.at(grid, (slice(None), np.array([k, k])), k)
    return counts, grid


def given_as_out(n):
    out, other = np.arange(4.0) * int(n), np.zeros(4)
    same = np.add(out, 1, out=other)
    np.sqrt(out, out)
    np.clip(out, 0, 1, out=out)
    np.divide(1.0, out[1:3], out=other[1:3], where=out[1:3] > 5)
    safe = np.divide(1.0, out, out=np.zeros_like(out), where=out != 0)
    np.cumsum(same, out=other)
    return out, other, same, safe, np.dot(np.eye(4), out, out=np.empty(4))


def given_as_out_by_its_place(n):
    grid, out = np.arange(6.0).reshape(2, 3) * int(n), np.zeros(3)
    kept = np.mean(grid, 0, None, out, False)
    np.clip(grid, 0, 4, grid)
    grid.round(1, grid)
    other, _ = np.zeros(3), np.add.reduce(grid, 0, None, out)
    np.sum(grid, 0, None, other, initial=1.0)
    return grid, out, kept, other, np.cumsum(grid, 1, None, None)


def put_by_functions(n):
    out, grid = np.arange(5) * int(n), np.arange(6.0).reshape(2, 3)
    np.put(out, [0, int(n)], [-1, -2])
    out.put([1], 9)
    np.place(out, out > 7, [3, 4])
    np.putmask(out, out < 0, int(n))
    np.put_along_axis(grid, np.array([[int(n)], [0]]), 99, axis=1)
    out.partition(2)
    np.copyto(grid[0], 5, where=np.array([True, False, int(n) > 1]))
    np.copyto(dst=grid[1], src=out[:3])
    return out, grid, [each for each in grid.flat]


def of_sizes_in_an_array(n):
    sizes, row = np.array([int(n), 2]), np.arange(3)
    made = np.zeros(sizes), np.full(shape=sizes, fill_value=7), np.resize(row, sizes)
    wider = np.tile(np.ones((2, 1)), sizes), np.pad(row, sizes), np.tile(row, sizes[0])
    return made, wider, np.polymul(sizes - 1, [1, 1])


def given_by_names(n):
    out = np.arange(6.0).reshape(2, 3) * int(n)
    same = np.asarray(a=out)
    same[0] = np.sum(a=out, axis=0)
    sizes = np.shape(a=out), np.ndim(a=out), np.size(a=out)
    return out, np.max(a=out, axis=1), sizes, np.linalg.norm(x=out), np.iscomplexobj(x=out)


def caught_as_numpy_raises(n):
    grid = np.ones((2, 2)) * int(n)
    try:
        return np.linalg.inv(grid)
    except np.linalg.LinAlgError:
        grid[0] = 5
    try:
        return np.take(grid, int(n) + 7)
    except IndexError:
        return grid


def inserted(n):
    out = np.insert(np.ones((3, 2)) * int(n), 0, 5, axis=1)
    both = np.repeat(out, 2, axis=0), np.delete(out, 1, 0), np.compress([True, False], out, axis=1)
    return np.dot(out[:, 1], out), np.zeros(out.shape), [each.shape for each in both]


def in_place_in_a_while(n):
    out = np.ones(3)
    kept = (out,)
    while n > 0:
        n -= 1
        out *= 2
    return kept[0]


EXACT = [
    another_name, in_a_list, a_row, under_a_view, of_the_caller, in_place, in_place_in_a_while,
    unlike_names, by_an_attribute, in_a_branch, whole_numbers, of_single_precision, masked,
    of_unknown_size, sorted_in_place, taken_apart, inner_loop, filled_by_functions, divided,
    reduced, exchanged, of_many_makers, of_bytes, of_truths, unlike_numbers, compressed, repeated,
    at_a_place_of_python, by_slices, of_complex_numbers, written_by_numpy, items_of_arrays,
    parts_of_numbers, rounded, of_sizes_that_agree, of_square_matrices, parts_of_the_table,
    at_places_in_lists, with_fractions_of_the_run, of_an_index, of_sizes_of_the_run,
    asked_for_sizes, inserted, squares_of_truths, enumerated, as_they_are, scalars, by_recursion,
    beside_arrays_of_objects, at_few_places, added_at_places, given_as_out, put_by_functions,
    caught_as_numpy_raises, given_as_out_by_its_place, of_sizes_in_an_array,
    given_by_names,
]  # fmt: skip


@pytest.mark.parametrize("program", EXACT)
@pytest.mark.parametrize("number", [1, 2])
def test_it_is_what_numpy_gives(program, number):
    staged = rt.function(program)(rt.constant(number, rt.int64))
    with np.errstate(all="ignore"):
        expected = program(number)
    rt.nest.map_structure(_check, staged, expected)


def _check(got, expected):
    np.testing.assert_array_equal(np.asarray(got), np.asarray(expected))
    if isinstance(expected, np.ndarray | np.generic):
        assert np.asarray(got).dtype == expected.dtype


def test_it_is_an_array_to_the_function():
    is_one, is_float, shape, rank, size = rt.function(asked)(rt.constant(2))
    assert (is_one, is_float) == ((True, True, True), True)
    assert ([int(n) for n in shape], int(rank), int(size)) == ([3, 1], 1, 3)


def test_it_is_printed_as_one(capsys):
    def shown(n):
        out = np.zeros(2)
        print(out)
        out[1] = n
        print(out, out[1], [out], f"{out} {out[1]:.2f}")
        return str(out), repr(out)

    staged = rt.function(shown)
    for number in (1, 2):
        got = staged(rt.constant(number, rt.int64))
        printed = capsys.readouterr().out
        expected = shown(number)
        assert printed == capsys.readouterr().out
        assert tuple(each.numpy().decode() for each in got) == expected


def test_a_library_is_given_what_is_known():
    def looked_up(n):
        table = np.arange(4) * 2
        out = np.zeros(2)
        out[0] = n
        return out, statistics.median(np.unique(table)), np.vectorize(abs)(table - 3)[1]

    staged = rt.nest.map_structure(np.asarray, rt.function(looked_up)(rt.constant(2)))
    rt.nest.map_structure(np.testing.assert_array_equal, staged, looked_up(2))

    def written(n):
        table = np.arange(4)
        table[0] = n
        order = np.arange(3)
        np.put(order, [0], 7)
        return table, order

    staged = rt.nest.map_structure(np.asarray, rt.function(written)(rt.constant(2)))
    rt.nest.map_structure(np.testing.assert_array_equal, staged, written(2))


def marked(x):
    out = np.zeros(3)
    out[x] = 1
    return out


def test_functions_that_are_called_in_others_make_them():
    inner = rt.function(marked)
    for options in ({}, {"autograph": False}):
        outer = rt.function(lambda x: inner(x) + 1, **options)
        np.testing.assert_array_equal(outer(rt.constant(1)).numpy(), marked(1) + 1)
    found = [each.numpy() for each in rt.data.Dataset.range(3).map(marked)]
    np.testing.assert_array_equal(found, np.eye(3))


def test_no_tape_knows_it():
    @rt.function
    def slope(x):
        with rt.GradientTape() as tape:
            tape.watch(x)
            out = np.zeros(2)
            out[0] = x * x
            y = x * 3.0 + out[0]
        return tape.gradient(y, x)

    assert slope(rt.constant(2.0, rt.float64)).numpy() == 3.0


def test_no_tape_around_the_function_knows_it():
    def product(x):
        return rt.reduce_sum(np.maximum(x, 1.5) * x + np.exp(x) + rt.convert_to_tensor(2.0 * x))

    def slope(function):
        x = rt.constant([3.0, 1.0, 2.0])
        with rt.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return tape.gradient(y, x).numpy().tolist()

    assert slope(rt.function(product)) == slope(product) == [5.0, 3.5, 4.0]


def test_no_tape_around_the_function_knows_what_it_has_from_outside():
    x, variable = rt.constant([3.0, 1.0]), rt.Variable([3.0, 1.0])

    def product(least):
        return np.maximum(x, least) * x + np.maximum(variable, least) * variable

    def slopes(function):
        with rt.GradientTape() as tape:
            tape.watch(x)
            y = function(rt.constant(1.5))
        return [np.asarray(each).tolist() for each in tape.gradient(y, [x, variable])]

    assert slopes(rt.function(product)) == slopes(product) == [[3.0, 1.5], [3.0, 1.5]]


def test_a_whole_array_becomes_no_other_dtype():
    def added(n):
        out = np.zeros(2, int)
        out[0] = n
        out += 0.5
        return out

    for function in (added, rt.function(added)):
        with pytest.raises(TypeError, match="Cannot cast ufunc 'add' output from"):
            function(rt.constant(2, rt.int64) if function is not added else 2)


def less_truths(n):
    truths = np.ones(3) > int(n)
    return truths - truths


def negated_truths(n):
    return -(np.ones(3) > int(n))


def power_below_zero(n):
    return (np.arange(3) * int(n)) ** -1


def of_other_sizes(n):
    return np.arange(3) * int(n) == (1, 2)


@pytest.mark.parametrize(
    ("program", "kind", "words"),
    [
        (less_truths, TypeError, "numpy boolean subtract"),
        (negated_truths, TypeError, "numpy boolean negative"),
        (power_below_zero, ValueError, "Integers to negative integer powers"),
        (of_other_sizes, ValueError, "could not be broadcast together"),
    ],
)
def test_what_numpy_raises_for_types_and_sizes_is_raised(program, kind, words):
    for function, given in ((program, np.int64(2)), (rt.function(program), rt.constant(2))):
        with pytest.raises(kind, match=words):
            function(given)


def test_an_index_too_many_is_an_index_error():
    def tried(n):
        out = np.arange(3) * int(n)
        try:
            return out[0, n]
        except IndexError as error:
            return str(error)

    assert rt.function(tried)(rt.constant(1)).numpy().decode() == tried(1)


@pytest.mark.parametrize(
    ("shape", "mask"),
    [
        ((1,), [True, False, True]),
        ((3,), [True]),
        ((2, 3), [[True, False, True]]),
        ((1, 3), [[True, False, True]] * 2),
    ],
)
@pytest.mark.parametrize("sizes_are_known", [True, False])
def test_a_mask_of_another_shape_is_an_error(shape, mask, sizes_are_known):
    def masked(x, chosen):
        x[chosen] = 5.0
        return x

    given = rt.constant(np.ones(shape)), rt.constant(mask)
    specs = [rt.TensorSpec([None] * x.ndim, x.dtype) for x in given]
    with pytest.raises(rt.errors.InvalidArgumentError, match=r"a mask .*does not fit"):
        rt.function(masked, input_signature=None if sizes_are_known else specs)(*given)


def test_objects_keep_them_from_call_to_call():
    class Layer:
        def __init__(self):
            self.sorted, self.total, self.highest = None, 0.0, []

        @rt.function
        def __call__(self, x):
            self.sorted = np.sort(x) if self.sorted is None else self.sorted + np.sort(x)
            self.total += np.sum(x)
            self.highest.append(np.max(x))
            return x * self.sorted

    layer = Layer()
    given = [[3.0, 1.0], [5.0, 7.0]]
    results = [layer(rt.constant(x)).numpy().tolist() for x in given]
    assert results == [[3.0, 3.0], [30.0, 70.0]]
    assert np.asarray(layer.sorted).tolist() == [6.0, 10.0]
    assert (float(layer.total), [float(x) for x in layer.highest]) == (16.0, [3.0, 7.0])


class Filter:
    def __init__(self):
        self.x, self.before, self.last = np.zeros(2), np.zeros(2), None
        self.weights, self.pair = {"w": np.ones(2, np.float32)}, (np.zeros(2), 0.0)

    def step(self, x):
        x = np.array(x)
        self.before = self.x.copy()
        self.x = self.x * 2 + x
        self.weights["w"] = self.weights["w"] - np.float32(x[0])
        self.pair = self.pair[0] + x, self.pair[1] + 1.0
        self.last = np.max(x) if self.last is None else np.max(x) + self.last
        return self.x.sum()


def test_attributes_that_are_arrays_stay_arrays():
    plain, kept = Filter(), Filter()
    step = rt.function(kept.step)
    for given in [[1.0, 2.0], [3.0, 5.0], [0.5, 7.0]]:
        assert float(step(rt.constant(given, rt.float64))) == plain.step(np.array(given))
        for name, expected in vars(plain).items():
            got = getattr(kept, name)
            rt.nest.map_structure(_check, got, expected)
            assert rt.nest.map_structure(type, got) == rt.nest.map_structure(type, expected)
        plain.x[0] = kept.x[0] = 4.0


def test_an_attribute_that_is_another_one_too_is_read_only():
    class Twice:
        def step(self, x):
            self.first = np.array(x)
            self.second = self.first

    twice = Twice()
    rt.function(twice.step)(rt.constant([1.0, 2.0]))
    with pytest.raises(ValueError, match="read-only"):
        twice.first[0] = 5.0


def test_a_constant_of_one_is_a_tensor():
    @rt.function
    def tensor(n):
        out = np.arange(2.0)
        out[0] = n
        made = rt.constant(out)
        out[1] = 7
        return made, rt.is_tensor(out), rt.is_tensor(made)

    made, is_one, is_tensor = tensor(rt.constant(3.0))
    assert (made.numpy().tolist(), bool(is_one), bool(is_tensor)) == ([3.0, 1.0], False, True)


TENSORS = {
    "convert_to_tensor": rt.convert_to_tensor,
    "its own dtype": lambda out: rt.convert_to_tensor(out, rt.float64),
    "cast": lambda out: rt.cast(out, rt.float64),
    "real": rt.math.real,
    "add_n": lambda out: rt.add_n([out]),
    "vectorized_map": lambda out: rt.vectorized_map(lambda x: x, out),
    "a function": rt.function(lambda x: x),
    "a trace": rt.function(lambda x: x).get_concrete_function(rt.TensorSpec([2], rt.float64)),
}


@pytest.mark.parametrize("name", TENSORS)
def test_a_tensor_that_is_made_of_one_keeps_its_numbers(name):
    def program(n):
        out = np.zeros(2)
        out[0] = n
        made = TENSORS[name](out)
        out[1] = 7
        return made, out

    expected = program(rt.constant(3.0))
    assert expected[0].numpy().tolist() == [3.0, 0.0]
    results = rt.function(program)(rt.constant(3.0))
    for result, each in zip(results, expected, strict=True):
        assert result.numpy().tolist() == np.asarray(each).tolist()


@pytest.mark.parametrize("make", [rt.constant, rt.convert_to_tensor])
@pytest.mark.parametrize(
    ("dtype", "of"),
    [
        (rt.float32, lambda out: out),
        (rt.complex64, lambda out: out),
        (rt.float32, lambda out: out > 1),
        (rt.int32, lambda out: out > 1),
        (rt.float32, lambda out: out.astype(int)),
        (rt.int64, lambda out: out.astype("uint8")),
        (rt.float32, lambda out: np.sum(out)),
    ],
)
def test_it_has_the_dtype_that_is_asked_for(make, dtype, of):
    def program(n):
        out = np.zeros(2)
        out[0] = n
        return make(of(out), dtype)

    expected, result = program(rt.constant(3.0)), rt.function(program)(rt.constant(3.0))
    assert result.dtype == expected.dtype == dtype
    assert result.numpy().tolist() == expected.numpy().tolist()


def test_a_dtype_is_refused_that_may_not_have_its_numbers():
    @rt.function
    def whole(n):
        out = np.zeros(2)
        out[0] = n
        return rt.convert_to_tensor(out, rt.int32)

    with pytest.raises(TypeError, match=r"convert it with tf\.cast .*test_arrays\.py"):
        whole(rt.constant(3.0))


def shuffled(n):
    out = np.eye(3) * int(n)
    np.random.default_rng(0).shuffle(out)
    return out


def of_another_shape(n):
    out = np.ones(3) * int(n)
    np.cumsum(np.ones(4) * out[0], out=out)
    return out


@pytest.mark.parametrize(
    ("program", "words"),
    [
        (shuffled, r"Generator.shuffle\(\) of NumPy is given an array"),
        (of_another_shape, "np.cumsum has a result of another dtype or shape than its `out`"),
    ],
)
def test_what_writes_to_one_is_refused(program, words):
    with pytest.raises(StagingError, match=words) as caught:
        rt.function(program)(rt.constant(2))
    assert caught.value.filename == __file__


def cast_to_whole_numbers(n):
    out = np.arange(3) * int(n)
    np.multiply(out, 1.5, out=out)


def copied_to_whole_numbers(n):
    np.copyto(np.arange(3) * int(n), np.ones(3) / int(n))


def without_inverse(n):
    return np.linalg.inv(np.ones((2, 2)) * int(n))


def too_large(n):
    return np.zeros(2, np.uint8) + int(n) * 150


def out_of_bounds(n):
    return np.take(np.ones(4) * int(n), int(n) + 2)


def to_be_read(n):
    diagonal = (np.eye(3) * int(n)).diagonal()
    part = diagonal[1:]
    part[0] = 2.0
    return diagonal


def given_out(n):
    rows = np.broadcast_to(np.ones(3) * int(n), (2, 3))
    rows[0, 0] = 2.0
    return rows


@pytest.mark.parametrize(
    ("program", "kind", "words"),
    [
        (to_be_read, ValueError, "assignment destination is read-only"),
        (given_out, ValueError, "assignment destination is read-only"),
        (cast_to_whole_numbers, TypeError, "Cannot cast ufunc 'multiply' output"),
        (copied_to_whole_numbers, TypeError, "Cannot cast array data from"),
        (without_inverse, np.linalg.LinAlgError, "Singular matrix"),
        (too_large, OverflowError, "Python integer 300 out of bounds for uint8"),
        (out_of_bounds, IndexError, "index 4 is out of bounds for axis 0 with size 4"),
    ],
)
def test_what_numpy_raises_leaves_the_function(program, kind, words):
    with pytest.raises(kind, match=words):
        rt.function(program)(rt.constant(2))


def as_asked(values):
    with np.errstate(divide="raise"):
        return np.log(np.asarray(values))


def caught_as_asked(values):
    values = np.asarray(values)
    with np.errstate(all="raise"):
        try:
            found = 1 / values
        except FloatingPointError:
            found = np.zeros(2)
    return found


def caught_around(values):
    values = np.asarray(values)
    total = 0.0
    for i in range(3):
        try:
            with np.errstate(divide="raise", invalid="ignore"):
                total = total + (1 / (values - i)).sum()
        except ArithmeticError:
            total = total - 100.0
    return total


def caught_in_rounds(values):
    values = np.asarray(values)
    total = 0.0
    while total < values[0] + values[1]:
        try:
            with np.errstate(over="raise"):
                total += (values * 1e300 * 1e300 * values).max() * 0.0 + 1.0
        except FloatingPointError:
            total += 10.0
    return total


def ignored(values):
    with np.errstate(divide="ignore", invalid="warn"):
        return np.log(np.asarray(values))


def read_by_another_name(n):
    made = np.ones(3)
    other, total = made, 0.0
    for _ in range(n):
        made[:] = other * 2
        made[0] += 1.0
        total += other.sum()
    return made, other, total


def read_by_pythons_functions(n):
    made = np.ones(3)
    held, total = [made, 1], 0.0
    while made[0] < n * 4:
        made[0] += 2.0
        total += math.fsum(held[0]) + sorted(held[0])[-1]
    return total, held[0]


def read_in_a_branch(n):
    made = np.arange(4.0)
    held = {"made": made}
    for i in range(n):
        if i > 0:
            np.copyto(made, held["made"] * 2)
        made[1] += held["made"].max()
    return made


def read_until_the_end(n):
    made = np.zeros(2)
    best = made
    while made[0] < n:
        made[:] = best * 0.5 + float(n)
        if made[0] > 1:
            made[1] = 0.0
    return made, best


@pytest.mark.parametrize(
    "program",
    [read_by_another_name, read_by_pythons_functions, read_in_a_branch, read_until_the_end],
)
def test_an_array_of_constants_is_read_by_another_name_in_a_loop(program):
    staged = rt.function(program)
    for n in (0, 1, 3, 2):
        expected, got = program(n), staged(rt.constant(n, rt.int64))
        for one, other in zip(*map(rt.nest.flatten, (expected, got)), strict=True):
            assert np.array_equal(one, other), (n, expected, got)


ASKED = [as_asked, caught_as_asked, caught_around, caught_in_rounds, ignored]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("program", ASKED)
def test_failures_of_numbers_are_errors_where_numpy_is_asked_for_them(program):
    staged = rt.function(program)
    for values in ([1.0, 0.0], [2.0, 3.0], [0.0, -1.0], [1.5, 2.5], [1.0, 0.0]):
        expected = attempt(lambda given=values: np.asarray(program(np.array(given))).tolist())
        got = attempt(lambda given=values: staged(rt.constant(given, rt.float64)))
        assert same_outcome(expected, got), (values, expected, got)


def test_the_error_state_around_the_function_is_guarded():
    staged = rt.function(lambda values: np.log(np.asarray(values)))
    zero = rt.constant([0.0], rt.float64)
    for _ in range(2):
        assert staged(zero)[0] == -np.inf
        with np.errstate(divide="raise"), pytest.raises(FloatingPointError, match="in log"):
            staged(zero)
    assert traces(staged) == 2


def printed_with_options(values):
    values = np.asarray(values) / 3
    with np.printoptions(precision=2):
        print(values)


def written_with_options(values):
    values = np.asarray(values) / 3
    with np.printoptions(precision=2):
        text = f"{values}"
    return text


@pytest.mark.parametrize("program", [printed_with_options, written_with_options])
def test_texts_of_arrays_by_options_of_the_function_are_refused(program):
    with pytest.raises(StagingError, match=r"other np\.printoptions than those"):
        rt.function(program)(rt.constant([1.0, 2.0]))


def test_the_callers_options_hold_for_what_the_graph_prints(capsys):
    def shown(values):
        print(np.asarray(values) / 3)
        with np.printoptions(precision=2):
            print(np.sum(np.asarray(values)))

    staged, values = rt.function(shown), [1.0, 2.0]
    for digits in (8, 3, 8):
        with np.printoptions(precision=digits):
            shown(np.array(values))
            expected = capsys.readouterr()
            staged(rt.constant(values, rt.float64))
            assert capsys.readouterr() == expected


def test_a_failure_that_numpy_is_to_tell_a_function_is_refused():
    def told(values):
        with np.errstate(divide="call", call=print):
            return np.log(np.asarray(values))

    with pytest.raises(StagingError, match=r"np.errstate\(divide='call'\) is to tell of a failure"):
        rt.function(told)(rt.constant([0.0]))


def taken_by_hand(x):
    it = iter(x)
    first = next(it)
    x[1] = 9.0
    return first * 10 + next(it)


def taken_by_a_loop(x):
    it = iter(x)
    found = next(it)
    x[2] += found
    for item in it:
        found = found * 10 + item
    return found


def taken_until_the_end(x):
    it, found = iter(x), 0.0
    while True:
        try:
            found += next(it)
        except StopIteration:
            return found
        x[2] = 5.0


def taken_in_a_branch(x):
    found = 0.0
    if x[0] > 0:
        it = iter(x)
        found = next(it) * 10 + next(it)
    return found


def taken_until_the_run_leaves(x):
    found = 0.0
    for item in iter(x):
        found = found / 2 + item
        x[-1] += item
        if item > 2:
            break
    return found + x[-1]


def taken_in_pairs(x):
    for item, following in itertools.pairwise(iter(x)):
        x[-1] += 1.0
        if item * following > 2:
            return item + following
    return -1.0


def asked_of_all(x):
    return any(iter(x > 2)) + 2.0 * all(iter(x > -3)) + any(iter(x > 9))


@pytest.mark.parametrize("times", [1, 30])
@pytest.mark.parametrize(
    "program",
    [
        taken_by_hand,
        taken_by_a_loop,
        taken_until_the_end,
        taken_in_a_branch,
        taken_until_the_run_leaves,
        taken_in_pairs,
        asked_of_all,
    ],
)
def test_an_iterator_gives_items_as_they_are_when_it_reaches_them(program, times):
    staged = rt.function(lambda v: program(np.array(v)))
    for given in ([1.0, 2.0, 3.0], [-1.0, 2.0, 3.0], [1.0, 1.0, 0.0]):
        given = given * times
        assert np.allclose(staged(rt.constant(given, rt.float64)), program(np.array(given)))


def read_at(x, k):
    return x[np.array([k, 0])].sum()


def read_at_pairs(x, k):
    return np.outer(x, x)[[0, 1], [k, 0]].sum()


def written_at(x, k):
    x[np.array([0, k])] = 1.0
    return x.sum()


def added_at(x, k):
    x[[k, 0]] += 1.0
    return x.sum()


@pytest.mark.parametrize("program", [read_at, read_at_pairs, written_at, added_at])
def test_places_out_of_bounds_are_caught_as_index_errors(program):
    def tried(n):
        x = np.ones(4)
        try:
            return program(x, int(n)), 1
        except IndexError:
            return x.sum(), 0

    staged = rt.function(tried)
    for n in (2, 4, -4, -5):
        expected, got = tried(n), staged(rt.constant(n))
        assert list(map(float, expected)) == list(map(float, got))


def stored(out, k):
    out[0] = k
    return out


def from_a_float(out, k):
    out[0] = float(k)
    return out


def listed(out, k):
    out[:2] = [k, 1]
    return out


@pytest.mark.parametrize(
    "program", [stored, from_a_float, listed, lambda out, k: out + k, lambda out, k: k * out]
)
@pytest.mark.parametrize("number", [300, -1])
def test_a_number_that_does_not_fit_is_an_error(program, number):
    def tried(n):
        out, k = np.zeros(3, np.uint8), int(n)
        out[1] = 5
        try:
            return program(out, k)
        except OverflowError:
            return out + 1

    expected = tried(number)
    np.testing.assert_array_equal(rt.function(tried)(rt.constant(number, rt.int64)), expected)
    np.testing.assert_array_equal(rt.function(tried)(rt.constant(3, rt.int64)), tried(3))


def test_a_function_of_elements_that_is_none_of_numpys_is_refused():
    halved = np.frompyfunc(lambda x: x / 2, 1, 1)
    with pytest.raises(StagingError, match="is called with staged values"):
        rt.function(lambda x: halved(np.sqrt(x)))(rt.constant([4.0, 9.0]))


def of_objects(n):
    names = np.array([None, "a"])
    for i in range(n):
        if i > 0:
            names[0] = "b"
    return len(names)


def test_an_array_of_objects_that_a_round_changes_is_refused():
    with pytest.raises(StagingError, match="cannot be carried through a staged block"):
        rt.function(of_objects)(rt.constant(2))


def from_outside(n):
    out = TABLE
    for i in range(n):
        out[i] = 1.0
    return out


def written_through_numpy(n):
    out = TABLE
    np.add(out, n, out=out)
    return out


@pytest.mark.parametrize("program", [from_outside])
def test_a_change_of_an_array_from_outside_is_refused(program):
    with pytest.raises(StagingError, match="a NumPy array that another variable") as caught:
        rt.function(program)(rt.constant(2))
    assert caught.value.filename == __file__
    assert caught.value.variable == "out"
    assert "out = out.copy()" in caught.value.hint


def to_a_row(n):
    row = GRID[n]
    row += 1
    return row


def test_a_change_of_a_row_from_outside_is_refused():
    with pytest.raises(StagingError, match="a NumPy array that another variable") as caught:
        rt.function(to_a_row)(rt.constant(2))
    assert caught.value.variable == "row"
    assert "row = row.copy()" in caught.value.hint


def test_what_numpy_writes_to_is_refused():
    with pytest.raises(StagingError, match="given an `out`"):
        rt.function(written_through_numpy)(rt.constant(2))


class Held:
    def __init__(self, number):
        self.row = np.array([number, number])


def seen_by_another_name(n):
    out = np.ones(4)
    square = out.reshape(2, 2)
    out[0] = n
    return square


def asked_for_more(n):
    out = np.array([n, 1.0])
    return out.ctypes


def of_another_dtype(n):
    out = np.zeros(3, int)
    for _ in range(n):
        out = out + 0.5
    return out


def powers_of_truths(n):
    return (np.ones(3) * int(n) > 1) ** int(n)


def asked_for_identity(n):
    out = np.ones(3) * int(n)
    return out is out * 1


def of_another_shape_in_place(n):
    out = np.arange(4) * int(n)
    out.shape = 2, 2
    return out


def written_in_a_row(n):
    out = np.ones((2, 2)) * int(n)
    out.flat[1] = 7
    return out


def written_behind_a_row(n):
    out = np.ones((2, 2)) * int(n)
    row = out.T.flat
    out[0] = 7
    return row[0]


def given_a_row(n):
    out = np.ones((2, 2)) * int(n)
    out.flat = 7
    return out


def of_fields(n):
    return np.zeros(int(n), [("x", float), ("y", float)])["x"]


def written_by_columns(n):
    out = np.ones((2, 2)) * int(n)
    for column in out.T:
        column *= 2
    return out


def written_in_an_object(n):
    held = Held(float(int(n)))
    square = held.row.reshape(2, 1)
    square[0] = 1.0
    return held.row


def items_of_fields(n):
    out = np.zeros(2, dtype=[("x", float), ("n", int)])
    out["x"] = np.ones(2) * int(n)
    return out["x"]


def read_only(x):
    row = np.reshape(x, (1, -1))
    row[0, 0] = 1.0
    return row


@pytest.mark.parametrize(
    ("program", "given", "words"),
    [
        (both_in_the_loop, 2, "is read after items of 'out' were assigned"),
        (asked_for_more, 2.0, "only the run knows the items has no 'ctypes'"),
        (of_another_dtype, 2, r"convert it: x.astype\(np.float64\)"),
        (powers_of_truths, 2, r"powers of truth values depends on .*\n.*x.astype\(int\) \*\* n"),
        (asked_for_identity, 2, r"two arrays are one object .*\n.*np.array_equal\(a, b\)"),
        (of_another_shape_in_place, 2, r"the shape of an array is assigned .*\n.*x.reshape"),
        (written_in_a_row, 2, "is read after items of .* were assigned"),
        (written_behind_a_row, 2, "is read after items of 'out' were assigned"),
        (given_a_row, 2, r"the items of an array are assigned in a row.*\n.*x\[...\] = y"),
        (of_fields, 2, r"it gives an array of dtype \[\('x', '<f8'\)"),
        (written_by_columns, 2, "'out' is read after items of an array were assigned"),
        (written_in_an_object, 2, "'held.row' is read after items of 'square' were assigned"),
        (seen_by_another_name, 2.0, "is read after items of 'out' were assigned"),
        (read_only, [1.0, 2.0], "memory of a tensor, to which NumPy writes nothing"),
    ],
)
def test_what_shares_memory_in_numpy_is_refused(program, given, words):
    with pytest.raises(StagingError, match=words) as caught:
        rt.function(program)(rt.constant(given))
    assert caught.value.filename == __file__


def taken_on_a_path(items, n):
    row = np.zeros(2)
    if n > 0:
        row = items[n]
    row[0] = 9.0
    return row


def taken_in_a_ternary(items, n):
    row = items[n] if n > 0 else items[1 - n]
    row += 1.0
    return row


def taken_by_a_function(items, n):
    def pick():
        if n > 0:
            return items[n]
        return np.zeros(2)

    row = pick()
    row[0] = 9.0
    return row


def a_part_of_one(items, n):
    part = np.zeros(1)
    if n > 0:
        row = items[n]
        part = row[1:]
    part[0] = 9.0
    return part


def put_into_an_object(items, n):
    held = Held(3.0)
    if n > 0:
        held.row = items[n]
    held.row[0] = 9.0
    return held.row


def taken_in_a_try(items, n):
    row = np.zeros(2)
    try:
        if n > 5:
            raise KeyError
        row = items[n]
    except KeyError:
        row = np.ones(2)
    row[0] = 9.0
    return row


@pytest.mark.parametrize(
    "program",
    [
        taken_on_a_path,
        taken_in_a_ternary,
        taken_by_a_function,
        a_part_of_one,
        put_into_an_object,
        taken_in_a_try,
    ],
)
@pytest.mark.parametrize(
    "make",
    [lambda: [np.zeros(2), np.ones(2)], lambda: (np.zeros(2), np.ones(2))],
    ids=["list", "tuple"],
)
def test_what_a_path_takes_at_a_place_of_the_run_is_not_assigned_to(program, make):
    with pytest.raises(StagingError, match=r"an item of a list whose .*\n.*\.copy\(\)\)"):
        rt.function(lambda n: program(make(), n))(rt.constant(1))


def test_the_row_of_an_object_that_a_path_takes_is_not_assigned_to():
    def program(n):
        objects, row = [Held(0.0), Held(1.0)], np.zeros(2)
        if n > 0:
            row = objects[n].row
        row[0] = 9.0
        return objects[0].row, objects[1].row, row

    with pytest.raises(StagingError, match="an item of a list whose"):
        rt.function(program)(rt.constant(1))


def test_an_array_of_fields_is_no_array_of_numbers():
    with pytest.raises(OperatorNotAllowedInGraphError, match="for several fields, one for each"):
        rt.function(items_of_fields)(rt.constant(2))


def changed_behind_a_branch(n):
    out = np.zeros(3)
    other = out
    if n > 5:
        out = out + 1
    other[0] = 5
    return out


def changed_behind_a_loop(n):
    out = np.zeros(3)
    kept = [out]
    while n > 5:
        n, out = n - 1, out * 2
    kept[0][1] = 7
    return out


def chosen_and_changed(n):
    first, second = np.zeros(3), np.ones(3)
    either = first if n > 2 else second
    first[0] = 5
    return either


def kept_in_a_list_and_changed(n):
    out, rows = np.zeros(3), []
    for _ in range(n):
        rows.append(out)
    out[0] = 5
    return rows[0]


def kept_in_a_dict_and_changed(n):
    out, rows = np.zeros(3), {}
    for i in range(n):
        rows[i] = out
    out[0] = 5
    return rows[0]


def from_outside_and_changed(n):
    out = TABLE
    if n > 5:
        out = out + 1
    TABLE[2] += 1
    return out


def changed_behind_a_row(n):
    row = CHANGED[n]
    CHANGED[0, 0] += 1
    return row


@pytest.mark.parametrize(
    "program",
    [
        changed_behind_a_row, changed_behind_a_branch, changed_behind_a_loop, chosen_and_changed,
        kept_in_a_list_and_changed, kept_in_a_dict_and_changed, from_outside_and_changed,
    ],
)  # fmt: skip
def test_an_array_that_the_graph_has_taken_is_not_changed_by_python(program):
    with pytest.raises(StagingError, match=r"assigned|is changed that a path") as caught:
        rt.function(program)(rt.constant(2))
    assert caught.value.filename == __file__
