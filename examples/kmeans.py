"""k-means over handwritten digits, the whole algorithm one staged function.

Lloyd's algorithm (S. P. Lloyd, "Least squares quantization in PCM", 1982): assign each image to its
nearest centroid, move each centroid to the mean of its images, until no assignment changes. A
centroid that loses all its images starts anew on the image that is worst represented.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import autograph
import runtime as rt
from examples.common import digits, save, seconds

CLUSTERS = 10
ROUNDS = 100


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


def purity(clusters: Any, labels: Any) -> float:
    """The share of images that show the digit most frequent in their cluster."""
    counts = [np.bincount(labels[clusters == k], minlength=10).max() for k in range(CLUSTERS)]
    return float(sum(counts) / len(labels))


def draw(centroids: Any) -> Any:
    """Write the centroids as pictures, in one file."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(2, 5, figsize=(6, 2.8))
    for axis, centroid in zip(axes.flat, centroids, strict=True):
        axis.imshow(centroid.reshape(8, 8), cmap="gray_r")
        axis.axis("off")
    path = save(figure, "kmeans.png")
    pyplot.close(figure)
    return path


def main() -> None:
    """Convert, run both ways, compare, time, draw."""
    rt.config.threading.set_intra_op_parallelism_threads(1)  # the matrices are small
    images, labels = digits()
    points = rt.constant(images)
    start = images[np.random.default_rng(4).choice(len(images), CLUSTERS, replace=False)]
    start[-1] = 5.0  # far from every image: its cluster is empty at first
    arguments = (points, rt.constant(start), rt.constant(ROUNDS))
    print("k-means of handwritten digits:")
    staged = rt.function(kmeans)
    plain = autograph.convert(kmeans)
    graph_result, plain_result = staged(*arguments), plain(*arguments)
    for ours, theirs in zip(graph_result, plain_result, strict=True):
        np.testing.assert_allclose(np.asarray(ours), np.asarray(theirs), rtol=1e-4, atol=1e-5)
    centroids, clusters, rounds, reseeded = (np.asarray(value) for value in graph_result)
    print(f"{len(images)} images, {rounds} rounds, reseeded centroids: {reseeded}")
    print(f"purity {purity(clusters, labels):.3f}; graph and plain Python agree")
    print(f"plain {1e3 * seconds(lambda: plain(*arguments)):.1f} ms, ", end="")
    print(f"graph {1e3 * seconds(lambda: staged(*arguments)):.1f} ms a run")
    print(f"centroids drawn in {draw(centroids)}")
    print(f"What ran, `kmeans` converted:\n\n{autograph.to_code(kmeans)}")


if __name__ == "__main__":
    main()
