"""Poses of Newton's bodies as MuJoCo's kinematics, for collision without a simulation."""

import warp as wp

from newtonish.kernels.bridge.frames import to_wxyz, unit
from newtonish.kernels.math.quat import quat_mul, quat_rotate, quat_to_mat
from newtonish.kernels.math.world import lanes, per_world, sync
from newtonish.kernels.structs.data import Kinematics
from newtonish.kernels.structs.model import Geom, Size


@wp.kernel
def poses_kernel(size: Size, geom: Geom, kin: Kinematics, body_q: wp.array(dtype=wp.transform), body_of: wp.array2d(dtype=wp.int32)):
    """Poses of bodies and geoms of a world; ``body_of``: (nworld, nbody) Newton's bodies, -1 for the world."""
    w, lane = wp.tid()
    for i in range(lane, size.nbody, lanes()):
        b = body_of[w, i]
        pos = wp.vec3(0.0, 0.0, 0.0)
        quat = wp.quat(0.0, 0.0, 0.0, 1.0)
        if b >= 0:
            pos = wp.transform_get_translation(body_q[b])
            quat = unit(wp.transform_get_rotation(body_q[b]))
        kin.xpos[w, i] = pos
        kin.xquat[w, i] = to_wxyz(quat)
    sync()
    for i in range(lane, size.ngeom, lanes()):
        body = geom.bodyid[i]
        turn = kin.xquat[w, body]
        kin.geom_xpos[w, i] = kin.xpos[w, body] + quat_rotate(turn, geom.pos[per_world(geom.pos.shape[0], w), i])
        kin.geom_xmat[w, i] = quat_to_mat(quat_mul(turn, geom.quat[per_world(geom.quat.shape[0], w), i]))
