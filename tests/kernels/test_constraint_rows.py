"""Constraint rows against MuJoCo: same rows in the same order, with all their parameters."""

import mujoco
import numpy as np
import oracle
import pytest
import warp as wp
from constraint_rigs import EFC, filled, states, zoo
from oracle import ROWS, close
from paths import shared_model

from newtonish.common.enums import DisableBit, OverflowType
from newtonish.kernels.constraint.stage import make_constraint

MODELS = (
    "dm_humanoid/humanoid.xml",
    "gym_ant/ant.xml",
    "gym_walker2d/walker2d_v5.xml",
    "gym_half_cheetah/half_cheetah.xml",
    "dmc_cartpole/cartpole.xml",
    "barkour_vb/scene.xml",
)


def compare(mjm, mjds, m, d) -> None:
    """Every array of the rows, row by row."""
    make_constraint(m, d)
    for name in ("ne", "nf", "nl", "nefc"):
        assert getattr(d, name).numpy().tolist() == [getattr(mjd, name) for mjd in mjds], name
    padded = (d.nefc.numpy() + 7) // 8 * 8
    for world, mjd in enumerate(mjds):
        nefc = mjd.nefc
        J = d.efc.J.numpy()[world]
        close("efc_J", J[:nefc, : mjm.nv], np.asarray(mjd.efc_J).reshape(nefc, mjm.nv), ROWS, world)
        assert not J[:nefc, mjm.nv :].any() and not J[nefc : padded[world]].any()
        for name in ("type", "id"):
            assert getattr(d.efc, name).numpy()[world, :nefc].tolist() == getattr(mjd, f"efc_{name}").tolist(), name
        for name in EFC:
            ours = getattr(d.efc, name).numpy()[world]
            close(f"efc_{name}", ours[:nefc], getattr(mjd, f"efc_{name}"), ROWS, world)
            assert not ours[nefc : padded[world]].any(), f"padding of {name}"
        addresses = d.contact.efc_address.numpy()[world, : mjd.ncon]
        assert addresses.tolist() == mjd.contact.efc_address.tolist()
        frictional = (mjd.contact.dim > 1) & (mjd.contact.efc_address >= 0)
        close("contact.mu", d.contact.mu.numpy()[world, : mjd.ncon][frictional], mjd.contact.mu[frictional], ROWS, world)


@pytest.mark.parametrize("path", MODELS)
def test_rows_of_real_models_are_those_of_mujoco(path, device):
    mjm = mujoco.MjModel.from_xml_path(str(shared_model(path)))
    mjds = states(mjm)
    assert max(mjd.nefc for mjd in mjds) > 0
    compare(mjm, mjds, *filled(mjm, mjds, device))


@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
@pytest.mark.parametrize("condim", [1, 3, 4, 6])
@pytest.mark.parametrize("impratio", [1.0, 7.0])
def test_rows_of_every_kind_of_contact(cone, condim, impratio, device):
    mjm = zoo(cone, condim, impratio)
    mjds = states(mjm)
    assert [mjd.ncon for mjd in mjds][-1] < mjds[0].ncon and all(mjd.nl for mjd in mjds[:-1])
    compare(mjm, mjds, *filled(mjm, mjds, device))


@pytest.mark.parametrize("solref", ["0.001 0.7", "0.02 0", "-900 -30", "-900 0", "0.05 1.5"])
@pytest.mark.parametrize("refsafe", [True, False])
def test_rows_of_every_format_of_solref(solref, refsafe, device):
    mjm = zoo("elliptic", 3, 1.0, solref)
    if not refsafe:
        mjm.opt.disableflags |= int(DisableBit.REFSAFE)
    mjds = states(mjm, 3, steps=20)
    compare(mjm, mjds, *filled(mjm, mjds, device))


@pytest.mark.parametrize(
    "solimp",
    [
        (0.9, 0.95, 0.001, 0.5, 2),
        (0, 1, 0.1, 0.2, 4),
        (0.5, 0.5, 0.01, 0.5, 2),
        (0.3, 0.9, 0, 0.5, 2),
        (0.3, 0.9, 0.01, 0.7, 1),
        (0.95, 0.2, 0.01, 0.9, 5.5),
    ],
)
def test_impedance_of_every_shape(solimp, device):
    mjm = zoo()
    mjm.geom_solimp[:] = solimp
    mjm.jnt_solimp[:] = solimp
    mjds = states(mjm, 3, steps=20)
    compare(mjm, mjds, *filled(mjm, mjds, device))


def test_ball_limit_has_a_row_along_the_rotation_axis(device):
    mjm = zoo()
    mjds = states(mjm, 3, steps=5)
    ball = int(np.flatnonzero(mjm.jnt_type == mujoco.mjtJoint.mjJNT_BALL)[0])
    for world, mjd in enumerate(mjds):
        axis = np.array([1.0, 2.0 * world - 1.0, 0.5])
        mujoco.mju_axisAngle2Quat(mjd.qpos[mjm.jnt_qposadr[ball] :][:4], axis / np.linalg.norm(axis), (0.29, 2.0, -3.0)[world])
        mujoco.mj_forward(mjm, mjd)
        assert np.any((mjd.efc_type == mujoco.mjtConstraint.mjCNSTR_LIMIT_JOINT) & (mjd.efc_id == ball))
    compare(mjm, mjds, *filled(mjm, mjds, device))


