"""Items of lists that are older than the function, assigned at places that only the run knows."""

from collections.abc import Callable
from enum import Enum
from typing import Any

import numpy as np
import pytest

import runtime as rt
from autograph import StagingError
from tests.support.staging import as_python, attempt, same_outcome


class Game:
    """Lists in attributes, in each other, in a dict and in a tuple; one of them by three names."""

    def __init__(self) -> None:
        self.counts: list[Any] = [0, 0, 0]
        self.same = self.counts
        self.twice = [self.counts, self.counts]
        self.board: list[Any] = [[0, 0, 0], [1, 1, 1], [2, 2, 2]]
        self.pairs: Any = ([1, 2], [3, 4])
        self.by_name: Any = {"a": [1, 2, 3]}
        self.names = ["a", "b", "c"]
        self.best: list[Any] = [None, 1, None]
        self.shares = [0.5, 1.5, 2.5]

    def hit(self, p: Any) -> Any:
        self.counts[p % 3] += p


class Weighted(Game):
    def weight(self, p: Any) -> Any:
        return p + 1


class Loaded(Weighted):
    def hit(self, p: Any) -> Any:
        held = [1, 2, 3]
        held[p % 3] += super().weight(p)
        self.counts[p % 3] += super().weight(p) + held[p % 3]


def put(game: Any, p: Any) -> Any:
    game.counts[p] = 5
    return game.same[p], sum(game.same)


def put_by_two_names(game: Any, p: Any) -> Any:
    counts = game.counts
    game.counts[p] = 5
    counts[0] += 1
    return counts[1]


def by_method(game: Any, p: Any) -> Any:
    game.hit(p)
    game.hit(p + 1)
    return game.counts


def on_the_board(game: Any, p: Any) -> Any:
    game.board[p][p - 1] = 7
    game.board[p][0] += 1
    return sum(sum(row) for row in game.board)


def of_one_list_twice(game: Any, p: Any) -> Any:
    game.twice[p % 2][p] += 1
    return game.counts[p]


def of_a_pair(game: Any, p: Any) -> Any:
    game.pairs[p % 2][p % 2] = 9
    game.by_name["a"][p] *= 10
    return game.pairs[0][0] + game.pairs[1][1]


def texts(game: Any, p: Any) -> Any:
    game.names[p] = "long"
    return len(game.names[1])


def nothing_yet(game: Any, p: Any) -> Any:
    game.best[p] = p
    return game.best[2] is None


def floats(game: Any, p: Any) -> Any:
    game.shares[p] *= 2
    return game.shares[1]


def in_branches(game: Any, p: Any) -> Any:
    if p > 0:
        game.counts[p] += 1
    elif p < 0:
        game.counts[p - 1] = -1
    return game.counts[1]


def in_rounds(game: Any, p: Any) -> Any:
    for i in range(p):
        game.counts[i] = i * 2
        game.board[i][i] += p
    return sum(game.counts)


def exchanged(game: Any, p: Any) -> Any:
    game.counts[p], game.counts[0] = game.counts[0], game.counts[p] + 1
    game.counts[0] = game.counts[p] = game.counts[p - 1]
    return game.counts[0]


def in_a_function(game: Any, p: Any) -> Any:
    def hit(place: Any) -> None:
        game.counts[place] += 1

    hit(p)
    hit(p - 1)
    return game.counts[p]


def in_order(game: Any, p: Any) -> Any:
    asked = []

    def place() -> Any:
        asked.append("place")
        return p

    def value() -> Any:
        asked.append("value")
        return 3

    game.counts[place()] = value()
    game.counts[place()] += value()
    return asked == ["value", "place", "place", "value"]


def tried(game: Any, p: Any) -> Any:
    try:
        game.counts[p + 1] = 9
    except IndexError:
        return -1
    finally:
        game.counts[0] = 8
    return p


