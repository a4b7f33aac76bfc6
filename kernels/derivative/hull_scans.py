"""Searches through the faces and vertices of a hull, in float32: few of thousands pass, and are looked at again in float64.

Native, so that a CPU's compiler looks at eight of them at a time.
"""

import warp as wp

from newtonish.kernels.structs.model import Hull

_SCAN = """
    for (; i + 8 <= end; i += 8) {
        int any = 0;
        for (int k = 0; k < 8; k++) any |= passes(i + k);
        if (any)
            for (int k = 0; k < 8; k++)
                if (passes(i + k)) return i + k;
    }
    for (; i < end; i++)
        if (passes(i)) return i;
    return end;
"""


@wp.func_native(
    """
    const float* normal = (const float*)hull.normal.data;
    const float* offset = hull.offset.data;
    const float x = (float)at[0], y = (float)at[1], z = (float)at[2];
    const float u = (float)outward[0], v = (float)outward[1], w = (float)outward[2];
    auto passes = [&](int face) {
        const float* n = normal + 3 * (size_t)face;
        const float above = n[0] * x + n[1] * y + n[2] * z - offset[face];
        const float alike = n[0] * u + n[1] * v + n[2] * w;
        return (alike > -1.0e-6f) & (above < near) & (above > -near);
    };
"""
    + _SCAN
)
def next_face(hull: wp.ref[Hull], i: int, end: int, at: wp.vec3d, outward: wp.vec3d, near: float) -> int:
    """The first face from ``i`` on that looks along ``outward`` and has a point in its plane, or ``end``; all in the hull's frame."""
    ...


@wp.func_native(
    """
    const float* vert = (const float*)hull.vert.data;
    const float x = (float)direction[0], y = (float)direction[1], z = (float)direction[2];
    auto passes = [&](int vertex) {
        const float* p = vert + 3 * (size_t)vertex;
        return p[0] * x + p[1] * y + p[2] * z > height;
    };
"""
    + _SCAN
)
def next_vertex(hull: wp.ref[Hull], i: int, end: int, direction: wp.vec3d, height: float) -> int:
    """The first vertex from ``i`` on that is higher along ``direction``, or ``end``; of all hulls' vertices, in the hull's frame."""
    ...
