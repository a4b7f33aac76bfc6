"""Recorded motions: opened again by usd-core, every prim stands where its body stood, frame by frame."""

import warnings

import numpy as np
import pytest
import warp as wp

pytest.importorskip("pxr")

from paths import OWN, shared_model
from pxr import Sdf, Usd, UsdGeom
from usd_stages import HEADER, body, joint
from usd_validators import complaints

from newtonish import ModelBuilder
from newtonish.cli.main import main
from newtonish.errors import ModelError
from newtonish.importers import frames
from newtonish.viewer import ViewerUSD

NESTED = """#usda 1.0
(
    metersPerUnit = 0.01
    upAxis = "Y"
    startTimeCode = 3
)
def Xform "scene" {
    double3 xformOp:scale = (2, 2, 2)
    double3 xformOp:translate = (10, 0, 5)
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:scale"]
    def Xform "arm" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {
        double3 xformOp:translate = (0, 40, 0)
        float xformOp:rotateZ = 30
        float3 xformOp:scale = (-1, 1, 0.5)
        uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:rotateZ", "xformOp:scale"]
        def Cube "box" (prepend apiSchemas = ["PhysicsCollisionAPI"]) {
            double size = 10
        }
        def Xform "folder" {
            double3 xformOp:scale = (1, 1, 2)
            uniform token[] xformOpOrder = ["xformOp:scale"]
            def Xform "hand" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {
                double3 xformOp:translate = (30, 0, 0)
                uniform token[] xformOpOrder = ["xformOp:translate"]
                def Sphere "ball" (prepend apiSchemas = ["PhysicsCollisionAPI"]) {
                    double radius = 4
                }
            }
        }
    }
}
def "instance" (
    instanceable = true
    references = </class_thing>
)
{
    double3 xformOp:translate = (0, 90, 0)
    uniform token[] xformOpOrder = ["xformOp:translate"]
}
class Xform "class_thing" {
    def Xform "thing" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {
        def Cube "box" (prepend apiSchemas = ["PhysicsCollisionAPI"]) {
            double size = 10
        }
    }
}
"""


def built(source: str, worlds: int):
    """A model of a file in some worlds."""
    one, many = ModelBuilder(), ModelBuilder()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        getattr(one, "add_mjcf" if source.endswith(".xml") else "add_usd")(source)
        many.replicate(one, worlds)
        return one, many.finalize(device="cpu")


def random_poses(model, frames_: int) -> np.ndarray:
    """(frames, body_count, 7) poses that nothing relates."""
    rng = np.random.default_rng(3)
    poses = rng.normal(size=(frames_, model.body_count, 7))
    poses[..., 3:] /= np.linalg.norm(poses[..., 3:], axis=-1, keepdims=True)
    return poses.astype(np.float32)


def record(viewer, model, poses) -> None:
    viewer.set_model(model)
    state = model.state()
    for frame, values in enumerate(poses):
        state.body_q.assign(wp.array(values, dtype=wp.transform, device="cpu"))
        viewer.begin_frame(frame / 30)
        viewer.log_state(state)
        viewer.end_frame()
    viewer.close()


def matrix(pose) -> np.ndarray:
    """Matrix of a position and a quaternion x, y, z, w."""
    result = np.eye(4)
    result[:3, :3], result[:3, 3] = frames.to_matrix(np.roll(np.asarray(pose[3:], dtype=float), 1)), pose[:3]
    return result


