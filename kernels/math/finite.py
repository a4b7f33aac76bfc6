"""Seeing numbers that are not finite where comparisons, minima and bounds would lose them.

A minimum of NaN and a number is the number, and no comparison with NaN is true: a geom at NaN touches nothing, and a limit at NaN
is never reached. The functions for spans look at the exponents of eight numbers at a time on a CPU, and multiply each by zero on a GPU.
"""

import warp as wp

from newtonish.kernels.linalg.dense import VECTOR_TYPES


@wp.func
def nothing(x: float) -> float:
    """0 of every number, infinite ones too; NaN of NaN."""
    return wp.where(x == x, 0.0, x)


@wp.func
def at_least(x: float, least: float) -> float:
    """The larger of the two; NaN if ``x`` is."""
    return wp.where(x < least, least, x)


@wp.func
def below(x: float, bound: float) -> bool:
    """Whether ``x`` is less than ``bound``, or one of them is NaN."""
    return not (x >= bound)


@wp.func
def tolerance_of(x: float) -> float:
    """A tolerance; none where it is NaN, so that iterations go as far as they may."""
    return wp.where(x >= 0.0, x, 0.0)


def _span(together: int) -> str:
    """Body of a function of the first ``n`` floats of a row, of which a lane takes so many neighbours ``together``."""
    return (
        VECTOR_TYPES
        + f"""
    const char* at = (const char*)a.data + (size_t)FRESH(row) * a.strides[0];
#if defined(__CUDA_ARCH__)
    const float* x = (const float*)at;
    float rest = 0.0f;  // stays so, and becomes NaN by a number that is not finite
    for (int k = {together} * FRESH(LANE); k < n; k += {together} * LANES)
#pragma unroll
        for (int i = 0; i < {together}; i++) rest = __fmaf_rn(x[k + i], 0.0f, rest);
    return rest != rest;
#else
    const int* x = (const int*)at;
    const int exponent = 0x7f800000;
    int rest = 0;
    if (n < 8) {{
        for (int k = 0; k < n; k++) rest |= (x[k] & exponent) == exponent;
        return rest;
    }}
    i8 bad = (*(const i8*)(x + n - 8) & exponent) == exponent;  // the last eight, some of them twice
    for (int k = 0; k + 8 < n; k += 8) bad |= (*(const i8*)(x + k) & exponent) == exponent;
    return __builtin_reduce_or(bad) != 0;
#endif
"""
    )


@wp.func_native(_span(1))
def nonfinite_floats(a: wp.array2d(dtype=float), row: int, n: int) -> int:
    """1 if one of the first ``n`` floats of a row, of those that are this lane's, is not finite."""
    ...


@wp.func_native(_span(3))
def nonfinite_vectors(a: wp.array2d(dtype=wp.vec3), row: int, n: int) -> int:
    """The same of the first ``n`` floats of a row of vectors."""
    ...


@wp.func_native(_span(4))
def nonfinite_fours(a: wp.array2d(dtype=wp.vec4), row: int, n: int) -> int:
    """The same of the first ``n`` floats of a row of quaternions or bounds."""
    ...
