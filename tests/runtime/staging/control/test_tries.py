"""`try` around what only the run raises: what Python does with numbers, staged functions do."""

# The programs are written as users write them.
# ruff: noqa: B007, B012, B904, E722, TRY, PT017, F841

from __future__ import annotations

import contextlib
import datetime
import functools
import math
import operator
import re
import signal
from collections import deque
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

import autograph
import runtime as rt
from runtime import errors
from tests.support import staging


class Holder:
    n: int


class Coded(Exception):
    def __init__(self, text, code, *, retry=False):
        super().__init__(f"{text} {code}")
        self.code = code
        self.retry = retry


def fails_above_two(n):
    if n > 2:
        raise ValueError(n)
    return n * 2


def staged(x):
    n = 0
    while n < x:
        n += 1
    return n


def raised_in_a_branch(x):
    try:
        if x < 0:
            raise ValueError
        y = x
    except ValueError:
        y = 0
    return y


def raised_in_a_round(x):
    n = 0
    try:
        for i in range(x):
            n = n + 1
            if n > 3:
                raise KeyError(n)
    except KeyError:
        n = n * 100
    else:
        n = -n
    return n


def finally_inside(x):
    n = 0
    try:
        n = n + 1
        try:
            if x > 2:
                raise KeyError(x)
            n = n + 10
        finally:
            n = n + 100
        n = n + 1000
    except LookupError:
        n = n + 5
    return n


def asserted(x):
    try:
        assert x > 1, "small"
        assert x < 5
    except AssertionError:
        return -1
    finally:
        x = x + 1
    return x


def list_kept(x):
    rows = []
    try:
        rows.append(x)
        if x == 2:
            raise RuntimeError("two")
        rows.append(10)
        if x == 3:
            raise IndexError("three")
        rows.append(20)
    except (IndexError, RuntimeError):
        rows.append(-1)
    return len(rows), rows[-1]


def return_in_finally(x):
    try:
        if x == 2:
            raise RuntimeError("two", x)
        return x
    finally:
        if x > 1:
            return 100


def return_that_another_exit_discards(x):
    y = x + 1
    try:
        if y > 1:
            return y, 3
    finally:
        try:
            try:
                if x > 0:
                    return x, 6
            finally:
                if x > 1:
                    raise LookupError(x)
        except LookupError:
            y = y + 10
    return y, 0


def returns_of_rounds_that_are_discarded(x):
    y = x
    for i in range(3):
        try:
            if y > 1:
                return y, i
        finally:
            try:
                try:
                    if x > i:
                        return x, 10 + i
                finally:
                    if x > 1:
                        raise LookupError(x)
            except LookupError:
                x = x - 1
    return y, x


def broken_off_in_a_finally_that_returns(x):
    if x > 1:
        for _ in range(1, 4):
            try:
                try:
                    break
                finally:
                    continue
            finally:
                return x * 2
    return x


def gone_on_in_a_finally(x):
    n = 0
    for i in range(3):
        try:
            n = n + 12 // (x - i)
        finally:
            if x > 1:
                continue
    return n


def gone_on_in_the_middle_of_a_finally(x):
    n = 0
    for i in range(3):
        try:
            n = n + [5, 3, 8][x]
        finally:
            if i == 1 or x == 3:
                continue
            n = n + 100
    return n


def a_with_in_a_finally(x):
    k = 0
    try:
        x = x - 1
    finally:
        with rt.name_scope("a"):
            k = 10 // x
    return k


def a_with_in_an_else(x):
    try:
        if x < 0:
            raise ValueError(x)
    except ValueError:
        k = x
    else:
        with rt.name_scope("a"):
            k = 10 // x
    return k


def mapped_in_a_try(x):
    rows = rt.constant([1, 2, 3])
    try:
        made = rt.map_fn(lambda row: row * x, rows)
        sums = rt.scan(lambda so_far, row: so_far + row * x, rows)
        total = rt.reduce_sum(made) + 12 // x + sums[2]
    except (ValueError, ZeroDivisionError):
        total = rt.constant(-1)
    return int(total) if rt.executing_eagerly() else total


def raised_from(x):
    try:
        if x == 2:
            raise RuntimeError("two", x)
        return x
    except RuntimeError as e:
        raise KeyError("k") from e


def raised_again(x):
    try:
        if x == 2:
            raise RuntimeError("two", x)
        return x
    except RuntimeError as e:
        print(e.args[1])
        raise


def exits_of_a_round(x):
    n = 0
    while n < 10:
        n += 1
        try:
            if n == x:
                raise ValueError
            if n == 4:
                break
            if n == 3:
                continue
        except ValueError:
            return n * 100
        finally:
            n += 1
    return n


def raised_in_a_function(x):
    t = 0
    for i in range(x):
        try:
            t += fails_above_two(i)
        except ValueError as e:
            t += e.args[0] * 1000
    return t


def endless_loop(x):
    t = 0
    try:
        while True:
            t += 1
            if t > x:
                raise OSError
    except OSError:
        t = t * 10
    return t