@pytest.mark.parametrize("worlds", [[0], [2], [2, 0, 3]])
@pytest.mark.parametrize("suffix", [".usda", ".usdc"])
def test_stages_play_what_was_recorded(worlds, suffix, tmp_path) -> None:
    """Nested bodies below scaled and mirrored prims, inside instances, in centimetres, Y up."""
    (tmp_path / "scene.usda").write_text(NESTED)
    one, model = built(str(tmp_path / "scene.usda"), 4)
    poses = random_poses(model, 5)
    viewer = ViewerUSD(tmp_path / f"out{suffix}", fps=30, source=tmp_path / "scene.usda", worlds=worlds, spacing=(3.0, 4.0))
    record(viewer, model, poses)
    opened, still = Usd.Stage.Open(str(viewer.output_path)), Usd.Stage.Open(str(tmp_path / "scene.usda"))
    assert opened.GetStartTimeCode() == 0 and opened.GetEndTimeCode() == 4 and opened.GetTimeCodesPerSecond() == 30
    assert UsdGeom.GetStageUpAxis(opened) == "Y" and UsdGeom.GetStageMetersPerUnit(opened) == 0.01
    assert not opened.GetCompositionErrors()
    turn = frames.to_matrix(np.array([0.5**0.5, 0.5**0.5, 0, 0]))  # Y up to Z up
    start = UsdGeom.XformCache(Usd.TimeCode.EarliestTime())
    for number, world in enumerate(worlds):
        away = np.array([300.0 * (number % 2), 0, 400.0 * (number // 2)]) if len(worlds) > 1 else 0.0
        for frame in range(5):
            cache = UsdGeom.XformCache(frame)
            for row, path in enumerate(one.body_label):
                pose = matrix(poses[frame, world * one.body_count + row])
                rest = np.array(start.GetLocalToWorldTransform(still.GetPrimAtPath(path))).T
                rigid = np.linalg.norm(rest[:3, :3], axis=0)
                stands = np.eye(4)
                stands[:3, :3] = turn.T @ pose[:3, :3]
                stands[:3, 3] = 100.0 * turn.T @ pose[:3, 3] + away
                shape = np.diag([-rigid[0], *rigid[1:], 1.0]) if np.linalg.det(rest[:3, :3]) < 0 else np.diag([*rigid, 1.0])
                prim = opened.GetPrimAtPath(viewer_path(len(worlds), world, path))
                found = np.array(cache.GetLocalToWorldTransform(prim)).T
                assert np.allclose(found, stands @ shape, atol=1e-4), (world, frame, path)


def viewer_path(count: int, world: int, path: str) -> str:
    return path if count == 1 else f"/worlds/world_{world}{path}"


def test_models_of_other_formats_get_a_stage_beside_the_recording(tmp_path) -> None:
    _, model = built(str(shared_model("dm_humanoid/humanoid.xml")), 2)
    poses = random_poses(model, 3)
    viewer = ViewerUSD(tmp_path / "walk.usda", fps=30, worlds=[1])
    record(viewer, model, poses)
    assert viewer.stage_path == tmp_path / "walk_model.usdc" and viewer.left_out == []
    opened = Usd.Stage.Open(str(tmp_path / "walk.usda"))
    assert Sdf.Layer.FindOrOpen(str(tmp_path / "walk.usda")).subLayerPaths == ["walk_model.usdc"]
    assert complaints(opened) == []
    for frame in range(3):
        cache = UsdGeom.XformCache(frame)
        for row, label in enumerate(model.body_label[: model.body_count // 2]):
            if "_virtual" in label:  # a carrier of one of several joints
                continue
            prim = next(prim for prim in opened.Traverse() if prim.GetName() == label.rsplit("/", 1)[-1] and "PhysicsRigidBodyAPI" in prim.GetAppliedSchemas())
            found = np.array(cache.GetLocalToWorldTransform(prim)).T
            assert np.allclose(found, matrix(poses[frame, row + model.body_count // 2]), atol=1e-5)


def test_joints_beside_their_bodies_come_along(tmp_path) -> None:
    """Several worlds refer to a stage of several roots as a whole, so that relationships between roots lead on."""
    text = (
        HEADER.format(length=1, mass=1, up="Z")
        + body("a")
        + body("b", place=(1, 0, 0))
        + joint("Revolute", "j", "/a", "/b", "point3f physics:localPos0 = (1, 0, 0)")
    )
    (tmp_path / "two.usda").write_text(text)
    _, model = built(str(tmp_path / "two.usda"), 2)
    record(ViewerUSD(tmp_path / "out.usda", fps=30, source=tmp_path / "two.usda", worlds=[0, 1]), model, random_poses(model, 2))
    opened = Usd.Stage.Open(str(tmp_path / "out.usda"))
    for world in (0, 1):
        ends = [opened.GetPrimAtPath(f"/worlds/world_{world}/j").GetRelationship(f"physics:body{end}").GetTargets() for end in (0, 1)]
        assert ends == [[f"/worlds/world_{world}/a"], [f"/worlds/world_{world}/b"]]
    assert not opened.GetCompositionErrors()


def test_what_stands_still_has_one_value(tmp_path) -> None:
    _, model = built(str(OWN / "spatial_tendons.xml"), 1)
    record(ViewerUSD(tmp_path / "out.usda"), model, np.repeat(model.body_q.numpy()[None], 4, axis=0))
    assert "timeSamples" not in (tmp_path / "out.usda").read_text()


def test_the_command(tmp_path, capsys) -> None:
    arguments = ["record", str(shared_model("dmc_cartpole/cartpole.xml")), "--seconds", "0.2", "--fps", "30", "--worlds", "3", "--control", "random"]
    assert main([*arguments, "--out", str(tmp_path / "all.usdc")]) == 0
    assert "6 frames of" in capsys.readouterr().out
    assert main([*arguments, "--out", str(tmp_path / "one.usda"), "--world", "1"]) == 0
    stage, one = Usd.Stage.Open(str(tmp_path / "all.usdc")), Usd.Stage.Open(str(tmp_path / "one.usda"))
    names = [str(prim.GetPath()) for prim in one.Traverse() if "PhysicsRigidBodyAPI" in prim.GetAppliedSchemas()]
    poses = {}
    for world in range(3):
        cache = UsdGeom.XformCache(5)
        top = f"/worlds/world_{world}/all_model"
        inner = [name.split("/", 2)[2] for name in names]
        poses[world] = [np.array(cache.ComputeRelativeTransform(stage.GetPrimAtPath(f"{top}/{name}"), stage.GetPrimAtPath(top))[0]) for name in inner]
    alone = [np.array(UsdGeom.XformCache(5).GetLocalToWorldTransform(one.GetPrimAtPath(name))) for name in names]
    assert np.allclose(alone, poses[1], atol=1e-5) and not np.allclose(poses[0], poses[1], atol=1e-5)
    for wrong, said in (
        (["--out", "a.avi"], "a name that ends in '.avi'"),
        (["--out", str(tmp_path / "a.usd"), "--world", "3"], "0 to 2"),
        (["--out", str(tmp_path / "a.usd"), "--fps", "0"], "more than 0"),
    ):
        assert main([*arguments, *wrong]) == 2
        assert said in capsys.readouterr().err


def test_errors_say_what_to_do(tmp_path) -> None:
    (tmp_path / "scene.usda").write_text(NESTED)
    _, model = built(str(OWN / "spatial_tendons.xml"), 1)
    with pytest.raises(ModelError, match="a name that ends in"):
        ViewerUSD("a.mp4")
    with pytest.raises(ModelError, match="once in each world"):
        ViewerUSD(tmp_path / "a.usda", source=tmp_path / "scene.usda").set_model(model)
    viewer = ViewerUSD(tmp_path / "a.usda")
    with pytest.raises(ModelError, match="set_model before"):
        viewer.log_state(model.state())
    viewer.set_model(model)
    viewer.log_state(model.state())
    with pytest.raises(ModelError, match="rising times"):
        viewer.log_state(model.state())
