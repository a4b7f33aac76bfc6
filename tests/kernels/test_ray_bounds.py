"""Bounding spheres that a ray asks 32 at a time: none that it passes is missed, and scenes of more geoms than that are MuJoCo's."""

import mujoco
import numpy as np
import warp as wp

from newtonish import mjw
from newtonish.kernels.sensor.ray_bounds import lowest_bit, near_geoms, without_lowest_bit

NGEOM = 75
RADIUS = np.random.default_rng(3).uniform(0.02, 0.3, (2, NGEOM)).astype(np.float32)
RADIUS[:, [7, 40]] = 0.0  # planes


@wp.kernel
def _near(
    pos: wp.array2d(dtype=wp.vec3), rbound: wp.array2d(dtype=float), origin: wp.array(dtype=wp.vec3), direction: wp.array(dtype=wp.vec3),
    near: wp.array3d(dtype=int),
):  # fmt: skip
    w, r = wp.tid()
    first = wp.int32(0)
    while first < pos.shape[1]:
        bits = near_geoms(pos, rbound, w, w, first, wp.min(pos.shape[1] - first, 32), origin[r], direction[r])
        while bits != 0:
            near[w, r, first + lowest_bit(bits)] = 1
            bits = without_lowest_bit(bits)
        first += 32


def test_every_sphere_on_the_way_is_near(device: str):
    rng = np.random.default_rng(5)
    pos = rng.uniform(-2.0, 2.0, (2, NGEOM, 3)).astype(np.float32)
    pos[1, 50] = np.nan
    origin, direction = rng.uniform(-1.0, 1.0, (2, 40, 3)).astype(np.float32)
    direction[0] = 0.0
    near = wp.zeros((2, 40, NGEOM), dtype=int, device=device)
    rays = [wp.array(values, dtype=wp.vec3, device=device) for values in (origin, direction)]
    wp.launch(_near, (2, 40), inputs=[wp.array(pos, dtype=wp.vec3, device=device), wp.array(RADIUS, device=device), *rays, near], device=device)
    away = pos[:, None].astype(np.float64) - origin[None, :, None]
    v = direction[None, :, None].astype(np.float64)
    along = np.maximum((away * v).sum(axis=-1) / np.maximum((v * v).sum(axis=-1), 1e-30), 0.0)
    gap = np.linalg.norm(away - along[..., None] * v, axis=-1)
    radius, found = RADIUS[:, None], near.numpy() == 1
    unknown = np.isnan(gap) | (radius == 0.0)
    assert found[np.broadcast_to(unknown, found.shape)].all()
    assert found[gap <= radius].all(), "none is missed"
    assert not found[(gap > 1.001 * radius + 1e-4) & ~unknown].any(), "those far away are"


def test_rays_in_a_scene_of_more_than_64_geoms_are_mujocos(device: str):
    rng = np.random.default_rng(7)
    kinds = ("sphere", "box", "capsule", "ellipsoid", "cylinder")
    geoms = "".join(
        f'<body pos="{rng.uniform(-2, 2):.3f} {rng.uniform(-2, 2):.3f} {rng.uniform(0.3, 2):.3f}"><freejoint/>'
        f'<geom type="{kinds[i % 5]}" size=".2 .1 .15" euler="{i * 17} {i * 31} 0"/></body>'
        for i in range(NGEOM)
    )
    xml = f'<mujoco><worldbody><geom type="plane" size="5 5 .1"/>{geoms}</worldbody></mujoco>'
    mjm = mujoco.MjModel.from_xml_string(xml)
    m = mjw.put_model(mjm, device=device)
    d = mjw.make_data(m, nworld=2)
    qpos = np.stack([mjm.qpos0, mjm.qpos0])
    qpos[1, ::7] += 0.15
    d.qpos.assign(qpos.astype(np.float32))
    mjw.kinematics(m, d)
    count, number = 60, wp.full(60, -1, dtype=int, device=device)
    pnt = np.broadcast_to(rng.uniform(-1.5, 1.5, (count, 3)), (2, count, 3)).astype(np.float32)
    vec = np.broadcast_to(rng.normal(size=(count, 3)), (2, count, 3)).astype(np.float32)
    given = [wp.array(values, dtype=wp.vec3, device=device) for values in (pnt, vec)]
    dist, geom, normal = (wp.zeros((2, count), dtype=kind, device=device) for kind in (float, int, wp.vec3))
    mjw.rays(m, d, *given, [1] * 6, True, number, dist, geom, normal)
    mjd, hits = mujoco.MjData(mjm), set()
    for w in range(2):
        mjd.qpos[:] = qpos[w]
        mujoco.mj_kinematics(mjm, mjd)
        for r in range(count):
            found = np.zeros(1, dtype=np.int32)
            expected = mujoco.mj_ray(mjm, mjd, pnt[w, r].astype(float), vec[w, r].astype(float), None, 1, -1, found)
            np.testing.assert_allclose(dist.numpy()[w, r], expected, rtol=1e-4, atol=1e-4)
            assert geom.numpy()[w, r] == found[0]
            hits.add(int(found[0]))
    assert len(hits) > 12 and max(hits) > 64