def dict_kept(x):
    d = {"a": 0, "n": x}
    try:
        d["a"] = 1
        if x == 1:
            raise KeyError
        d["a"] = 2
        if x == 2:
            raise KeyError
        d["n"] = 7
    except KeyError:
        d["n"] = d["n"] + 100
    return d


def attribute_kept(x):
    o = Holder()
    o.n = 0
    try:
        o.n += 1
        assert x > 0
        o.n += 1
        assert x > 1
        o.n += 1
    except Exception:
        pass
    return o.n


def nested(x):
    try:
        try:
            if x == 0:
                raise KeyError("a")
            if x == 1:
                raise ValueError("b")
            r = 1
        except KeyError:
            r = 2
            if x == 0:
                raise IndexError
        else:
            if x == 3:
                raise TypeError
            r = 3
        finally:
            q = 5
    except (IndexError, ValueError):
        r = 9
        q = q + 1
    return r * 10 + q


def while_with_exits(x):
    while True:
        try:
            x = x - 1
            if x == 2:
                continue
            if x < 0:
                raise ValueError
            if x == 1:
                break
        except ValueError:
            return -100
        finally:
            x = x - 1
    return x


def unrolled(x):
    t = 0
    for i in [1, 2, 3, 4]:
        try:
            if i == x:
                raise ValueError
            t += i
        except ValueError:
            t += 100
            break
        else:
            t += 1000
    else:
        t = -t
    return t


def in_and_or(x):
    y = 1 if x > 2 else 2
    try:
        z = (x > 1 and y > 1) or 10 // y > x
        if not z:
            raise KeyError(y)
        z = 5
    except KeyError as e:
        z = e.args[0]
    return z


def in_a_while(x):
    s = 0
    try:
        n = x
        while n > 0:
            n -= 1
            if n == 3:
                raise RuntimeError("at three")
            s += n
    except RuntimeError as e:
        print("caught", e)
        s = s + 1000
    return s, n


def unbound(x):
    try:
        if x > 2:
            y = 1
        else:
            raise ValueError
    except ValueError:
        pass
    return y


def nonlocal_kept(x):
    seen = 0

    def inner():
        nonlocal seen
        seen += 1
        if x == 2:
            raise ValueError("inner")
        seen += 10

    try:
        inner()
        inner()
    except ValueError:
        seen += 100
    return seen


def division(x):
    try:
        return 10 // x
    except ZeroDivisionError:
        return -1


def item_of_a_list(x):
    xs = [10, 20, 30]
    try:
        y = xs[x]
    except IndexError:
        y = -1
    return y


def item_of_a_dict(x):
    D = {1: 2, 3: 4}
    try:
        y = D[x]
    except KeyError:
        y = -1
    return y


def division_before_finally(x):
    try:
        y = 10 % x
    finally:
        print("fin", x)
    return y


def division_raised_again(x):
    try:
        y = 10 % x
    except ZeroDivisionError:
        if x == 0:
            raise
        y = 3
    return y


def division_in_rounds(x):
    y = 0
    try:
        for i in range(5):
            y = y + 10 // (x - i)
    finally:
        y = y + 1
    return y


def list_grown(x):
    xs = []
    try:
        for i in range(5):
            if i == x:
                raise KeyError
            xs.append(i)
        xs.pop()
    except KeyError:
        xs.append(100)
    return len(xs), sum(xs)


def list_made_anew_by_a_handler(x):
    xs = []
    for i in range(3):
        try:
            if i < x:
                raise KeyError
        except KeyError:
            xs = xs[:9]
            xs.append(i)
        finally:
            x -= 1
    return len(xs), sum(xs)


def iterators_that_are_left(x):
    n = 0
    for i in range(2):
        try:
            for v, w in zip([3, 4, 1], [x, 0, 1], strict=True):
                n += [5, 7, 9][w]
                if w != i:
                    break
            for v in reversed([x, 1, 2]):
                if v > x:
                    break
                n += 6 // v
        except LookupError:
            n += 100
        finally:
            n += 1
    return n


class OfValues:
    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        return isinstance(error, ValueError)


def no_errors_of_values(x):
    n = 0
    try:
        try:
            n = 10 // x
            n = [n, 2][x - 1]
            assert x < 2
        except ValueError:
            n = 5
    except (ZeroDivisionError, IndexError, AssertionError) as error:
        n = 6 + isinstance(error, ValueError)
    try:
        with contextlib.suppress(ValueError), OfValues():
            n = n + 10 % x
    except ArithmeticError:
        n = -n
    return n


def raised_behind_a_with(x):
    n, m = 1, 2
    try:
        if x > 1:
            with OfValues():
                n = 7
            raise LookupError
    except LookupError:
        n = n + 2
    try:
        if x > 2:
            with OfValues():
                m = x
            raise LookupError
    except LookupError:
        m = 9
    return n, m


def list_shrunk(x):
    xs = [5]
    try:
        while x > 0:
            xs.pop()
            x -= 1
    except IndexError:
        return -1
    return len(xs)


def several_classes(x):
    try:
        a, b = [x, 2] if x > 1 else [x, 3]
        r = a // (b - x)
    except (ZeroDivisionError, TypeError):
        r = 0
    else:
        r += 1
    return r


