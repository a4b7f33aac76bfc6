"""Sums over the dofs of a Newton iteration, as native code: gradient, decrement, cost and line terms of the Gauss part.

The Gauss part of the cost is (M x - qfrc_smooth) . (x - qacc_smooth) / 2. Vectors are padded with zeros to ``nv_pad``
floats except those of MuJoCo's own layout (``qfrc_smooth``, ``qacc_smooth``, ``qfrc_constraint``). All arrays have a world
axis in front, and ``w`` picks the world. Sums are this lane's share; add the shares of all lanes by ``block_sum``.
"""

import warp as wp

_LOOP = """
#if defined(__CUDA_ARCH__)
    const int begin = threadIdx.x, step = blockDim.x;
#else
    const int begin = 0, step = 1;
#endif
"""


@wp.func_native(
    _LOOP
    + """
    const float* Mx = (const float*)((const char*)Ma.data + w * Ma.strides[0]);
    const float* smooth = (const float*)((const char*)qfrc_smooth.data + w * qfrc_smooth.strides[0]);
    float* g = (float*)((char*)grad.data + w * grad.strides[0]);
    float* s = (float*)((char*)search.data + w * search.strides[0]);
    float* f = (float*)((char*)qfrc_constraint.data + w * qfrc_constraint.strides[0]);
    float sum = 0.0f;
    for (int i = begin; i < nv; i += step) {
        const float force = g[i];
        const float value = Mx[i] - smooth[i] - force;
        f[i] = force;
        g[i] = value;
        s[i] = -value;
        sum += value * value;
    }
#if defined(__CUDA_ARCH__)
    __syncthreads();
#endif
    return sum;
"""
)
def partial_gradient(
    Ma: wp.array2d(dtype=float),
    qfrc_smooth: wp.array2d(dtype=float),
    grad: wp.array2d(dtype=float),
    search: wp.array2d(dtype=float),
    qfrc_constraint: wp.array2d(dtype=float),
    nv: int,
    w: int,
) -> float:
    """Gradient M x - qfrc_smooth - J'f, its negative in ``search``, and this lane's share of its squared length.

    ``grad`` holds J'f before, which is copied to ``qfrc_constraint``.
    """
    ...


@wp.func_native(
    _LOOP
    + """
    const float* Mx = (const float*)((const char*)Ma.data + w * Ma.strides[0]);
    const float* smooth = (const float*)((const char*)qfrc_smooth.data + w * qfrc_smooth.strides[0]);
    const float* g = (const float*)((const char*)grad.data + w * grad.strides[0]);
    const float* s = (const float*)((const char*)search.data + w * search.strides[0]);
    float decrement = 0.0f, terms = 0.0f;
    for (int i = begin; i < nv; i += step) {
        decrement -= g[i] * s[i];
        const float force = Mx[i] - smooth[i] - g[i];
        terms += __builtin_fabsf(s[i]) * (__builtin_fabsf(Mx[i]) + __builtin_fabsf(smooth[i]) + __builtin_fabsf(force));
    }
    return wp::vec2(decrement, terms);
"""
)
def partial_decrement(
    Ma: wp.array2d(dtype=float),
    qfrc_smooth: wp.array2d(dtype=float),
    grad: wp.array2d(dtype=float),
    search: wp.array2d(dtype=float),
    nv: int,
    w: int,
) -> wp.vec2:
    """Shares of the Newton decrement -grad . search, and of the sum of the absolute terms that cancel in it."""
    ...


@wp.func_native(
    _LOOP
    + """
    const float* Mx = (const float*)((const char*)Ma.data + w * Ma.strides[0]);
    const float* smooth = (const float*)((const char*)qfrc_smooth.data + w * qfrc_smooth.strides[0]);
    const float* s = (const float*)((const char*)search.data + w * search.strides[0]);
    const float* Ms = (const float*)((const char*)Mv.data + w * Mv.strides[0]);
    float slope = 0.0f, curvature = 0.0f;
    for (int i = begin; i < nv; i += step) {
        slope += s[i] * (Mx[i] - smooth[i]);
        curvature += s[i] * Ms[i];
    }
    return wp::vec2(slope, curvature);
"""
)
def partial_gauss_line(
    Ma: wp.array2d(dtype=float),
    qfrc_smooth: wp.array2d(dtype=float),
    search: wp.array2d(dtype=float),
    Mv: wp.array2d(dtype=float),
    nv: int,
    w: int,
) -> wp.vec2:
    """Shares of the first and second derivative of the Gauss cost along ``search``."""
    ...


@wp.func_native(
    _LOOP
    + """
    const float* Mx = (const float*)((const char*)Ma.data + w * Ma.strides[0]);
    const float* smooth = (const float*)((const char*)qfrc_smooth.data + w * qfrc_smooth.strides[0]);
    const float* u = (const float*)((const char*)x.data + w * x.strides[0]);
    const float* a = (const float*)((const char*)qacc_smooth.data + w * qacc_smooth.strides[0]);
    float sum = 0.0f;
    for (int i = begin; i < nv; i += step) sum += 0.5f * (Mx[i] - smooth[i]) * (u[i] - a[i]);
    return sum;
"""
)
def partial_gauss_cost(
    Ma: wp.array2d(dtype=float),
    qfrc_smooth: wp.array2d(dtype=float),
    x: wp.array2d(dtype=float),
    qacc_smooth: wp.array2d(dtype=float),
    nv: int,
    w: int,
) -> float:
    """This lane's share of the Gauss cost."""
    ...
