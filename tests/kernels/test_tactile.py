"""Tactile sensors against MuJoCo: every shape that may press on a pad, in unequal worlds, through both entrances."""

import mujoco
import numpy as np
import oracle
import pytest
from sensor_oracle import outputs

from newtonish import ModelBuilder, UnsupportedError, mjw
from newtonish.errors import ImporterError
from newtonish.solvers import SolverMuJoCo

PLATE = '<mesh name="pad" builtin="plate" params="7 5" scale=".2 .15 .02"/>'
WEDGE = '<mesh name="pad" builtin="wedge" params="5 6 60 40 .6" scale=".2 .2 .2"/>'
PLAIN = '<mesh name="pad" vertex="-.2 -.1 -.02 .2 -.1 -.02 -.2 .15 -.02 .2 .15 -.02 0 0 -.01 .05 .1 -.02"/>'
PRESSING = {
    "plane": '<geom type="plane" size="2 2 .1" pos="0 0 -.01" euler="3 -2 0"/>',
    "sphere": 'type="sphere" size=".3"',
    "capsule": 'type="capsule" size=".12 .2" euler="80 10 0"',
    "ellipsoid": 'type="ellipsoid" size=".3 .25 .2"',
    "cylinder": 'type="cylinder" size=".1 .3" euler="85 20 0"',
    "box": 'type="box" size=".25 .2 .15" euler="10 4 30"',
}
DEEP = {"sphere": 0.25, "capsule": 0.09, "ellipsoid": 0.17, "cylinder": 0.06, "box": 0.12}


def scene(pressing: str, mesh: str = PLATE, sensor: str = "") -> str:
    """A pad with a mesh, held by a weld body, and what presses on it from below."""
    other = PRESSING[pressing]
    if pressing != "plane":
        other = f'<body name="other" pos=".03 .02 {-DEEP[pressing] - 0.02}"><freejoint/><geom {other}/></body>'
    return f"""<mujoco><asset>{mesh}</asset><option gravity="0 0 0"/><worldbody>{other}
        <body name="arm"><freejoint/><inertial mass="1" pos=".1 0 .2" diaginertia=".1 .2 .15"/><geom type="box" size=".2 .15 .02" pos="0 0 .01"/>
        <body name="skin" pos="0 0 .001"><geom name="skin" type="mesh" mesh="pad" mass="0" contype="0" conaffinity="0"/><geom size=".001" pos="0 0 .09"/></body>
        <geom type="sphere" size=".05" pos="0 0 .01"/></body></worldbody>
        <sensor><tactile name="t" geom="skin" mesh="pad"/><clock/><tactile geom="skin" mesh="pad" cutoff=".02"/>{sensor}</sensor></mujoco>"""


def felt(pair: oracle.Pair) -> np.ndarray:
    """Compare all sensors; returns the largest depth and speeds that MuJoCo saw in any world."""
    most = np.zeros(3)
    for world in range(pair.nworld):
        for name, ours, theirs in outputs(pair, world):
            oracle.close(name, ours, theirs, 1e-4, world)
        number = int(pair.mjm.sensor_dim[0])
        most = np.maximum(most, pair.mjds[world].sensordata[:number].reshape(3, -1).max(axis=1))
    return most


@pytest.mark.parametrize("pressing", PRESSING)
def test_depth_and_sliding_of_every_shape(pressing: str, device) -> None:
    pair = oracle.from_model(mujoco.MjModel.from_xml_string(scene(pressing)), nworld=3, device=device)
    rng = np.random.default_rng(5)
    for mjd in pair.mjds:
        mjd.qpos[:], mjd.qvel[:] = pair.mjm.qpos0, 0.5 * rng.standard_normal(pair.mjm.nv)
        mujoco.mj_integratePos(pair.mjm, mjd.qpos, 0.01 * rng.standard_normal(pair.mjm.nv), 1.0)
    oracle.push(pair)
    oracle.forward(pair)
    most = felt(pair)
    assert np.all(most > 1e-3), most
    assert most[1] > 0.02  # the second sensor is cut off


@pytest.mark.parametrize("mesh", [WEDGE, PLAIN])
def test_other_meshes(mesh: str, device) -> None:
    pair = oracle.from_model(mujoco.MjModel.from_xml_string(scene("sphere", mesh)), nworld=2, device=device)
    oracle.advance(pair, 2)
    oracle.forward(pair)
    most = felt(pair)
    assert most[0] > 1e-3 and (most[1] > 0.0) == (mesh == WEDGE)


@pytest.mark.parametrize("mesh", [PLATE, WEDGE, PLAIN])
def test_our_importer_and_the_solver_see_the_same(mesh: str, device) -> None:
    text = scene("capsule", mesh)
    mjm = mujoco.MjModel.from_xml_string(text)
    m, d = mjw.load(text, nworld=2, strict=True, device=device)
    mjd = mujoco.MjData(mjm)
    mjd.qvel[:] = np.linspace(-0.6, 0.7, mjm.nv)
    mujoco.mj_forward(mjm, mjd)
    d.qvel = np.tile(mjd.qvel, (2, 1)).astype(np.float32)
    mjw.forward(m, d)
    assert mjd.sensordata[: mjm.sensor_dim[0]].max() > 0.01
    for world in range(2):
        oracle.close("sensordata", d.sensordata.numpy()[world], mjd.sensordata, 1e-4, world)
    builder = ModelBuilder()
    builder.add_mjcf(text)
    solver = SolverMuJoCo(builder.finalize(device=device))
    assert np.array_equal(solver.mjw_model.tactile_pos.numpy(), m.tactile_pos.numpy())


@pytest.mark.parametrize("params", ["4 3", "4 0", "2.5 3", ""])
def test_a_plate_that_cannot_be_is_refused(params: str) -> None:
    if params == "4 3":
        ModelBuilder().add_mjcf(scene("sphere", PLATE.replace("7 5", params)))
        return
    with pytest.raises(ImporterError, match="mesh 'pad': got"):
        ModelBuilder().add_mjcf(scene("sphere", PLATE.replace("7 5", params)))


def test_distance_fields_of_meshes_are_refused() -> None:
    spec = mujoco.MjSpec.from_string(scene("sphere"))
    spec.mesh("pad").needsdf = 1
    with pytest.raises(UnsupportedError, match="sensor 0 't': got the distance field of a mesh"):
        mjw.put_model(spec.compile())


def test_a_step_repeats_bit_for_bit_and_forgets_a_lost_contact(device) -> None:
    m, d = mjw.load(scene("box"), nworld=3, device=device)
    e = mjw.make_data(m, 3)
    for data in (d, e):
        for _ in range(3):
            mjw.step(m, data)
    assert np.array_equal(d.sensordata.numpy(), e.sensordata.numpy()) and d.sensordata.numpy()[0, :35].max() > 0.01
    qpos = d.qpos.numpy()
    qpos[1, -5] += 5.0
    d.qpos.assign(qpos)
    mjw.step(m, d)
    assert not d.sensordata.numpy()[1, :105].any() and d.sensordata.numpy()[0, :105].any()