@pytest.mark.parametrize("flag", ["CONSTRAINT", "FRICTIONLOSS", "LIMIT", "CONTACT"])
def test_flags_leave_out_their_rows(flag, device):
    mjm = zoo()
    mjds = states(mjm, 3, steps=20)
    _, d = filled(mjm, mjds, device)
    mjm.opt.disableflags |= int(DisableBit[flag])
    m, _ = filled(mjm, mjds, device)
    for mjd in mjds:
        mujoco.mj_makeConstraint(mjm, mjd)
    make_constraint(m, d)
    for name in ("nf", "nl", "nefc"):
        assert getattr(d, name).numpy().tolist() == [getattr(mjd, name) for mjd in mjds], name


def test_values_of_each_world_are_used(device):
    """Model fields with one value a world give what MuJoCo gives for each of the models."""
    mjm = zoo()
    mjds = states(mjm, 3, steps=20)
    m, d = filled(mjm, mjds, device)
    factors = np.array([1.0, 2.0, 0.5], dtype=np.float32)
    for name in ("dof_frictionloss", "dof_invweight0", "jnt_solref", "body_invweight0", "opt_timestep", "jnt_margin"):
        group, field = name.split("_", 1)
        struct = getattr(m, group)
        one = getattr(struct, field)
        values = np.stack([one.numpy()[0] * f for f in factors])
        setattr(struct, field, wp.array(values, dtype=one.dtype, device=device))
    for f, mjd in zip(factors, mjds, strict=True):
        model = zoo()
        for name in ("dof_frictionloss", "dof_invweight0", "jnt_solref", "body_invweight0", "jnt_margin"):
            getattr(model, name)[:] *= f
        model.opt.timestep *= f
        mujoco.mj_makeConstraint(model, mjd)
        mujoco.mj_referenceConstraint(model, mjd)
    make_constraint(m, d)
    assert d.nefc.numpy().tolist() == [mjd.nefc for mjd in mjds]
    for world, mjd in enumerate(mjds):
        for name in ("D", "aref", "margin", "frictionloss"):
            close(name, getattr(d.efc, name).numpy()[world, : mjd.nefc], getattr(mjd, f"efc_{name}"), ROWS, world)


def test_rows_without_room_are_left_out_whole_contact_by_whole_contact(device):
    mjm = zoo("pyramidal", 3)
    mjds = states(mjm)
    contacts = [int((mjd.contact.efc_address >= 0).sum()) for mjd in mjds]
    assert contacts[0] >= 2
    njmax = mjds[0].nefc - 3  # the last contact lacks one of its four rows
    m, d = filled(mjm, mjds, device, njmax=njmax)
    make_constraint(m, d)
    nefc, overflow = d.nefc.numpy(), d.overflow.numpy()
    assert nefc[0] == mjds[0].nefc - 4 and nefc[-1] == mjds[-1].nefc
    assert d.nefc_needed.numpy().tolist() == [mjd.nefc for mjd in mjds]
    assert [bool(bits & OverflowType.NEFC) for bits in overflow] == [mjd.nefc > njmax for mjd in mjds]
    addresses = d.contact.efc_address.numpy()[0, : mjds[0].ncon]
    assert (addresses >= 0).sum() == contacts[0] - 1 and addresses.max() + 4 == nefc[0]

    few = mjds[0].nf + 1  # not even the limits fit
    m, d = filled(mjm, mjds, device, njmax=few)
    make_constraint(m, d)
    assert d.nefc.numpy()[0] == few and d.nl.numpy()[0] == 1 and (d.contact.efc_address.numpy()[0, : mjds[0].ncon] == -1).all()


def test_two_runs_give_the_same_bits(device):
    mjm = zoo("elliptic", 6)
    mjds = states(mjm)
    results = []
    for order in (range(4), range(3, -1, -1)):
        m, d = filled(mjm, [mjds[i] for i in order], device)
        make_constraint(m, d)
        results.append([d.efc.J.numpy()[w, : mjds[i].nefc].tobytes() for w, i in enumerate(order)][:: 1 if order.step == 1 else -1])
    assert results[0] == results[1]


RIGID = """<mujoco><option jacobian="{}"/><worldbody><geom name="g" type="plane" size="2 2 .1"/><body pos="0 0 .08"><joint axis="0 1 0"/>
  <geom name="a" size=".1" pos=".05 0 0"/><body pos=".1 0 0"><geom name="b" size=".1" pos=".05 0 .01"/></body></body></worldbody>
  <contact><pair geom1="a" geom2="b"/></contact></mujoco>"""


@pytest.mark.parametrize("jacobian", ["dense", "sparse"])
def test_a_contact_within_one_rigid_part_has_no_rows(jacobian, device):
    """A pair can ask for it; nothing can move there."""
    pair = oracle.from_model(mujoco.MjModel.from_xml_string(RIGID.format(jacobian)), 3, device=device)
    oracle.forward(pair)
    assert pair.d.ncon.numpy().tolist() == [mjd.ncon for mjd in pair.mjds]
    assert (pair.d.ncon.numpy() > 1).all()
    oracle.compare_rows(pair)
    for world, mjd in enumerate(pair.mjds):
        ours = pair.d.contact.efc_address.numpy()[world, : mjd.ncon]
        assert sorted(ours < 0) == sorted(mjd.contact.efc_address < 0)
