"""World index of model fields, and the cooperation of the lanes of one block.

A stage function works on one world ``w`` with ``wp.block_dim()`` lanes: ``for i in range(lane, n, wp.block_dim())``, and
``sync()`` wherever one lane reads what another wrote. On a CPU a block has one lane and both cost nothing.
"""

import warp as wp


@wp.func
def per_world(length: int, w: int) -> int:
    """Index on the world axis of a model field: 0 if one value serves all worlds."""
    return wp.where(length == 1, 0, w)


@wp.func_native(
    """
#if defined(__CUDA_ARCH__)
    return w;
#else
    return 0;
#endif
"""
)
def scratch_slot(w: int) -> int:
    """World index for scratch arrays that nothing outside of one function reads.

    A CPU thread treats its worlds one after the other, on views of its own, so one slot serves them all and stays in the
    cache; on a GPU all worlds are treated at once.
    """
    ...


@wp.func_native(
    """
#if defined(__CUDA_ARCH__)
    __syncthreads();
#endif
"""
)
def sync(): ...


@wp.func_native(
    """
#if defined(__CUDA_ARCH__)
    // Hillis-Steele scan over the lanes of the block; blocks have at most 1024 lanes
    __shared__ int scanned[1024];
    const int lane = threadIdx.x;
    scanned[lane] = count;
    __syncthreads();
    for (int offset = 1; offset < blockDim.x; offset *= 2) {
        const int below = lane >= offset ? scanned[lane - offset] : 0;
        __syncthreads();
        scanned[lane] += below;
        __syncthreads();
    }
    const int before = scanned[lane] - count;
    __syncthreads();
    return before;
#else
    return 0;
#endif
"""
)
def block_scan(count: int) -> int:
    """Sum of ``count`` over the lanes before this one. All lanes must call it."""
    ...


@wp.func_native(
    """
#if defined(__CUDA_ARCH__)
    __shared__ int total;
    __shared__ int partial[32];
    int sum = count;
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
    if ((threadIdx.x & 31) == 0) partial[threadIdx.x >> 5] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        int all = 0;
        for (int i = 0; i < (int)(blockDim.x + 31) / 32; i++) all += partial[i];
        total = all;
    }
    __syncthreads();
    const int result = total;
    __syncthreads();
    return result;
#else
    return count;
#endif
"""
)
def block_sum_int(count: int) -> int:
    """Sum of ``count`` over all lanes of the block, the same in every lane. All lanes must call it."""
    ...


@wp.func_native(
    """
#if defined(__CUDA_ARCH__)
    __shared__ float total;
    __shared__ float partial[32];
    float sum = x;
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
    if ((threadIdx.x & 31) == 0) partial[threadIdx.x >> 5] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        float all = 0.0f;
        for (int i = 0; i < (int)(blockDim.x + 31) / 32; i++) all += partial[i];
        total = all;
    }
    __syncthreads();
    const float result = total;
    __syncthreads();
    return result;
#else
    return x;
#endif
"""
)
def block_sum(x: float) -> float:
    """Sum of ``x`` over all lanes of the block, in a fixed order, the same in every lane. All lanes must call it."""
    ...


@wp.func_native(
    """
#if !defined(__CUDA_ARCH__)
    __builtin_assume(w >= 0);
#endif
    return w;
"""
)
def own_world(w: int) -> int:
    """The world of a kernel's thread, ``w`` of ``wp.tid()``, which a CPU's compiler then knows not to be negative."""
    ...


@wp.func_native(
    """
#if defined(__CUDA_ARCH__)
    return 1;
#else
    return nworld;
#endif
"""
)
def worlds_of_thread(nworld: int) -> int:
    """Number of worlds that a thread of a kernel goes through: on a GPU its own, on a CPU all that the kernel is given."""
    ...


@wp.func_native(
    """
#if defined(__CUDA_ARCH__)
    return lane;
#else
    return 0;
#endif
"""
)
def own_lane(lane: int) -> int:
    """The lane of a kernel's thread, ``lane`` of ``wp.tid()``: on a CPU there is one, and loops over lanes begin at 0."""
    ...


@wp.func_native(
    """
#if !defined(__CUDA_ARCH__)
    __builtin_assume(i >= 0);
#endif
    return i;
"""
)
def natural(i: int) -> int:
    """An entry of an index array that is never negative there, which a CPU's compiler then knows.

    Warp lets arrays be indexed from their end, so each use of an index that might be negative costs a comparison, a load of the
    length and a conditional move.
    """
    ...
