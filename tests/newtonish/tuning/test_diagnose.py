"""What the diagnosis says is what a simulation measures, and what MuJoCo's arrays of the same model give."""

import functools
import math

import mujoco
import numpy as np
import pytest

from newtonish import mjw
from newtonish.errors import ModelError
from newtonish.tuning import diagnose

H = 0.001
SOFT = 'solref="0.4 0.15" solimp="0.6 0.9 0.0001 0.5 2"'
RIG = f"""<mujoco><option timestep="{H}" cone="{{cone}}"/><worldbody>
  <geom name="floor" type="plane" size="9 9 .1" {SOFT}/>
  <body name="light" pos="0 0 2"><joint name="light" type="slide" axis="0 0 1" limited="true" range="0 1"
    solreflimit="0.4 0.15" solimplimit="0.6 0.9 0.0001 0.5 2"/><geom size=".1" mass=".03" contype="0" conaffinity="0"/></body>
  <body name="arm" pos="1 0 2"><joint name="arm" axis="0 1 0" limited="true" range="-3 0" armature=".1"
    solreflimit="-300 -5" solimplimit="0.5 0.5 0.0001 0.5 2"/><geom size=".1" pos=".4 0 0" mass="7" contype="0" conaffinity="0"/></body>
  <body name="ball" pos="2 0 .0999"><joint name="ball" type="slide" axis="0 0 1"/><geom name="ball" size=".1" mass="40" condim="3" friction=".7" {SOFT}/></body>
  <body name="slick" pos="3 0 .0999"><joint name="slick" type="slide" axis="0 0 1"/><geom name="slick" size=".1" mass=".5" condim="1" {SOFT}/></body>
  <body name="box" pos="4 0 .0999"><freejoint name="box"/><geom name="box" type="box" size=".2 .2 .1" mass="3" condim="3" {SOFT}/></body>
  <body name="hung" pos="5 0 2"><freejoint name="hung"/><geom size=".1" mass="2" contype="0" conaffinity="0"/></body>
  <body name="welded" pos="6 0 2"><freejoint name="welded"/><geom size=".1" mass="5" contype="0" conaffinity="0"/></body>
  <body name="held" pos="7 0 2"><joint name="held" type="slide" axis="0 0 1"/><geom size=".1" mass="9" contype="0" conaffinity="0"/></body>
  <body name="servo" pos="8 0 2"><joint name="servo" axis="0 1 0" stiffness="20" damping=".1"/><geom size=".1" pos=".3 0 0" mass="1" contype="0" conaffinity="0"/></body>
  <body name="lift" pos="9 0 2"><joint name="lift" type="slide" axis="0 0 1"/><geom size=".1" mass="6" contype="0" conaffinity="0"/></body>
</worldbody>
<equality><connect name="hung" body1="hung" anchor="0 0 0" {SOFT}/><weld name="welded" body1="welded" anchor="6 0 2" torquescale="3" {SOFT}/>
  <joint name="held" joint1="held" {SOFT}/></equality>
<actuator><position name="servo" joint="servo" kp="30" kv=".5" gear="-1.5"/><position name="lift" joint="lift" kp="4000" kv="9"/></actuator>
</mujoco>"""
ROWS = ("light (lower)", "arm (upper)", "floor / ball", "floor / slick", "floor / box", "hung", "welded", "welded (rotation)", "held", "servo", "lift")


@functools.cache
def rows_of(source, pose=None):
    return {row.name: row for row in diagnose(source, pose)}


@functools.cache
def motion(cone: str):
    """Coordinates of every rig over time (steps, worlds, nq), kicked from near rest, the second world half as hard."""
    m, d = mjw.load(RIG.format(cone=cone), nworld=2)
    qpos, qvel = d.qpos.numpy(), d.qvel.numpy()
    rows = rows_of(RIG.format(cone=cone))
    for name in ROWS:
        row, (q, v, sign) = rows[name], places(name)
        rest = row.depth if row.kind != "drive" else 0.0
        qpos[:, q] += sign * rest
        if name in ("floor / ball", "floor / slick", "floor / box"):
            qpos[:, q] -= 1e-4 * sign
        kick = (0.6 * row.depth or 0.002) * row.natural_frequency  # stays in contact
        qvel[:, v] += np.array([1.0, 0.5]) * kick
    d.qpos.assign(qpos)
    d.qvel.assign(qvel)
    course = []
    for _ in range(140):
        mjw.step(m, d, nstep=8)
        course.append(d.qpos.numpy().astype(float))
    return np.array(course)


