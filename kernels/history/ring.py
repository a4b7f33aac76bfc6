"""Ring buffers of samples with their times: inserting, and reading at any time.

A buffer of n samples of dim numbers lies in ``history[w]`` from ``adr`` on as [user slot, cursor, n times, n * dim values];
the cursor is the place of the newest sample. Outside of its times a buffer gives its first or last sample, in between the
sample before (order 0), a straight line (1) or a Catmull-Rom spline with flat ends (2). MuJoCo: documentation, chapter
Modeling, "Delays".

Times are multiples of the time step in float32, less a delay: two that mean the same differ by roundings, and count as equal within
``_tolerance``.
"""

import warp as wp


@wp.func
def place(cursor: int, n: int, k: int) -> int:
    """Place of the ``k``-th oldest sample."""
    return (cursor + 1 + k) % n


@wp.func
def time_tolerance(t: float, n: int) -> float:
    """Rounding of ``t`` after ``n`` time steps were added to it."""
    return 1.0e-6 + 6.0e-8 * float(n) * wp.abs(t)


@wp.func
def newest(history: wp.array2d(dtype=float), w: int, adr: int, n: int) -> int:
    """Place of the newest sample; whatever has been written there, one of the buffer's."""
    cursor = wp.int32(0)
    if history[w, adr + 1] > 0.0:
        cursor = int(wp.min(history[w, adr + 1], float(n - 1)))
    return cursor


@wp.func
def _tolerance(history: wp.array2d(dtype=float), w: int, adr: int, n: int, t: float) -> float:
    """How far apart two times of a buffer may lie and still be the same; never more than a quarter of a gap."""
    cursor = newest(history, w, adr, n)
    tolerance = time_tolerance(t, n)
    if n > 1:
        span = history[w, adr + 2 + cursor] - history[w, adr + 2 + place(cursor, n, 0)]
        tolerance = wp.min(tolerance, 0.25 * span / float(n - 1))
    return tolerance


@wp.func
def _older(history: wp.array2d(dtype=float), w: int, adr: int, n: int, t: float) -> int:
    """Number of samples with times below ``t``, by bisection."""
    cursor = newest(history, w, adr, n)
    low = wp.int32(0)
    high = wp.int32(n)
    while low < high:
        middle = (low + high) / 2
        if history[w, adr + 2 + place(cursor, n, middle)] < t:
            low = middle + 1
        else:
            high = middle
    return low


@wp.func
def _slope(history: wp.array2d(dtype=float), w: int, adr: int, n: int, dim: int, j: int, a: int, b: int) -> float:
    """Difference quotient of number ``j`` between the samples at the places ``a`` and ``b``."""
    values = adr + 2 + n
    rise = history[w, values + b * dim + j] - history[w, values + a * dim + j]
    return rise / (history[w, adr + 2 + b] - history[w, adr + 2 + a])


@wp.func
def read_samples(
    history: wp.array2d(dtype=float), w: int, adr: int, n: int, dim: int, t: float, order: int,
    target: wp.array2d(dtype=float), at: int,
):  # fmt: skip
    """Put the ``dim`` numbers of a buffer at time ``t`` into ``target`` from ``at`` on."""
    cursor = newest(history, w, adr, n)
    values = adr + 2 + n
    k = _older(history, w, adr, n, t + _tolerance(history, w, adr, n, t))
    before = place(cursor, n, wp.max(k - 1, 0))
    if order == 0 or k == 0 or k == n:
        for j in range(dim):
            target[w, at + j] = history[w, values + before * dim + j]
    else:
        after = place(cursor, n, k)
        start = history[w, adr + 2 + before]
        gap = history[w, adr + 2 + after] - start
        x = wp.clamp((t - start) / gap, 0.0, 1.0)
        for j in range(dim):
            v0 = history[w, values + before * dim + j]
            v1 = history[w, values + after * dim + j]
            result = v0 + x * (v1 - v0)
            if order == 2:
                slope0 = wp.float32(0.0)
                slope1 = wp.float32(0.0)
                if k > 1:
                    slope0 = _slope(history, w, adr, n, dim, j, place(cursor, n, k - 2), after)
                if k < n - 1:
                    slope1 = _slope(history, w, adr, n, dim, j, before, place(cursor, n, k + 1))
                # Hermite's cubic: the straight line, and what the slopes at its ends add to it
                y = 1.0 - x
                line = v1 - v0
                result += x * y * (y * (gap * slope0 - line) - x * (gap * slope1 - line))
            target[w, at + j] = result


@wp.func
def insert_sample(
    history: wp.array2d(dtype=float), w: int, adr: int, n: int, dim: int, t: float, source: wp.array2d(dtype=float),
    at: int,
):  # fmt: skip
    """Put a sample of time ``t`` in its place; the oldest one falls out, one of the same time is replaced."""
    cursor = newest(history, w, adr, n)
    values = adr + 2 + n
    tolerance = _tolerance(history, w, adr, n, t)
    k = _older(history, w, adr, n, t - tolerance)
    slot = wp.int32(-1)
    if k < n:
        found = place(cursor, n, k)
        if wp.abs(history[w, adr + 2 + found] - t) <= tolerance:
            slot = found
    if slot < 0:
        if k == n:
            slot = (cursor + 1) % n
            history[w, adr + 1] = float(slot)
        else:
            slot = place(cursor, n, wp.max(k - 1, 0))
            for i in range(k - 1):
                to = place(cursor, n, i)
                source_place = place(cursor, n, i + 1)
                history[w, adr + 2 + to] = history[w, adr + 2 + source_place]
                for j in range(dim):
                    history[w, values + to * dim + j] = history[w, values + source_place * dim + j]
        history[w, adr + 2 + slot] = t
    for j in range(dim):
        history[w, values + slot * dim + j] = source[w, at + j]