def division_in_try(x):
    try:
        y = 1 // staged(x)
    except ZeroDivisionError:
        y = -1
    return y


def division_in_second_clause(x):
    try:
        y = 1 // staged(x)
    except KeyError:
        y = -2
    except (TypeError, ArithmeticError):
        y = -1
    return y


def division_in_bare_try(x):
    try:
        y = 1 // x
    except:
        y = -1
    return y


def item_in_try(x):
    try:
        y = rt.constant([1, 2])[x]
    except errors.InvalidArgumentError:
        y = -1
    return y


def wrong_values_of_ops(x):
    n = 0
    try:
        n += rt.gather([1, 2], x)
    except ValueError:
        n -= 1
    with contextlib.suppress(ValueError):
        n += 10 * rt.size(rt.range(0, 4, x))
    try:
        rt.debugging.assert_less(x, 2)
    except (KeyError, ValueError) as error:
        n += 100 * isinstance(error, errors.InvalidArgumentError)
    return n


def truncated_in_try(x):
    n = 0
    try:
        n += rt.truncatediv(6, x)
    except ZeroDivisionError:
        n -= 1
    try:
        n += 10 * rt.truncatemod(7, x)
    except ArithmeticError:
        n -= 2
    return n


def raise_in_handler(x):
    try:
        try:
            raise ValueError("a")
        except ValueError:
            if x < 0:
                raise KeyError("b")
    except LookupError:
        return 1
    return x


def raise_again(x):
    try:
        try:
            raise KeyError(1)
        except KeyError as error:
            if x < 0:
                raise error
    except KeyError:
        return 1
    return x


def raise_in_function_of_handler(x):
    def fail():
        if x < 0:
            raise

    try:
        try:
            raise KeyError(1)
        except KeyError:
            fail()
    except (ValueError, KeyError):
        return 1
    return x


def raise_past_another_class(x):
    try:
        try:
            if x < 0:
                raise KeyError(1)
        except ValueError:
            return 0
    except KeyError:
        return 1
    return x


def raise_past_computed_classes(x):
    try:
        if x < 0:
            raise KeyError(1)
    except tuple([KeyError]):
        return 1
    return x


def raise_before_cleanup(x):
    try:
        try:
            if x < 0:
                raise KeyError(1)
        finally:
            x = x + 1
    except ValueError:
        return 1
    return x


def left_by_the_body_and_the_finally(x):
    z = 3
    try:
        if x > 1:
            return z, x
        z = 4
    finally:
        n = 0
        while n < 2:
            n += 1
            assert z % 2 == 0, "odd"
            if x > 3:
                return n, x
    return z, z


def left_by_a_finally_or_raised(x):
    try:
        assert x > 1, "small"
        raise KeyError(2)
    finally:
        if x > 3:
            return x
    return -x


def left_by_a_finally_in_a_finally(x):
    try:
        raise KeyError("first")
    finally:
        try:
            assert x > 1, "small"
            raise KeyError("second")
        finally:
            if x > 3:
                return x


def left_before_a_finally_fails(x):
    n = 0
    for i in range(4):
        try:
            try:
                return 10 + n
            finally:
                n += 12 // (x - i)
        except ZeroDivisionError:
            n += 100
        finally:
            if n > 103:
                return n
    return n


class Rising:
    def __init__(self, now):
        self.now = now

    def step(self):
        if self.now < 3:
            self.now += 1
        return self.now


def always_left_by_a_finally_of_a_loop(x):
    while x < 5:
        x += 2
        rising = Rising(x)
        found = rising.step()
        try:
            raise KeyError(x)
        finally:
            return found
    return -x


def always_broken_off_by_a_finally(x):
    while x < 5:
        x += 2
        rising = Rising(x)
        rising.step()
        try:
            assert False, "never so"  # noqa: B011, PT015
        finally:
            break
    return x


class PassesFrom:
    """Lets errors pass from a limit on."""

    def __init__(self, limit):
        self.limit = limit

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return self.limit < 3


def swallowed_in_rounds(x):
    while x < 5:
        x += 1
        rising = Rising(x)
        with PassesFrom(rising.step()):
            raise KeyError(x)
    return x


def attributes_of_the_error(x):
    try:
        if x > 2:
            raise Coded("high", x + 5, retry=True)
        if x == 1:
            raise Coded("one", 7)
    except Coded as error:
        return error.code * 2 + (1 if error.retry else 0)
    return 0


def attributes_raised_again(x):
    try:
        try:
            if x > 1:
                raise Coded("high", x)
        except Coded as error:
            if error.code > 2:
                raise error
            x = -x
    except Coded as error:
        return error.code * 100
    return x


def error_made_before(x):
    made = Coded("before", 1)
    try:
        if x > 2:
            raise made
        made.code = 4
    except Coded as error:
        error.code = 9
    return made.code


def both_classes_in_one_except(x):
    try:
        return 10 // x
    except (ValueError, ZeroDivisionError):
        return -1


def unbound_in_try(x):
    try:
        if x > 0:
            q = 1
        y = q
    except NameError:
        y = -1
    return y