@pytest.mark.parametrize(
    "function",
    [
        *(put, put_by_two_names, by_method, on_the_board, of_one_list_twice, of_a_pair, texts),
        *(nothing_yet, floats, in_branches, in_rounds, exchanged, in_a_function, in_order, tried),
    ],
)
@pytest.mark.parametrize("kind", [Game, Loaded])
def test_items_are_assigned_as_python_does(
    function: Callable[..., Any], kind: Callable[[], Game]
) -> None:
    game, other = kind(), kind()
    staged = rt.function(function)
    for p in (1, 0, 2, -1, 3, -4, 1):
        expected = attempt(lambda p=p: function(game, p))
        got = attempt(lambda p=p: as_python(staged(other, rt.constant(p))))
        assert same_outcome(expected, got), (p, expected, got)
        assert as_python(vars(other)) == vars(game)
        assert other.same is other.counts is other.twice[0]


@pytest.mark.parametrize("function", [put, by_method, on_the_board, of_a_pair, texts, in_rounds])
def test_what_raises_leaves_the_lists_as_they_were(function: Callable[..., Any]) -> None:
    def raising(game: Any, p: Any) -> Any:
        function(game, p)
        raise ValueError("afterwards")

    game = Game()
    staged = rt.function(raising)
    for p in (1, 2):
        with pytest.raises(ValueError, match="afterwards"):
            staged(game, rt.constant(p))
        assert vars(game) == vars(Game())


def test_a_result_that_is_refused_leaves_the_lists_as_they_were() -> None:
    def returned(game: Any, p: Any) -> Any:
        put(game, p)
        return game

    game = Game()
    with pytest.raises(TypeError, match="the result of returned"):
        rt.function(returned)(game, rt.constant(1))
    assert vars(game) == vars(Game())


class Mark(Enum):
    FREE = 0
    TAKEN = 1


def test_values_that_nobody_changes_are_items() -> None:
    def marked(p: Any) -> Any:
        FIELDS[p] = Mark.TAKEN
        return FIELDS[1] is Mark.TAKEN

    staged = rt.function(marked)
    assert [bool(staged(rt.constant(p))) for p in (0, 1)] == [False, True]
    assert FIELDS == [Mark.TAKEN, Mark.TAKEN, Mark.FREE]


FIELDS = [Mark.FREE, Mark.FREE, Mark.FREE]


def row_put(game: Any, p: Any) -> None:
    game.board[p] = game.board[0]


def row_chosen(game: Any, p: Any) -> None:
    game.board[1] = game.board[p]


def new_row(game: Any, p: Any) -> None:
    game.board[p] = [p, p, p]


def variable_put(game: Any, p: Any) -> None:
    game.variables[p] = rt.constant(3.0)


def array_put(game: Any, p: Any) -> None:
    game.arrays[p] = rt.ones(2)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (row_put, "table[i][j] = value"),
        (new_row, "table[i][j] = value"),
        (row_chosen, ""),
        (variable_put, "variable.assign(value)"),
        (array_put, "assign each item"),
    ],
)
def test_what_is_no_value_is_refused(function: Callable[..., Any], message: str) -> None:
    game: Any = Game()
    game.variables = [rt.Variable(1.0), rt.Variable(2.0)]
    game.arrays = [np.ones(2), np.zeros(2)]
    before = {name: list(map(id, held)) for name, held in vars(game).items() if name != "by_name"}
    with pytest.raises((StagingError, TypeError)) as caught:
        rt.function(function)(game, rt.constant(1))
    assert message in str(caught.value)
    assert before == {name: list(map(id, vars(game)[name])) for name in before}


def test_the_variable_at_a_place_is_assigned() -> None:
    variables = [rt.Variable(1.0), rt.Variable(2.0)]

    @rt.function
    def put(p: Any, x: Any) -> None:
        for j, variable in enumerate(variables):
            if j == p:
                variable.assign(x)

    put(rt.constant(1), rt.constant(5.0))
    put(rt.constant(0), rt.constant(4.0))
    assert [float(each) for each in variables] == [4.0, 5.0]
