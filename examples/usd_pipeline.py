"""A USD pipeline from end to end: a stage in, many worlds of it simulated, their motion out as a stage that usdview plays.

The stage is authored with OpenUSD's own library: a robot arm with drives, a ground and twenty props. Each world gives the arm other
targets. The recording stands over the stage; it is opened again, and every prim is compared with the state of its frame. Run with
``python examples/usd_pipeline.py [--worlds N] [--seconds S] [--folder F]``.
"""

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
import warp as wp
from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics, UsdShade

import newtonish
from newtonish.viewer import ViewerUSD

FPS = 30
STEPS_PER_FRAME = 8
LINKS = (("shoulder", "Z", 0.3, 0.06), ("upper", "Y", 0.5, 0.05), ("fore", "Y", 0.4, 0.04))
"""Name, axis, length [m] and radius [m] of the arm's links."""
PROPS = 20


def make_collider(shape: Usd.Prim, material: UsdShade.Material) -> None:
    """Let a shape collide, with the friction of a material."""
    UsdPhysics.CollisionAPI.Apply(shape)
    UsdShade.MaterialBindingAPI.Apply(shape).Bind(material, materialPurpose="physics")


def author_arm(stage: Usd.Stage, top: str, material: UsdShade.Material) -> None:
    """An arm on the ground: capsules one above the other, each joint driven towards a target."""
    below, anchor, height = None, 0.0, 0.0
    for name, axis, length, radius in LINKS:
        link = UsdGeom.Xform.Define(stage, f"{top}/arm/{name}")
        link.AddTranslateOp().Set((0, 0, height))
        UsdPhysics.RigidBodyAPI.Apply(link.GetPrim())
        UsdPhysics.MassAPI.Apply(link.GetPrim()).CreateDensityAttr(800)
        tube = UsdGeom.Capsule.Define(stage, f"{link.GetPath()}/tube")
        tube.CreateRadiusAttr(radius)
        tube.CreateHeightAttr(length - 2 * radius)
        tube.AddTranslateOp().Set((0, 0, length / 2))
        tube.CreateDisplayColorAttr([(0.9, 0.5, 0.1)])
        make_collider(tube.GetPrim(), material)
        joint = UsdPhysics.RevoluteJoint.Define(stage, f"{top}/joints/{name}")
        joint.CreateAxisAttr(axis)
        if below is not None:
            joint.CreateBody0Rel().SetTargets([below.GetPath()])
        joint.CreateBody1Rel().SetTargets([link.GetPath()])
        joint.CreateLocalPos0Attr((0, 0, anchor))
        joint.CreateLocalPos1Attr((0, 0, 0))
        joint.CreateLowerLimitAttr(-150)
        joint.CreateUpperLimitAttr(150)
        drive = UsdPhysics.DriveAPI.Apply(joint.GetPrim(), "angular")
        drive.CreateStiffnessAttr(1.0)  # N m per degree
        drive.CreateDampingAttr(0.1)
        below, anchor, height = link, length, height + length
    UsdPhysics.ArticulationRootAPI.Apply(stage.GetPrimAtPath(f"{top}/joints/{LINKS[0][0]}"))


