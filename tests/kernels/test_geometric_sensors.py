"""Cameras, rays against all shapes, and distances between geoms, against MuJoCo in unequal worlds."""

import mujoco
import numpy as np
import oracle
import pytest
import warp as wp
from plans import launched
from sensor_oracle import compare_sensors, outputs

from newtonish import ModelError, mjw

TETRA = '<mesh name="t" vertex="0 0 0 1 0 0 0 1 0 0 0 1" scale=".4 .4 .4"/>'
# not convex: a ray must meet the notch, not the hull
NOTCH = (
    '<mesh name="notch" vertex="-.3 -.3 -.3  .3 -.3 -.3  .3 .3 -.3  -.3 .3 -.3  -.3 -.3 .3  .3 -.3 .3  .3 .3 .3  -.3 .3 .3  0 0 0" '
    'face="0 2 1  0 3 2  0 1 5  0 5 4  1 2 6  1 6 5  2 3 7  2 7 6  3 0 4  3 4 7  4 5 8  5 6 8  6 7 8  7 4 8"/>'
)
HILL = '<hfield name="h" nrow="4" ncol="5" elevation="0 1 0 1 .5 1 0 1 0 0 1 .3 .2 0 1 .1 1 0 .4 1" size="1 .8 .3 .1"/>'
SHAPES = {
    "sphere": 'type="sphere" size=".2"', "capsule": 'type="capsule" size=".1 .2"', "ellipsoid": 'type="ellipsoid" size=".1 .2 .3"',
    "cylinder": 'type="cylinder" size=".1 .2"', "box": 'type="box" size=".1 .2 .3"', "mesh": 'type="mesh" mesh="t"',
}  # fmt: skip
PARTS = "dist dir origin point normal depth"
CAMERAS = f"""<mujoco><asset>{TETRA}</asset><worldbody><light name="l" pos="0 0 3" dir="0 .1 -2"/>
<camera name="flat" projection="orthographic" fovy="1.5" resolution="6 3" pos="0 0 3"/>
<camera name="lens" resolution="7 6" sensorsize=".036 .024" focal=".09 .1" principal=".016 .011" pos="0 0 3" euler="1 -2 7"/>
<geom type="plane" size="2 2 1" pos="0 0 -.4" euler="3 0 0"/>
<body name="far" pos=".5 .4 .8"><joint type="slide" axis="1 0 .3"/><geom type="capsule" size=".1 .2" euler="40 0 0"/></body>
<body name="b" pos=".1 .2 .3" euler="10 20 30"><freejoint/><geom type="mesh" mesh="t"/><site name="s" pos="0 0 .6"/>
<light mode="targetbody" target="far"/><light mode="track" pos="1 0 0"/><light mode="trackcom" pos="0 0 1"/><light pos="0 0 1"/>
<light mode="targetbodycom" target="b" pos="0 1 1"/>
<body pos="0 .3 0"><joint axis="1 0 0"/><geom type="box" size=".1 .1 .1"/><camera name="fixed" resolution="4 4" fovy="60" pos=".2 -.3 .5" euler="20 0 4"/>
<camera name="aim" mode="targetbody" target="far" pos=".3 .3 .3" resolution="3 2"/><camera name="aimcom" mode="targetbodycom" target="b" pos=".4 .5 .6"/>
<camera name="track" mode="track" pos=".1 0 .4"/><camera name="trackcom" mode="trackcom" pos=".2 .1 .5"/></body></body></worldbody>
<sensor>{"".join(f'<rangefinder camera="{c}" data="{PARTS}"/>' for c in ("flat", "lens", "fixed", "aim"))}
<rangefinder camera="lens" data="dist dir" cutoff="3"/><rangefinder site="s"/>
{"".join(f'<camprojection site="s" camera="{c}"/>' for c in ("flat", "lens", "fixed", "aim"))}
{"".join(f'<framepos objtype="camera" objname="{c}"/><framequat objtype="camera" objname="{c}"/><frameyaxis objtype="camera" objname="{c}"/><framelinvel objtype="camera" objname="{c}" reftype="camera" refname="fixed"/><frameangvel objtype="camera" objname="{c}"/><framelinacc objtype="camera" objname="{c}"/><framepos objtype="site" objname="s" reftype="camera" refname="{c}"/>' for c in ("fixed", "aim", "aimcom", "track", "trackcom"))}
<insidesite objtype="camera" objname="fixed" site="s"/></sensor></mujoco>"""


