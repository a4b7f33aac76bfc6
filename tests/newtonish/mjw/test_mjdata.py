"""put_data and get_data_into against MuJoCo: what later stages read, tendons, contacts and rows, both ways, in unequal worlds."""

import mujoco
import numpy as np
import oracle
import pytest
from paths import OWN

from newtonish import mjw

ROPE = """<mujoco><worldbody><body><site name="s1"/></body>
<body pos="0 0 -.6"><freejoint/><geom size=".1" mass="1"/><site name="s2"/></body></worldbody>
<tendon><spatial springlength=".5" stiffness="100" damping="20"><site site="s1"/><site site="s2"/></spatial></tendon></mujoco>"""
SCENE = """<mujoco><option cone="{cone}" jacobian="{jacobian}"/><worldbody><geom type="plane" size="5 5 .1"/>
<body pos="0 0 .09"><freejoint/><geom size=".1"/></body><body pos="0 1 .05"><freejoint/><geom type="box" size=".1 .2 .06"/></body>
<body pos="2 0 1"><joint name="j" range="-.1 .1" limited="true" frictionloss=".1"/><geom size=".1" pos=".2 0 0"/>
<body pos=".4 0 0"><joint name="k" axis="0 1 0"/><geom size=".1" pos=".2 0 0"/></body></body></worldbody>
<tendon><fixed name="t"><joint joint="k" coef="-.5"/><joint joint="j" coef="2"/></fixed></tendon>
<actuator><position tendon="t" kp="3"/></actuator><sensor><tendonpos tendon="t"/></sensor></mujoco>"""
# arrays that MuJoCo and Data both have; what depends on forces of constraints is compared apart
ARRAYS = (
    *oracle.POSITION, *oracle.VELOCITY, *oracle.ACCELERATION, "ten_length", "ten_velocity", "ten_J", "ten_wrapadr", "ten_wrapnum",
    "wrap_xpos", "qfrc_fluid", "qfrc_spring", "sensordata", "cfrc_ext", "cacc", "cfrc_int", "qacc", "qfrc_constraint",
)  # fmt: skip


def states(mjm: mujoco.MjModel, nworld: int = 2) -> list[mujoco.MjData]:
    """Data of MuJoCo after a few steps from unequal states, evaluated."""
    found = []
    for world in range(nworld):
        rng = np.random.default_rng(world)
        mjd = mujoco.MjData(mjm)
        mjd.qvel[:] = 0.4 * rng.standard_normal(mjm.nv)
        mjd.ctrl[:] = 0.2 * rng.standard_normal(mjm.nu)
        mujoco.mj_step(mjm, mjd, 5)
        mujoco.mj_forward(mjm, mjd)
        mujoco.mj_rnePostConstraint(mjm, mjd)
        found.append(mjd)
    return found


def same(name: str, ours: np.ndarray, theirs: np.ndarray, tolerance: float = 1e-5) -> None:
    ours, theirs = np.asarray(ours, dtype=float).ravel(), np.asarray(theirs, dtype=float).ravel()
    count = min(len(ours), len(theirs))
    scale = max(1.0, float(np.abs(theirs).max(initial=0.0)))
    assert np.abs(ours[:count] - theirs[:count]).max(initial=0.0) <= tolerance * scale, name


@pytest.mark.parametrize("name", ["smooth_zoo", "spatial_tendons", "tendon_zoo", "fluid_zoo", "equality_zoo"])
def test_put_data_carries_every_array(name, device):
    mjm = mujoco.MjModel.from_xml_path(str(OWN / f"{name}.xml"))
    m = mjw.put_model(mjm, device=device)
    for mjd in states(mjm):
        d = mjw.put_data(mjm, mjd, nworld=2, m=m)
        for array in ARRAYS:
            for world in range(2):
                same(array, getattr(d, array).numpy()[world], getattr(mjd, array))


@pytest.mark.parametrize("name", ["spatial_tendons", "tendon_zoo", "fluid_zoo", "equality_zoo", "material_zoo", "plastic"])
def test_stages_after_put_data_find_what_they_read(name, device):
    """Each stage alone after put_data leaves what MuJoCo has."""
    mjm = mujoco.MjModel.from_xml_path(str(OWN / f"{name}.xml"))
    m = mjw.put_model(mjm, device=device)
    for mjd in states(mjm):
        for stage, arrays in {
            "passive": ("qfrc_spring", "qfrc_damper", "qfrc_passive"), "transmission": ("actuator_length",), "rne": ("qfrc_bias",),
            "rne_postconstraint": ("cfrc_ext",), "fwd_actuation": ("qfrc_actuator",), "fwd_acceleration": ("qacc_smooth",),
            "make_constraint": (), "solve": ("qacc",),
        }.items():  # fmt: skip
            d = mjw.put_data(mjm, mjd, nworld=2, m=m)
            getattr(mjw, stage)(m, d)
            for array in arrays:
                same(f"{stage}: {array}", getattr(d, array).numpy()[1], getattr(mjd, array), 1e-3 if stage == "solve" else 2e-4)
            assert d.nefc.numpy().tolist() == [mjd.nefc] * 2
            same(f"{stage}: aref", d.efc.aref.numpy()[1, : mjd.nefc], mjd.efc_aref, 2e-4)


