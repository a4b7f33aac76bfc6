"""Models of earlier versions of MuJoCo: without the fields that came later, and with numbers that have moved since.

tests/support/mujoco_versions.py runs real ones.
"""

import sys
import types
from enum import IntEnum

import mujoco
import numpy as np
import oracle
import pytest
from paths import OWN

from newtonish import mjw
from newtonish.mjw.tables import older_mujoco

# fields of 4.0 that MuJoCo 3.2 had not
_NAMES = """
actuator_ctrladr actuator_ctrlnum actuator_ctrlspec actuator_outadr actuator_outnum actuator_armature actuator_damping
actuator_dampingpoly actuator_delay actuator_history actuator_historyadr dof_dampingpoly jnt_stiffnesspoly
jnt_plasticadr jnt_springyield key_plastic geom_adhesion geom_surfacevel pair_adhesion nactuator nout nhistory
nplastic nC nD nJten nJmom M_rownnz M_rowadr M_colind D_rownnz D_rowadr D_colind D_diag mapM2D mapM2M mapD2M
ten_J_rownnz ten_J_rowadr ten_J_colind tendon_stiffnesspoly tendon_dampingpoly tendon_armature tendon_actfrclimited
tendon_actfrcrange tendon_type tendon_plasticadr tendon_springyield tree_dofadr tree_dofnum sensor_intprm
sensor_history sensor_historyadr sensor_delay sensor_interval
"""
LATER = frozenset(_NAMES.split())
STRUCTURE = ("M_rownnz", "M_rowadr", "M_colind", "D_rownnz", "D_rowadr", "D_colind", "D_diag", "mapM2D", "tree_dofadr", "tree_dofnum", "tendon_type")


class Without:
    """An MjModel without some fields."""

    def __init__(self, mjm: mujoco.MjModel, absent: frozenset[str] = LATER) -> None:
        self._mjm, self._absent = mjm, absent

    def __getattr__(self, name: str):
        if name in self.__dict__["_absent"]:
            raise AttributeError(name)
        return getattr(self.__dict__["_mjm"], name)

    @property
    def eq_data(self):
        return self._mjm.eq_data[:, :11]


def model(name: str) -> mujoco.MjModel:
    return mujoco.MjModel.from_xml_path(str(OWN / f"{name}.xml"))


@pytest.mark.parametrize("name", ["smooth_zoo", "fixed_tendons", "spatial_tendons", "equality_zoo"])
def test_structure_is_that_of_mujoco(name):
    mjm = model(name)
    present = older_mujoco.present_model(Without(mjm))
    for field in STRUCTURE:
        assert np.array_equal(getattr(present, field), getattr(mjm, field)), field
    assert (present.nC, present.nD) == (mjm.nC, mjm.nD)
    for t in range(mjm.ntendon):  # MuJoCo leaves out dofs that move both ends alike
        ours, theirs = (set(m.ten_J_colind[m.ten_J_rowadr[t] : m.ten_J_rowadr[t] + m.ten_J_rownnz[t]].tolist()) for m in (present, mjm))
        assert theirs <= ours


@pytest.mark.parametrize("name", ["fixed_tendons", "spatial_tendons", "equality_zoo", "fluid_zoo"])
@pytest.mark.parametrize("absent", [LATER, frozenset({"key_plastic", "tendon_type"})])
def test_a_model_without_the_new_fields_is_the_same_model(name, absent, device):
    mjm = model(name)
    if absent is LATER:  # what the older model could not say
        for field in ("tendon_armature", "jnt_stiffnesspoly", "dof_dampingpoly", "tendon_stiffnesspoly", "tendon_dampingpoly"):
            getattr(mjm, field)[:] = 0.0
        for field in ("actuator_armature", "actuator_damping", "actuator_dampingpoly", "tendon_actfrclimited"):
            getattr(mjm, field)[:] = 0
    pair = oracle.from_model(mjm, 2, device=device)
    m = mjw.put_model(Without(mjm, absent), device=device)
    d = mjw.make_data(m, 2)
    for array in ("qpos", "qvel", "ctrl", "act"):
        getattr(d, array).assign(getattr(pair.d, array))
    mjw.forward(pair.m, pair.d)
    mjw.forward(m, d)
    for array in ("qacc", "qfrc_passive", "sensordata", "ten_length", "M"):
        a, b = getattr(d, array).numpy(), getattr(pair.d, array).numpy()
        assert np.abs(a - b).max(initial=0.0) <= 1e-5 * max(1.0, np.abs(b).max(initial=0.0)), array


