"""Products of the dense constraint Jacobian, and vector sums, as native code.

Rows of J are ``nv_pad`` floats long, a multiple of 8, and padded with zeros; so are the vectors they meet. The rows are
filled with zeros up to the next multiple of 8, which lets a CPU work on eight rows at a time without a remainder. All
arrays have a world axis in front, and ``w`` picks the world. On a GPU all lanes of the block must call these functions
together; what a function writes is visible to all lanes when it returns.
"""

import warp as wp

from newtonish.kernels.math.world import FRESH

# A lambda that is OUTLINED is compiled once for a CPU; all else is inlined wherever it is called, and compiled as often.
# Its arguments are pointers and numbers: what would be passed as a struct would have to be in memory.
OUTLINED = """
#if defined(__CUDA_ARCH__)
#define OUTLINED
#else
#define OUTLINED __attribute__((noinline))
#endif
"""
# head of a native function: fused multiply-add is allowed, and eight floats are one value, which clang turns into
# whatever vector registers the machine has
VECTOR_TYPES = (
    OUTLINED
    + FRESH
    + """
#if !defined(__CUDA_ARCH__)
#pragma clang fp contract(fast)
    typedef float f8 __attribute__((vector_size(32), aligned(4), may_alias));
    typedef int i8 __attribute__((vector_size(32), aligned(4), may_alias));
    typedef bool b8 __attribute__((ext_vector_type(8)));
#endif
// floats of a row of J, M and vectors: a constant where a kernel is compiled for a number of dofs
#if defined(__CUDA_ARCH__) && NV > 0
#define ROW_OF(floats) NV_PAD
#else
#define ROW_OF(floats) (floats)
#endif
"""
)


@wp.func_native(
    VECTOR_TYPES
    + """
    const float* A = (const float*)((const char*)J.data + (size_t)FRESH(w) * J.strides[0]);
    const float* v = (const float*)((const char*)x.data + (size_t)FRESH(slot) * x.strides[0]);
    const float* s = (const float*)((const char*)shift.data + (size_t)FRESH(w) * shift.strides[0]);
    float* y = (float*)((char*)result.data + (size_t)FRESH(slot) * result.strides[0]);
    const int width = ROW_OF(J.shape[2]);
#if defined(__CUDA_ARCH__)
    // a row for each lane, or for two or four lanes where there are few rows; as often in all lanes, which then meet
    const int number = (nrow + 7) / 8 * 8 - end + begin, lane = FRESH(LANE);
#define PRODUCTS(PARTS) \\
    for (int first = 0; first < number; first += LANES / PARTS) { \\
        const int k = first + lane / PARTS, part = lane % PARTS, own = k < number ? k : 0, r = own < begin ? own : own + end - begin; \\
        const float4 *a = (const float4*)(A + r * width) + part, *b = (const float4*)v + part; \\
        float4 sums = {}; \\
        _Pragma("unroll") for (int j = 0; j < width / 4 / PARTS; j++) ADD(a[j * PARTS], b[j * PARTS]) \\
        if (part < width / 4 % PARTS) ADD(a[width / 4 / PARTS * PARTS], b[width / 4 / PARTS * PARTS]) \\
        float sum = (sums.x + sums.y) + (sums.z + sums.w); \\
        if (PARTS > 1) sum += __shfl_xor_sync(LANES_MASK, sum, 1); \\
        if (PARTS > 2) sum += __shfl_xor_sync(LANES_MASK, sum, 2); \\
        if (part == 0 && k < number) y[r] = sum - scale * s[r]; \\
    }
#define ADD(p, q) sums.x += (p).x * (q).x, sums.y += (p).y * (q).y, sums.z += (p).z * (q).z, sums.w += (p).w * (q).w;
    if (WIDTH < 4 || number > LANES / 2) PRODUCTS(1)
    else if (number > LANES / 4) PRODUCTS(2)
    else PRODUCTS(4)
#undef PRODUCTS
#undef ADD
    SYNC();
#else
#define PAIRS(a, b) (__builtin_shufflevector(a, b, 0, 2, 8, 10, 4, 6, 12, 14) \\
                   + __builtin_shufflevector(a, b, 1, 3, 9, 11, 5, 7, 13, 15))
    const auto multiply = [](const float* A, const float* v, const float* s, float scale, float* y, int nrow, int width) OUTLINED {
        for (int r = 0; r < nrow; r += 8) {
            const float* row = A + r * width;
            f8 a0 = {}, a1 = {}, a2 = {}, a3 = {}, a4 = {}, a5 = {}, a6 = {}, a7 = {};
            for (int j = 0; j < width; j += 8, row += 8) {
                const f8 u = *(const f8*)(v + j);
                a0 += *(const f8*)(row) * u;
                a1 += *(const f8*)(row + width) * u;
                a2 += *(const f8*)(row + 2 * width) * u;
                a3 += *(const f8*)(row + 3 * width) * u;
                a4 += *(const f8*)(row + 4 * width) * u;
                a5 += *(const f8*)(row + 5 * width) * u;
                a6 += *(const f8*)(row + 6 * width) * u;
                a7 += *(const f8*)(row + 7 * width) * u;
            }
            // a tree of pairwise sums turns the eight vectors into the eight dot products
            const f8 p = PAIRS(PAIRS(a0, a1), PAIRS(a2, a3));
            const f8 q = PAIRS(PAIRS(a4, a5), PAIRS(a6, a7));
            const f8 dots = __builtin_shufflevector(p, q, 0, 1, 2, 3, 8, 9, 10, 11)
                      + __builtin_shufflevector(p, q, 4, 5, 6, 7, 12, 13, 14, 15);
            *(f8*)(y + r) = dots - scale * *(const f8*)(s + r);
        }
    };
    multiply(A, v, s, scale, y, nrow, width);
#undef PAIRS
#endif
"""
)
def mul_rows(
    J: wp.array3d(dtype=float),
    x: wp.array2d(dtype=float),
    shift: wp.array2d(dtype=float),
    scale: float,
    result: wp.array2d(dtype=float),
    nrow: int,
    begin: int,
    end: int,
    w: int,
    slot: int,
):
    """``result = J x - scale * shift`` for the first ``nrow`` rows and the padding behind them.

    J and ``shift`` are those of world ``w``, ``x`` and ``result`` those of scratch slot ``slot``. A GPU leaves out the rows from
    ``begin`` to ``end - 1`` (``lone_rows``).
    """
    ...


