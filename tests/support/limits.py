"""What random programs may be refused for while staging: limits of `docs/limits.md`, as data.

A random program that is refused for any other reason is a failure. Each entry is the beginning of a
limit's heading, and a pattern that the refusal's message contains.
"""

import re

LIMITS: dict[str, str] = {
    "An exit of one kind in a `finally`": (
        r"(would be raised at run time|can fail at run time \([\w ]+\)), past the `try`"
        "|exits in a `finally`"
    ),
    "`with` around what may be raised at run time": "raised at run time, past the `with`",
    "What cannot be left": "may be raised at run time, past the `try` around",
    "A function that calls itself as often": "is a graph of its own, which may raise",
    "The text of an error that only the run raises": "that only the run raises",
    "`next` of an iterator": (
        "next inside a staged block advances an iterator once|draws a random number once"
        "|inside a staged block logs once"
    ),
    "An iterator that is used twice": (
        "how far it has come, only the run knows|only the run knows how far it has come"
    ),
    "`zip`, `map` and `filter` of a list": "changes it so that only the run knows its items",
    "A list or dict whose length only the run knows": (
        "needs a (list|dict) of which Python knows|orders items that are no numbers"
    ),
    "Keys of several kinds": "is a key beside others that only the run knows",
    "The order of a set of staged values": "asks for their order",
    "A value of another kind on each path": (
        "(is used that is of another kind on each path|values of several kinds in|keeps? changing"
        "|may be another [^:]* after each round)"
    ),
    "The value of `and` or `or`": "but only its truth is known, for its operands do not join",
    "A set or dict that a staged value chooses": (
        "one of several objects, which the run|is changed in place (on one path|there), and"
        "|nothing tells what its items are"
    ),
    "A dict that grows or shrinks": (
        r"the structures differ: (no attributes|the attributes|no keys|the keys|dict with|"
        r"no items|\d+ items?)"
    ),
    "A tuple of which only the run knows the length": (
        r"the structures differ: tuple of \d+ and tuple of \d+"
    ),
    "A dict under a key": "could be changed in place",
    "A Python value chosen by a staged value": "the Python values .* differ|two Python values",
    "Python's own comparison of tuples": "do nothing in the function that Python cannot do again",
    "`StopIteration` under a staged test": "StopIteration under a staged test would be raised",
    "`yield` in a `with`": "only the run knows whether the elements of the generator",
    "An object of which the run chooses one": "of which the run chooses one, gets an attribute",
    "A staged value given to a logger": "of a file that a staged value is printed to",
    "Buffers, context variables, classes": (
        "is changed while the function is staged: (it existed before|an? .* cannot be carried|no "
        "ContextVar from before)|inside a staged block may change it once, while tracing"
    ),
    "The gradient of what a loop changes": (
        r"depends on a value that a staged loop changes|\w+\(\) stands in a staged (branch|loop)"
    ),
    "An array of another dtype on each path": r"its dtype is \w+ on one path and \w+ on the other",
    "A tensor that may be another one": (
        "which may be the same tensor, or share its rows|stood for before the loop .* whose rounds"
        "|is, or shares its memory with, (an item of a list|an array that NumPy gives to be read)"
    ),
    "`x[i] = v` of an argument where nobody sees it": "and the caller would not see it",
}


def refused_by(error: Exception) -> str | None:
    """The limit that allows this refusal."""
    return next((row for row, pattern in LIMITS.items() if re.search(pattern, str(error))), None)