def raise_in_try(x):
    try:
        if x > 0:
            raise ValueError("positive")
    except ValueError:
        x = x + 1
    return x


def raise_before_finally(x):
    try:
        if x > 0:
            raise ValueError("positive")
    finally:
        x = x + 1
    return x


def assert_in_try(x):
    try:
        assert x > 0
    except AssertionError:
        x = -x
    return x


@rt.function
def inverse(x):
    if x > 3:
        raise ValueError(x)
    return 10 // x


class Scale:
    unit = 7

    @rt.function
    def scaled(self, x):
        return inverse(x) * self.unit


def decorated_inside(x):
    try:
        return inverse(x)
    except ZeroDivisionError:
        return -1
    except ValueError as error:
        return error.args[0] * 100


def decorated_methods_inside(x):
    total = 0
    try:
        for i in range(x):
            total = total + Scale().scaled(3 - i)
    except (ZeroDivisionError, ValueError):
        total = -total
    finally:
        total = total + 1
    return total


def kind_of_an_assertion(x):
    try:
        assert x > 2
    except AssertionError as error:
        return 1 if type(error) is AssertionError else 2
    return 0


def an_assertion_is_no_value_error(x):
    with contextlib.suppress(ValueError):
        try:
            assert x > 0, "low"
            if x > 1:
                raise ValueError(x)
            x = x - 1
        except KeyError:
            x = x + 7
        assert x > 0, "none"
    try:
        assert x > 2, "small"
    except ValueError:
        x = x + 100
    return x


def less_of(x, y=1, *, z=0):
    if x > y:
        return x - y
    return x + y + z


def bound_behind_what_fails(a, b, p, f, xs):
    q, grown = deque(), []
    if a > 99:
        q.append(a)
    if not (b <= a > a):
        try:
            a = q.popleft() % 97
        except IndexError:
            a = b
        for x0 in [1, 2]:
            if (len([item for item in xs if item > 1])) < (less_of(a, 3)):
                a = len(q)
    return sorted(grown), (abs(xs[1])) % 97


def how_many_behind(x):
    count = 0
    try:
        try:
            if x > 2:
                raise KeyError(x)
            10 // x
        except KeyError as error:
            if error.__context__ is None:
                raise ValueError(x)
    except (ValueError, ZeroDivisionError) as error:
        while error.__context__ is not None:
            error = error.__context__
            count = count + 1
    return count


def text_of_a_division(x):
    try:
        return f"{10 // x}"
    except ZeroDivisionError as error:
        print("error:", error)
        return f"{error}!"


def texts_of_remainders(x):
    texts = []
    for divisor in (x, x - 1, x - 2):
        try:
            texts.append(str(7 % divisor))
        except ZeroDivisionError as error:
            texts.append(str(error))
    return texts


