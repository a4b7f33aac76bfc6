"""Vectors of eight floats in native code: a value on a CPU, eight lanes of a warp on a GPU, from one source.

``v8`` is such a vector: eight floats on a CPU, this lane's float on a GPU. ``LOAD8(p)`` and ``STORE8(p, v)`` move the eight floats at
``p``, ``ELEMENT(v, k)`` is one of them, known to all, ``INDEX8`` counts 0 to 7. A warp of 32 lanes holds ``GROUPS`` such vectors: group ``GROUP`` takes
every ``GROUPS``-th term of a sum, ``TOTAL8(v)`` adds what the groups have, in a fixed order. What is stored by ``STORE8`` comes from group 0 alone.
``ROW8(name, p)`` declares ``name[0]`` to ``name[7]``, the eight floats at ``p`` for each lane. ``EACH_TERM(m, begin, end)`` is a loop over this group's
terms, of a number that divides by eight. ``RECIPROCAL(x)`` is 1/x, on a GPU to two units in the last place. ``MEET()`` is the barrier of the lanes, ``LEADER`` one of them. Products and sums may be fused.
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
#define ROW8(name, p) \\
    const float4 name##_low = *(const float4*)(p), name##_high = *(const float4*)((p) + 4); \\
    const float name[8] = {name##_low.x, name##_low.y, name##_low.z, name##_low.w, name##_high.x, name##_high.y, name##_high.z, name##_high.w};
#define EACH_TERM(m, begin, end) \\
    for (int m##_eight = (begin) + GROUP; m##_eight < (end); m##_eight += 8) \\
        _Pragma("unroll") for (int m = m##_eight; m < m##_eight + 8; m += GROUPS)
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
#define ROW8(name, p) const float* name = p;
#define EACH_TERM(m, begin, end) for (int m = begin; m < (end); m++)
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
#undef ROW8
#undef EACH_TERM
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
