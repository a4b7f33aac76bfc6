"""Jacobian of a contact point in the contact's own axes, one body at a time, as native code.

A dof with motion axis (rotation, translation) about the origin ``o`` moves a point at ``o + offset`` by ``translation
+ rotation x offset`` and turns it by ``rotation``. Both are projected on the contact's normal and tangents, and
combined to the rows of the contact. Called by one lane for one contact; J is that of world ``w``.
"""

import warp as wp

from newtonish.kernels.structs.field import vec5


@wp.func_native(
    """
    const float* axes = (const float*)((const char*)cdof.data + (size_t)w * cdof.strides[0]);
    const float* speed = (const float*)((const char*)qvel.data + (size_t)w * qvel.strides[0]);
    const int width = stride;
    float* A = (float*)((char*)J.data + (size_t)w * J.strides[0]) + row * width;
    const float* friction = (const float*)((const char*)frictions.data + (size_t)w * frictions.strides[0]) + 5 * contact;
    const float* axes_of_contact = (const float*)((const char*)frames.data + (size_t)w * frames.strides[0]) + 9 * contact;
    float frame[9], total[6] = {};
#pragma unroll
    for (int k = 0; k < 9; k++) frame[k] = sign * axes_of_contact[k];
    for (int a = begin; a < end; a++) {
        const int dof = chain.data[a];
        const int i = place < 0 ? dof : place + a - begin;
        const float* s = axes + 6 * dof;
        const float x = s[3] + s[1] * offset[2] - s[2] * offset[1];
        const float y = s[4] + s[2] * offset[0] - s[0] * offset[2];
        const float z = s[5] + s[0] * offset[1] - s[1] * offset[0];
        const float normal = frame[0] * x + frame[1] * y + frame[2] * z;
        total[0] += normal * speed[dof];
        float* entry = A + i;  // of the row that is written next
        if (!pyramid || dim == 1) *entry = normal;
#pragma unroll
        for (int k = 1; k < 6; k++) {
            if (k >= dim) continue;
            const float* axis = frame + (k < 3 ? 3 * k : 3 * k - 9);
            const float along = k < 3 ? axis[0] * x + axis[1] * y + axis[2] * z : axis[0] * s[0] + axis[1] * s[1] + axis[2] * s[2];
            total[k] += along * speed[dof];
            if (!pyramid) *(entry += width) = along;
            else {
                *entry = normal + friction[k - 1] * along;
                entry += width;
                *entry = normal - friction[k - 1] * along;
                entry += width;
            }
        }
    }
    float* sums = (float*)((char*)vel.data + (size_t)w * vel.strides[0]) + row;
#pragma unroll
    for (int k = 0; k < 6; k++)
        if (k < dim) sums[k] = (sign < 0.0f ? 0.0f : sums[k]) + total[k];
"""
)
def contact_jacobian(
    J: wp.array3d(dtype=float),
    cdof: wp.array2d(dtype=wp.spatial_vector),
    qvel: wp.array2d(dtype=float),
    chain: wp.array(dtype=int),
    begin: int,
    end: int,
    sign: float,
    offset: wp.vec3,
    frames: wp.array2d(dtype=wp.mat33),
    frictions: wp.array2d(dtype=vec5),
    contact: int,
    pyramid: int,
    dim: int,
    stride: int,
    place: int,
    vel: wp.array2d(dtype=float),
    row: int,
    w: int,
):
    """Write the columns of the dofs ``chain[begin:end]`` into the contact's rows from ``row`` on.

    ``sign`` is -1 for the first body and +1 for the second. The rows are the ``dim`` axes, or if ``pyramid`` the edges
    ``normal +- friction * axis``; they begin ``stride`` floats apart. Entries of a sparse J begin at ``place`` of
    each row, those of a dense one, ``place`` being -1, stand in the columns of the dofs. The velocities along the ``dim`` axes that these dofs
    cause are stored, those of the second body added, in ``vel`` from ``row`` on.
    """
    ...


@wp.func_native(
    """
    int* columns = (int*)((char*)colind.data + (size_t)w * colind.strides[0]);
    int* counts = (int*)((char*)rownnz.data + (size_t)w * rownnz.strides[0]);
    for (int r = row; r < row + nrow; r++) {
        for (int a = begin; a < end; a++) columns[r * stride + place + a - begin] = chain.data[a];
        counts[r] = place + end - begin;
    }
"""
)
def contact_columns(
    colind: wp.array2d(dtype=int),
    rownnz: wp.array2d(dtype=int),
    chain: wp.array(dtype=int),
    begin: int,
    end: int,
    stride: int,
    place: int,
    row: int,
    nrow: int,
    w: int,
):
    """Columns of what ``contact_jacobian`` wrote to ``nrow`` sparse rows, and the rows' lengths."""
    ...


@wp.func_native(
    """
    float* speed = (float*)((char*)vel.data + (size_t)w * vel.strides[0]) + row;
    const float* friction = (const float*)((const char*)frictions.data + (size_t)w * frictions.strides[0]) + 5 * contact;
    const float normal = speed[0];
    float slope[5];
#pragma unroll
    for (int k = 1; k < 6; k++)
        if (k < dim) slope[k - 1] = friction[k - 1] * speed[k];
#pragma unroll
    for (int k = 1; k < 6; k++) {
        if (k >= dim) continue;
        speed[2 * k - 2] = normal + slope[k - 1];
        speed[2 * k - 1] = normal - slope[k - 1];
    }
"""
)
def edge_velocities(vel: wp.array2d(dtype=float), frictions: wp.array2d(dtype=vec5), contact: int, dim: int, row: int, w: int):
    """Velocities of a pyramidal contact's rows from ``row`` on, from those along its axes, which stand there."""
    ...


@wp.func_native("""
    return ((const float*)((const char*)x.data + (size_t)w * x.strides[0]))[5 * c + k];
""")
def entry_of(x: wp.array2d(dtype=vec5), w: int, c: int, k: int) -> float:
    """Entry ``k`` of a vector in memory: a vector in registers cannot be indexed at run time on a GPU."""
    ...
