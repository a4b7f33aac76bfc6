"""Length ranges of muscles by simulation, against MuJoCo's compiler, within the tolerance that it promises itself."""

import mujoco
import numpy as np
import pytest
from paths import shared_model

import newtonish
from newtonish import mjw
from newtonish.errors import ModelError

XML = """<mujoco><compiler angle="degree">{compiler}</compiler><worldbody>
<site name="base" pos="0 0.05 1.3"/>
<body name="upper" pos="0 0 1"><joint name="shoulder" axis="0 1 0" limited="true" range="-60 80"/>
 <geom name="upper" type="capsule" fromto="0 0 0 0.3 0 0" size="0.04"/><site name="near" pos="0.1 0 0.05"/>
 <body pos="0.3 0 0"><joint name="elbow" axis="0 1 0" limited="true" range="-100 5"/>
  <geom type="capsule" fromto="0 0 0 0.25 0 0" size="0.03"/><site name="far" pos="0.08 0 0.04"/>
  <body pos="0.25 0 0"><joint name="rail" type="slide" axis="1 0 0" limited="true" range="-0.1 0.2"/><geom size="0.03"/></body></body></body>
</worldbody>
<tendon><spatial name="biceps"><site site="base"/><site site="near"/><site site="far"/></spatial>
<fixed name="both"><joint joint="shoulder" coef="0.3"/><joint joint="elbow" coef="0.2"/></fixed></tendon>
<actuator><muscle name="m0" tendon="biceps" {first}/><muscle name="m1" tendon="both"/><muscle name="m2" joint="elbow" gear="2"/>
<motor name="other" joint="rail"/><muscle name="given" joint="rail" lengthrange="-0.3 0.4"/></actuator></mujoco>"""


def both(compiler: str = "", device: str = "cpu"):
    """MuJoCo's ranges, and a Model whose ranges are not known but for the one that is given."""
    mjm = mujoco.MjModel.from_xml_string(XML.format(compiler=compiler, first=""))
    theirs = mjm.actuator_lengthrange.copy()
    mjm.actuator_lengthrange[:4] = 0.0
    return theirs, mjw.put_model(mjm, device=device)


def test_muscles(device: str) -> None:
    theirs, m = both(device=device)
    before = m.opt.disableflags, m.opt.timestep.numpy().tolist()
    mjw.set_length_range(m)
    ours = m.actuator_lengthrange.numpy()[0]
    assert (m.opt.disableflags, m.opt.timestep.numpy().tolist()) == before
    muscles = [0, 1, 2]
    width = theirs[muscles, 1] - theirs[muscles, 0]
    assert np.all(width > 0.05)
    assert np.abs(ours[muscles] - theirs[muscles]).max(axis=1) / width == pytest.approx(0.0, abs=0.01)
    np.testing.assert_array_equal(ours[3], 0.0)
    np.testing.assert_allclose(ours[4], (-0.3, 0.4), rtol=1e-6)


def test_modes_and_existing_ranges(device: str) -> None:
    theirs, m = both('<lengthrange mode="all" useexisting="false"/>', device)
    mjw.set_length_range(m, "none")
    assert not m.actuator_lengthrange.numpy()[0, :4].any()
    mjw.set_length_range(m, "all", useexisting=False)
    ours = m.actuator_lengthrange.numpy()[0]
    width = theirs[:, 1] - theirs[:, 0]
    assert np.abs(ours - theirs).max(axis=1) / width == pytest.approx(0.0, abs=0.01)


@pytest.mark.parametrize("compiler", ["", '<lengthrange uselimit="true" inttotal="8" accel="30"/>', '<lengthrange mode="none"/>'])
def test_muscles_of_a_file(compiler: str, device: str) -> None:
    """A file whose muscles have no range gets it when it is loaded, as its compiler element says."""
    theirs = mujoco.MjModel.from_xml_string(XML.format(compiler=compiler, first="")).actuator_lengthrange
    m, _ = mjw.load(XML.format(compiler=compiler, first=""), device=device)
    ours = m.actuator_lengthrange.numpy()[0]
    width = np.maximum(theirs[:, 1] - theirs[:, 0], 1e-3)
    assert np.abs(ours - theirs).max(axis=1) / width == pytest.approx(0.0, abs=0.01)


def test_a_finger_whose_joints_only_coriolis_forces_move(device: str) -> None:
    """Of two ends that the muscle cannot tell apart at qpos0 the simulation reaches MuJoCo's, to float32."""
    path = str(shared_model("myofinger/myo_sim/finger/myofinger_v0.xml"))
    m, _ = mjw.load(path, device=device)
    theirs = mujoco.MjModel.from_xml_path(path).actuator_lengthrange
    np.testing.assert_allclose(m.actuator_lengthrange.numpy()[0], theirs, atol=1e-6)


def test_the_solver_finds_them_too() -> None:
    theirs = mujoco.MjModel.from_xml_string(XML.format(compiler="", first="")).actuator_lengthrange
    builder = newtonish.ModelBuilder()
    builder.add_mjcf(XML.format(compiler="", first=""))
    solver = newtonish.solvers.SolverMuJoCo(builder.finalize(device="cpu"))
    np.testing.assert_allclose(solver.mjw_model.actuator_lengthrange.numpy()[0], theirs, atol=0.01)


def test_refusals(device: str) -> None:
    _, m = both(device=device)
    for arguments, name in (({"mode": "some"}, "mode"), ({"accel": 0.0}, "accel"), ({"interval": 20.0}, "interval")):
        with pytest.raises(ModelError, match=rf"set_length_range.*{name}.*allowed"):
            mjw.set_length_range(m, **arguments)
    free = '<mujoco><worldbody><body><joint name="j" type="slide"/><geom size="1"/></body></worldbody><actuator><motor name="a" joint="j"/></actuator></mujoco>'
    m = mjw.put_model(mujoco.MjModel.from_xml_string(free), device=device)
    with pytest.raises(ModelError, match=r"actuator 0 'a'.*tolrange"):
        mjw.set_length_range(m, "all")