@wp.func_native(
    VECTOR_TYPES
    + """
    const float* A = (const float*)((const char*)J.data + (size_t)FRESH(w) * J.strides[0]);
    const float* f = (const float*)((const char*)force.data + (size_t)FRESH(w) * force.strides[0]);
    float* y = (float*)((char*)result.data + (size_t)FRESH(slot) * result.strides[0]);
    const int width = ROW_OF(J.shape[2]);
#if defined(__CUDA_ARCH__)
    // four columns for every one, two or four lanes, which share the rows
    const int lane = FRESH(LANE), columns = width / 4;
    const int shares = WIDTH < 4 || columns > LANES / 2 ? 1 : columns > LANES / 4 ? 2 : 4;
    for (int first = 0; first < columns; first += LANES / shares) {
        const int column = first + lane / shares;
        float4 sum = {};
        const auto add = [&](int row, int last) {
            for (int r = row; r < last; r += shares) {
                const float4 a = ((const float4*)(A + r * width))[column];
                const float t = f[r];
                sum.x += a.x * t, sum.y += a.y * t, sum.z += a.z * t, sum.w += a.w * t;
            }
        };
        if (column < columns) {
            add(lane % shares, begin);
            add(end + lane % shares, nrow);
        }
        for (int offset = 1; offset < shares; offset *= 2) {
            sum.x += __shfl_xor_sync(LANES_MASK, sum.x, offset);
            sum.y += __shfl_xor_sync(LANES_MASK, sum.y, offset);
            sum.z += __shfl_xor_sync(LANES_MASK, sum.z, offset);
            sum.w += __shfl_xor_sync(LANES_MASK, sum.w, offset);
        }
        if (column < columns && lane % shares == 0) ((float4*)y)[column] = sum;
    }
    SYNC();
#else
    int j = 0;
    for (; j + 32 <= width; j += 32) {
        f8 a0 = {}, a1 = {}, a2 = {}, a3 = {};
        for (int r = 0; r < nrow; r++) {
            const float* row = A + r * width + j;
            const float t = f[r];
            a0 += *(const f8*)(row) * t;
            a1 += *(const f8*)(row + 8) * t;
            a2 += *(const f8*)(row + 16) * t;
            a3 += *(const f8*)(row + 24) * t;
        }
        *(f8*)(y + j) = a0;
        *(f8*)(y + j + 8) = a1;
        *(f8*)(y + j + 16) = a2;
        *(f8*)(y + j + 24) = a3;
    }
    for (; j < width; j += 8) {
        f8 sum = {};
        for (int r = 0; r < nrow; r++) sum += *(const f8*)(A + r * width + j) * f[r];
        *(f8*)(y + j) = sum;
    }
#endif
"""
)
def mul_rows_transposed(
    J: wp.array3d(dtype=float),
    force: wp.array2d(dtype=float),
    result: wp.array2d(dtype=float),
    nrow: int,
    begin: int,
    end: int,
    w: int,
    slot: int,
):
    """``result = J' force`` over the first ``nrow`` rows, in scratch slot ``slot``; its padding becomes zero.

    A GPU leaves out the rows from ``begin`` to ``end - 1`` (``lone_rows``).
    """
    ...


