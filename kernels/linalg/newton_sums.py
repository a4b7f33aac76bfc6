"""Sums over the dofs of a Newton iteration, as native code: gradient, decrement, cost and line terms of the Gauss part.

The Gauss part of the cost is (M x - qfrc_smooth) . (x - qacc_smooth) / 2. Vectors are padded with zeros to ``nv_pad``
floats, a multiple of 8, and are scratch of slot ``slot`` (see ``scratch_slot``). Sums are this lane's share; add the
shares of all lanes by ``sum_lanes``.
"""

import warp as wp

from newtonish.kernels.linalg.dense import VECTOR_TYPES

_POINTERS = """
    const float* a = (const float*)((const char*)Mx.data + (size_t)FRESH(slot) * Mx.strides[0]);
    const float* b = (const float*)((const char*)smooth.data + (size_t)FRESH(slot) * smooth.strides[0]);
    const int n = ROW_OF(smooth.shape[1]);
"""

# the vector type to work with and the loop over the elements: one float a lane (CUDA), or eight (CPU)
_LOOP = """
#if defined(__CUDA_ARCH__)
    typedef float number;
#define EACH for (int i = FRESH(LANE); i < n; i += LANES)
#define ABSOLUTE(z) fabsf(z)
#define TOTAL(z) (z)
#else
    typedef f8 number;
#define EACH for (int i = 0; i < n; i += 8)
#define ABSOLUTE(z) __builtin_elementwise_abs(z)
#define TOTAL(z) (((z[0] + z[4]) + (z[1] + z[5])) + ((z[2] + z[6]) + (z[3] + z[7])))
#endif
#define AT(p) (*(number*)(p + i))
"""
_END = """
#undef EACH
#undef ABSOLUTE
#undef TOTAL
#undef AT
"""


@wp.func_native(
    VECTOR_TYPES
    + _POINTERS
    + _LOOP
    + """
    float* f = (float*)((char*)JTf.data + (size_t)FRESH(slot) * JTf.strides[0]);
    float* g = (float*)((char*)grad.data + (size_t)FRESH(slot) * grad.strides[0]);
    float* s = (float*)((char*)search.data + (size_t)FRESH(slot) * search.strides[0]);
    number sum = {};
    EACH {
        const number value = AT(a) - AT(b) - AT(f);
        AT(g) = value;
        AT(s) = -value;
        sum += value * value;
    }
#if defined(__CUDA_ARCH__)
    SYNC();
#endif
    return TOTAL(sum);
"""
    + _END
)
def partial_gradient(
    Mx: wp.array2d(dtype=float),
    smooth: wp.array2d(dtype=float),
    JTf: wp.array2d(dtype=float),
    grad: wp.array2d(dtype=float),
    search: wp.array2d(dtype=float),
    slot: int,
) -> float:
    """Gradient M x - qfrc_smooth - J'f, its negative in ``search``, and this lane's share of its squared length."""
    ...


@wp.func_native(
    VECTOR_TYPES
    + _POINTERS
    + _LOOP
    + """
    float* f = (float*)((char*)JTf.data + (size_t)FRESH(slot) * JTf.strides[0]);
    float* g = (float*)((char*)grad.data + (size_t)FRESH(slot) * grad.strides[0]);
    float* s = (float*)((char*)search.data + (size_t)FRESH(slot) * search.strides[0]);
    number decrement = {}, terms = {}, square = {};
    EACH {
        decrement -= AT(g) * AT(s);
        terms += ABSOLUTE(AT(s)) * (ABSOLUTE(AT(a)) + ABSOLUTE(AT(b)) + ABSOLUTE(AT(f)));
        square += AT(s) * AT(s);
    }
    return wp::vec3(TOTAL(decrement), TOTAL(terms), TOTAL(square));
"""
    + _END
)
def partial_decrement(
    Mx: wp.array2d(dtype=float),
    smooth: wp.array2d(dtype=float),
    JTf: wp.array2d(dtype=float),
    grad: wp.array2d(dtype=float),
    search: wp.array2d(dtype=float),
    slot: int,
) -> wp.vec3:
    """Shares of the Newton decrement -grad . search, of the absolute terms that cancel in it, and of |search|^2."""
    ...


@wp.func_native(
    VECTOR_TYPES
    + _POINTERS
    + _LOOP
    + """
    float* s = (float*)((char*)search.data + (size_t)FRESH(slot) * search.strides[0]);
    float* Ms = (float*)((char*)Mv.data + (size_t)FRESH(slot) * Mv.strides[0]);
    number slope = {}, curvature = {};
    EACH {
        slope += AT(s) * (AT(a) - AT(b));
        curvature += AT(s) * AT(Ms);
    }
    return wp::vec2(TOTAL(slope), TOTAL(curvature));
"""
    + _END
)
def partial_gauss_line(
    Mx: wp.array2d(dtype=float),
    smooth: wp.array2d(dtype=float),
    search: wp.array2d(dtype=float),
    Mv: wp.array2d(dtype=float),
    slot: int,
) -> wp.vec2:
    """Shares of the first and second derivative of the Gauss cost along ``search``."""
    ...


@wp.func_native(
    VECTOR_TYPES
    + _POINTERS
    + _LOOP
    + """
    float* u = (float*)((char*)x.data + (size_t)FRESH(slot) * x.strides[0]);
    float* v = (float*)((char*)unconstrained.data + (size_t)FRESH(slot) * unconstrained.strides[0]);
    number sum = {};
    EACH sum += 0.5f * (AT(a) - AT(b)) * (AT(u) - AT(v));
    return TOTAL(sum);
"""
    + _END
)
def partial_gauss_cost(
    Mx: wp.array2d(dtype=float),
    smooth: wp.array2d(dtype=float),
    x: wp.array2d(dtype=float),
    unconstrained: wp.array2d(dtype=float),
    slot: int,
) -> float:
    """This lane's share of the Gauss cost at ``x``; ``unconstrained`` is qacc_smooth."""
    ...