def test_numbers_are_translated_by_their_names(monkeypatch):
    """MuJoCo 3.2 had one flag for all passive forces, several contacts on request, and other numbers of sensors."""
    package = types.ModuleType("older_mujoco")
    package.mjtDisableBit = IntEnum("mjtDisableBit", {"mjDSBL_PASSIVE": 32, "mjDSBL_GRAVITY": 64, "mjDSBL_SENSOR": 4096, "mjNDISABLE": 15})
    package.mjtEnableBit = IntEnum("mjtEnableBit", {"mjENBL_ENERGY": 2, "mjENBL_MULTICCD": 16})
    package.mjtSensor = IntEnum("mjtSensor", {"mjSENS_JOINTPOS": 9, "mjSENS_BALLQUAT": 17, "mjSENS_CLOCK": 40, "mjSENS_LOST": 77})
    monkeypatch.setitem(sys.modules, "older_mujoco", package)
    mjm = mujoco.MjModel.from_xml_string(
        """<mujoco><worldbody><body><joint name="b" type="ball"/><geom size=".1"/></body></worldbody>
        <sensor><ballquat joint="b"/><clock/></sensor></mujoco>"""
    )
    mjm.sensor_type[:] = 17, 40
    mjm.opt.disableflags, mjm.opt.enableflags = 32 | 4096, 2
    kind = type("MjModel", (Without,), {"__module__": "older_mujoco.structs"})
    present = older_mujoco.present_model(kind(mjm))
    assert present.sensor_type.tolist() == [mjw.SensorType.BALLQUAT, mjw.SensorType.CLOCK]
    off = mjw.DisableBit
    assert present.opt.disableflags == off.SPRING | off.DAMPER | off.SENSOR | off.MULTICCD
    assert present.opt.enableflags == mjw.EnableBit.ENERGY
    assert present.opt.timestep == mjm.opt.timestep


def test_a_model_of_the_present_version_is_taken_as_it_is():
    mjm = model("equality_zoo")
    assert older_mujoco.present_model(mjm) is mjm


class Unwelded(Without):
    """An earlier model, in which mocap bodies count as a part of the world."""

    @property
    def body_weldid(self):
        weld = self._mjm.body_weldid.copy()
        weld[np.isin(weld, np.flatnonzero(self._mjm.body_mocapid >= 0))] = 0
        return weld


def test_mocap_bodies_stand_for_themselves(device):
    """MuJoCo 3.11 took them for parts of the world, which the check of references refused."""
    mjm = mujoco.MjModel.from_xml_string("""<mujoco><worldbody><geom type="plane" size="2 2 .1"/>
    <body mocap="true" pos="0 0 .5"><geom size=".1"/><body pos=".3 0 0"><geom size=".1"/><body pos="0 0 .3"><joint axis="0 1 0"/><geom size=".12"/></body></body></body>
    <body><geom size=".05"/></body><body pos="0 0 .65"><freejoint/><geom size=".1"/></body></worldbody></mujoco>""")
    assert mjm.body_weldid.tolist() == [0, 1, 1, 3, 0, 5]
    m = mjw.put_model(Unwelded(mjm), device=device)
    np.testing.assert_array_equal(m.body_weldid.numpy(), mjm.body_weldid)
    d, new = mjw.make_data(m, 2), mjw.put_model(mjm, device=device)
    other = mjw.make_data(new, 2)
    for _ in range(20):
        mjw.step(m, d)
        mjw.step(new, other)
    np.testing.assert_array_equal(d.qpos.numpy(), other.qpos.numpy())
    np.testing.assert_array_equal(d.nacon.numpy(), other.nacon.numpy())