def test_cameras_of_every_mode(device):
    pair = oracle.from_model(mujoco.MjModel.from_xml_string(CAMERAS), nworld=3, device=device)
    met = np.zeros(4, dtype=int)
    for steps in (0, 5, 20):
        oracle.advance(pair, steps)
        oracle.forward(pair)
        oracle.compare_arrays(pair, ("cam_xpos", "cam_xmat"), oracle.SMOOTH)
        compare_sensors(pair)
        pair.d.cam_xpos.zero_()
        mjw.camlight(pair.m, pair.d)
        oracle.compare_arrays(pair, ("cam_xpos", "light_xpos", "light_xdir"), oracle.SMOOTH)
        for world in range(3):
            met += [int((theirs.reshape(-1, 14)[:, 0] > 0).sum()) for _, _, theirs in list(outputs(pair, world))[:4]]
    assert np.all(met > 0)


def test_a_model_whose_sensors_use_no_camera_moves_none(device):
    text = '<mujoco><worldbody><camera/><light/><body><freejoint/><geom size=".1"/></body></worldbody><sensor><clock/></sensor></mujoco>'
    m = mjw.put_model(mujoco.MjModel.from_xml_string(text), device=device)
    assert m.cam.number == 1 and m.cam.needed == 0
    names = launched(m, mjw.make_data(m))
    assert "fused.sensor" in names and not {"smooth.camlight", "sensor.rangefinder", "sensor.distance"} & set(names)


@pytest.mark.parametrize("before", [True, False], ids=["read before", "read after"])
def test_who_reads_where_cameras_are_finds_them_where_bodies_are(before, device):
    """Without a sensor, and without calling camlight; in an array that is kept and in graphs, too."""
    pair = oracle.from_model(mujoco.MjModel.from_xml_string(CAMERAS.partition("<sensor>")[0] + "</mujoco>"), nworld=3, device=device)
    assert pair.m.cam.needed == 0
    names = ("cam_xpos", "cam_xmat", "light_xpos", "light_xdir")
    kept = {name: getattr(pair.d, name) for name in names} if before else {}
    for steps in (0, 4):
        oracle.advance(pair, steps)
        oracle.forward(pair)
        oracle.compare_arrays(pair, names, oracle.SMOOTH)
        for name, array in kept.items():
            assert array.ptr == getattr(pair.d, name).ptr
    array = pair.d.cam_xpos
    mjw.step(pair.m, pair.d)
    with wp.ScopedCapture(device=device) as capture:
        mjw.step(pair.m, pair.d)
    for moved in (lambda: mjw.step(pair.m, pair.d), lambda: wp.capture_launch(capture.graph)):
        last = array.numpy().copy()
        moved()
        assert np.abs(array.numpy() - last).max(axis=(1, 2)).min() > 1e-5


def test_rays_of_each_world_differ_with_its_camera(device):
    pair = oracle.from_model(mujoco.MjModel.from_xml_string(CAMERAS), nworld=3, device=device)
    fovy = np.stack([pair.mjm.cam_fovy * s for s in (1.0, 0.8, 1.2)])
    pair.m.cam_fovy = fovy.astype(np.float32)
    mjw.forward(pair.m, pair.d)
    for world, mjd in enumerate(pair.mjds):
        pair.mjm.cam_fovy[:] = fovy[world]
        mujoco.mj_forward(pair.mjm, mjd)
    compare_sensors(pair)