def name_of_a_division(x):
    try:
        return str(10 // x)
    except ZeroDivisionError as error:
        print(type(error).__name__, repr(error), error.__class__.__name__)
        return f"{type(error).__name__}: {error}"


def name_of_a_place_out_of_bounds(x):
    try:
        return int([5, 6, 7][x])
    except IndexError as error:
        return len(type(error).__name__)


def text_of_a_quotient_of_numbers(x):
    try:
        y = float(x) / int(x - 2)
    except ZeroDivisionError as error:
        print(error, [error.args])
        y = 1.0 if "float" in str(error) else 2.0
    return y


def text_of_what_is_raised_again(x):
    try:
        try:
            return divmod(10, x)[1]
        except ZeroDivisionError as error:
            print(error)
            raise
    except ArithmeticError as error:
        raise ValueError(f"{x}: {error}") from error


SAME: list[Callable[[Any], Any]] = [
    return_that_another_exit_discards,
    returns_of_rounds_that_are_discarded,
    broken_off_in_a_finally_that_returns,
    gone_on_in_a_finally,
    gone_on_in_the_middle_of_a_finally,
    a_with_in_a_finally,
    a_with_in_an_else,
    mapped_in_a_try,
    text_of_a_division,
    texts_of_remainders,
    name_of_a_division,
    name_of_a_place_out_of_bounds,
    text_of_a_quotient_of_numbers,
    text_of_what_is_raised_again,
    decorated_inside,
    decorated_methods_inside,
    kind_of_an_assertion,
    an_assertion_is_no_value_error,
    how_many_behind,
    raised_in_a_branch,
    raised_in_a_round,
    finally_inside,
    asserted,
    list_kept,
    return_in_finally,
    raised_from,
    raised_again,
    exits_of_a_round,
    raised_in_a_function,
    endless_loop,
    dict_kept,
    attribute_kept,
    nested,
    while_with_exits,
    unrolled,
    in_and_or,
    in_a_while,
    unbound,
    nonlocal_kept,
    division,
    item_of_a_list,
    item_of_a_dict,
    division_before_finally,
    division_raised_again,
    division_in_rounds,
    list_grown,
    list_made_anew_by_a_handler,
    iterators_that_are_left,
    no_errors_of_values,
    wrong_values_of_ops,
    truncated_in_try,
    raised_behind_a_with,
    list_shrunk,
    several_classes,
    division_in_try,
    division_in_second_clause,
    division_in_bare_try,
    raise_in_handler,
    raise_again,
    raise_in_function_of_handler,
    raise_past_another_class,
    raise_past_computed_classes,
    raise_before_cleanup,
    left_by_the_body_and_the_finally,
    left_by_a_finally_or_raised,
    left_by_a_finally_in_a_finally,
    left_before_a_finally_fails,
    always_left_by_a_finally_of_a_loop,
    always_broken_off_by_a_finally,
    swallowed_in_rounds,
    attributes_of_the_error,
    attributes_raised_again,
    error_made_before,
    both_classes_in_one_except,
    unbound_in_try,
    raise_in_try,
    raise_before_finally,
    assert_in_try,
]


@pytest.mark.parametrize("program", SAME, ids=lambda program: program.__name__)
def test_numbers_and_tensors(program: Any, capsys: pytest.CaptureFixture[str]) -> None:
    function = rt.function(program)
    for x in (-1, 0, 1, 2, 3, 4, 7):
        expected = staging.attempt(lambda x=x: program(x))
        printed = capsys.readouterr().out
        got = staging.attempt(lambda x=x: function(rt.constant(x)))
        assert same(expected, got), (x, expected, got)
        shown = re.sub(r"tf.Tensor\((\S+), .*\)", r"\1", capsys.readouterr().out)
        assert shown == printed


def same(expected: Any, got: Any) -> bool:
    if isinstance(expected, Exception):
        # Errors of tensors have a text of their own, and hold tensors; pytest explains assertions.
        of_numbers = [arg.partition("\n")[0] for arg in expected.args if isinstance(arg, str)]
        is_of_op = isinstance(got, errors.OpError)
        return isinstance(got, type(expected)) and (
            is_of_op or all(text in str(got) for text in of_numbers)
        )
    return staging.same_outcome(expected, got)


def broken_off_and_returned_twice(x):
    if x > 1:
        for _ in range(1, 4):
            try:
                try:
                    break
                finally:
                    continue
            except ValueError:
                return 7
            finally:
                return x * 2  # noqa: SIM107
    return x


def test_a_return_that_a_finally_and_another_part_of_a_try_have_beside_further_exits() -> None:
    plain = autograph.convert(broken_off_and_returned_twice)
    assert [plain(x) for x in (1, 2)] == [1, 4]
    with pytest.raises(errors.OperatorNotAllowedInGraphError, match=r"Python itself asks here"):
        rt.function(broken_off_and_returned_twice)(rt.constant(2))


@pytest.mark.parametrize(("a", "b"), [(2, 6), (2, 2), (100, 1)])
def test_names_that_are_bound_behind_what_fails(a: int, b: int) -> None:
    expected = bound_behind_what_fails(a, b, True, 0.5, [1, 2, 3])
    numbers = [rt.constant(each, rt.int64) for each in (a, b, [1, 2, 3])]
    given = *numbers[:2], rt.constant(True), rt.constant(0.5), numbers[2]
    assert staging.as_python(rt.function(bound_behind_what_fails)(*given)) == expected


def test_an_op_of_tensors() -> None:
    function = rt.function(item_in_try)
    assert [int(function(rt.constant(x))) for x in (0, 1, 2, 9)] == [1, 2, -1, -1]


def asserted_in_try(x):
    y = 0
    try:
        rt.debugging.assert_less(x, 2)
        y = 1
    except errors.InvalidArgumentError:
        y = 2
    return y


def numerics_in_try(x):
    y = 0
    try:
        y = rt.debugging.check_numerics(1 / rt.cast(x - 1, rt.float32), "of x")
    except errors.InvalidArgumentError:
        y = 2.0
    return y


def file_in_try(x):
    y = 0
    try:
        rt.io.read_file(rt.strings.join(["/no/such/file", rt.strings.as_string(x)]))
        y = 1
    except errors.NotFoundError:
        y = 2
    return y


@pytest.mark.parametrize("program", [asserted_in_try, numerics_in_try, file_in_try])
def test_checks_and_reads_of_files_are_caught(program: Any) -> None:
    staged = rt.function(program)
    for x in (0, 1, 2):
        given = rt.constant(x)
        assert float(staged(given)) == float(program(given))


def test_writing_a_file_is_not_put_off() -> None:
    @rt.function
    def written(x):
        y = 0
        try:
            rt.io.write_file("/no/such/file", rt.strings.as_string(x))
        except errors.PermissionDeniedError:
            y = 1
        return y

    with pytest.raises(autograph.StagingError, match="write_file on a staged value fails"):
        written(rt.constant(1))


def test_what_the_first_caller_handled_is_no_context_of_later_calls() -> None:
    function = rt.function(how_many_behind)
    for x in (3, 0, 1):
        try:
            raise OSError
        except OSError:
            first = function(rt.constant(x))
        assert int(first) == int(function(rt.constant(x))) == how_many_behind(x)


def loss(x, n):
    try:
        y = x * 2.0
        if n > 2:
            raise ValueError
        y = x * x
        z = rt.gather(rt.stack([x, y, x * y]), n)
    except ValueError:
        z = y * 5.0
    return z


@pytest.mark.parametrize(("n", "value", "slope"), [(0, 3, 1), (1, 9, 6), (2, 27, 27), (3, 30, 10)])
def test_gradients_are_those_of_the_path_that_ran(n: int, value: float, slope: float) -> None:
    x = rt.constant(3.0)
    with rt.GradientTape() as tape:
        tape.watch(x)
        made = rt.function(loss)(x, rt.constant(n))
    assert float(made) == value
    assert float(tape.gradient(made, x)) == slope


def test_an_error_that_nothing_catches_is_at_its_line() -> None:
    def program(x):
        try:
            y = 10 // x
        except KeyError:
            y = 1
        finally:
            x = x + 1
        return y

    with pytest.raises(ZeroDivisionError) as caught:
        rt.function(program)(rt.constant(0))
    assert caught.traceback[-1].lineno == program.__code__.co_firstlineno + 1


def text_of_the_error(x):
    try:
        y = rt.constant([1, 2])[x + 2]
    except IndexError as error:
        print(error)
        y = 0
    return y


def test_of_a_loop(x):
    n = 0
    try:
        while 12 // (x - n) > 2:
            n += 1
    except ZeroDivisionError:
        n = -1
    return n


@rt.function
def counted_down(n):
    return 12 // n if n < 1 else counted_down(n - 1)


def graph_of_its_own(x):
    try:
        return counted_down(x)
    except ZeroDivisionError:
        return 0


@contextlib.contextmanager
def of_several():
    for kind in (KeyError, ValueError):
        if kind is ValueError:
            with contextlib.suppress(kind):
                yield


def held_in_a_with(x):
    with of_several():
        if x < 0:
            raise ValueError
        x = x + 1
    return x


def staged_in_an_error_made_before(x):
    made = Coded("before", 1)
    try:
        made.code = x
        if x > 2:
            raise made
        made.code = 50
    except Coded as error:
        error.code = error.code + 1
    return made.code


def behind_a_division(x):
    try:
        return 10 // x
    except ZeroDivisionError as error:
        raise ValueError("no quotient") from error


def behind_an_index(x):
    try:
        return rt.constant([1, 2])[x + 5]
    except IndexError as error:
        raise ValueError("no place") from error


def behind_a_cause(x):
    try:
        try:
            return 10 // x
        except ZeroDivisionError as error:
            raise KeyError("no quotient") from error
    except KeyError as error:
        raise ValueError("no key") from error


@pytest.mark.parametrize("program", [behind_a_division, behind_an_index, behind_a_cause])
def test_a_cause_that_only_the_run_raises_can_be_shown(program: Any) -> None:
    with pytest.raises(ValueError, match="no ") as expected:
        program(rt.constant(0))
    with pytest.raises(ValueError, match="no ") as caught:
        rt.function(program)(rt.constant(0))
    assert str(caught.value) == str(expected.value)
    got, cause = caught.value.__cause__, expected.value.__cause__
    while cause is not None:
        assert type(got) is type(cause)
        assert got is not None
        assert repr(got)
        assert str(got)
        got, cause = got.__cause__, cause.__cause__
    assert got is None


test_of_a_loop.__test__ = False  # type: ignore[attr-defined]


def made_of_the_text(x):
    try:
        y = 10 // (x - 3)
    except ZeroDivisionError as error:
        raise KeyError(error.args[0])
    return y


def _taking_the_text(use):
    def program(x):
        try:
            return len(use(str_of_message(x)))
        except (AttributeError, TypeError):
            return 0

    def str_of_message(x):
        try:
            rt.debugging.assert_positive(x, message="one of the numbers")
        except rt.errors.InvalidArgumentError as error:
            return error.message
        return "fine"

    return program


first_line_of_the_text = _taking_the_text(lambda text: text.split("\n")[0])
beginning_of_the_text = _taking_the_text(lambda text: [text.startswith("one")])
text_in_capitals = _taking_the_text(lambda text: text.upper())
text_written_twice = _taking_the_text(lambda text: text * 2)
later_of_two_texts = _taking_the_text(lambda text: max(text, "a"))
number_in_the_text = _taking_the_text(lambda text: [int(text)])
given_to_a_method = _taking_the_text(lambda text: ["abc".startswith(text)])


def text_of_a_domain_error(x):
    try:
        return math.sqrt(x)
    except ValueError as error:
        print("no root:", error)
        return 0.0


def looked_up(value):
    return {1: 2}[int(value)]


def python_function_in_try(x):
    try:
        return rt.py_function(looked_up, [x], rt.int32)
    except LookupError:
        return x


def last_of_a_loop(x):
    last = None
    for i in range(x):
        try:
            if i % 2:
                raise ValueError("odd")
        except ValueError as error:
            last = error
    return str(last)


def fraction_of_a_number(x):
    try:
        return Fraction(int(x), 3) > 1
    except TypeError:
        return False


def days_of_a_number(x):
    with contextlib.suppress(Exception):
        return datetime.timedelta(days=int(x)).days
    return -1


def pattern_in_a_text(x):
    try:
        return re.match("a+", "a" * int(x)) is not None
    except Exception:
        return False


def hexadecimal(x):
    try:
        return len(float(x).hex())
    except AttributeError:
        return -1


def place_in_a_range(x):
    try:
        return range(int(x)).index(2)
    except AttributeError:
        return -1


def number_added_to_a_text(x):
    total = 0
    for item in [int(x), "a", None]:
        try:
            total = total + item
            total = len(total)
        except TypeError:
            total = total + 100
    return total


def text_of_a_product(x):
    try:
        return (int(x) * 2)[0]
    except TypeError as error:
        return str(error)


def text_of_what_may_be_none(x):
    found = 1 if x > 2 else None
    try:
        return found + "x"
    except TypeError as error:
        return str(error)


REFUSED = [
    (text_of_a_product, "'staged number' object is not subscriptable", "without a name"),
    (text_of_what_may_be_none, "'value that may be None' and 'str'", "without a name"),
    (fraction_of_a_number, "raises a TypeError here, of what only the run knows", "with numbers"),
    (days_of_a_number, "unsupported type for timedelta days component: staged number", "outside"),
    (pattern_in_a_text, "expected string or bytes-like object", "take a text of the run apart by"),
    (hexadecimal, "a staged float has no attribute 'hex', as Python's numbers", "number itself"),
    (place_in_a_range, "a staged range has no attribute 'index'", r"list(...)"),
    (last_of_a_loop, r"two Python values ValueError\('odd'\)", "keep the text or the arguments"),
    (python_function_in_try, "py_func may raise anything when the graph runs", "in the function"),
    *[
        (program, "text of an InvalidValueError that only the run raises", "of your own")
        for program in (
            *(first_line_of_the_text, beginning_of_the_text, text_in_capitals, text_written_twice),
            *(later_of_two_texts, number_in_the_text, given_to_a_method),
        )
    ],
    (text_of_a_domain_error, "text of a ValueError that only the run raises", "of your own"),
    (made_of_the_text, "text of a ZeroDivisionError that only the run raises", "of your own"),
    (text_of_the_error, "text of an IndexError that only the run raises", "of your own"),
    (test_of_a_loop, "in something that cannot be left", "a statement of its own"),
    (graph_of_its_own, "counted_down is a graph of its own", "write the `try` in the function"),
    (staged_in_an_error_made_before, "that was made before the statement", "where it is raised"),
    (held_in_a_with, "past the `with` at line", "make the manager of a class"),
]


def test_what_python_raises_of_numbers_too_is_caught() -> None:
    assert int(rt.function(number_added_to_a_text)(rt.constant(3))) == 303


def _text_of(function: Callable[[], Any]) -> str:
    try:
        return f"no error: {function()}"
    except (TypeError, AttributeError) as error:
        return f"{type(error).__name__}: {error}"


def listed(n: Any) -> list[Any]:
    return [i for i in range(n)]


def _refuse_text(n: Any) -> Any:
    if n > -5:
        raise TypeError("Text expected, not SymbolicNumber")
    return n


class Addable:
    def __radd__(self, other):
        return self


TEXTS_OF_ERRORS: dict[str, Callable[[Any], Any]] = {
    "shift": lambda n: n << n * 0.5,
    "bits": lambda n: n * 0.5 & (n > 2),
    "inverted bits": lambda n: ~(n * 0.5),
    "matrices behind a fraction": lambda n: (n * 0.5 + Addable(), n @ 2),
    "number behind a text": lambda n: "x" + n,
    "text behind a number": lambda n: n + "x",
    "number behind a text of the run": lambda n: str(n) + n,
    "None": lambda n: n * 0.5 - None,
    "list": lambda n: [1] + n,  # noqa: RUF005 - it is no list
    "number behind a list of the run": lambda n: listed(n) + n,
    "list of the run behind a number": lambda n: n + listed(n),
    "set": lambda n: {1} - (n > 2),
    "order": lambda n: n < "x",
    "length": lambda n: len(n),
    "call": lambda n: n(),
    "call of a text": lambda n: str(n)(),
    "item": lambda n: n[0],
    "in": lambda n: 3 in n,
    "attribute": lambda n: n.parts,
    "method": lambda n: n.append(1),
    "range": lambda n: range(n * 0.5),
    "place": lambda n: [1, 2][n * 0.5],
    "place in a tuple": lambda n: (1, 2)[n * 0.5],
    "place in a range": lambda n: range(9)[n * 0.5],
    "place in a text": lambda n: "abc"[n * 0.5],
    "place in a list of the run": lambda n: listed(n)[n * 0.5],
    "place for an item": lambda n: operator.setitem(listed(n), n * 0.5, 1),
    "place to pop": lambda n: listed(n).pop(n * 0.5),
    "rounded": lambda n: round("x", n),
    "raised by hand": lambda n: _refuse_text(n),
    "raised by hand in any case": lambda n: _refuse_text(5) + n,
    "assigned on a path": lambda n: "x" + n if n > 2 else -n,
}


@pytest.mark.parametrize("name", TEXTS_OF_ERRORS)
def test_the_text_of_a_caught_error_is_pythons(name: str) -> None:
    def program(x: Any) -> Any:
        return _text_of(lambda: TEXTS_OF_ERRORS[name](int(x)))

    assert rt.function(program)(rt.constant(3)).numpy().decode() == program(3)


def test_an_error_of_the_run_has_no_attribute_of_the_librarys() -> None:
    staged = rt.function(lambda x: len(x * 2) if x > 2 else x)
    with pytest.raises(TypeError, match="has no len") as caught:
        staged(rt.constant(3))
    assert not [name for name in vars(caught.value) if "place" in name]


def again(x):
    n = int(x)
    try:
        return n + "x"
    except TypeError:
        raise


def test_an_error_that_is_raised_again_is_pythons() -> None:
    with pytest.raises(TypeError, match=r"unsupported operand type.*: 'int' and 'str'"):
        rt.function(again)(rt.constant(3))


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case[0].__name__)
def test_refused(case: Any) -> None:
    program, says, way_out = case
    with pytest.raises(autograph.StagingError, match=says) as caught:
        rt.function(program)(rt.constant(3))
    assert caught.value.filename == __file__
    assert caught.value.lineno
    assert way_out in str(caught.value)


