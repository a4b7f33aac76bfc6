"""Fluid options and coefficients from MJCF to the compiled model, and the motion that they make."""

import mujoco
import numpy as np
import pytest
from paths import OWN

import newtonish
from newtonish import mjw
from newtonish.convert import convert

ZOO = (OWN / "fluid_zoo.xml").read_text()


def load(*sources: str) -> newtonish.ModelBuilder:
    main = newtonish.ModelBuilder()
    for source in sources:
        world = newtonish.ModelBuilder()
        world.add_mjcf(source)
        assert not [e for e in world.import_reports[-1].ignored if "fluid" in str(e) or "density" in str(e)]
        main.add_world(world)
    return main


def test_every_fluid_field_equals_mujocos():
    compiled, oracle = convert(load(ZOO).finalize(device="cpu")), mujoco.MjModel.from_xml_string(ZOO)
    np.testing.assert_allclose(compiled.geom_fluid, oracle.geom_fluid, rtol=1e-5, atol=1e-12)
    assert (compiled.opt.density, compiled.opt.viscosity) == (oracle.opt.density, oracle.opt.viscosity)
    np.testing.assert_allclose(compiled.opt.wind, oracle.opt.wind, rtol=1e-6)


def test_worlds_may_have_geoms_and_media_of_their_own():
    other = ZOO.replace('density="20"', 'density="5"').replace('size=".1 .06 .02"', 'size=".12 .05 .03"')
    compiled = convert(load(ZOO, other).finalize(device="cpu"))
    for world, text in enumerate((ZOO, other)):
        oracle = mujoco.MjModel.from_xml_string(text)
        np.testing.assert_allclose(compiled.world("geom_fluid", world), oracle.geom_fluid, rtol=1e-5, atol=1e-12)
    assert np.asarray(compiled.batched["density"]).ravel().tolist() == [20.0, 5.0]
    m = mjw.put_model(compiled)
    d = mjw.make_data(m, 2)
    d.qvel.fill_(0.5)
    mjw.forward(m, d)
    for world, text in enumerate((ZOO, other)):
        oracle = mujoco.MjModel.from_xml_string(text)
        mjd = mujoco.MjData(oracle)
        mjd.qvel[:] = 0.5
        mujoco.mj_forward(oracle, mjd)
        np.testing.assert_allclose(d.qfrc_fluid.numpy()[world], mjd.qfrc_fluid, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("kind", "size"),
    [
        ("box", (0.1, 0.1, 0.001)), ("box", (0.1, 0.1, 0.0003)), ("box", (0.1, 0.02, 0.00005)), ("cylinder", (0.1, 0.0005)),
        ("capsule", (0.001, 0.2)), ("ellipsoid", (0.0001, 0.02, 0.5)), ("sphere", (0.1,)),
    ],
)  # fmt: skip
def test_thin_shapes_carry_as_much_along_as_in_mujoco(kind, size):
    text = f"""<mujoco><option density="1"/><worldbody><body><freejoint/><geom type="{kind}" size="{" ".join(map(str, size))}"
        fluidshape="ellipsoid"/></body></worldbody></mujoco>"""
    compiled, oracle = convert(load(text).finalize(device="cpu")), mujoco.MjModel.from_xml_string(text)
    np.testing.assert_allclose(compiled.geom_fluid, oracle.geom_fluid, rtol=1e-5, atol=1e-25)


@pytest.mark.parametrize("solver", ["CG", "PGS"])
@pytest.mark.parametrize("integrator", ["implicit", "implicitfast"])
def test_options_reach_the_engine(solver, integrator):
    text = ZOO.replace("<option ", f'<option solver="{solver}" integrator="{integrator}" noslip_iterations="3" ')
    m, d = mjw.load(text, nworld=2, strict=True)
    assert (m.opt.solver, m.opt.noslip_iterations) == (["PGS", "CG"].index(solver), 3)
    assert m.opt.integrator == {"implicit": 2, "implicitfast": 3}[integrator]
    oracle = mujoco.MjModel.from_xml_string(text)
    mjd = mujoco.MjData(oracle)
    for _ in range(20):
        mjw.step(m, d)
        mujoco.mj_step(oracle, mjd)
    np.testing.assert_allclose(d.qpos.numpy()[1], mjd.qpos, atol=1e-4)
