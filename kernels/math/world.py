"""World index of model fields, and the cooperation of the lanes of a world.

A stage function works on one world ``w`` with ``lanes()`` lanes: ``for i in range(lane, n, lanes())``, and ``sync()`` wherever one
lane reads what another wrote. On a CPU there is one lane and both cost nothing (``newtonish.kernels.runtime.lanes``).
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
    return LANES;
#else
    return 1;
#endif
"""
)
def lanes() -> int:
    """Number of lanes that work on a world together, a constant of the compiled module (``newtonish.kernels.runtime.lanes``)."""
    ...


@wp.func_native(
    """
#if defined(__CUDA_ARCH__)
    SYNC();
#endif
"""
)
def sync():
    """Barrier of the lanes of a world: each sees what the others wrote before it."""
    ...


@wp.func_native(
    """
#if !defined(__CUDA_ARCH__)
    return wp::vec_t<2, int>(0, count);
#elif LANES <= 32
    int sum = count;
#pragma unroll
    for (int offset = 1; offset < WIDTH; offset *= 2) {
        const int below = __shfl_up_sync(LANES_MASK, sum, offset, WIDTH);
        if (LANE >= offset) sum += below;
    }
    return wp::vec_t<2, int>(sum - count, LANES == 1 ? count : __shfl_sync(LANES_MASK, sum, WIDTH - 1, WIDTH));
#else
    __shared__ int totals[LANES / 32];
    int sum = count;
#pragma unroll
    for (int offset = 1; offset < 32; offset *= 2) {
        const int below = __shfl_up_sync(LANES_MASK, sum, offset);
        if ((LANE & 31) >= offset) sum += below;
    }
    if ((LANE & 31) == 31) totals[LANE >> 5] = sum;
    SYNC();
    int before = sum - count, all = 0;
    for (int i = 0; i < LANES / 32; i++) {
        if (i < LANE >> 5) before += totals[i];
        all += totals[i];
    }
    SYNC();  // before the next call writes
    return wp::vec_t<2, int>(before, all);
#endif
"""
)
def scan_lanes(count: int) -> wp.vec2i:
    """Sum of ``count`` over the lanes before this one, and over all. All lanes must call it."""
    ...


_SUM = """
#if !defined(__CUDA_ARCH__)
    return x;
#elif LANES <= 32
    return warp_sum(x);
#else
    __shared__ TYPE totals[LANES / 32];
    const TYPE sum = warp_sum(x);
    if ((LANE & 31) == 0) totals[LANE >> 5] = sum;
    SYNC();
    TYPE all = totals[0];
    for (int i = 1; i < LANES / 32; i++) all += totals[i];
    SYNC();  // before the next call writes
    return all;
#endif
"""


@wp.func_native(_SUM.replace("TYPE", "int"))
def sum_lanes_int(x: int) -> int:
    """Sum of ``x`` over all lanes of the world, the same in every lane. All lanes must call it."""
    ...


@wp.func_native(_SUM.replace("TYPE", "float"))
def sum_lanes(x: float) -> float:
    """Sum of ``x`` over all lanes of the world, in a fixed order, the same in every lane. All lanes must call it."""
    ...


@wp.func_native(
    """
#if !defined(__CUDA_ARCH__)
    return true;
#elif LANES <= 32
    int apart = number >= -1;
    // each meets half of the others, and is met by the other half
#pragma unroll
    for (int way = 1; way <= WIDTH / 2; way++) {
        const int other = __shfl_sync(LANES_MASK, number, (LANE + way) % WIDTH, WIDTH);
        apart &= number != other || number < 0;
    }
#pragma unroll
    for (int offset = WIDTH / 2; offset > 0; offset /= 2) apart &= __shfl_xor_sync(LANES_MASK, apart, offset);
    return apart;
#else
    return false;
#endif
"""
)
def are_apart(number: int) -> bool:
    """Whether no two lanes of a world have the same number, those aside that have -1, and none has less; False where nobody has looked."""
    ...


@wp.func_native(
    """
#if defined(__CUDA_ARCH__)
    const size_t block = (size_t)(blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    return (int)((block * (WP_TILE_BLOCK_DIM / LANES) + threadIdx.x / LANES) / ITEMS);
#else
    __builtin_assume(w >= 0);
    return w;
#endif
"""
)
def world_index(w: int) -> int:
    """The world of a kernel's thread, ``w`` of ``wp.tid()``, which a CPU's compiler then knows not to be negative."""
    ...


@wp.func_native(
    """
#if defined(__CUDA_ARCH__)
    return ITEMS;
#else
    return 1;
#endif
"""
)
def items() -> int:
    """How many groups of lanes a world has, each with items of its own such as islands, a constant of the compiled module."""
    ...


@wp.func_native(
    """
#if defined(__CUDA_ARCH__)
    const size_t block = (size_t)(blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    return (int)((block * (WP_TILE_BLOCK_DIM / LANES) + threadIdx.x / LANES) % ITEMS);
#else
    return 0;
#endif
"""
)
def item_index() -> int:
    """Which of its world's groups of lanes this one belongs to."""
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
def worlds_per_thread(nworld: int) -> int:
    """Number of worlds that a thread of a kernel goes through: on a GPU its own, on a CPU all that the kernel is given."""
    ...


@wp.func_native(
    """
#if defined(__CUDA_ARCH__)
    return LANE;
#else
    return 0;
#endif
"""
)
def lane_index(lane: int) -> int:
    """The lane of a kernel's thread, ``lane`` of ``wp.tid()``: on a CPU there is one, and loops over lanes begin at 0."""
    ...


@wp.func_native(
    """
    __builtin_assume(i >= 0);
    return i;
"""
)
def assume_nonnegative(i: int) -> int:
    """An entry of an index array that is never negative there, which a CPU's compiler then knows.

    Warp lets arrays be indexed from their end, so each use of an index that might be negative costs a comparison, a load of the
    length and a conditional move.
    """
    ...


# FRESH(i) is i, but a GPU's compiler takes it for another number at each place: where a world's rows begin is then worked out where they are
# used, in one instruction, instead of in front of all iterations, from where two registers an array would have to hold it.
FRESH = """
#if defined(__CUDA_ARCH__)
#define FRESH(i) [](int same) { asm volatile("" : "+r"(same)); return same; }(i)
#else
#define FRESH(i) (i)
#endif
"""


@wp.func_native(FRESH + "return FRESH(i);")
def fresh(i: int) -> int:
    """``FRESH(i)``, for long loops."""
    ...