def distance_model(cutoff: float, offset: float = 0.0) -> mujoco.MjModel:
    """Every shape with every other and with a plane, in both orders."""
    bodies = "".join(
        f'<body name="{n}{k}" pos="{i} {k} 1"><freejoint/><geom name="{n}{k}" {shape} contype="0" conaffinity="0"/></body>'
        for i, (n, shape) in enumerate(SHAPES.items())
        for k in (1, 2)
    )
    ends = [(f"{a}1", f"{b}2") for a in SHAPES for b in SHAPES]
    ends += [("floor", f"{a}1") for a in SHAPES] + [(f"{a}1", "floor") for a in SHAPES]
    sensors = "".join(f'<{kind} geom1="{a}" geom2="{b}" cutoff="{cutoff}"/>' for a, b in ends for kind in ("distance", "normal", "fromto"))
    floor = '<geom name="floor" type="plane" size="0 0 1" pos="0 0 -1" euler="5 3 0" contype="0" conaffinity="0"/>'
    text = f"<mujoco><asset>{TETRA}</asset><worldbody>{floor}{bodies}</worldbody><sensor>{sensors}</sensor></mujoco>"
    return mujoco.MjModel.from_xml_string(text)


def scattered(pair: oracle.Pair, extent: float, seed: int) -> None:
    """Free bodies anywhere within a cube, in any orientation."""
    rng = np.random.default_rng(seed)
    for mjd in pair.mjds:
        poses = mjd.qpos.reshape(-1, 7)
        poses[:, :3] = rng.uniform(-extent, extent, (len(poses), 3))
        poses[:, 3:] = rng.standard_normal((len(poses), 4))
        poses[:, 3:] /= np.linalg.norm(poses[:, 3:], axis=1, keepdims=True)
    oracle.push(pair)


def gaps(pair: oracle.Pair):
    """World, distance, normal and end points of every group of three sensors, ours and MuJoCo's."""
    ours = pair.d.sensordata.numpy().reshape(pair.nworld, -1, 10)
    for world, mjd in enumerate(pair.mjds):
        for mine, other in zip(ours[world], mjd.sensordata.reshape(-1, 10)):
            yield world, mine, other


def test_distances_of_all_shapes(device):
    pair = oracle.from_model(distance_model(3.0), nworld=4, device=device)
    scattered(pair, 0.7, seed=2)
    oracle.forward(pair)
    apart, deep = 0, 0
    for world, mine, other in gaps(pair):
        if other[0] > 0:
            apart += 1
            oracle.close("distance", mine[:1], other[:1], oracle.SMOOTH, world)
            # closest points of smooth shapes are as uncertain as the root of the distance's rounding
            oracle.close("normal and segment", mine[1:], other[1:], 2e-3, world)
        else:
            deep += 1
            oracle.close("depth", mine[:1], other[:1], 1e-3, world)
            segment = mine[7:] - mine[4:7]
            oracle.close("segment", np.linalg.norm(segment), -mine[0], oracle.SMOOTH, world)
            oracle.close("normal", mine[1:4], segment / np.linalg.norm(segment), oracle.SMOOTH, world)
    assert apart > 60 and deep > 8


def test_beyond_the_cutoff_the_distance_is_the_cutoff(device):
    for cutoff in (0.0, 0.3):
        pair = oracle.from_model(distance_model(cutoff), nworld=3, device=device)
        scattered(pair, 0.9, seed=4)
        oracle.forward(pair)
        far = [(mine, other) for _, mine, other in gaps(pair) if other[0] == cutoff]
        assert len(far) > 20
        for mine, other in far:
            assert mine[0] == np.float32(cutoff) and not mine[1:].any() and not other[1:].any()
        assert all(mine[0] < cutoff for _, mine, other in gaps(pair) if other[0] < cutoff - 1e-4)


