"""The importer's result equals what MuJoCo compiles from the same files."""

import mujoco
import numpy as np
import pytest
from mjcf_compare import column, compare, load, oracle
from paths import OWN, shared_model

from newtonish import ModelBuilder
from newtonish.convert import convert

MODELS = (
    "dm_humanoid/humanoid.xml",
    "gym_ant/ant.xml",
    "gym_walker2d/walker2d_v5.xml",
    "gym_half_cheetah/half_cheetah.xml",
    "dmc_cartpole/cartpole.xml",
    "barkour_vb/scene.xml",
)


@pytest.mark.parametrize("name", MODELS)
def test_real_model(name: str) -> None:
    path = shared_model(name)
    compare(load(path), oracle(path))


@pytest.mark.parametrize("name", ["mjcf_tree.xml", "mjcf_defaults.xml", "mjcf_include.xml"])
def test_own_model(name: str) -> None:
    compare(load(OWN / name), oracle(OWN / name))


def test_joints_that_one_joint_cannot_express_take_virtual_links() -> None:
    builder = load(OWN / "mjcf_tree.xml")
    virtual = [builder.body_label[i] for i in column(builder, "mujoco:virtual_link").nonzero()[0]]
    assert virtual == ["odd_virtual0", "slideball_virtual0"]
    assert column(builder, "body_mass")[column(builder, "mujoco:virtual_link") == 1].sum() == 0


COMPILER = (
    '<compiler settotalmass="3"/>',
    '<compiler boundmass="600" boundinertia="30"/>',
    '<compiler balanceinertia="true"/>',
    '<compiler inertiafromgeom="true"/>',
    '<compiler inertiafromgeom="false"/>',
    '<compiler inertiagrouprange="1 2"/>',
    '<compiler angle="radian" eulerseq="XYZ"/>',
    '<compiler alignfree="true" eulerseq="yxY"/>',
)
BODIES = """<worldbody>
  <body pos="1 2 3" euler="0.1 0.2 0.3">{joint}<geom size="0.3 0.4 0.5" type="box" pos="0.1 0 0" euler="1 2 3"/>
    <site pos="1 2 3"/></body>
  <body pos="0 0 4"><geom type="box" size="0.1 0.2 0.4" group="2"/>
    <inertial pos="0.1 0.2 0" mass="2" diaginertia="1 2 2.5"/>
    <geom type="capsule" size="0.1 0.3" pos="1 0.5 0" euler="0.3 0.1 0" group="1"/></body>
  <body pos="0 1 0" euler="0 40 0"/>
</worldbody>"""


@pytest.mark.parametrize("compiler", COMPILER)
def test_compiler_setting(compiler: str) -> None:
    joint = "" if "inertiafromgeom" in compiler or "range" in compiler else "<freejoint/>"
    text = f"<mujoco>{compiler}{BODIES.format(joint=joint)}</mujoco>"
    compare(load(text), oracle(text))


MESH = """<mujoco><asset><mesh name="m" {0} vertex="0 0 0 1 0 0 0.2 1.4 0 0.1 0 2 1.3 0.9 1" face="0 2 1 0 1 3 0 3 2 1 4 3 2 3 4 1 2 4"/>
</asset><worldbody><body><freejoint/><geom type="mesh" mesh="m" pos="1 2 3" euler="10 20 30" {1}/></body></worldbody></mujoco>"""


@pytest.mark.parametrize("asset", ['inertia="legacy"', 'inertia="exact"', 'inertia="convex"', 'inertia="shell"',
                                   'scale="1 -2 3"', 'refpos="1 2 3" refquat="1 1 0 0"'])  # fmt: skip
@pytest.mark.parametrize("geom", ["", 'mass="3"'])
def test_mesh(asset: str, geom: str) -> None:
    text = MESH.format(asset, geom)
    compare(load(text), oracle(text))


@pytest.mark.parametrize("axes", ["0 0 -1 1 0 0", "0 1 0 0 0 1", "0 0 1 1 0 0", "-1 0 0 0 -1 0", "1 0 0 0 -1 0", "0 -1 0 -1 0 0"])
def test_axes_without_a_largest_component_give_the_same_sign(axes):
    """A quaternion and its negative are one rotation; where several components are the largest MuJoCo picks the last."""
    xml = f'<mujoco><worldbody><body xyaxes="{axes}"><joint/><geom size=".1"/></body></worldbody></mujoco>'
    theirs = mujoco.MjModel.from_xml_string(xml)
    builder = ModelBuilder()
    builder.add_mjcf(xml)
    ours = convert(builder.finalize(device="cpu"))
    np.testing.assert_allclose(ours.body_quat[1], theirs.body_quat[1], atol=1e-7)
