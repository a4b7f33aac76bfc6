"""save_to_usd with ``newton:*`` beside ``mjc:*`` and alone: our reader gets the model back from either, Newton's gets what it has words for."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pxr")

from newton_stages import rows, stages_by_newton
from paths import OWN, shared_model
from pxr import Sdf, Usd
from random_model import random_model
from solver_rigs import every_joint
from usd_saved import built, compiled, differences
from usd_stages import read

import newtonish as nt
from newtonish.convert import convert
from newtonish.errors import ModelError
from newtonish.exporters.usd import save_to_usd
from newtonish.exporters.usd.newton import WORDS

ALONE = (
    "actuator_zoo.xml", "all_sensors.xml", "equality_zoo.xml", "fixed_tendons.xml", "mjcf_tree.xml", "sleep_zoo.xml", "spatial_tendons.xml",
    "dm_humanoid/humanoid.xml", "converter_tests/tests/data/bodies.xml", "converter_tests/tests/data/reflected_meshes.xml",
    "small_mechanisms/slider_crank/slider_crank.xml",
)  # fmt: skip
PEER = """<mujoco>
  <option timestep=".004" iterations="7"/>
  <compiler autolimits="true"/>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 .1" margin=".01" gap=".002"/>
    <body name="arm" pos="0 0 1">
      <joint name="turn" axis="0 1 0" range="-30 40" armature="{armature}" damping=".3" frictionloss=".2"/>
      <geom name="rod" type="capsule" size=".05 .2" friction="{friction} .01 .002" mass="{mass}"/>
      <body name="slide" pos="0 0 .5">
        <joint name="rail" type="slide" axis="1 0 0" range="-.1 .2" armature=".02" damping="3" solreflimit=".03 .8"/>
        <geom name="ball" size=".07" gap=".001" mass="2"/>
      </body>
    </body>
    <body name="free" pos="2 0 1"><freejoint/><geom name="box" type="box" size=".1 .2 .3" mass="3"/></body>
  </worldbody>
  <equality><joint joint1="rail" joint2="turn" polycoef=".1 .5 0 0 0"/></equality>