def touching(first: str, second: str, base: float, gap: float, count: int = 24) -> tuple[mujoco.MjModel, np.ndarray]:
    """Two free geoms in random poses around ``base``, ``gap`` apart or, if negative, as deep in each other; positions as float32."""
    rng = np.random.default_rng(5)
    bodies = "".join(f'<body><freejoint/><geom name="{n}" {SHAPES[s]}/></body>' for n, s in (("a", first), ("b", second)))
    sensors = '<distance geom1="a" geom2="b" cutoff="3"/><normal geom1="a" geom2="b" cutoff="3"/><normal geom1="b" geom2="a" cutoff="3"/>'
    mjm = mujoco.MjModel.from_xml_string(f"<mujoco><asset>{TETRA}</asset><worldbody>{bodies}</worldbody><sensor>{sensors}</sensor></mujoco>")
    mjd, poses = mujoco.MjData(mjm), np.zeros((count, 14))
    for qpos in poses:
        qpos[:] = rng.standard_normal(14)
        qpos[:3] = base
        qpos[7:10] = base + rng.uniform(0.6, 0.8) * qpos[7:10] / np.linalg.norm(qpos[7:10])
        for _ in range(3):
            mjd.qpos[:] = qpos
            mujoco.mj_forward(mjm, mjd)
            qpos[7:10] -= (mjd.sensordata[0] - gap) * mjd.sensordata[1:4] * np.sign(mjd.sensordata[0])
    return mjm, poses.astype(np.float32).astype(float)


@pytest.mark.parametrize("base", [0.0, 1.0, 10.0])
@pytest.mark.parametrize(("first", "second"), [("sphere", "sphere"), ("sphere", "capsule"), ("sphere", "box"), ("capsule", "capsule"), ("sphere", "cylinder")])
def test_normals_of_what_hardly_touches(first, second, base, device):
    for gap in (1e-6, 1e-5, 1e-4, 1e-3, -1e-5, -1e-3):
        mjm, poses = touching(first, second, base, gap)
        pair = oracle.from_model(mjm, nworld=len(poses), device=device)
        for mjd, qpos in zip(pair.mjds, poses, strict=True):
            mjd.qpos[:], mjd.qvel[:] = qpos, 0.0
        oracle.push(pair)
        oracle.forward(pair)
        for world, (mine, mjd) in enumerate(zip(pair.d.sensordata.numpy(), pair.mjds, strict=True)):
            other = mjd.sensordata
            oracle.close("distance", mine[:1], other[:1], 1e-6 * max(1.0, base), world)
            clear = abs(other[0]) > 2e-6 * max(1.0, base)  # else rounding may see them on the other side of touching
            sign = 1.0 if clear else np.sign(mine[1:4] @ other[1:4])
            oracle.close(f"normal, {gap} m apart", sign * mine[1:], other[1:], 2e-5 * max(1.0, base), world)


def test_distances_of_capsules_that_lie_on_caps(device):
    """They touch a cap in two points or a line, of which a distance is not the more telling one."""
    text = """<mujoco><worldbody><body name="cylinder"><freejoint/><geom name="a" type="cylinder" size=".12 .2"/></body>
      <body><freejoint/><geom name="b" type="capsule" size=".07 .15"/></body></worldbody>
      <sensor><distance geom1="a" geom2="b" cutoff="2"/><fromto geom1="b" geom2="a" cutoff="2"/></sensor></mujoco>"""
    mjm = mujoco.MjModel.from_xml_string(text)
    pair = oracle.from_model(mjm, nworld=96, device=device)
    rng = np.random.default_rng(8)
    for world, mjd in enumerate(pair.mjds):
        lying = np.array([np.cos(a := 0.5 * (0.5 * np.pi + rng.uniform(-0.08, 0.08))), 0.0, np.sin(a), 0.0])
        place = np.array([rng.uniform(-0.35, 0.35), rng.uniform(-0.12, 0.12), 0.2 + 0.07 + 10 ** rng.uniform(-3, -0.5)])
        turn = rng.standard_normal(4)
        turn /= np.linalg.norm(turn)
        mujoco.mju_rotVecQuat(mjd.qpos[7:10], place, turn)
        mujoco.mju_mulQuat(mjd.qpos[10:14], turn, lying)
        mjd.qpos[:7] = 0.0, 0.0, 0.0, *turn
        mjd.qpos[[0, 7]] += 0.1 * world
    oracle.push(pair)
    oracle.forward(pair)
    for world, (mine, mjd) in enumerate(zip(pair.d.sensordata.numpy(), pair.mjds, strict=True)):
        oracle.close("distance", mine[:1], mjd.sensordata[:1], 1e-5, world)
        oracle.close("length of the segment", np.linalg.norm(mine[1:4] - mine[4:]), abs(mjd.sensordata[0]), 1e-5, world)


