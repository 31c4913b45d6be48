"""std/math against Python's own statistics, on random numbers."""

from __future__ import annotations

import json
import math
import statistics
from random import Random
from typing import Any

import pytest

ONE = {
    "mean": statistics.fmean,
    "median": statistics.median,
    "variance": statistics.pvariance,
    "stddev": statistics.pstdev,
    "sum": math.fsum,
    "vector_norm": lambda xs: math.hypot(*xs),
    "argsort": lambda xs: sorted(range(len(xs)), key=xs.__getitem__),
    "zscore": lambda xs: [(x - statistics.fmean(xs)) / statistics.pstdev(xs) for x in xs],
}
TWO = {
    "correlation": statistics.correlation,
    "dot": lambda xs, ys: math.fsum(x * y for x, y in zip(xs, ys, strict=True)),
    "euclidean_distance": math.dist,
    "weighted_mean": lambda xs, ys: math.fsum(x * y for x, y in zip(xs, ys, strict=True)) / math.fsum(ys),
}
NORMAL = statistics.NormalDist()
NUMBER = {"normal_cdf": NORMAL.cdf, "normal_pdf": NORMAL.pdf}


def evaluate(run_harn: Any, calls: list[tuple[str, list[Any]]]) -> list[Any]:
    """Give the results of calls of functions of std/math."""
    lines = [f"m.{name}({', '.join(map(json.dumps, args))})" for name, args in calls]
    ran = run_harn('import * as m from "std/math"\nprintln(json_stringify([' + ",\n".join(lines) + "]))")
    assert (ran.code, ran.err) == (0, "")
    results: list[Any] = json.loads(ran.out)
    return results


def test_functions_of_lists(run_harn: Any) -> None:
    random = Random(5)
    calls: list[tuple[str, list[Any]]] = []
    wanted = []
    for size in (2, 3, 10, 51):
        xs = [round(random.uniform(-50, 50), 3) for _ in range(size)]
        ys = [round(random.uniform(1, 9), 3) for _ in range(size)]
        calls += [(name, [xs]) for name in ONE] + [(name, [xs, ys]) for name in TWO]
        wanted += [function(xs) for function in ONE.values()] + [function(xs, ys) for function in TWO.values()]
    for (name, _), result, right in zip(calls, evaluate(run_harn, calls), wanted, strict=True):
        assert result == pytest.approx(right, rel=1e-9, abs=1e-12), name


def test_the_normal_distribution(run_harn: Any) -> None:
    points = [x / 7 for x in range(-50, 51)]
    calls = [(name, [x]) for x in points for name in NUMBER]
    wanted = [function(x) for x in points for function in NUMBER.values()]
    assert evaluate(run_harn, calls) == pytest.approx(wanted, rel=1e-12)
    shares = [p / 97 for p in range(1, 97)] + [0.0001, 0.9999]
    quantiles = evaluate(run_harn, [("normal_quantile", [p, 3, 2]) for p in shares])
    assert quantiles == pytest.approx([3 + 2 * NORMAL.inv_cdf(p) for p in shares], rel=1e-7, abs=1e-9)


def test_every_point_is_with_its_nearest_centroid(run_harn: Any) -> None:
    random = Random(9)
    points = [
        [round(random.gauss(centre, 1), 3), round(random.gauss(-centre, 1), 3)]
        for centre in (0, 8, 20)
        for _ in range(12)
    ]
    (found,) = evaluate(run_harn, [("kmeans", [points, 3])])
    assert found["converged"]
    assert sorted(found["counts"]) == [12, 12, 12]
    nearest = [min(range(3), key=lambda index: math.dist(point, found["centroids"][index])) for point in points]
    assert found["assignments"] == nearest
    errors = [math.dist(point, found["centroids"][index]) ** 2 for point, index in zip(points, nearest, strict=True)]
    assert found["inertia"] == pytest.approx(math.fsum(errors))
