"""Numbers by which parts of a model refer to one another: another one is refused before a kernel follows it."""

import dataclasses

import mujoco
import numpy as np
import pytest

from newtonish import mjw
from newtonish.errors import ModelError

XML = """
<mujoco>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 .1"/>
    <body pos="0 0 .3"><freejoint/><geom name="box" type="box" size=".1 .1 .1"/><site name="s"/>
      <body pos=".3 0 0"><joint name="j" axis="0 1 0"/><geom name="arm" size=".05"/></body></body>
  </worldbody>
  <actuator><motor joint="j" nsample="4" delay=".004"/></actuator>
  <sensor><jointpos joint="j"/><framepos objtype="site" objname="s"/></sensor>
</mujoco>
"""


@pytest.fixture
def pair():
    m = mjw.put_model(mujoco.MjModel.from_xml_string(XML))
    return m, mjw.make_data(m, 2)


@pytest.mark.parametrize(
    "name", ["geom_bodyid", "jnt_qposadr", "M_rowadr", "body_parentid", "sensor_adr", "actuator_trnid", "collide_geom1", "tree_chain_dofid"]
)
@pytest.mark.parametrize("how", ["name", "assign", "view", "group"])
def test_another_number_in_the_structure_is_refused_by_the_next_step(pair, name, how):
    m, d = pair
    mjw.step(m, d)
    changed = getattr(m, name).numpy().copy()
    changed.reshape(-1)[-1] = 1_000_000
    if how == "name":
        setattr(m, name, changed)
    elif how == "assign":
        getattr(m, name).assign(changed)
    elif how == "view":
        if not m.device.is_cpu:
            pytest.skip("arrays of a GPU have no view")
        getattr(m, name).numpy()[...] = changed
    else:
        g, f = type(m).FLAT[name]
        getattr(getattr(m, g.name), f.name).assign(changed)
        m.touch()
    with pytest.raises(ModelError, match=rf"m\.{name}\[.*got .*1000000.*allowed: .*, as when the model was put; change the source"):
        mjw.step(m, d)
    with pytest.raises(ModelError, match=name):  # until it is put right
        mjw.step(m, d)


def test_a_size_is_not_changed(pair):
    m, d = pair
    m.ngeom = 100_000
    with pytest.raises(ModelError, match=r"m\.size\.ngeom: got 100000; allowed: 3, as"):
        mjw.forward(m, d)


def test_switches_and_equal_numbers_are_taken(pair):
    m, d = pair
    mjw.step(m, d)
    m.geom_bodyid = m.geom_bodyid.numpy()
    m.geom_contype = np.zeros(m.ngeom, dtype=np.int32)
    mjw.step(m, d)
    copy = dataclasses.replace(m, geom_priority=np.ones(m.ngeom, dtype=np.int32))
    mjw.step(copy, mjw.make_data(copy, 2))


@pytest.mark.parametrize("wrong", [-1, 7])
def test_a_mesh_that_is_not_there_is_refused(wrong):
    text = """<mujoco><asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset><worldbody><geom type="plane" size="1 1 1"/>
      <body pos="0 0 1"><freejoint/><geom type="mesh" mesh="m"/></body></worldbody></mujoco>"""
    m = mjw.put_model(mujoco.MjModel.from_xml_string(text))
    d = mjw.make_data(m, 2)
    m.geom_dataid = np.array([[-1, wrong]], dtype=np.int32)
    with pytest.raises(ModelError, match=rf"m\.geom_dataid\[0, 1\]: got {wrong}; allowed: 0 to 0; name a mesh"):
        mjw.step(m, d)
    mjm = mujoco.MjModel.from_xml_string(text)
    mjm.geom_dataid[1] = wrong
    with pytest.raises(ModelError, match="geom_dataid"):
        mjw.put_model(mjm)


@pytest.mark.parametrize(
    "name,value",
    [("geom_bodyid", 9), ("jnt_qposadr", 100_000), ("body_parentid", 2), ("M_rowadr", -5), ("sensor_objid", 50), ("sensor_type", 41),
     ("actuator_trnid", 77), ("actuator_historyadr", 900), ("site_bodyid", -1), ("geom_condim", 100), ("dof_parentid", 6), ("jnt_type", 0)],
)  # fmt: skip
def test_a_compiled_model_whose_numbers_do_not_fit_together_is_not_put(name, value):
    mjm = mujoco.MjModel.from_xml_string(XML)
    getattr(mjm, name)[-1, ...] = value
    with pytest.raises(ModelError, match=r"allowed: .*make the model again from its source"):
        mjw.put_model(mjm)


@pytest.mark.parametrize("cursor", [np.nan, 1e9, -1e9, np.inf])
def test_whatever_stands_in_a_buffers_cursor_stays_within_it(pair, cursor):
    m, d = pair
    history = d.history.numpy()
    history[0, 1] = cursor
    d.history.assign(history)
    for _ in range(3):
        mjw.step(m, d)
    assert np.isfinite(d.qpos.numpy()).all()


@pytest.mark.parametrize("name,value", [("tendon_type", 1), ("wrap_type", 4), ("wrap_objid", 0)])
def test_tendons_run_over_what_their_type_says(name, value):
    text = """<mujoco><worldbody><body><joint name="k" type="ball"/><geom size=".1"/><body><joint name="j"/><geom size=".1"/></body></body></worldbody>
      <tendon><fixed><joint joint="j" coef="1"/></fixed></tendon></mujoco>"""
    mjm = mujoco.MjModel.from_xml_string(text)
    getattr(mjm, name)[-1] = value
    with pytest.raises(ModelError, match=r"tendon_type|wrap_"):
        mjw.put_model(mjm)


@pytest.mark.parametrize(("name", "at"), [("actuator_actadr", 0), ("sensor_historyadr", 0)])
def test_an_address_without_anything_at_it_is_refused(name, at):
    """Kernels take an address for the sign that there is an activation, or a buffer."""
    mjm = mujoco.MjModel.from_xml_string(XML)
    getattr(mjm, name)[at] = 0
    with pytest.raises(ModelError, match=f"{name}.*got 0; allowed: .*-1"):
        mjw.put_model(mjm)