BODIES = """<mujoco><worldbody><body name="a" pos="0 0 1"><freejoint/><geom size=".1"/><geom type="box" size=".1 .1 .1" pos=".3 0 0"/></body>
<body name="b" pos="1 0 1"><freejoint/><geom type="capsule" size=".1 .2"/><geom name="tip" type="cylinder" size=".1 .1" pos="0 .3 0"/></body>
<body name="none" pos="0 1 0"><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body></worldbody>
<sensor><distance body1="a" body2="b" cutoff="9"/><fromto body1="a" geom2="tip" cutoff="9"/><normal geom1="tip" body2="a" cutoff="9"/>
<distance body1="a" body2="b" cutoff="8"/><distance body1="a" body2="none" cutoff="7"/><fromto body1="b" body2="a" cutoff="9"/></sensor></mujoco>"""


def test_distances_of_bodies(device):
    pair = oracle.from_model(mujoco.MjModel.from_xml_string(BODIES), nworld=3, device=device)
    for steps in (0, 50):
        oracle.advance(pair, steps)
        oracle.forward(pair)
        compare_sensors(pair)
    assert pair.d.sensordata.numpy()[0, -7] == 7.0


def ray_world(seed: int, count: int) -> mujoco.MjModel:
    """Shapes of all kinds in two groups, static and moving, some invisible."""
    rng = np.random.default_rng(seed)
    parts = []
    for i, shape in enumerate([*SHAPES.values(), 'type="mesh" mesh="notch"', 'type="hfield" hfield="h"', 'type="plane" size=".5 .5 1"'] * count):
        pos, euler = (" ".join(f"{x:.6f}" for x in rng.uniform(-s, s, 3)) for s in (1.5, 180))
        alpha = 0 if i % 11 == 10 else 1
        geom = f'<geom {shape} group="{i % 3 if i % 7 else 5}" rgba="1 0 0 {alpha}" contype="0" conaffinity="0"/>'
        joint = "<freejoint/>" if i % 2 and "plane" not in shape and "hfield" not in shape else ""
        parts.append(f'<body pos="{pos}" euler="{euler}">{joint}{geom}</body>')
    return mujoco.MjModel.from_xml_string(f"<mujoco><asset>{TETRA}{NOTCH}{HILL}</asset><worldbody>{''.join(parts)}</worldbody></mujoco>")


