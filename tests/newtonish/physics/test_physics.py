"""``mjcf.Physics``: what bindings read and write, beside the bindings of MuJoCo on the same text."""

import mujoco
import numpy as np
import pytest

from newtonish import mjcf
from newtonish.errors import ModelError, NewtonishError, NewtonishWarning

ARRAYS = {
    "body": ("xpos", "xmat", "cvel", "mass", "inertia"), "geom": ("xpos", "xmat", "size", "rgba", "friction", "bodyid"),
    "site": ("xpos", "pos"), "joint": ("qpos", "qvel", "range", "damping", "xanchor", "qfrc_bias"), "actuator": ("ctrl", "force", "gear"),
    "sensor": ("sensordata",),
}  # fmt: skip
MODEL = {"mass", "inertia", "size", "rgba", "friction", "bodyid", "pos", "range", "damping", "gear"}


def arm(name: str) -> mjcf.RootElement:
    """Two links, of which the second one and its geom have no names."""
    root = mjcf.RootElement(model=name)
    root.worldbody.add("geom", name="base", type="sphere", size=[0.05])
    link = root.worldbody.add("body", name="link", pos=[0, 0, 0.1])
    root.actuator.add("motor", name="drive", joint=link.add("joint", name="hinge", axis=[0, 1, 0], range=[-1, 2], damping=0.1), gear=[3])
    link.add("geom", type="capsule", fromto=[0, 0, 0, 0.3, 0, 0], size=[0.03], rgba=[1, 0.5, 0, 1])
    far = link.add("body", pos=[0.3, 0, 0])
    far.add("joint", type="ball", name="ball")
    far.add("geom", type="box", size=[0.1, 0.02, 0.03], pos=[0.1, 0, 0])
    far.add("site", name="tip", pos=[0.2, 0, 0])
    root.sensor.add("gyro", name="gyro", site="tip")
    root.sensor.add("jointpos", joint="hinge")
    return root


@pytest.fixture(scope="module")
def world():
    """Two arms, one of them free; the Physics, and MuJoCo's model and data of the same text."""
    root = mjcf.RootElement(model="arena")
    root.worldbody.add("geom", name="floor", type="plane", size=[5, 5, 0.1], pos=[0, 0, -3])
    arms = [arm("one"), arm("two")]
    root.attach(arms[0]).pos = [0, 1, 0]
    root.attach(arms[1]).add("freejoint")
    physics = mjcf.Physics.from_mjcf_model(root)
    model = mujoco.MjModel.from_xml_string(root.to_xml_string())
    return root, arms, physics, model, mujoco.MjData(model)


def of_mujoco(kind: str, attribute: str, i: int, model: mujoco.MjModel, data: mujoco.MjData) -> np.ndarray:
    """MuJoCo's value, by its own accessors."""
    view = getattr(model if attribute in MODEL else data, kind)(i)
    return np.asarray(getattr(view, {"sensordata": "data"}.get(attribute, attribute))).ravel()


def test_elements_read_what_mujoco_has(world) -> None:
    root, _, physics, model, data = world
    rng = np.random.default_rng(3)
    with physics.reset_context():
        physics.data.qvel = data.qvel[:] = rng.normal(size=model.nv)
        physics.data.ctrl = data.ctrl[:] = [0.3, -0.2]
        for joint in root.find_all("joint"):
            if joint.tag == "joint" and joint.type != "ball":
                physics.bind(joint).qpos = 0.4
                data.joint(joint.full_identifier).qpos = 0.4
    physics.forward()
    mujoco.mj_forward(model, data)
    assert physics.model.nq == model.nq and physics.timestep() == model.opt.timestep
    checked = 0
    for kind, attributes in ARRAYS.items():
        elements = root.find_all(kind)
        assert len(elements) == len({physics.bind(element).element_id for element in elements})
        for element in elements:
            bound = physics.bind(element)
            for attribute in attributes:
                expected = of_mujoco(kind, attribute, bound.element_id, model, data)
                np.testing.assert_allclose(
                    np.ravel(getattr(bound, attribute)), expected, rtol=1e-4, atol=2e-5, err_msg=f"{element.full_identifier} {attribute}"
                )
                checked += 1
        several = np.concatenate([np.ravel(getattr(physics.bind(e), attributes[0])) for e in elements])
        np.testing.assert_array_equal(np.ravel(getattr(physics.bind(elements), attributes[0])), several)
    assert checked > 50


