"""Beam search: the likeliest sentence of the words of the Zen of Python.

Each pair of neighbouring words is counted, and a sentence is as likely as its pairs. The search
keeps the best few beginnings and lengthens them word by word, until all of them have come to their
end. The loop, its condition and the table of beginnings are one graph.
"""

from __future__ import annotations

import contextlib
import io
import re
import sys
from typing import Any

import numpy as np

import autograph
import runtime as tf
from examples.common import figure, save, seconds

WIDTH, LEAST, LONGEST, TOLERANCE = 8, 6, 12, 1e-5
END = 0  # the number of what stands before and after each sentence


def zen() -> list[list[str]]:
    """The sentences of the Zen of Python, as words in small letters."""
    with contextlib.redirect_stdout(io.StringIO()):
        import this
    text = "".join(this.d.get(letter, letter) for letter in this.s)
    lines = re.split(r"[.!]|--|\n\n", text.partition("\n")[2].lower())
    return [found for line in lines if (found := re.findall(r"[a-z']+", line))]


def bigrams(sentences: list[list[str]]) -> tuple[list[str], Any]:
    """The words, and the logarithm of how likely each of them follows each."""
    words = ["", *sorted({word for sentence in sentences for word in sentence})]
    counts = np.zeros((len(words), len(words)))
    for sentence in sentences:
        numbers = [END, *map(words.index, sentence), END]
        np.add.at(counts, (numbers[:-1], numbers[1:]), 1)
    with np.errstate(divide="ignore"):
        return words, np.log(counts / counts.sum(axis=1, keepdims=True)).astype(np.float32)


def search(follows: Any, least: Any, width: int) -> Any:
    """The likeliest sentences of `least` words or more, best first: rows of words, and scores."""
    is_end = tf.range(follows.shape[0]) == END
    sentences = tf.zeros([width, LONGEST], tf.int32)
    scores = tf.where(tf.range(width) == 0, 0.0, -np.inf)  # one beginning, the empty one
    last, ended = tf.zeros([width], tf.int32), tf.fill([width], False)
    length = 0
    while length < LONGEST and not tf.reduce_all(ended):
        steps = tf.gather(follows, last)
        if length < least:
            steps = tf.where(is_end, -np.inf, steps)
        steps = tf.where(ended[:, None], tf.where(is_end, 0.0, -np.inf), steps)
        scores, places = tf.math.top_k(tf.reshape(scores[:, None] + steps, [-1]), width)
        sentences = tf.gather(sentences, places // len(is_end))
        last = places % len(is_end)
        sentences[:, length] = last
        ended = last == END
        length += 1
    return sentences, scores


def likeliest(follows: Any, least: int) -> float:
    """The score of the best sentence of all, by dynamic programming over the last word."""
    scores = np.full(len(follows), -np.inf)
    scores[END], found = 0.0, -np.inf
    for length in range(LONGEST):
        longer = (scores[:, None] + follows).max(axis=0)
        found = max(found, longer[END] if length >= least else -np.inf)
        longer[END] = -np.inf
        scores = longer
    return float(found)


def draw(words: list[str], sentences: Any, scores: Any) -> None:
    """Write the sentences that were found and how likely they are as a picture."""
    drawn = figure(7, 3)
    axis = drawn.subplots()
    axis.barh([text(words, sentence) for sentence in sentences], np.exp(scores))
    axis.invert_yaxis()
    axis.locator_params("x", nbins=5)
    axis.set(xlabel="probability")
    print(f"sentences drawn in {save(drawn, 'beam.png')}")


def text(words: list[str], sentence: Any) -> str:
    """The words of a sentence."""
    return " ".join(words[number] for number in sentence if number != END)


def main() -> None:
    """Search both ways and one by one, compare, time, draw."""
    words, table = bigrams(zen())
    follows, least = tf.constant(table), tf.constant(LEAST)
    staged, plain = tf.function(search), autograph.convert(search)
    found = staged(follows, least, WIDTH)
    for ours, theirs in zip(found, plain(follows, least, WIDTH), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    sentences, scores = found
    _, greedy = staged(follows, least, 1)
    print(f"{len(words) - 1} words, sentences of {LEAST} or more; graph and plain Python agree")
    print(f"the likeliest: {text(words, sentences[0])}")
    exact = likeliest(table, LEAST)
    print(f"logarithm of its probability {scores[0]:.3f}; the best of all {exact:.3f}, ", end="")
    print(f"word by word {greedy[0]:.3f}")
    print(f"plain {1e3 * seconds(lambda: plain(follows, least, WIDTH)):.1f} ms, ", end="")
    print(f"graph {1e3 * seconds(lambda: staged(follows, least, WIDTH)):.1f} ms")
    draw(words, sentences.numpy(), scores.numpy())
    if not abs(scores[0] - exact) <= TOLERANCE:
        sys.exit("the search should find the likeliest sentence")
    print(f"What ran, `search` converted:\n\n{autograph.to_code(search)}")


if __name__ == "__main__":
    main()