@pytest.mark.parametrize("groups, static, exclude", [(None, True, -1), ((1, 0, 1, 0, 0, 0), True, -1), (None, False, 4), ((0, 1, 1, 1, 1, 1), False, -1)])
def test_rays_meet_what_those_of_mujoco_meet(groups, static, exclude, device):
    pair = oracle.from_model(ray_world(1, 3), nworld=3, device=device)
    oracle.forward(pair)
    rng = np.random.default_rng(7)
    count = 60
    pnt = rng.uniform(-2, 2, (3, count, 3)).astype(np.float32)
    aims = rng.integers(0, pair.mjm.ngeom, count)  # towards the geoms, past some of them
    vec = np.stack([mjd.geom_xpos[aims] for mjd in pair.mjds]) + 0.3 * rng.standard_normal((3, count, 3)) - pnt
    vec = vec.astype(np.float32)
    wanted = np.full(6, -1.0) if groups is None else np.array(groups, dtype=float)
    dist, geomid, normal = (wp.zeros((3, count), dtype=t, device=device) for t in (wp.float32, wp.int32, wp.vec3))
    starts, directions = (wp.array(a, dtype=wp.vec3, device=device) for a in (pnt, vec))
    excluded = wp.full(count, exclude, dtype=wp.int32, device=device)
    mjw.rays(pair.m, pair.d, starts, directions, wanted, static, excluded, dist, geomid, normal)
    hits = 0
    for world, mjd in enumerate(pair.mjds):
        for r in range(count):
            found, outward = np.zeros(1, np.int32), np.zeros(3)
            mask = None if groups is None else wanted.astype(np.uint8)
            far = mujoco.mj_ray(pair.mjm, mjd, pnt[world, r].astype(float), vec[world, r].astype(float), mask, static, exclude, found, outward)
            assert geomid.numpy()[world, r] == found[0]
            oracle.close("ray", dist.numpy()[world, r], far, oracle.SMOOTH, world)
            oracle.close("normal", normal.numpy()[world, r], outward, oracle.ROWS, world)
            hits += found[0] >= 0
    assert hits > 8


def test_one_ray_in_each_world(device):
    pair = oracle.from_model(ray_world(1, 3), nworld=3, device=device)
    oracle.forward(pair)
    down = wp.array([[[0.0, 0.0, -2.0]]], dtype=wp.vec3, device=device)
    above = np.stack([mjd.geom_xpos[0] + [0.05, 0.05, 3.0] for mjd in pair.mjds])[:, None]
    start = wp.array(above.astype(np.float32), dtype=wp.vec3, device=device)
    dist, geomid, normal = mjw.ray(pair.m, pair.d, start, wp.array(np.repeat(down.numpy(), 3, axis=0), dtype=wp.vec3, device=device))
    for world, mjd in enumerate(pair.mjds):
        found = np.zeros(1, np.int32)
        far = mujoco.mj_ray(pair.mjm, mjd, above[world, 0], np.array([0.0, 0.0, -2.0]), None, True, -1, found)
        assert geomid.numpy()[world, 0] == found[0] >= 0
        oracle.close("ray", dist.numpy()[world, 0], far, oracle.SMOOTH, world)
    assert normal.shape == (3, 1)


@pytest.mark.parametrize("nworld", (1, 5))
def test_rays_do_not_depend_on_the_number_of_threads(nworld, device):
    """Shared out by rays in one world, by worlds in five."""
    pair = oracle.from_model(ray_world(1, 3), nworld=nworld, device=device)
    mjw.kinematics(pair.m, pair.d)
    rng = np.random.default_rng(2)
    pnt, vec = (wp.array(rng.uniform(-2, 2, (nworld, 301, 3)).astype(np.float32), dtype=wp.vec3, device=device) for _ in range(2))
    exclude = wp.array(rng.integers(-1, 5, 301), dtype=wp.int32, device=device)
    results = []
    try:
        for threads in (1, 2, 4):
            mjw.set_num_threads(threads)
            out = [wp.full((nworld, 301), value=t(-7), dtype=t, device=device) for t in (wp.float32, wp.int32, wp.vec3)]
            mjw.rays(pair.m, pair.d, pnt, vec, (-1,) * 6, True, exclude, *out)
            results.append([a.numpy() for a in out])
    finally:
        mjw.set_num_threads(None)
    assert (results[0][1] >= 0).sum() > 5 * nworld and results[0][1].min() == -1
    for other in results[1:]:
        assert all(np.array_equal(a, b) for a, b in zip(results[0], other))


