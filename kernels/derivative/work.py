"""Work of wrenches on the dofs that move their body: entries of one column of the matrices of the residual, in native code.

Each lane has columns of its own, so that nothing is shared; the three matrices are filled in one pass, as all of them take the same axes.
"""

import warp as wp

from newtonish.kernels.derivative.algebra import vec6d
from newtonish.kernels.derivative.workspace import Linear
from newtonish.kernels.structs.data import Com
from newtonish.kernels.structs.model import Tree


@wp.func_native("""
    double* h = (double*)((char*)H.data + (size_t)w * H.strides[0]) + k;
    double* gv = (double*)((char*)Gv.data + (size_t)w * Gv.strides[0]) + k;
    double* gq = (double*)((char*)Gq.data + (size_t)w * Gq.strides[0]) + k;
    const float* axes = (const float*)((const char*)cdof.data + (size_t)w * cdof.strides[0]);
    const int n = H.shape[2];
    // side by side, so that vector registers take the three of them, and a fourth for company
    double wrench[6][4];
    for (int i = 0; i < 6; i++) {
        wrench[i][0] = resisted.c[i];
        wrench[i][1] = held.c[i];
        wrench[i][2] = moved.c[i];
        wrench[i][3] = 0.0;
    }
    for (int at = first; at < last; at++) {
        const int j = dofs.data[at];
        const float* axis = axes + 6 * j;
        double sums[4] = {0.0, 0.0, 0.0, 0.0};
        for (int i = 0; i < 6; i++) {
            const double s = axis[i];
            for (int m = 0; m < 4; m++) sums[m] += s * wrench[i][m];
        }
        h[j * n] += sums[0];
        gv[j * n] += sums[1];
        gq[j * n] += sums[2];
    }
""")
def _add_work(
    H: wp.array3d(dtype=wp.float64), Gv: wp.array3d(dtype=wp.float64), Gq: wp.array3d(dtype=wp.float64), cdof: wp.array2d(dtype=wp.spatial_vector),
    dofs: wp.array(dtype=int), first: int, last: int, resisted: vec6d, held: vec6d, moved: vec6d, w: int, k: int,
):  # fmt: skip
    ...


@wp.func
def work_on(tree: Tree, com: Com, linear: Linear, resisted: vec6d, held: vec6d, moved: vec6d, w: int, b: int, k: int):
    """Add the work of three wrenches on body ``b``, those that answer to acceleration, velocity and position, to column ``k`` of H, Gv and Gq."""
    _add_work(linear.H, linear.Gv, linear.Gq, com.cdof, tree.chain_dofid, tree.chain_adr[b], tree.chain_adr[b + 1], resisted, held, moved, w, k)


@wp.func_native("""
    double* h = (double*)((char*)H.data + (size_t)w * H.strides[0]) + k;
    const float* axes = (const float*)((const char*)cdof.data + (size_t)w * cdof.strides[0]);
    const int n = H.shape[2];
    for (int at = last - 1; at >= first && dofs.data[at] >= k; at--) {
        const int j = dofs.data[at];
        const float* axis = axes + 6 * j;
        double sum = 0.0;
        for (int i = 0; i < 6; i++) sum += axis[i] * wrench.c[i];
        h[j * n] += sum;
    }
""")
def _add_below(
    H: wp.array3d(dtype=wp.float64), cdof: wp.array2d(dtype=wp.spatial_vector), dofs: wp.array(dtype=int), first: int, last: int, wrench: vec6d, w: int, k: int,
):  # fmt: skip
    ...


@wp.func
def resist_on(tree: Tree, com: Com, linear: Linear, wrench: vec6d, w: int, b: int, k: int):
    """Add the work of a wrench on body ``b`` that answers to acceleration to column ``k`` of H, on its diagonal and below."""
    _add_below(linear.H, com.cdof, tree.chain_dofid, tree.chain_adr[b], tree.chain_adr[b + 1], wrench, w, k)
