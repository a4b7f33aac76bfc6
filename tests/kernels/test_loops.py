"""Loops over ranges go through what Python's do, with the preamble that a CPU's kernels are compiled with."""

from pathlib import Path

import pytest
import warp as wp

from newtonish.kernels.runtime.launch import CPU_PREAMBLE, launch_on, prepared
from newtonish.kernels.runtime.loops import CPU_LOOPS

RANGES = [(0, 5, 1), (3, 3, 1), (4, 2, 1), (-3, 4, 2), (7, -2, -3), (2, 5, -1), (1, 6, 0), (5, 0, -1)]


@wp.struct
class Bounds:
    range: wp.array(dtype=wp.vec3i)  # as a group of ours has a member of that name
    most: int


@wp.kernel
def walk_kernel(bounds: Bounds, visited: wp.array2d(dtype=int), count: wp.array2d(dtype=int)):
    """Numbers that each range goes through; how many there are with a break, with a continue, and in loops of fewer arguments within it."""
    w = wp.tid()
    given = bounds.range[w]
    n = wp.int32(0)
    for i in range(given[0], given[1], given[2]):
        visited[w, n] = i
        n += 1
    count[w, 0] = n
    until = wp.int32(0)
    for _ in range(given[0], given[1], given[2]):
        if until == bounds.most:
            break
        until += 1
    count[w, 1] = until
    odd = wp.int32(0)
    for i in range(given[0], given[1], given[2]):
        if i % 2 == 0:
            continue
        odd += 1
    count[w, 2] = odd
    inner = wp.int32(0)
    end = given[1]
    for i in range(end):
        end = end - 1  # the range is what it was when the loop began
        for k in range(i, bounds.most):
            inner += k
    count[w, 3] = inner


def _within(end: int, most: int) -> int:
    return sum(k for i in range(end) for k in range(i, most))


def test_ranges_are_pythons():
    bounds = Bounds()
    bounds.range = wp.array(RANGES, dtype=wp.vec3i, device="cpu")
    bounds.most = 3
    visited = wp.full((len(RANGES), 8), -99, dtype=int, device="cpu")
    count = wp.zeros((len(RANGES), 4), dtype=int, device="cpu")
    launch_on(walk_kernel, "cpu", len(RANGES), [bounds, visited, count])
    for row, found, (first, end, step) in zip(visited.numpy(), count.numpy(), RANGES, strict=True):
        wanted = list(range(first, end, step)) if step else []  # a step of 0 is no turn at all in Warp
        assert list(row) == wanted + [-99] * (8 - len(wanted))
        assert list(found) == [len(wanted), min(len(wanted), 3), sum(i % 2 != 0 for i in wanted), _within(end, 3)]


def test_what_modules_are_compiled_with_has_them():
    assert CPU_LOOPS in CPU_PREAMBLE
    assert prepared(walk_kernel.module).options["extra_build_options"].extra_cpu_preamble == CPU_PREAMBLE


@pytest.mark.parametrize(
    "wanted", ["struct range_t", "range_t range(int end)", "range_t range(int start, int end)", "bool iter_cmp(const range_t& r)", "int iter_next(range_t& r)"]
)
def test_the_installed_warp_has_ranges_that_these_stand_for(wanted):
    """Where this fails, Warp writes loops in another way, and kernels/runtime/loops.py has to learn it."""
    header = Path(wp.__path__[0], "native", "range.h")
    assert wanted in header.read_text(encoding="utf-8")