def sorted_with_a_nan(x):
    try:
        return sorted([x * math.nan, 1.0])[0]
    except Exception:
        return -1.0


def negative_power(x):
    try:
        return 2 ** int(x - 5)
    except (ValueError, ArithmeticError):
        return -1


def complex_power(x):
    try:
        return (0.5 - float(x)) ** 0.5
    except:
        return -1.0


def order_without_ties(x):
    try:
        first = functools.cmp_to_key(lambda a, b: -1 if a > 0 else 1)
        return sorted([x, x + 1, x * 2], key=first)
    except ValueError:
        return [x, x, x]


def text_of_one_of_two(x):
    try:
        if x > 3:
            raise ValueError("large")
        return math.sqrt(x - 9)
    except ValueError as error:
        print(error)
        return 0.0


@pytest.mark.parametrize(
    ("program", "says"),
    [
        (sorted_with_a_nan, "a NaN has no place in an order"),
        (negative_power, "is a float, but the exponent"),
        (complex_power, "is complex"),
        (order_without_ties, "each comes before the other"),
        (text_of_one_of_two, "the text of a ValueError that only the run raises"),
    ],
)
def test_no_except_of_the_users_takes_what_the_run_refuses(program: Any, says: str) -> None:
    function = rt.function(program)
    for _ in range(3):
        with pytest.raises(errors.RefusedError, match=says) as caught:
            function(rt.constant(3.0 if program is sorted_with_a_nan else 3))
        assert f"{__file__}:" in str(caught.value)