def test_the_pull_of_a_tendon_reaches_the_bodies(device):
    mjm = mujoco.MjModel.from_xml_string(ROPE)
    mjd = mujoco.MjData(mjm)
    mjd.qvel[2] = -1.0
    mujoco.mj_forward(mjm, mjd)
    mujoco.mj_rnePostConstraint(mjm, mjd)
    assert mjd.cfrc_ext[2, 5] == pytest.approx(30.0)
    m = mjw.put_model(mjm, device=device)
    d = mjw.put_data(mjm, mjd, 2, m=m)
    mjw.rne_postconstraint(m, d)
    oracle.close("cfrc_ext", d.cfrc_ext.numpy()[1], mjd.cfrc_ext, 1e-5, 1)


@pytest.mark.parametrize("integrator", ["EULER", "RK4", "IMPLICITFAST", "IMPLICIT", "DISCRETE"])
def test_the_second_half_of_a_step_after_put_data(integrator, device):
    """States of MuJoCo between the halves of a step; with ``discrete`` its rows are not scaled to the metric yet."""
    mjm = mujoco.MjModel.from_xml_path(str(OWN / "equality_zoo.xml"))
    mjm.opt.integrator = int(mjw.IntegratorType[integrator])
    m = mjw.put_model(mjm, device=device)
    for mjd in states(mjm):
        mujoco.mj_step1(mjm, mjd)
        mjd.ctrl[:] = 0.1
        mjd.qfrc_applied[:] = 0.05
        d = mjw.put_data(mjm, mjd, 2, m=m)
        mujoco.mj_step2(mjm, mjd)
        mjw.step2(m, d)
        for name, tolerance in (("qfrc_smooth", 1e-4), ("qacc", 2e-3), ("qvel", 1e-4), ("qpos", 1e-5)):
            scale = max(1.0, float(np.linalg.norm(getattr(mjd, name))))
            for world in range(2):
                assert np.linalg.norm(getattr(d, name).numpy()[world] - getattr(mjd, name)) <= tolerance * scale, name


@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
@pytest.mark.parametrize("jacobian", ["dense", "sparse"])
def test_contacts_rows_and_tendons_come_back(cone, jacobian, device):
    mjm = mujoco.MjModel.from_xml_string(SCENE.format(cone=cone, jacobian=jacobian))
    pair = oracle.from_model(mjm, 2, device=device)
    oracle.advance(pair, 3)
    oracle.forward(pair)
    for world, mjd in enumerate(pair.mjds):
        result = mujoco.MjData(mjm)
        mjw.get_data_into(result, mjm, pair.d, world)
        assert (result.ncon, result.nefc, result.nf, result.nl) == (mjd.ncon, mjd.nefc, mjd.nf, mjd.nl) and result.ncon >= 3
        order = oracle.contact_order(pair, world)
        for name in (*oracle.CONTACT, "geom", "geom1", "geom2", "exclude", "efc_address"):
            ours = getattr(result.contact, name)
            same(
                name,
                ours[order] if name != "efc_address" else np.sort(ours),
                np.sort(getattr(mjd.contact, name)) if name == "efc_address" else getattr(mjd.contact, name),
                1e-4,
            )
        rows = oracle.row_order(pair, world)
        for name in (*oracle.EFC, "type", "R", "force"):
            same(f"efc_{name}", getattr(result, f"efc_{name}")[rows], getattr(mjd, f"efc_{name}"), 1e-3)
        same("efc_J", oracle.dense_jacobian(mjm, result)[rows], oracle.dense_jacobian(mjm, mjd), 1e-4)
        for name in ("ten_length", "ten_velocity", "ten_J", "sensordata", "qfrc_constraint"):
            same(name, getattr(result, name), getattr(mjd, name), 1e-3)
        assert mjd.ten_length[0] != 0.0 and result.solver_niter[0] > 0
        force = np.zeros((2, 6))
        mujoco.mj_contactForce(mjm, result, int(order[0]), force[0])
        mujoco.mj_contactForce(mjm, mjd, 0, force[1])
        same("contact force", *force, 1e-3)


def test_what_came_back_goes_out_again(device):
    mjm = mujoco.MjModel.from_xml_string(SCENE.format(cone="pyramidal", jacobian="sparse"))
    pair = oracle.from_model(mjm, 2, device=device)
    oracle.forward(pair)
    for world in range(2):
        back = mujoco.MjData(mjm)
        mjw.get_data_into(back, mjm, pair.d, world)
        again = mjw.put_data(mjm, back, 2, m=pair.m)
        for name in ("qacc", "ten_length", "ten_J", "ncon", "nefc"):
            assert np.array_equal(getattr(again, name).numpy()[1], getattr(pair.d, name).numpy()[world]), name
        mujoco.mj_forward(mjm, back)  # the copy serves MuJoCo


def test_islands_after_put_data(device):
    mjm = mujoco.MjModel.from_xml_string(SCENE.format(cone="pyramidal", jacobian="sparse"))
    mjd = states(mjm, 1)[0]
    d = mjw.put_data(mjm, mjd, 2, m=mjw.put_model(mjm, device=device))
    assert d.nisland.numpy().tolist() == [mjd.nisland] * 2 and mjd.nisland >= 3
    assert d.tree_island.numpy()[1].tolist() == mjd.tree_island.tolist()
