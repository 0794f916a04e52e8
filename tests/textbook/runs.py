"""Texts that the run makes: of digits and brackets, as keys, sorted, and grown by recursion."""

# The programs are written as textbooks write them.
# ruff: noqa: RUF005

import string


def in_base(number, base):
    digits = string.digits + string.ascii_uppercase
    text = ""
    while number > 0:
        text += digits[number % base]
        number //= base
    return text[::-1] or "0"


def turned(word: str, places: int) -> str:
    places = places % len(word)
    return word[places:] + word[:places]


def windows(text: str, size: int) -> list[str]:
    found = []
    for start in range(len(text) - size + 1):
        found.append(text[start : start + size])
    return found


def bracketings(pairs):
    found = []
    waiting = [("", 0, 0)]
    while waiting:
        text, opened, closed = waiting.pop()
        if closed == pairs:
            found.append(text)
        if opened < pairs:
            waiting.append((text + "(", opened + 1, closed))
        if closed < opened:
            waiting.append((text + ")", opened, closed + 1))
    return found


def letters_of_number(number):
    counts = {}
    for digit in str(number):
        counts[digit] = counts.get(digit, 0) + 1
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))


def same_digits(first, second):
    return sorted(str(first)) == sorted(str(second))


def until_seen_again(number):
    seen = set()
    while str(number) not in seen:
        seen.add(str(number))
        number = sum(int(digit) ** 2 for digit in str(number))
    return number, len(seen)


def grouped_by_text(count):
    groups = {}
    for number in range(count):
        groups.setdefault("odd" if number % 2 else str(number % 3), []).append(number)
    return groups


def paths_remembered(steps):
    known = {}

    def paths(left, taken):
        if left == 0:
            return 1
        key = f"{left},{taken}"
        if key not in known:
            known[key] = paths(left - 1, taken) + (paths(left - 1, taken + 1) if taken < 3 else 0)
        return known[key]

    return paths(steps, 0), len(known)


def largest_of_digits(number):
    return int("".join(sorted(str(number), reverse=True)))


def names_in_order(count):
    names = []
    for number in range(count):
        names.append("b" + str(count - number))
    names.sort()
    return names


def erased(number):
    table = {"x": 1, "12": 5}
    table[str(number)] = 7
    for key in list(table):
        if len(key) > 1:
            del table[key]
    return table, table.pop("x"), str(number) in table


def bits_by_recursion(number):
    def bits(left, text):
        if left == 0:
            return text
        return bits(left // 2, str(left % 2) + text)

    return bits(number, "") or "0"


def brackets_by_recursion(pairs):
    found = []

    def extend(text, left, right):
        if left == 0 and right == 0:
            found.append(text)
            return
        if left > 0:
            extend(text + "(", left - 1, right + 1)
        if right > 0:
            extend(text + ")", left, right - 1)

    extend("", pairs, 0)
    return found


def coins_that_pay(amount):
    coins = [2, 3, 5]
    ways = []

    def pay(left, first, paid):
        if left < 0:
            return
        if left == 0:
            ways.append(paid[:])
            return
        for at in range(first, len(coins)):
            pay(left - coins[at], at, paid + [coins[at]])

    pay(amount, 0, [])
    return ways


def steps_kept_by_caller(count):
    def down(left, steps):
        if left == 0:
            return len(steps)
        mine = steps + [left]
        below = down(left - 1, mine)
        return below * 10 + len(mine)

    return down(count, []) % 1000003


def digits_once(number):
    return "".join(dict.fromkeys(str(number))), list(dict.fromkeys([number % 3, 1, number % 2]))


def order_of_tasks(needs):
    open_needs = dict.fromkeys(range(5), 0)
    for _, then in needs:
        open_needs[then] += 1
    ready = [task for task, count in open_needs.items() if count == 0]
    order = []
    while ready:
        task = ready.pop(0)
        order.append(task)
        for first, then in needs:
            if first == task:
                open_needs[then] -= 1
                if open_needs[then] == 0:
                    ready.append(then)
    return order


CASES = [
    (digits_once, [(12231,), (0,)]),
    (order_of_tasks, [([[0, 1], [1, 2], [0, 2], [4, 3]],), ([[0, 1], [1, 0]],)]),
    (bits_by_recursion, [(300,), (0,)]),
    (brackets_by_recursion, [(3,), (1,)]),
    (coins_that_pay, [(8,), (1,)]),
    (steps_kept_by_caller, [(5,), (9,)]),
    (letters_of_number, [(1223,), (90,)]),
    (same_digits, [(1231, 3112), (12, 13)]),
    (until_seen_again, [(7,), (4,)]),
    (grouped_by_text, [(7,), (0,)]),
    (paths_remembered, [(5,), (1,)]),
    (largest_of_digits, [(41093,), (0,)]),
    (names_in_order, [(12,), (1,)]),
    (erased, [(12,), (3,)]),
    (in_base, [(255, 16), (10, 2), (0, 7), (123456, 36)]),
    (turned, [("staged", 2), ("staged", -1), ("ab", 7)]),
    (windows, [("sentence", 3), ("ab", 2)]),
    (bracketings, [(3,), (1,)]),
]
