"""Jacobian of a contact point in the contact's own axes, one body at a time, as native code.

A dof with motion axis (rotation, translation) about the origin ``o`` moves a point at ``o + offset`` by ``translation
+ rotation x offset`` and turns it by ``rotation``. Both are projected on the contact's normal and tangents, and
combined to the rows of the contact. Called by one lane for one contact; J is that of world ``w``.
"""

import warp as wp

from newtonish.kernels.structs.field import vec5, vec6


@wp.func_native(
    """
    const float* axes = (const float*)((const char*)cdof.data + w * cdof.strides[0]);
    const float* speed = (const float*)((const char*)qvel.data + w * qvel.strides[0]);
    const int width = stride;
    float* A = (float*)((char*)J.data + w * J.strides[0]) + row * width;
    wp::vec_t<6, float> total;
    for (int a = begin; a < end; a++) {
        const int dof = chain.data[a];
        const int i = place < 0 ? dof : place + a - begin;
        const float* s = axes + 6 * dof;
        const float x = sign * (s[3] + s[1] * offset[2] - s[2] * offset[1]);
        const float y = sign * (s[4] + s[2] * offset[0] - s[0] * offset[2]);
        const float z = sign * (s[5] + s[0] * offset[1] - s[1] * offset[0]);
        float u[6];
        u[0] = frame.data[0][0] * x + frame.data[0][1] * y + frame.data[0][2] * z;
        total[0] += u[0] * speed[dof];
        if (dim == 1) {
            A[i] = u[0];
            continue;
        }
        u[1] = frame.data[1][0] * x + frame.data[1][1] * y + frame.data[1][2] * z;
        u[2] = frame.data[2][0] * x + frame.data[2][1] * y + frame.data[2][2] * z;
        total[1] += u[1] * speed[dof];
        total[2] += u[2] * speed[dof];
        if (!pyramid) {
            A[i] = u[0];
            A[width + i] = u[1];
            A[2 * width + i] = u[2];
        } else {
            A[i] = u[0] + friction[0] * u[1];
            A[width + i] = u[0] - friction[0] * u[1];
            A[2 * width + i] = u[0] + friction[1] * u[2];
            A[3 * width + i] = u[0] - friction[1] * u[2];
        }
        for (int k = 3; k < dim; k++) {
            const float* axis = frame.data[k - 3];
            const float turned = sign * (axis[0] * s[0] + axis[1] * s[1] + axis[2] * s[2]);
            total[k] += turned * speed[dof];
            if (!pyramid) A[k * width + i] = turned;
            else {
                A[(2 * k - 2) * width + i] = u[0] + friction[k - 1] * turned;
                A[(2 * k - 1) * width + i] = u[0] - friction[k - 1] * turned;
            }
        }
    }
    return total;
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
    frame: wp.mat33,
    friction: vec5,
    pyramid: int,
    dim: int,
    stride: int,
    place: int,
    row: int,
    w: int,
) -> vec6:
    """Write the columns of the dofs ``chain[begin:end]`` into the contact's rows from ``row`` on.

    ``sign`` is -1 for the first body and +1 for the second. The rows are the ``dim`` axes, or if ``pyramid`` the edges
    ``normal +- friction * axis``; they begin ``stride`` floats apart. Entries of a sparse J begin at ``place`` of
    each row, those of a dense one, ``place`` being -1, stand in the columns of the dofs. Returns the velocity along the axes that these dofs cause.
    """
    ...


@wp.func_native(
    """
    int* columns = (int*)((char*)colind.data + w * colind.strides[0]);
    int* counts = (int*)((char*)rownnz.data + w * rownnz.strides[0]);
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
