"""Every kind of equality constraint with both formats of solref, unusual impedances, and values of each world's own."""

import mujoco
import numpy as np
import oracle
import pytest
from paths import OWN

import newtonish
from newtonish import mjw
from newtonish.errors import ImporterError

ZOO = OWN / "equality_zoo.xml"
REFERENCES = {
    "time constant": (0.05, 0.7), "shorter than two steps": (0.001, 1.0), "stiffness": (-800.0, -40.0), "undamped": (-300.0, 0.0),
    "mixed signs": (0.05, -3.0), "no stiffness": (0.0, -30.0),
}  # fmt: skip
IMPEDANCES = {
    "constant": (0.7, 0.7, 0.01, 0.5, 2.0), "linear": (0.2, 0.9, 0.05, 0.5, 1.0), "steep": (0.1, 0.95, 0.02, 0.3, 6.0),
    "no width": (0.3, 0.9, 0.0, 0.5, 2.0), "beyond the bounds": (-1.0, 2.0, 0.01, 1.5, 0.2),
}  # fmt: skip
SPATIAL = """<mujoco><worldbody><site name="w" pos="0 .1 2"/>
  <body pos="0 0 1"><joint name="h" axis="0 1 0"/><geom size=".1" pos=".3 0 0" contype="0"/><site name="s1" pos=".3 0 .1"/></body>
  <body pos=".3 .6 .4"><freejoint/><geom type="box" size=".1 .2 .3" contype="0"/><site name="s3" pos=".1 0.05 .02"/></body></worldbody>
  <tendon><spatial name="a"><site site="w"/><site site="s1"/></spatial>
  <spatial name="b"><site site="w"/><site site="s3"/><pulley divisor="2"/><site site="s1"/><site site="s3"/></spatial></tendon>
  <equality><tendon tendon1="a" tendon2="b" polycoef=".02 .7 .2 -.1 .3"/><tendon tendon1="b" polycoef="-.1"/></equality></mujoco>"""


@pytest.mark.parametrize("refsafe", [True, False])
@pytest.mark.parametrize("name", REFERENCES)
def test_references_agree(name: str, refsafe: bool, device: str) -> None:
    def change(mjm: mujoco.MjModel) -> None:
        mjm.eq_solref[:] = REFERENCES[name]
        if not refsafe:
            mjm.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_REFSAFE)

    pair = oracle.load(ZOO, nworld=3, change=change, device=device)
    oracle.forward(pair)
    oracle.compare_rows(pair)


@pytest.mark.parametrize("name", IMPEDANCES)
def test_impedances_agree(name: str, device: str) -> None:
    def change(mjm: mujoco.MjModel) -> None:
        mjm.eq_solimp[:] = IMPEDANCES[name]

    pair = oracle.load(ZOO, nworld=3, change=change, device=device)
    oracle.forward(pair)
    oracle.compare_rows(pair)


def test_worlds_have_parameters_of_their_own(device: str) -> None:
    pair = oracle.load(ZOO, nworld=3, device=device)
    rng = np.random.default_rng(0)
    own = {}
    for name in ("eq_solref", "eq_solimp", "eq_data"):
        values = np.asarray(getattr(pair.mjm, name))
        own[name] = (np.tile(values, (3, 1, 1)) * rng.uniform(0.9, 1.0, (3, *values.shape))).astype(np.float32)
        setattr(pair.m, name, own[name])
    mjw.forward(pair.m, pair.d)
    for world, mjd in enumerate(pair.mjds):
        for name, values in own.items():
            getattr(pair.mjm, name)[:] = values[world]
        mujoco.mj_forward(pair.mjm, mjd)
    oracle.compare_rows(pair)


@pytest.mark.parametrize("integrator", ["EULER", "RK4", "IMPLICIT", "IMPLICITFAST"])
def test_spatial_tendons_follow_each_other(integrator: str, device: str) -> None:
    mjm = mujoco.MjModel.from_xml_string(SPATIAL)
    mjm.opt.integrator = int(getattr(mujoco.mjtIntegrator, f"mjINT_{integrator}"))
    pair = oracle.from_model(mjm, nworld=3, device=device)
    oracle.forward(pair)
    oracle.compare_all(pair)
    for _ in range(100):
        mjw.step(pair.m, pair.d)
        for mjd in pair.mjds:
            mujoco.mj_step(mjm, mjd)
    for world, mjd in enumerate(pair.mjds):
        oracle.close("qpos", pair.d.qpos.numpy()[world], mjd.qpos, 5e-4, world)


@pytest.mark.parametrize("tag", ["distance", "flexvert"])
def test_kinds_that_mujoco_removed_stay_an_error(tag: str) -> None:
    names = 'geom1="a" geom2="b"' if tag == "distance" else 'flex="f"'
    file = f"""<mujoco><worldbody><geom name="a" size=".1"/><body><freejoint/><geom name="b" size=".1"/></body></worldbody>
      <equality><{tag} {names}/></equality></mujoco>"""
    with pytest.raises(ValueError):
        mujoco.MjModel.from_xml_string(file)
    with pytest.raises(ImporterError, match="<string>:2:"):
        newtonish.ModelBuilder().add_mjcf(file)
