"""Programs that choose words by numbers, as textbooks write them."""

# ruff: noqa: UP030, UP031, UP032

from enum import Enum

from tests.textbook.bank import bank

case, CASES = bank()


@case((4,), (7,), (0,))
def print_parity(n):
    print("even" if n % 2 == 0 else "odd")
    kind = "zero" if n == 0 else "positive"
    print(f"{n} is {kind}")


@case((5,), (0,), (-5,))
def sign_by_word(n):
    if n > 0:
        word = "positive"
    elif n < 0:
        word = "negative"
    else:
        word = "zero"
    if word == "negative":
        raise ValueError(f"{n} is {word}")
    return 1 if word != "zero" else 0


@case((0,), (3,), (6,), (7,), (-1,))
def weekday(n):
    names = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    day = names[n]
    print(f"day {n}: {day:>5}")
    return day in ("Sat", "Sun")


@case((7, 3, 0), (7, 3, 1), (7, 3, 2), (7, 0, 3), (7, 2, 3))
def operate(a, b, which):
    symbol = "+-*/"[which]
    if symbol == "/" and b == 0:
        raise ZeroDivisionError(f"{a} {symbol} {b}")
    match symbol:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case _:
            return a // b


@case((6,), (1,), (0,))
def traffic_light(steps):
    light = "red"
    waited = 0
    for _ in range(steps):
        if light == "red":
            light, waited = "green", waited + 30
        elif light == "green":
            light, waited = "yellow", waited + 20
        else:
            light, waited = "red", waited + 5
    print("the light is " + light)
    return waited


@case((18.0, 1.8), (70.0, 1.8), (120.0, 1.7), (70.0, 0.0))
def body_mass(weight, height):
    assert height > 0, "no height"
    index = weight / height**2
    label = "normal"
    if index < 18.5:
        label = "low"
    if index >= 30:
        label = "high"
    print(f"{index:.1f}: {label}")
    return index if label == "normal" else -index


@case((95,), (72,), (10,))
def letter_grade(score):
    letter = "A" if score >= 90 else "B" if score >= 70 else "F"
    if letter == "F":
        raise RuntimeError("failed with " + letter)
    return {"passed": letter != "F", "best": letter == "A"}


@case((5, 3), (3, 5), (4, 4))
def compare_words(a, b):
    first = "more" if a > b else "less"
    second = "less" if b > a else "more"
    return first == second


@case((3,), (15,), (7,))
def fizz_words(n):
    word = "fizzbuzz" if n % 15 == 0 else "fizz" if n % 3 == 0 else "other"
    match word:
        case "fizz" | "buzz":
            return 1
        case "fizzbuzz":
            return 2
    return 0


class Money:
    def __init__(self, cents):
        self.cents = cents

    def __format__(self, spec):
        if spec == "c":
            return f"{self.cents} cents"
        return f"${self.cents // 100}.{self.cents % 100:02d}"


class Celsius:
    def __init__(self, degrees):
        self.degrees = degrees

    def __format__(self, spec):
        return format(self.degrees, spec) + "C"

    def __str__(self):
        return f"<{self.degrees}>"


@case((150,), (5,), (0,))
def formatted_by_their_class(cents):
    money, degrees = Money(cents), Celsius(cents)
    print(f"{money:c} {degrees!s} {degrees:>5}")
    return (
        f"{money}",
        f"{money:c}",
        "{} {}".format(money, cents),
        "{1:c}{0}".format(1, money),
        "{m:c}".format(m=money),
        format(money),
        format(money, "c"),
        "{!s:>6}".format(degrees),
        f"{degrees:4d}",
        "%s and %s" % (degrees, cents),
        "%s%%" % degrees,
        str(degrees),
    )


class Log:
    def __init__(self):
        self.lines = []

    def note(self, message, *values):
        self.lines.append(message % values if values else message)


@case(([1, 2, 3],), ([0],))
def logged(numbers):
    log = Log()
    for number in numbers:
        if number > 1:
            log.note("%d is large, and %s odd", number, number % 2)
        else:
            log.note("small")
    return "\n".join(log.lines), len(log.lines)


def _filled(pattern, value):
    return pattern % value


@case((5,), (-1,))
def filled(number):
    return _filled("%d!", number), _filled("<%5d>", number), number % 3


@case((5,), (1,), (-1,))
def filled_pattern_of_several(number):
    pattern = "%d is large" if number > 2 else "only %d"
    message = pattern % number
    kind = "%s!" if number > 0 else 7
    kind %= 4
    patterns = {"kept": "%d", "filled": "at %d"}
    patterns["filled"] %= number
    return message, len(message), kind, patterns, ("<%s>" if number > 2 else "%s?") % (message,)


class Trie:
    def __init__(self):
        self.root = {}

    def add(self, word):
        node = self.root
        for letter in word:
            node = node.setdefault(letter, {})
        node["$"] = True

    def has(self, word):
        node = self.root
        for letter in word:
            if letter not in node:
                return False
            node = node[letter]
        return "$" in node


@case((0,), (1,), (2,), (3,))
def found_in_a_trie(n):
    words = Trie()
    for word in ("tea", "ten", "to", "in"):
        words.add(word)
    word = ("tea", "on", "to", "inn")[n]
    return words.has(word), words.has(word[:2]), words.has(word + "s")


@case((3,), (0,))
def tables_as_text(n):
    table, found, named = [], {}, []
    for i in range(n):
        table.append([i, i * i])
        found[i] = [i]
        named.append({"n": i})
    return str(table), f"<{found}> {named}", "%s" % table == "[]", repr(table)


@case((1,), (2,), (5,))
def words_reached(step):
    seen, waiting = {("07", 0)}, [("07", 0)]
    while waiting:
        word, rounds = waiting.pop()
        turned = "".join(str((int(digit) + step) % 10) for digit in word)
        if rounds < 12 and (turned, rounds % 3) not in seen:
            seen.add((turned, rounds % 3))
            waiting.append((turned, rounds + 1))
    return len(seen), sorted(word for word, _ in seen)


@case((0,), (1,), (2,))
def rounds_until_repeated(step):
    board, seen, rounds = [[0, 1], [2, 0]], set(), 0
    while (shown := "".join("".join(map(str, row)) for row in board)) not in seen:
        seen.add(shown)
        board = [[(cell + step + i) % 3 for i, cell in enumerate(row)] for row in board]
        rounds += 1
    return rounds, shown, len(seen)


@case((0,), (1,), (4,))
def pages_seen(visits):
    path, seen = ["home"], set()
    while visits > 0:
        if visits % 2:
            path.append("shop")
        seen.add("/".join(path))
        visits -= 1
    path[0] = "end"
    return sorted(seen), path


class Colour(Enum):
    RED = 0
    BLUE = 1
    GREEN = 2


class Suit(Enum):
    HEARTS = "h"
    SPADES = "s"

    def __str__(self):
        return f"{self.name.title()} ({self.value})"


@case((0,), (1,), (2,))
def members_as_text(n):
    colour, suit = Colour(n), Suit.HEARTS if n > 0 else Suit.SPADES
    said = "".join(f"{colour}{i}" for i in range(n))
    print(colour, suit)
    return f"<{colour}> {suit}", str(colour), f"{suit!r:>20}", "{} {}".format(colour, n), said