def places(name: str) -> tuple[int, int, float]:
    """Coordinate, dof and the sign of going deeper of a rig."""
    m = mujoco.MjModel.from_xml_string(RIG.format(cone="elliptic"))
    joint = m.joint(name.split(" / ")[-1].split(" (")[0])
    q, v = int(joint.qposadr[0]), int(joint.dofadr[0])
    if joint.type[0] == mujoco.mjtJoint.mjJNT_FREE:
        return (q + 4, v + 3, 0.0) if "rotation" in name else (q + 2, v + 2, -1.0)
    return q, v, 1.0 if name.startswith(("arm", "servo")) else -1.0


def oscillation(course: np.ndarray) -> tuple[float, float, float]:
    """Natural frequency [rad/s], damping ratio and resting place of samples that follow x'' = -2 z w x' - w^2 (x - rest)."""
    lagged = np.stack([course[1:-1], course[:-2], np.ones(len(course) - 2)], axis=1)
    c1, c2, c0 = np.linalg.lstsq(lagged, course[2:], rcond=None)[0]
    rate = np.log(complex(c1, math.sqrt(max(-c1 * c1 - 4.0 * c2, 0.0))) / 2.0) / (8.0 * H)
    return abs(rate), -rate.real / abs(rate), c0 / (1.0 - c1 - c2)


@pytest.mark.parametrize(("name", "cone"), [(name, cone) for cone in ("elliptic", "pyramidal") for name in ROWS if cone == "elliptic" or "/" in name])
def test_frequency_damping_and_depth_are_what_a_simulation_measures(name: str, cone: str) -> None:
    row, (q, _, sign) = rows_of(RIG.format(cone=cone))[name], places(name)
    start = rows_of_reference(q)
    for world in range(2):
        omega, ratio, rest = oscillation(motion(cone)[:, world, q])
        assert omega == pytest.approx(row.natural_frequency, rel=0.02)
        assert ratio == pytest.approx(row.damping_ratio, rel=0.02)
        if sign:
            assert sign * (rest - start) == pytest.approx(row.depth, rel=0.02)


def rows_of_reference(q: int) -> float:
    """Where depth is zero: the reference pose, but for what touches the floor."""
    m = mujoco.MjModel.from_xml_string(RIG.format(cone="elliptic"))
    names = [m.joint(name).qposadr[0] for name in ("ball", "slick")]
    return 1e-4 if q in names else 0.1 if q == m.joint("box").qposadr[0] + 2 else float(m.qpos0[q])


@pytest.mark.parametrize("cone", ["elliptic", "pyramidal"])
@pytest.mark.parametrize("exact", ["disable", "enable"])
def test_stiffness_and_damping_at_rest_are_those_of_mujocos_rows(cone: str, exact: str) -> None:
    """A row at rest pushes with K I r + B v over R, by MuJoCo's own K, B, I and R, its impedance at dmax."""
    text = RIG.format(cone=cone).replace("<worldbody>", f'<option><flag diagexact="{exact}"/></option><worldbody>', 1)
    m = mujoco.MjModel.from_xml_string(text)
    d = mujoco.MjData(m)
    d.qpos[m.joint("light").qposadr[0]], d.qpos[m.joint("arm").qposadr[0]] = -0.01, 0.01
    for name in ("ball", "slick", "box"):
        d.qpos[places(f"floor / {name}")[0]] -= 0.01
    for name in ("hung", "welded"):
        d.qpos[places(name)[0]] -= 0.01
    d.qpos[places("held")[0]] = 0.01
    mujoco.mj_forward(m, d)
    K, B, imp = d.efc_KBIP[:, 0], d.efc_KBIP[:, 1], d.efc_KBIP[:, 2]
    found = rows_of(text)
    kinds = mujoco.mjtConstraint

    def compare(name, rows, scale=1.0):
        assert found[name].stiffness == pytest.approx(scale * float(np.sum(K[rows] * imp[rows] / d.efc_R[rows])), rel=1e-4)
        assert found[name].damping == pytest.approx(scale * float(np.sum(B[rows] / d.efc_R[rows])), rel=1e-4)

    for joint in ("light (lower)", "arm (upper)"):
        compare(joint, np.flatnonzero((d.efc_type == kinds.mjCNSTR_LIMIT_JOINT) & (d.efc_id == m.joint(joint.split()[0]).id)))
    for name in ("hung", "welded", "held"):
        rows = np.flatnonzero((d.efc_type == kinds.mjCNSTR_EQUALITY) & (d.efc_id == m.equality(name).id))
        compare(name, rows[:1])
        if name == "welded":
            compare("welded (rotation)", rows[3:4], scale=1.5**2)
    for geom in ("ball", "slick", "box"):
        contacts = [c for c in d.contact[: d.ncon] if m.geom(geom).id in c.geom]
        edges = [1 if c.dim == 1 or cone == "elliptic" else 2 * (c.dim - 1) for c in contacts]
        compare(f"floor / {geom}", np.concatenate([np.arange(c.efc_address, c.efc_address + n) for c, n in zip(contacts, edges, strict=True)]))