</mujoco>"""


def model_path(name: str) -> Path:
    """A model of ours, or a shared one."""
    return shared_model(name) if "/" in name else OWN / name


def same_and_silent(origin: Any, out: Path) -> None:
    """A stage without a word of ``mjc:*`` imports to the arrays it was written from."""
    text = out.read_text()
    assert "mjc:" not in text and "Mjc" not in text
    assert differences(origin, out) == differences(origin, out, schema_resolvers=["newton"]) == []


@pytest.mark.parametrize("name", ALONE)
def test_newton_alone_gives_the_model_back(name: str, tmp_path: Path) -> None:
    origin = compiled(built(model_path(name)))
    assert save_to_usd(origin, tmp_path / "model.usda", schemas=["newton"]).left_out == []
    same_and_silent(origin, tmp_path / "model.usda")


@pytest.mark.parametrize("seed", range(6))
def test_random_models(seed: int, tmp_path: Path) -> None:
    (tmp_path / "model.xml").write_text(random_model(seed))
    origin = compiled(built(tmp_path / "model.xml"))
    for schemas in (("newton",), ("mjc", "newton")):
        save_to_usd(origin, tmp_path / "model.usda", schemas=schemas)
        assert differences(origin, tmp_path / "model.usda") == []


def test_worlds_that_differ_in_forces(tmp_path: Path) -> None:
    """Contacts and limits whose stiffness is in newtons, and rated speeds, which ``mjc:*`` has no words for."""
    builder = nt.ModelBuilder()
    for world in range(2):
        one = every_joint()
        for dof in range(one.joint_dof_count):
            one.joint_velocity_limit[dof] = 3.0 + dof + world
        one.joint_limit_lower[11], one.joint_limit_upper[11] = -1.0, 1.0 + world
        one.joint_limit_ke[11], one.joint_limit_kd[11] = 40.0 * (1 + world), 2.0
        one.custom_attributes["mujoco:solreflimit_mode"].values[11] = 0
        for body in range(one.body_count):
            cfg = nt.ModelBuilder.ShapeConfig(ke=1000.0 * (1 + world), kd=20.0, kf=300.0, density=0.0)
            row = one.add_shape_sphere(body, radius=0.1, cfg=cfg)
            one.custom_attributes["mujoco:solref_mode"].values[row] = 0
        builder.add_world(one)
    model = builder.finalize(device="cpu")
    origin = convert(model)
    for world in (0, 1):
        for schemas in (("newton",), ("mjc", "newton")):
            out = tmp_path / "model.usda"
            assert save_to_usd(model, out, world, schemas=schemas).left_out == []
            again_builder = built(out)
            again = compiled(again_builder)
            for name in ("jnt_solref", "jnt_range", "geom_solref", "body_mass", "geom_gain", "geom_kf"):
                np.testing.assert_allclose(getattr(again, name), origin.world(name, world), rtol=2e-5, atol=1e-6, err_msg=name)
            assert again.jnt_forced.tolist() == origin.jnt_forced.tolist() and origin.jnt_forced.any()
            speeds = again.maps.mjc_dof[0][again.jnt_dofadr]
            own = np.array(again_builder.joint_velocity_limit)[speeds]
            given = model.joint_velocity_limit.numpy()[origin.maps.mjc_dof[world][origin.jnt_dofadr]]
            scalar = origin.jnt_type >= 2
            np.testing.assert_allclose(own[scalar], given[scalar], rtol=1e-6)
    left = save_to_usd(model, tmp_path / "model.usda", schemas="mjc").left_out
    assert len(left) == again.ngeom and all("newton:contactStiffness" in line for line in left)


def test_families_that_there_are_not(tmp_path: Path) -> None:
    model = every_joint().finalize(device="cpu")
    for wrong in ((), ("physx",), "newt"):
        with pytest.raises(ModelError, match="one or both of mjc, newton"):
            save_to_usd(model, tmp_path / "x.usda", schemas=wrong)
    assert not list(tmp_path.iterdir())


def test_joints_add_up_below_a_joint_that_heads_an_articulation(tmp_path: Path) -> None:
    """As ``newton:jointsAddMobility`` says, without anything of ours beside it."""
    (tmp_path / "two.xml").write_text("""<mujoco><worldbody><body><joint axis="1 0 0"/><geom size=".1"/><body pos="0 0 1">
      <joint axis="0 1 0"/><joint axis="0 0 1"/><geom size=".1"/></body></body></worldbody></mujoco>""")
    save_to_usd(compiled(built(tmp_path / "two.xml")), tmp_path / "two.usda", schemas=["newton"])
    stage = Usd.Stage.Open(str(tmp_path / "two.usda"))
    for prim in stage.Traverse():
        for name in prim.GetAuthoredPropertyNames():
            if name.startswith("newtonish:"):
                prim.RemoveProperty(name)
    builder, _ = read(stage)
    assert builder.joint_dof_count == 3 and not [joint for joint in builder.joint_articulation if joint < 0]


def test_the_words_are_those_of_the_schemas() -> None:
    found = find_spec("newton_usd_schemas")  # which registers them where it is imported, too late for the stages of this process
    if found is None or found.origin is None:
        pytest.skip("no newton_usd_schemas here")
    layer = Sdf.Layer.FindOrOpen(str(Path(found.origin).parent / "generatedSchema.usda"))
    for name, word in WORDS.items():
        spec = layer.GetPropertyAtPath(f"/{word.api}.newton:{name}")
        assert spec is not None, name
        assert spec.typeName == getattr(Sdf.ValueTypeNames, word.type), name
        assert (spec.variability == Sdf.VariabilityUniform) == word.uniform, name


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], list[Path]]:
    """What Newton makes of two unequal models, written in both families and in its own alone."""
    pytest.importorskip("newton")
    pytest.importorskip("newton_usd_schemas", reason="Newton reads no stages without its schemas")
    folder = tmp_path_factory.mktemp("newton")
    stages = []
    for number, numbers in enumerate(({"armature": 0.05, "friction": 0.6, "mass": 1.5}, {"armature": 0.2, "friction": 0.9, "mass": 4.0})):
        (folder / f"{number}.xml").write_text(PEER.format(**numbers))
        model = built(folder / f"{number}.xml").finalize(device="cpu")
        for schemas in (("newton",), ("mjc", "newton")):
            stages.append(folder / f"{number}_{len(schemas)}.usda")
            save_to_usd(model, stages[-1], schemas=schemas)
    return stages_by_newton(stages, folder / "stages.json"), stages


def test_newton_reads_what_is_written(theirs: tuple[dict[str, Any], list[Path]]) -> None:
    """Masses, limits, armature, friction, damping, margins and gaps arrive, and every attribute is one of the schemas that are applied."""
    found, stages = theirs
    masses = []
    for path in stages:
        his, ours = found[str(path)], rows(*read(path))
        assert his.pop("unknown") == []
        for kind, table in ours.items():
            assert set(table) == set(his[kind]), kind
            for prim, values in table.items():
                for name, value in values.items():
                    if name not in ("joint_limit_ke", "joint_limit_kd") or prim.endswith("rail"):
                        np.testing.assert_allclose(value, his[kind][prim][name], rtol=1e-5, atol=1e-7, err_msg=f"{path.stem} {prim} {name}")
        masses.append(next(body["body_mass"][0] for prim, body in his["bodies"].items() if prim.endswith("/arm")))
        joint = next(values for prim, values in his["joints"].items() if prim.endswith("/turn"))
        assert np.isclose(joint["joint_damping"][0], 0.3) and np.isclose(joint["joint_friction"][0], 0.2)
        assert np.isclose(next(shape["shape_gap"][0] for prim, shape in his["shapes"].items() if prim.endswith("/ball")), 0.001)
    assert np.allclose(masses, [1.5, 1.5, 4.0, 4.0])


def test_hulls_of_meshes_that_are_seen_too(tmp_path: Path) -> None:
    """One mesh of a collider and of a shape that is only drawn stays one, with the bound of its hull."""
    text = """<mujoco><asset><mesh name="m" maxhullvert="5" vertex="0 0 0 1 0 0 0 2 0 0 0 3.1 1 2.2 0 1 0 3 0 2 3 1.3 2 3"/></asset><worldbody>
      <body><freejoint/><geom type="mesh" mesh="m"/><geom type="mesh" mesh="m" contype="0" conaffinity="0" pos="2 0 0"/></body></worldbody></mujoco>"""
    (tmp_path / "model.xml").write_text(text)
    origin = compiled(built(tmp_path / "model.xml"))
    for schemas in (("newton",), ("mjc", "newton"), ("mjc",)):
        save_to_usd(origin, tmp_path / "model.usda", schemas=schemas)
        again = compiled(built(tmp_path / "model.usda"))
        assert differences(origin, tmp_path / "model.usda") == []
        assert (again.nmesh, again.mesh_maxhullvert.tolist()) == (1, [5])
