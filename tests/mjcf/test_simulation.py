"""A model built in Python goes on to the builder and to the engine, with its files."""

import tempfile

import mujoco
import numpy as np
import pytest

from newtonish import ImporterError, ModelBuilder, ModelError, mjcf, mjw

OBJ = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


def wedge() -> mjcf.RootElement:
    """A mesh on a hinge, with a class and a motor."""
    model = mjcf.RootElement(model="wedge", assets={"wedge.obj": OBJ})
    model.option.timestep = 0.004
    model.asset.add("mesh", file="wedge.obj", scale=[0.3, 0.2, 0.1])
    model.default.joint.damping = 0.05
    body = model.worldbody.add("body", name="b")
    hinge = body.add("joint", name="h", axis=[0, 1, 0])
    body.add("geom", name="g", type="mesh", mesh="wedge", density=700)
    model.actuator.add("motor", name="m", joint=hinge, gear=[2])
    return model


def two() -> mjcf.RootElement:
    """Two of them in an arena; the second is heavier."""
    arena = mjcf.RootElement(model="arena")
    arena.worldbody.add("site", name="s", pos=[0, 0, 1], euler=[0, 0, 90]).attach(wedge())
    other = wedge()
    other.model = "other"
    other.find("geom", "g").density = 1500
    arena.attach(other).pos = [1, 0, 0]
    return arena


def test_the_builder_takes_a_model_with_its_files(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    builder = ModelBuilder()
    report = builder.add_mjcf(two())
    assert not list(tmp_path.iterdir()), "files are written for the time of reading only"
    assert report.source == "<arena>"
    compiled = mujoco.MjModel.from_xml_string(two().to_xml_string(), two().get_assets())
    np.testing.assert_allclose(np.array(builder.body_mass), compiled.body_mass[1:], rtol=1e-6)
    assert list(builder.body_label) == [compiled.body(k).name for k in range(1, compiled.nbody)]


def test_the_engine_steps_it_like_mujoco() -> None:
    model = two()
    m, d = mjw.load(model, nworld=3)
    compiled = mujoco.MjModel.from_xml_string(model.to_xml_string(), model.get_assets())
    ctrl = np.array([[0.0, 0.0], [0.2, -0.1], [-0.3, 0.3]])
    d.ctrl.assign(ctrl.astype(np.float32))
    for _ in range(20):
        mjw.step(m, d)
    for world in range(3):
        data = mujoco.MjData(compiled)
        data.ctrl[:] = ctrl[world]
        mujoco.mj_step(compiled, data, 20)
        np.testing.assert_allclose(d.qpos.numpy()[world], data.qpos, rtol=1e-4, atol=1e-5)


def test_problems_are_those_of_the_importer() -> None:
    model = wedge()
    model.actuator.add("motor", name="lost", joint="nowhere")
    with pytest.raises(ImporterError, match=r"<wedge>:.*motor 'lost'.*nowhere"):
        ModelBuilder().add_mjcf(model)
    with pytest.raises(ModelError, match=r"a int.*newtonish\.mjcf"):
        mjw.load(3)
