"""Stages made by mujoco-usd-converter have the arrays of the MJCF files they were made from."""

from __future__ import annotations

import pytest

pytest.importorskip("pxr")

from paths import SHARED, shared_model
from usd_compare import differences, mjcf
from usd_stages import compiled

INPUTS = ("actuator_ctrlspec",)
"""The converter writes servos as general actuators, which do not say what their control means."""
MODELS = {
    "allegro_hand": ("allegro_hand/right_hand.xml", INPUTS),
    "arm21": ("arm21/arm21.xml", INPUTS),
    "dm_humanoid": ("dm_humanoid/humanoid.xml", ()),
    # The equality couples two tendons, for which there is no schema.
    "dmc_manipulator": ("dmc_manipulator/manipulator.xml", (*INPUTS, "eq_")),
    "myofinger": ("myofinger/myo_sim/finger/myofinger_v0.xml", INPUTS),
    # Ellipsoids are not written, which are five visual geoms of ten.
    "skydio_x2": ("skydio_x2/x2.xml", ("geom_", "body_geom")),
    "wx250s": ("wx250s/wx250s.xml", INPUTS),
}
CONVERTER = {
    "actuators": INPUTS,
    "attach_scene": (),
    # A body with mass and without inertia: zeros stand for "from the shapes" in a MassAPI.
    "bodies": ("body_inertia", "body_iquat", "body_invweight0"),
    # The world is excluded from itself, which means nothing.
    "contact_excludes": ("exclude_signature",),
    "equality_connect_attributes": (),
    "equality_joint_attributes": (),
    "equality_weld_attributes": (),
    "frames": (),
    # Equal meshes are one.
    "geoms": ("geom_dataid",),
    "joint_attributes": (),
    "physics_materials": (),
    "scene_attributes": (),
    "tendon_fixed_attributes": (),
    "tendon_pulley": (),
    "tendon_spatial_attributes": (),
    "tendon_spatial_sidesites": INPUTS,
}


@pytest.mark.parametrize("name", MODELS)
def test_models_equal_their_source(name: str) -> None:
    source, other = MODELS[name]
    folder = shared_model(f"usd_generated/{name}")
    path = next(folder.glob("*.usda"))
    source = mjcf(shared_model(source), ellipsoids=name != "myofinger")  # the converter does not write the nail, which weighs
    assert differences(source, compiled(path), other) == {}


@pytest.mark.parametrize("name", CONVERTER)
def test_converter_tests_equal_their_source(name: str) -> None:
    path = next(shared_model(f"usd_generated/convtest_{name}").glob("*.usdc"))
    source = next((SHARED / "converter_tests").rglob(f"{name}.xml"))
    assert differences(mjcf(source), compiled(path), CONVERTER[name]) == {}


BALLS = """
<mujoco>
  <worldbody>
    <body pos="0 0 1" euler="-45 0 0">
      <geom type="box" size="0.1 0.5 0.1" rgba="1 0 1 1"/>
      <body pos="0 0.5 0">
        <inertial pos="0 0.6 0" mass="1" diaginertia="0.3 0.3 0.1"/>
        <joint type="ball" pos="0 0.1 0" range="0 90"/>
        <geom type="box" size="0.05 0.5 0.05" pos="0 0.6 0" rgba="1 1 0 1"/>
      </body>
    </body>
    <body pos="0 0 1" euler="0 45 -90">
      <geom type="box" size="0.1 0.5 0.1" rgba="0 0 1 1"/>
      <body pos="0 0.5 0">
        <joint type="ball" pos="0 0.1 0" range="0 45"/>
        <geom type="box" size="0.05 0.5 0.05" pos="0 0.6 0" rgba="0 1 0 1"/>
        <body pos="0 1.1 0" euler="0 0 90">
          <joint type="ball" pos="0 0.1 0" range="0 90"/>
          <geom type="box" size="0.025 0.5 0.025" pos="0 0.6 0" rgba="1 0 0 1"/>
        </body>
      </body>
    </body>
  </worldbody>
</mujoco>
"""
"""What the stage ``ball_joints`` was made from, whose file is not in the folder; in our words. The converter loses the Euler angles of an
inertial, ``0 45 45``, which it writes as the body's axes."""


def test_ball_joints_equal_their_source() -> None:
    path = shared_model("usd_generated/convtest_ball_joints/ball_joints.usdc")
    assert differences(mjcf(BALLS), compiled(path)) == {}
