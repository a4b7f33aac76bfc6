"""The product of a dense symmetric matrix and a vector on a GPU, an element a lane.

A lane goes down a column, which is as good as along a row: what the lanes of a warp load together then lies side by side. A CPU goes
along rows, eight at a time (``newtonish.kernels.linalg.dense.mul_rows``).
"""

import warp as wp

from newtonish.kernels.linalg.dense import VECTOR_TYPES


@wp.func_native(
    VECTOR_TYPES
    + """
#if defined(__CUDA_ARCH__)
    const float* A = (const float*)((const char*)M.data + (size_t)FRESH(slot) * M.strides[0]);
    const float* v = (const float*)((const char*)x.data + (size_t)FRESH(slot) * x.strides[0]);
    float* y = (float*)((char*)result.data + (size_t)FRESH(slot) * result.strides[0]);
    const int width = ROW_OF(M.shape[2]);
    for (int i = FRESH(LANE); i < width; i += LANES) {
        float sum = 0.0f;
#if NV > 0
#pragma unroll
#endif
        for (int k = 0; k < (NV > 0 ? NV : nv); k += 4) {  // rows and elements in the padding are zero
            const float4 t = *(const float4*)(v + k);
            const float* column = A + k * width + i;
            sum += column[0] * t.x + column[width] * t.y + column[2 * width] * t.z + column[3 * width] * t.w;
        }
        y[i] = sum;
    }
    SYNC();
#endif
"""
)
def mul_symmetric(M: wp.array3d(dtype=float), x: wp.array2d(dtype=float), result: wp.array2d(dtype=float), nv: int, slot: int):
    """``result = M x``, all in scratch slot ``slot``; the padding of ``result`` becomes zero. All lanes call it together; it ends with a barrier."""
    ...
