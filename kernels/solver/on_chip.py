"""The solver's matrix and vectors in the shared memory of a GPU's multiprocessor, where an iteration finds them within a few cycles.

Functions written for a world's scratch arrays work on them as they are: only where an array begins is changed, and that all scratch slots are
one. Only kernels that are compiled for a number of dofs have them there, up to ``ON_CHIP`` of them (``newtonish.kernels.runtime.lanes``), so that
twenty worlds find room.
"""

import warp as wp

from newtonish.kernels.structs.data import Solve


@wp.func_native(
    """
#if defined(__CUDA_ARCH__) && ON_CHIP
    __shared__ float4 held[WP_TILE_BLOCK_DIM / LANES][NV_PAD * PITCH / 4];
    a.data = (float*)held[threadIdx.x / LANES];
    a.strides[0] = 0;
    a.strides[1] = PITCH * sizeof(float);
#endif
    return a;
"""
)
def _matrix(a: wp.array3d(dtype=float)) -> wp.array3d(dtype=float): ...


@wp.func_native(
    """
#if defined(__CUDA_ARCH__) && ON_CHIP
    __shared__ float4 held[WP_TILE_BLOCK_DIM / LANES][8][NV_PAD / 4];
    a.data = (float*)held[threadIdx.x / LANES][place];
    a.strides[0] = 0;
#endif
    return a;
"""
)
def _vector(a: wp.array2d(dtype=float), place: int) -> wp.array2d(dtype=float): ...


@wp.func
def on_chip(sol: Solve) -> Solve:
    """``sol`` with H, its diagonal and the vectors of dofs in shared memory, on a GPU and if there is room."""
    sol.H = _matrix(sol.H)
    sol.Hdiaginv = _vector(sol.Hdiaginv, 0)
    sol.x = _vector(sol.x, 1)
    sol.Mx = _vector(sol.Mx, 2)
    sol.smooth = _vector(sol.smooth, 3)
    sol.JTf = _vector(sol.JTf, 4)
    sol.grad = _vector(sol.grad, 5)
    sol.search = _vector(sol.search, 6)
    sol.Mv = _vector(sol.Mv, 7)
    return sol
