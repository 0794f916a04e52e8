"""k-means over handwritten digits, the whole algorithm one staged function.

Lloyd's algorithm (S. P. Lloyd, "Least squares quantization in PCM", 1982): assign each image to its
nearest centroid, move each centroid to the mean of its images, until no assignment changes. A
centroid that loses all its images starts anew on the image that is worst represented.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import autograph
import runtime as rt

CLUSTERS = 10
ROUNDS = 100
PICTURE = Path(__file__).parent / "output" / "kmeans.png"


def distances_to(points: Any, centroids: Any) -> Any:
    """Squared distances, images by centroids: |p|^2 - 2 p.c + |c|^2."""
    across = rt.matmul(points, centroids, transpose_b=True)
    from_origin = rt.reduce_sum(points * points, axis=1, keepdims=True)
    return from_origin - 2.0 * across + rt.reduce_sum(centroids * centroids, axis=1)


def kmeans(points: Any, centroids: Any, rounds: Any) -> Any:
    """The centroids, each image's cluster, the number of rounds, and how many were reseeded."""
    nearest = rt.zeros([points.shape[0]], rt.int64) - 1
    reseeded = 0
    done = 0
    while done < rounds:
        done += 1
        distances = distances_to(points, centroids)
        before = nearest
        nearest = rt.argmin(distances, axis=1)
        if rt.reduce_all(nearest == before):
            break
        for k in rt.range(CLUSTERS):
            member = rt.cast(nearest == rt.cast(k, rt.int64), rt.float32)
            size = rt.reduce_sum(member)
            if size > 0:
                centroids[k] = rt.reduce_sum(points * member[:, None], axis=0) / size
            else:
                centroids[k] = points[rt.argmax(rt.reduce_min(distances, axis=1))]
                reseeded += 1
    return centroids, nearest, done, reseeded


def digits() -> tuple[Any, Any]:
    """The images as rows of 64 numbers in [0, 1], and the digits that they show."""
    try:
        from sklearn.datasets import load_digits
    except ImportError:
        sys.exit("this example needs the extra `demo`: pip install 'autograph-runtime[demo]'")
    data = load_digits()
    return (data.data / 16).astype(np.float32), data.target


def seconds(run: Callable[[], Any]) -> float:
    """The best of three."""
    times = []
    for _ in range(3):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def purity(clusters: Any, labels: Any) -> float:
    """The share of images that show the digit most frequent in their cluster."""
    counts = [np.bincount(labels[clusters == k], minlength=10).max() for k in range(CLUSTERS)]
    return float(sum(counts) / len(labels))


def draw(centroids: Any) -> None:
    """Write the centroids as pictures."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(2, 5, figsize=(6, 2.8))
    for axis, centroid in zip(axes.flat, centroids, strict=True):
        axis.imshow(centroid.reshape(8, 8), cmap="gray_r")
        axis.axis("off")
    PICTURE.parent.mkdir(exist_ok=True)
    figure.savefig(PICTURE, dpi=120, bbox_inches="tight")
    pyplot.close(figure)


def main() -> None:
    """Convert, run both ways, compare, time, draw."""
    images, labels = digits()
    points = rt.constant(images)
    start = images[np.random.default_rng(4).choice(len(images), CLUSTERS, replace=False)]
    start[-1] = 5.0  # far from every image: its cluster is empty at first
    arguments = (points, rt.constant(start), rt.constant(ROUNDS))
    print(autograph.to_code(kmeans))

    staged = rt.function(kmeans)
    plain = autograph.convert(kmeans)
    graph_result, plain_result = staged(*arguments), plain(*arguments)
    for ours, theirs in zip(graph_result, plain_result, strict=True):
        np.testing.assert_allclose(np.asarray(ours), np.asarray(theirs), rtol=1e-4, atol=1e-5)
    centroids, clusters, rounds, reseeded = (np.asarray(value) for value in graph_result)
    print(f"{len(images)} images, {rounds} rounds, {reseeded} centroids reseeded")
    print(f"purity {purity(clusters, labels):.3f}; graph and plain Python agree")
    print(f"plain {1e3 * seconds(lambda: plain(*arguments)):.1f} ms, ", end="")
    print(f"graph {1e3 * seconds(lambda: staged(*arguments)):.1f} ms a run")
    draw(centroids)
    print(f"centroids drawn in {PICTURE.relative_to(Path.cwd())}")


if __name__ == "__main__":
    main()
