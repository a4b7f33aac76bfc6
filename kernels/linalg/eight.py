"""Vectors of eight floats in native code: a value on a CPU, eight lanes of a warp on a GPU, from one source.

``v8`` is such a vector: eight floats on a CPU, this lane's float on a GPU. ``LOAD8(p)`` and ``STORE8(p, v)`` move the eight floats at
``p``, ``ELEMENT(v, k)`` is one of them, known to all, ``INDEX8`` counts 0 to 7. A warp of 32 lanes holds ``GROUPS`` such vectors: group ``GROUP`` takes
every ``GROUPS``-th term of a sum, ``TOTAL8(v)`` adds what the groups have, in a fixed order. What is stored by ``STORE8`` comes from group 0 alone.
``RECIPROCAL(x)`` is 1/x, on a GPU to two units in the last place. ``MEET()`` is the barrier of the lanes, ``LEADER`` one of them. Products and sums may be fused.
"""

from newtonish.kernels.linalg.dense import VECTOR_TYPES

EIGHT = (
    VECTOR_TYPES
    + """
#if defined(__CUDA_ARCH__)
    typedef float v8;
    constexpr int GROUPS = WIDTH / 8;
    const int GROUP = (LANE % WIDTH) / 8, INDEX8 = LANE % 8;
#define LOAD8(p) ((p)[INDEX8])
#define STORE8(p, v) if (GROUP == 0) (p)[INDEX8] = (v)
#define ELEMENT(v, k) __shfl_sync(LANES_MASK, v, k, 8)
#define TOTAL8(v) \\
    _Pragma("unroll") for (int offset = 8; offset < WIDTH; offset *= 2) v += __shfl_xor_sync(LANES_MASK, v, offset)
#define RECIPROCAL(x) __fdividef(1.0f, x)
#define MEET() SYNC_WARP()
#define LEADER (LANE == 0)
#else
    typedef f8 v8;
    constexpr int GROUPS = 1, GROUP = 0;
    const i8 INDEX8 = {0, 1, 2, 3, 4, 5, 6, 7};
#define LOAD8(p) (*(const f8*)(p))
#define STORE8(p, v) *(f8*)(p) = (v)
#define ELEMENT(v, k) (v)[k]
#define TOTAL8(v)
#define RECIPROCAL(x) (1.0f / (x))
#define MEET()
#define LEADER true
#endif
"""
)
END_EIGHT = """
#undef LOAD8
#undef STORE8
#undef ELEMENT
#undef TOTAL8
#undef RECIPROCAL
#undef MEET
#undef LEADER
"""
# of a block of several warps the first does it alone
FIRST_WARP = """
#if defined(__CUDA_ARCH__)
    if (LANE < WIDTH)
#endif
"""