def test_steps_follow_mujocos(world) -> None:
    _, _, physics, model, data = world
    physics.reset()
    mujoco.mj_resetData(model, data)
    physics.set_control([0.2, 0.5])
    data.ctrl[:] = 0.2, 0.5
    mujoco.mj_forward(model, data)
    for count in (1, 19):
        physics.step(count)
        mujoco.mj_step(model, data, count)
    mujoco.mj_step1(model, data)
    assert physics.time() == pytest.approx(data.time, abs=1e-6)
    np.testing.assert_allclose(physics.data.qpos, data.qpos, atol=1e-5)
    np.testing.assert_allclose(physics.data.xpos, data.xpos, atol=1e-5)


def test_what_is_written_moves_what_depends_on_it(world) -> None:
    _, arms, physics, _, _ = world
    physics.reset()
    hinge, tip = (arms[0].find(*which) for which in (("joint", "hinge"), ("site", "tip")))
    before = physics.bind(tip).xpos.copy()
    bound = physics.bind(hinge)
    bound.qpos += np.pi / 2
    assert physics.is_dirty
    np.testing.assert_allclose(physics.bind(tip).xpos, [0.0, 1.0, before[2] - 0.5], atol=1e-5)
    bound.qpos[0] = 0.0
    np.testing.assert_allclose(physics.bind(tip)["xpos", [0, 2]], before[[0, 2]], atol=1e-6)
    ball = arms[0].find("joint", "ball")
    physics.bind(ball).qvel = [1.0, 2.0, 3.0]
    np.testing.assert_array_equal(physics.bind([hinge, ball]).qvel, [0.0, 1.0, 2.0, 3.0])


def test_models_are_written_by_element(world) -> None:
    _, arms, physics, model, data = world
    physics.reset()
    mujoco.mj_resetData(model, data)
    link = arms[1].find("body", "link")
    geom = link.geom[0]
    other = physics.bind(arms[0].find("body", "link")).mass
    data.actuator("two/drive").ctrl = 1.0
    for mass in (1.0, 5.0):
        physics.bind(link).mass = mass
        assert physics.bind(link).mass == pytest.approx(mass)
        physics.bind(arms[1].find("actuator", "drive")).ctrl = 1.0
        physics.forward()
        model.body("two/link").mass = mass
        mujoco.mj_forward(model, data)
        np.testing.assert_allclose(physics.data.qacc, data.qacc, rtol=2e-4, atol=1e-3)
    assert physics.bind(arms[0].find("body", "link")).mass == other
    physics.bind(geom).rgba = [0, 0, 1, 1]
    np.testing.assert_array_equal(physics.bind(geom).rgba, [0, 0, 1, 1])
    physics.bind(geom).rgba[3] = 0.5
    np.testing.assert_array_equal(physics.bind(geom).rgba, [0, 0, 1, 0.5])


def test_what_cannot_be_bound_is_refused(world) -> None:
    root, arms, physics, _, _ = world
    hinge = arms[0].find("joint", "hinge")
    with pytest.raises(ModelError, match="elements of kinds geom, joint"):
        physics.bind([hinge, root.find("geom", "floor")])
    with pytest.raises(ModelError, match="a str"):
        physics.bind([hinge.full_identifier])
    with pytest.raises(ModelError, match="not in this simulation"):
        physics.bind(arm("three").find("body", "link").geom[0])
    with pytest.raises(AttributeError, match="'qposs'"):
        _ = physics.bind(hinge).qposs
    assert physics.bind([]).xpos.size == 0


def test_states_that_are_not_finite_are_errors_or_warnings(world) -> None:
    _, _, physics, _, _ = world
    physics.reset()
    physics.data.qvel = np.nan
    with pytest.raises(NewtonishError, match="not finite"):
        physics.step()
    assert np.all(np.isfinite(physics.state()))
    physics.data.qvel = np.nan
    with pytest.warns(NewtonishWarning, match="not finite"), physics.suppress_physics_errors():
        physics.step()


def test_text_and_files_are_read(tmp_path) -> None:
    text = arm("alone").to_xml_string()
    (tmp_path / "arm.xml").write_text(text)
    one, other = mjcf.Physics.from_xml_string(text), mjcf.Physics.from_xml_path(str(tmp_path / "arm.xml"))
    state = np.concatenate([[0.3], [np.sqrt(0.5), 0, np.sqrt(0.5), 0], [1.0, 0, 2.0, 0]])
    for physics in (one, other):
        physics.set_state(state)
        physics.step(3)
    np.testing.assert_array_equal(one.state(), other.state())
    assert one.time() == pytest.approx(3 * one.timestep())
    tip = mjcf.from_xml_string(text).find("site", "tip")
    np.testing.assert_array_equal(one.bind(tip).xpos, one.data.site_xpos[one.model.name2id("tip", "site")])
    assert one.model.id2name(0, "site") == "tip"