class Stop(BaseException):
    pass


@pytest.mark.parametrize("kind", [SystemExit, KeyboardInterrupt, Stop])
def test_what_is_no_exception_leaves_the_graph_where_it_is_raised(kind: Any) -> None:
    @rt.function
    def stops(x):
        try:
            if x > 3:
                raise kind(x)
        except Exception:
            return -1
        return x

    assert stops(rt.constant(3)).numpy() == 3
    with pytest.raises(kind) as caught:
        stops(rt.constant(4))
    assert caught.value.args[0].numpy() == 4


def test_who_stops_the_trace_stops_it() -> None:
    @autograph.do_not_convert
    def press_control_c():
        signal.raise_signal(signal.SIGINT)

    @rt.function
    def stopped(x):
        if x > 3:
            press_control_c()
        return x

    # A job in the background ignores the signal, and so would Python.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            stopped(rt.constant(1))
    finally:
        signal.signal(signal.SIGINT, before)


def fails_or_is_raised(v, rows, n):
    for _ in range(rt.shape(rows)[1]):
        try:
            for _ in rt.range(rt.size(v)):
                rows = rt.reshape(v, [1, rt.shape(rows)[1]])
                raise IndexError(n)
            v = rt.linalg.matvec(rows, v)
        except Exception:
            n = n - 1
    return n


def test_a_try_in_a_loop_that_is_traced_again() -> None:
    """What was raised in the first trace of a round is not raised in the second one."""
    function = rt.function(fails_or_is_raised)
    for size, columns in [(3, 3), (2, 3), (0, 2)]:
        given = rt.ones([size]), rt.ones([2, columns]), rt.constant(5)
        expected = autograph.convert(fails_or_is_raised)(*given)
        assert function(*given).numpy() == staging.as_python(expected)


def counts_in_a_finally(a, b, k):
    q = 1
    for first in b:
        try:
            small = [each for each in b if first < 3]
            for item, _ in zip(a, b, strict=False):
                for _ in small:
                    if a:
                        a.pop()
                try:
                    _ = item // k
                except ZeroDivisionError:
                    q = q + 1
        finally:
            q = q + 1
    return q


def test_a_finally_does_not_hide_what_was_refused() -> None:
    a, b = ([rt.constant(x, rt.int64) for x in items] for items in ([13, 23, -3], [6, 2, 24]))
    with pytest.raises(autograph.StagingError, match="a round of a loop over a list changes it"):
        rt.function(counts_in_a_finally)(a, b, rt.constant(1, rt.int64))