@wp.func_native(
    VECTOR_TYPES
    + """
    const float* u = (const float*)((const char*)x.data + (size_t)FRESH(slot) * x.strides[0]);
    float* v = (float*)((char*)y.data + (size_t)FRESH(slot) * y.strides[0]);
#if defined(__CUDA_ARCH__)
    for (int i = FRESH(LANE); i < n; i += LANES) v[i] += factor * u[i];
    SYNC();
#else
    for (int i = 0; i < n; i += 8) *(f8*)(v + i) += factor * *(const f8*)(u + i);
#endif
"""
)
def add_scaled(y: wp.array2d(dtype=float), x: wp.array2d(dtype=float), factor: float, n: int, slot: int):
    """``y += factor * x`` for the first ``n`` elements of padded scratch vectors."""
    ...


@wp.func_native(
    FRESH
    + """
    const float* from = (const float*)((const char*)source.data + (size_t)FRESH(from_world) * source.strides[0]);
    float* to = (float*)((char*)target.data + (size_t)FRESH(to_world) * target.strides[0]);
#if defined(__CUDA_ARCH__)
    for (int i = FRESH(LANE); i < n; i += LANES) to[i] = from[i];
    SYNC();
#else
    for (int i = 0; i < n; i++) to[i] = from[i];
#endif
"""
)
def copy_vector(target: wp.array2d(dtype=float), to_world: int, source: wp.array2d(dtype=float), from_world: int, n: int):
    """Copy the first ``n`` elements; those of ``target`` behind them stay as they are."""
    ...


@wp.func_native(
    FRESH
    + """
    const float* from = (const float*)((const char*)source.data + (size_t)FRESH(w) * source.strides[0]);
    float* to = (float*)((char*)target.data + (size_t)FRESH(slot) * target.strides[0]);
    const int width = target.shape[1];
#if defined(__CUDA_ARCH__)
    for (int i = FRESH(LANE); i < width; i += LANES) to[i] = i < n ? from[i] : 0.0f;
    SYNC();
#else
    for (int i = 0; i < n; i++) to[i] = from[i];
    for (int i = n; i < width; i++) to[i] = 0.0f;
#endif
"""
)
def load_vector(target: wp.array2d(dtype=float), source: wp.array2d(dtype=float), n: int, w: int, slot: int):
    """Copy ``n`` elements of world ``w`` to the scratch slot ``slot`` and fill the rest of it with zeros.

    What another world left in the padding, NaN maybe, must not get into this one.
    """
    ...


@wp.func_native(
    FRESH
    + """
    float* A = (float*)((char*)J.data + (size_t)FRESH(w) * J.strides[0]);
    const int width = J.shape[2];
    for (int i = first * width; i < (first + count) * width; i++) A[i] = 0.0f;
"""
)
def clear_rows(J: wp.array3d(dtype=float), first: int, count: int, w: int):
    """Fill ``count`` rows with zeros; one lane does it alone."""
    ...


@wp.func_native(
    VECTOR_TYPES
    + """
    float* A = (float*)((char*)dense.data + (size_t)FRESH(slot) * dense.strides[0]);
    const float* S = (const float*)((const char*)sparse.data + (size_t)FRESH(w) * sparse.strides[0]);
    const int width = ROW_OF(dense.shape[2]);
#if defined(__CUDA_ARCH__)
    const int lane = LANE, lanes = LANES;
    for (int e = lane; e < width * width / 4; e += lanes) ((float4*)A)[e] = float4{};
    SYNC();
#else
    const int lane = 0, lanes = 1;
    for (int e = 0; e < width * width; e++) A[e] = 0.0f;
#endif
    for (int i = lane; i < nv; i += lanes) {
        const int begin = rowadr.data[i], end = begin + rownnz.data[i];
        for (int a = begin; a < end; a++) {
            const int j = colind.data[a];
            A[i * width + j] = S[a];
            A[j * width + i] = S[a];
        }
    }
#if defined(__CUDA_ARCH__)
    SYNC();
#endif
"""
)
def dense_symmetric(
    dense: wp.array3d(dtype=float),
    sparse: wp.array2d(dtype=float),
    rownnz: wp.array(dtype=int),
    rowadr: wp.array(dtype=int),
    colind: wp.array(dtype=int),
    nv: int,
    w: int,
    slot: int,
):
    """Dense symmetric matrix, both triangles, from the sparse rows of its lower triangle; the padding becomes zero."""
    ...