def author_props(stage: Usd.Stage, top: str, material: UsdShade.Material) -> None:
    """Boxes, balls, capsules and cans on a circle around the arm, in two storeys."""
    kinds = (UsdGeom.Cube, UsdGeom.Sphere, UsdGeom.Capsule, UsdGeom.Cylinder)
    for number in range(PROPS):
        kind, angle = kinds[number % 4], 4 * np.pi * number / PROPS
        prop = kind.Define(stage, f"{top}/props/prop_{number:02d}")
        distance = 0.75 if number < PROPS // 2 else 0.78
        prop.AddTranslateOp().Set((distance * np.cos(angle), distance * np.sin(angle), 0.15 if number < PROPS // 2 else 0.4))
        prop.AddRotateXYZOp().Set((0, 0, np.degrees(angle)))
        if kind is UsdGeom.Cube:
            prop.CreateSizeAttr(1.0)
            prop.AddScaleOp().Set((0.12, 0.16, 0.1))
        else:
            prop.CreateRadiusAttr(0.07)
        if kind in (UsdGeom.Capsule, UsdGeom.Cylinder):
            prop.CreateHeightAttr(0.1)
        prop.CreateDisplayColorAttr([tuple(0.5 + 0.4 * np.cos(angle + np.array([0.0, 2.1, 4.2])))])
        UsdPhysics.RigidBodyAPI.Apply(prop.GetPrim())
        UsdPhysics.MassAPI.Apply(prop.GetPrim()).CreateMassAttr(0.2)
        make_collider(prop.GetPrim(), material)


def author(path: Path) -> None:
    """Write the stage: metres, Z up."""
    stage = Usd.Stage.CreateNew(str(path))
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    root = UsdGeom.Xform.Define(stage, "/cell")
    stage.SetDefaultPrim(root.GetPrim())
    scene = UsdPhysics.Scene.Define(stage, "/cell/physics")
    scene.CreateGravityDirectionAttr(Gf.Vec3f(0, 0, -1))
    scene.CreateGravityMagnitudeAttr(9.81)
    step = scene.GetPrim().CreateAttribute("mjc:option:timestep", Sdf.ValueTypeNames.Double, False)
    step.Set(1.0 / (FPS * STEPS_PER_FRAME))
    material = UsdShade.Material.Define(stage, "/cell/materials/rubber")
    friction = UsdPhysics.MaterialAPI.Apply(material.GetPrim())
    friction.CreateDynamicFrictionAttr(0.8)
    friction.CreateStaticFrictionAttr(0.8)
    ground = UsdGeom.Plane.Define(stage, "/cell/ground")
    ground.CreateAxisAttr("Z")
    ground.CreateWidthAttr(4.0)
    ground.CreateLengthAttr(4.0)
    make_collider(ground.GetPrim(), material)
    author_arm(stage, "/cell", material)
    author_props(stage, "/cell", material)
    stage.GetRootLayer().Save()


def simulate(path: Path, out: Path, worlds: int, seconds: float, device: str = "cpu") -> tuple[list[str], np.ndarray]:
    """Simulate the stage in many worlds and record all of them.

    Returns:
        Paths of the bodies, and their poses in every frame, shape (frames, worlds, bodies, 7).
    """
    cell, builder = newtonish.ModelBuilder(), newtonish.ModelBuilder()
    cell.add_usd(str(path))
    builder.replicate(cell, worlds)
    model = builder.finalize(device=device)
    solver = newtonish.SolverMuJoCo(model)
    state, control = model.state(), model.control()

    # The arm of each world reaches for somewhere else.
    drives = [dof for dof, mode in enumerate(model.joint_target_mode.numpy()) if mode]
    targets = control.joint_target_q.numpy()
    wanted = np.random.default_rng(1).uniform((-2.0, 0.6, 0.3), (2.0, 1.4, 1.4), (worlds, 3))
    start, dof_start = model.joint_q_start.numpy(), model.joint_qd_start.numpy()
    joints = np.searchsorted(dof_start, drives, side="right") - 1
    targets[start[joints]] = wanted.ravel()
    control.joint_target_q.assign(targets)

    viewer = ViewerUSD(out, fps=FPS, source=path, worlds=range(worlds))
    viewer.set_model(model)
    frames = []
    for frame in range(round(seconds * FPS) + 1):
        for _ in range(STEPS_PER_FRAME if frame else 0):
            solver.step(state, state, control, None, 1.0 / (FPS * STEPS_PER_FRAME))
        viewer.begin_frame(frame / FPS)
        viewer.log_state(state)
        viewer.end_frame()
        frames.append(state.body_q.numpy().reshape(worlds, -1, 7).copy())
    viewer.close()
    return [str(label) for label in cell.body_label], np.array(frames)


def check(out: Path, paths: list[str], poses: np.ndarray) -> float:
    """Open the recording again and compare every prim with its state, frame by frame.

    Returns:
        Largest distance of a prim's origin from where it should be, and of a point half a metre off it [m].
    """
    stage = Usd.Stage.Open(str(out))
    assert stage.GetTimeCodesPerSecond() == FPS
    assert (stage.GetStartTimeCode(), stage.GetEndTimeCode()) == (0.0, len(poses) - 1.0)
    several, worst = poses.shape[1] > 1, 0.0
    tops = [stage.GetPrimAtPath(f"/worlds/world_{world}") if several else stage.GetPseudoRoot() for world in range(poses.shape[1])]
    prims = [[stage.GetPrimAtPath(f"{top.GetPath()}{path}" if several else path) for path in paths] for top in tops]
    for frame, states in enumerate(poses):
        cache = UsdGeom.XformCache(frame)
        for world, top in enumerate(tops):
            away = np.array(cache.GetLocalToWorldTransform(top))[3, :3] if several else np.zeros(3)
            found = np.array([cache.GetLocalToWorldTransform(prim) for prim in prims[world]])  # rows are axes, then the origin
            axes = found[:, :3, :3] / np.linalg.norm(found[:, :3, :3], axis=2, keepdims=True)
            gaps = np.linalg.norm(found[:, 3, :3] - away - states[world, :, :3], axis=1)
            gaps += 0.5 * np.abs(axes - axes_of(states[world, :, 3:])).max(axis=(1, 2))
            worst = max(worst, float(gaps.max()))
    return worst


def axes_of(quaternions: np.ndarray) -> np.ndarray:
    """Axes of frames as rows, (n, 3, 3), from quaternions x, y, z, w."""
    x, y, z, w = np.moveaxis(quaternions / np.linalg.norm(quaternions, axis=1, keepdims=True), 1, 0)
    rows = (
        (1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)),
        (2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)),
        (2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)),
    )
    return np.moveaxis(np.array(rows), 2, 0)


def run(folder: Path, worlds: int, seconds: float, device: str = "cpu") -> tuple[np.ndarray, float]:
    """The whole pipeline; returns the poses and the largest distance between recording and states."""
    stage, out = folder / "cell.usda", folder / "motion.usdc"
    author(stage)
    paths, poses = simulate(stage, out, worlds, seconds, device)
    return poses, check(out, paths, poses)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--worlds", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--folder", type=Path, help="where to write cell.usda and motion.usdc (default: a temporary folder)")
    parser.add_argument("--device", default="cpu")
    arguments = parser.parse_args()
    wp.config.quiet = True
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or Path(temporary)
        poses, worst = run(folder, arguments.worlds, arguments.seconds, arguments.device)
        frames, worlds, bodies = poses.shape[:3]
        print(f"{frames} frames of {worlds} worlds with {bodies} bodies: recording and states differ by {1e6 * worst:.2f} um at most")
        if arguments.folder:
            print(f"play it: usdview {folder / 'motion.usdc'}")
    print(f"{time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