def test_rays_are_captured_after_a_first_call(device):
    pair = oracle.from_model(ray_world(1, 2), nworld=2, device=device)
    mjw.forward(pair.m, pair.d)
    pnt = wp.array([[[0.1, 0.2, 3.0], [0.0, 0.0, 3.0]]], dtype=wp.vec3, device=device)
    vec = wp.array([[[0.0, 0.0, -1.0], [0.1, 0.0, -1.0]]], dtype=wp.vec3, device=device)
    exclude = wp.full(2, -1, dtype=wp.int32, device=device)
    out = [wp.zeros((2, 2), dtype=t, device=device) for t in (wp.float32, wp.int32, wp.vec3)]
    with wp.ScopedCapture(device=device) as early, pytest.raises(ModelError, match="before"):
        mjw.rays(pair.m, pair.d, pnt, vec, (-1,) * 6, True, exclude, *out)
    del early
    mjw.rays(pair.m, pair.d, pnt, vec, (-1,) * 6, True, exclude, *out)
    first = [a.numpy().copy() for a in out]
    with wp.ScopedCapture(device=device) as capture:
        mjw.rays(pair.m, pair.d, pnt, vec, (-1,) * 6, True, exclude, *out)
    for a in out:
        a.zero_()
    wp.capture_launch(capture.graph)
    assert all(np.array_equal(a, b.numpy()) for a, b in zip(first, out))


@pytest.mark.parametrize(
    "wrong, message",
    [({"groups": (1, 1)}, "geomgroup: got 2 numbers"), ({"vec": (2, 3)}, "rays: vec"), ({"exclude": (2,)}, "bodyexclude"), ({"dist": (1, 1)}, "rays: dist")],
)
def test_arrays_that_do_not_fit_are_named(wrong, message):
    m = mjw.put_model(ray_world(1, 1))
    d = mjw.make_data(m, 3)
    pnt = wp.zeros((1, 1), dtype=wp.vec3)
    vec = wp.zeros(wrong.get("vec", (1, 1)), dtype=wp.vec3)
    exclude = wp.zeros(wrong.get("exclude", (1,)), dtype=wp.int32)
    dist = wp.zeros(wrong.get("dist", (3, 1)), dtype=wp.float32)
    others = wp.zeros((3, 1), dtype=wp.int32), wp.zeros((3, 1), dtype=wp.vec3)
    with pytest.raises(ModelError, match=message):
        mjw.rays(m, d, pnt, vec, wrong.get("groups", (-1,) * 6), True, exclude, dist, *others)


VOLUMES = {
    "sphere": 'type="sphere" size=".5"', "capsule": 'type="capsule" size=".4 .5"', "cylinder": 'type="cylinder" size=".4 .5"',
    "ellipsoid": 'type="ellipsoid" size=".4 .5 .6"', "box": 'type="box" size=".5 .4 .3"', "mesh": 'type="mesh" mesh="notch"',
}  # fmt: skip


def enclosure(enclosed: bool) -> mujoco.MjModel:
    """Every shape, a body and a subtree in every volume."""
    bodies = "".join(
        f'<body name="{n}"><freejoint/><geom name="{n}" {shape} contype="0" conaffinity="0"/><site name="{n}" {shape}/></body>' for n, shape in SHAPES.items()
    )
    bodies += '<body name="two"><freejoint/><geom size=".1"/><geom type="box" size=".1 .1 .2" pos=".2 0 0"/><body name="child" pos="0 0 .3"><geom size=".05" pos="0 .2 0"/></body></body>'
    sites = "".join(f'<site name="v{n}" {shape} pos=".1 0 0" euler="10 20 30"/>' for n, shape in VOLUMES.items())
    objects = [("geom", n) for n in SHAPES] + [("site", n) for n in SHAPES] + [("body", "two"), ("xbody", "two")]
    word = 'enclosed="true"' if enclosed else ""
    sensors = "".join(f'<insidesite site="v{v}" objtype="{kind}" objname="{name}" {word}/>' for v in VOLUMES for kind, name in objects)
    text = f"<mujoco><asset>{TETRA}{NOTCH}</asset><worldbody>{sites}{bodies}</worldbody><sensor>{sensors}</sensor></mujoco>"
    return mujoco.MjModel.from_xml_string(text)


