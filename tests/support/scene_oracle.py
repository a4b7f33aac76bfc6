"""MuJoCo's abstract visualizer beside ours: the same model in the same pose, and its geoms by what they stand for."""

from dataclasses import dataclass
from pathlib import Path

import mujoco
import numpy as np
import warp as wp

import newtonish
from newtonish.viewer.scene import Camera, SceneMaker


@dataclass
class Pair:
    """A model on both sides, in one pose."""

    mjm: mujoco.MjModel
    mjd: mujoco.MjData
    model: newtonish.Model
    state: newtonish.State
    maker: SceneMaker

    def shapes(self, world: int = 0) -> np.ndarray:
        """The model's shape of each of MuJoCo's geoms."""
        return self.maker.tables.maps.mjc_geom[world]

    def sites(self, world: int = 0) -> np.ndarray:
        """The model's shape of each of MuJoCo's sites."""
        return self.maker.tables.maps.mjc_site[world]


def pair(source: str | Path, seed: int | None = None, solver: bool = False, **more) -> Pair:
    """A model, its hinges and slides turned at random with a seed, before and after being read by us."""
    text = isinstance(source, str) and source.lstrip().startswith("<")
    mjm = mujoco.MjModel.from_xml_string(source) if text else mujoco.MjModel.from_xml_path(str(source))
    builder = newtonish.ModelBuilder()
    newtonish.solvers.SolverMuJoCo.register_custom_attributes(builder)
    builder.add_mjcf(str(source))
    model = builder.finalize(device="cpu")
    made = newtonish.solvers.SolverMuJoCo(model) if solver else None
    maker = SceneMaker(model, made, checker=False, **more)
    mjd = mujoco.MjData(mjm)
    joint_q = model.joint_q.numpy().copy()
    maps = maker.tables.maps
    if seed is not None:
        random = np.random.default_rng(seed)
        for joint in range(mjm.njnt):
            if mjm.jnt_type[joint] >= 2:
                adr = mjm.jnt_qposadr[joint]
                step = 0.3 * random.uniform(-1, 1)
                mjd.qpos[adr] += step
                joint_q[maps.mjc_coord[0, adr]] += step
    mujoco.mj_forward(mjm, mjd)
    state = model.state()
    state.joint_q = wp.array(joint_q, dtype=float, device="cpu")
    newtonish.eval_fk(model, state.joint_q, state.joint_qd, state)
    return Pair(mjm, mjd, model, state, maker)


def abstract_scene(given: Pair, option: mujoco.MjvOption | None = None, camera: mujoco.MjvCamera | None = None,
                   perturb: mujoco.MjvPerturb | None = None) -> mujoco.MjvScene:  # fmt: skip
    """What mjv_updateScene makes of it."""
    scene = mujoco.MjvScene(given.mjm, maxgeom=20000)
    option = mujoco.MjvOption() if option is None else option
    if camera is None:
        camera = mujoco.MjvCamera()
        mujoco.mjv_defaultFreeCamera(given.mjm, camera)
    mujoco.mjv_updateScene(given.mjm, given.mjd, option, perturb, camera, mujoco.mjtCatBit.mjCAT_ALL, scene)
    return scene


def free_cameras(given: Pair) -> tuple[Camera, mujoco.MjvCamera]:
    """The camera that one starts with, on both sides."""
    theirs = mujoco.MjvCamera()
    mujoco.mjv_defaultFreeCamera(given.mjm, theirs)
    return given.maker.free_camera(), theirs


def geoms_of(scene: mujoco.MjvScene, kind: int) -> list[mujoco.MjvGeom]:
    """The scene's geoms that stand for objects of one mjtObj."""
    return [scene.geoms[i] for i in range(scene.ngeom) if scene.geoms[i].objtype == kind]