def test_in_motion_a_tenth_is_left_of_a_stiffness_under_an_impedance_of_nine_tenths() -> None:
    rows = rows_of(RIG.format(cone="elliptic"))
    for name in ("light (lower)", "floor / slick", "floor / ball", "hung", "held"):
        assert rows[name].dynamic_stiffness == pytest.approx(0.1 * rows[name].stiffness, rel=1e-3)
        assert rows[name].dynamic_damping == pytest.approx(0.1 * rows[name].damping, rel=1e-3)
    assert rows["arm (upper)"].dynamic_stiffness == pytest.approx(0.5 * rows["arm (upper)"].stiffness, rel=1e-3)
    assert rows["floor / box"].points == 4


DOUBTFUL = """<mujoco><option timestep="0.01"/><worldbody><body><joint name="hip" axis="0 1 0" limited="true" range="-1 1" solreflimit="0.004 1"
  solimplimit="-1 2 0.001"/><geom size=".1" pos=".5 0 0" mass="1"/><body pos=".5 0 0"><joint name="knee" axis="0 1 0"/><geom size=".1" pos=".5 0 0" mass="1"/>
  </body></body></worldbody><actuator><position joint="hip" kp="4e4" kv="1"/><position joint="knee" kp="500" kv="20" forcerange="-1 1"/></actuator>
  <keyframe><key name="out" qpos="0 0"/><key name="down" qpos="0.9 1.57"/></keyframe></mujoco>"""


def test_what_is_wrong_is_said_with_what_to_do() -> None:
    rows = rows_of(DOUBTFUL)
    assert rows["hip"].remedies[0].startswith("a step overshoots by 9")
    assert any("time steps in a period: take a time step of" in remedy for remedy in rows["hip"].remedies)
    assert any("take the integrator implicitfast" in remedy for remedy in rows["knee"].remedies)
    assert any("gravity takes 4.9" in remedy and "forcerange gives 1" in remedy for remedy in rows["knee"].remedies)
    limit = next(row for name, row in rows.items() if name.startswith("hip ("))
    assert limit.clamps == ("dmin", "dmax", "refsafe")
    assert any("refsafe leaves 0.04 of the stiffness: take a time step of 0.002 s" in remedy for remedy in limit.remedies)


def test_depth_is_that_of_the_pose() -> None:
    mj = mujoco.MjModel.from_xml_string(DOUBTFUL)
    for pose, number in ((None, 0), ("down", 1), (1, 1)):
        data = mujoco.MjData(mj)
        data.qpos[:] = mj.key_qpos[number]
        mujoco.mj_forward(mj, data)
        rows = rows_of(DOUBTFUL, pose)
        for dof, (joint, kp) in enumerate((("hip", 4e4), ("knee", 500.0))):
            assert rows[joint].depth == pytest.approx(abs(data.qfrc_bias[dof]) / kp, rel=1e-4)
    with pytest.raises(ModelError, match=r"pose: got 'up'; allowed: out, down; name a keyframe"):
        diagnose(DOUBTFUL, "up")


def test_gains_in_newtons_per_metre_that_are_softer_in_motion_are_red() -> None:
    import newtonish

    builder = newtonish.ModelBuilder()
    body = builder.add_link(mass=2.0)
    joint = builder.add_joint_prismatic(-1, body, axis=(0.0, 0.0, 1.0), limit_lower=0.0, limit_upper=1.0, limit_ke=5000.0, limit_kd=100.0, label="rail")
    builder.add_articulation([joint])
    (limit,) = [row for row in diagnose(builder.finalize(device="cpu")) if row.kind == "limit"]
    assert limit.stiffness == pytest.approx(5000.0, rel=1e-5) and limit.damping == pytest.approx(100.0, rel=1e-5)
    assert limit.dynamic_stiffness == pytest.approx(250.0, rel=1e-5)
    assert any("5e+03 N/m at rest answer as 250 in motion" in remedy for remedy in limit.remedies)