@pytest.mark.parametrize("extent", [0.3, 0.8])
def test_how_far_shapes_jut_out_of_sites(extent, device):
    pair = oracle.from_model(enclosure(True), nworld=4, device=device)
    scattered(pair, extent, seed=5)
    oracle.forward(pair)
    ours = pair.d.sensordata.numpy()
    theirs = np.stack([mjd.sensordata for mjd in pair.mjds])
    # MuJoCo's search ends at a point of the shape too, now and then at one that is not the farthest
    assert np.all(ours >= theirs - 2e-4)
    assert np.mean(np.abs(ours - theirs) <= 2e-4) > 0.9
    for world, s in np.argwhere(ours > theirs + 2e-4):
        if pair.mjm.sensor_objtype[s] == mujoco.mjtObj.mjOBJ_GEOM:
            least = sampled_protrusion(pair.mjm, pair.mjds[world], int(s))
            assert least - 1e-5 <= ours[world, s] <= least + 0.02 and least > theirs[world, s]


def extent_along(mjm: mujoco.MjModel, kind: int, size: np.ndarray, mesh: int, axes: np.ndarray) -> np.ndarray:
    """How far a shape reaches along directions (n, 3) in its frame."""
    if kind == mujoco.mjtGeom.mjGEOM_MESH:
        first = mjm.mesh_vertadr[mesh]
        return (axes @ mjm.mesh_vert[first : first + mjm.mesh_vertnum[mesh]].T).max(axis=1)
    round_part, flat_part = np.hypot(axes[:, 0], axes[:, 1]) * size[0], np.abs(axes[:, 2]) * size[1]
    return {
        mujoco.mjtGeom.mjGEOM_SPHERE: lambda: np.full(len(axes), size[0]),
        mujoco.mjtGeom.mjGEOM_CAPSULE: lambda: size[0] + flat_part,
        mujoco.mjtGeom.mjGEOM_ELLIPSOID: lambda: np.linalg.norm(axes * size, axis=1),
        mujoco.mjtGeom.mjGEOM_CYLINDER: lambda: round_part + flat_part,
        mujoco.mjtGeom.mjGEOM_BOX: lambda: np.abs(axes) @ size,
    }[mujoco.mjtGeom(kind)]()


def sampled_protrusion(mjm: mujoco.MjModel, mjd: mujoco.MjData, s: int) -> float:
    """The largest difference of two shapes' extents over many directions: a lower bound of how far one juts out."""
    g, i = mjm.sensor_objid[s], mjm.sensor_refid[s]
    axes = np.random.default_rng(0).standard_normal((40000, 3))
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    pos, mat, mesh = mjd.site_xpos[i], mjd.site_xmat[i].reshape(3, 3), mjm.site_dataid[i]
    if mesh >= 0:
        turn = np.zeros(9)
        mujoco.mju_quat2Mat(turn, mjm.mesh_quat[mesh])
        pos, mat = pos + mat @ mjm.mesh_pos[mesh], mat @ turn.reshape(3, 3)
    shape = extent_along(mjm, mjm.geom_type[g], mjm.geom_size[g], mjm.geom_dataid[g], axes @ mjd.geom_xmat[g].reshape(3, 3))
    volume = extent_along(mjm, mjm.site_type[i], mjm.site_size[i], mesh, axes @ mat)
    return float((shape + axes @ (mjd.geom_xpos[g] - pos) - volume).max())


def test_whether_origins_lie_in_sites(device):
    pair = oracle.from_model(enclosure(False), nworld=4, device=device)
    scattered(pair, 0.5, seed=6)
    oracle.forward(pair)
    compare_sensors(pair)
    share = pair.d.sensordata.numpy().mean()
    assert 0.2 < share < 0.8