SITES = """<mujoco><worldbody>
  <body><joint name="rail" type="slide" axis="0 0 1"/><geom size=".1" mass="3"/><site name="hook"/><body name="still" pos="1 0 0"><geom size=".1" mass="1"/></body></body>
  <body pos="6 0 -.9001"><joint axis="0 0 1"/><geom name="top" size=".1" pos=".3 0 0" mass="1"/></body><geom name="floor" type="plane" size="9 9 .1" pos="0 0 -1"/>
  <body name="free" pos="3 0 0"><freejoint/><geom size=".1" mass="1"/></body></worldbody>
  <equality><weld name="untwisted" body1="free" torquescale="0"/><connect name="rigid" body1="still" anchor="0 0 0"/></equality>
  <actuator><general site="hook" gear="0 0 2 0 0 0" biastype="affine" biasprm="0 -100 -10"/></actuator></mujoco>"""


def test_a_drive_that_moves_twice_as_fast_as_its_joint_meets_a_quarter_of_the_inertia() -> None:
    rows = rows_of(SITES)
    assert rows["hook"].inertia == pytest.approx(1.0, rel=1e-5) and rows["hook"].held_inertia == pytest.approx(1.0, rel=1e-5)
    assert rows["hook"].load == pytest.approx(0.5 * 4.0 * 9.81, rel=1e-5)


def test_what_nothing_moves_has_no_row_and_no_joints_no_rows() -> None:
    rows = rows_of(SITES)
    assert "untwisted" in rows and "untwisted (rotation)" not in rows
    assert "floor / top" not in rows  # it turns along the floor
    assert rows["rigid"].inertia == pytest.approx(4.0, rel=1e-5)  # along the rail alone
    assert diagnose("<mujoco><worldbody><geom size='1'/></worldbody></mujoco>") == []


STIFF = """<mujoco><option timestep="0.004" integrator="{integrator}"/><worldbody><body><joint name="thumb" type="slide" axis="1 0 0" damping="{damping}"/>
  <geom size=".05" mass=".01" contype="0" conaffinity="0"/></body></worldbody><actuator><position name="thumb" joint="thumb" kp="2000" kv="{kv}"/></actuator></mujoco>"""


@pytest.mark.parametrize(
    ("integrator", "damping", "kv", "good"), [("implicitfast", 0, 60, True), ("Euler", 60, 0, True), ("implicitfast", 0, 0.4, False), ("Euler", 0, 0.4, False)]
)
def test_damping_at_the_end_of_a_step_makes_up_for_its_length(integrator: str, damping: float, kv: float, good: bool) -> None:
    """A drive is too fast for the time step where MuJoCo's response turns every few steps, not where its damping holds it."""
    text = STIFF.format(integrator=integrator, damping=damping, kv=kv)
    (row,) = diagnose(text)
    assert row.omega_h == pytest.approx(math.sqrt(2000 / 0.01) * 0.004, rel=1e-5)
    remedies = [remedy for remedy in row.remedies if "time steps in a period" in remedy]
    assert bool(remedies) != good, row.remedies

    def steps_in_a_period(step: float) -> float:
        m = mujoco.MjModel.from_xml_string(text)
        m.opt.timestep = step
        d, course = mujoco.MjData(m), []
        d.ctrl[0] = 0.1
        for _ in range(50):
            mujoco.mj_step(m, d)
            course.append(float(d.qvel[0]))
        turns = np.flatnonzero(np.diff(np.sign(course)) != 0)
        return 2.0 * float(np.mean(np.diff(turns))) if len(turns) > 2 else math.inf

    if good:
        assert steps_in_a_period(0.004) == math.inf
    else:
        assert steps_in_a_period(0.004) < 5.0
        assert steps_in_a_period(float(remedies[0].split("time step of ")[1].split(" s")[0])) > 10.0


def test_a_drive_that_overshoots_by_more_than_a_quarter_is_red() -> None:
    for kv, ratio in ((3.4, 0.38), (3.75, 0.42)):
        (row,) = diagnose(STIFF.format(integrator="implicitfast", damping=0, kv=kv).replace("0.004", "0.0005"))
        assert row.damping_ratio == pytest.approx(ratio, abs=0.005)
        assert row.bad == (ratio < 0.4)


def test_what_has_no_name_is_called_after_its_body() -> None:
    names = rows_of("""<mujoco><worldbody><geom type="plane" size="1 1 .1"/><body name="a" pos="0 0 .099"><freejoint name="a"/><geom size=".1"/></body>
      <body name="b" pos="1 0 1"><joint name="left" type="slide" axis="1 0 0"/><geom size=".1"/><body name="c"><joint name="right" type="slide" axis="1 0 0"/>
      <geom size=".1" contype="0" conaffinity="0"/></body></body></worldbody><equality><joint joint1="left" joint2="right"/></equality></mujoco>""")
    assert list(names) == ["equality0 of left, right", "geom0 of world / geom1 of a"]
