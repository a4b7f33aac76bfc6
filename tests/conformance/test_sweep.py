"""Real models beyond the main ones: every stage against MuJoCo in three unequal worlds, and the importer's arrays.

What is not simulated yet is switched off on both sides: contacts where a pair has no collision function, equality
constraints, the medium; another solver becomes Newton. The tests take a handful of models; the whole folder is swept by

    PYTHONPATH=tests/support python tests/conformance/test_sweep.py

which prints a line for each model and step count that differs, and for each model that is left out, with the reason.
"""

import sys
import warnings
from pathlib import Path

import mujoco
import numpy as np
import oracle
import pytest
from device_arrays import compare
from paths import SHARED, shared_model

from newtonish.errors import ImporterError
from newtonish.mjw.supported import unsupported

MODELS = {
    "barkour_vb/barkour_vb_mjx.xml": 200,
    "sensor_zoo/sensor.xml": 200,
    "replicate_scenes/helix.xml": 50,
    "converter_tests/tests/data/stacked_joints.xml": 200,
    "rubik_cube/cube_3x3x3.xml": 50,
    "unitree_g1/scene.xml": 200,
    "wx250s/scene.xml": 200,
    "dm_humanoid/22_humanoids.xml": 50,
}
IMPORTED = (
    "barkour_vb/barkour_vb_mjx.xml",
    "converter_tests/tests/data/joint_attributes.xml",
    "converter_tests/tests/data/stacked_joints.xml",
    "converter_tests/tests/data/geoms.xml",
    "unitree_g1/scene.xml",
    "rubik_cube/cube_3x3x3.xml",
)
LARGEST = 600


def simplify(mjm: mujoco.MjModel) -> None:
    """Switch off on both sides what is not simulated yet."""
    mjm.opt.solver = mujoco.mjtSolver.mjSOL_NEWTON
    mjm.opt.density = mjm.opt.viscosity = 0.0
    mjm.opt.enableflags &= ~int(mujoco.mjtEnableBit.mjENBL_SLEEP)
    mjm.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_EQUALITY
    if mjm.opt.integrator == mujoco.mjtIntegrator.mjINT_IMPLICIT:
        mjm.opt.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    # contacts of meshes may differ in degenerate poses: tests/kernels/test_collision_convex_models.py compares them
    mesh = mjm.geom_type == mujoco.mjtGeom.mjGEOM_MESH
    mjm.geom_contype[mesh] = mjm.geom_conaffinity[mesh] = 0
    if any(line.startswith("contacts of") for line in unsupported(mjm)):
        mjm.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT


def left(mjm: mujoco.MjModel) -> list[str]:
    """What is still not simulated after :func:`simplify`."""
    return [line for line in unsupported(mjm) if not line.startswith(("contacts of", "equality constraints"))]


@pytest.mark.filterwarnings("ignore::newtonish.errors.NewtonishWarning")
@pytest.mark.parametrize("file", MODELS)
def test_every_stage_agrees(file, device):
    pair = oracle.load(shared_model(file), change=simplify, device=device)
    for steps in (0, MODELS[file]):
        oracle.advance(pair, steps)
        oracle.forward(pair)
        oracle.compare_all(pair)


@pytest.mark.filterwarnings("ignore::newtonish.errors.NewtonishWarning")
@pytest.mark.parametrize("file", IMPORTED)
def test_the_importers_arrays_are_equal(file, device):
    compare(shared_model(file), device)


def report(file: str, what: str, error: Exception | str) -> None:
    print(f"{file}: {what}: {str(error).splitlines()[0][:200]}", flush=True)


def sweep(path: Path, device: str) -> None:
    """Compare one file at 0, 50 and 200 steps, and its import; print what differs."""
    file = str(path.relative_to(SHARED))
    try:
        mjm = mujoco.MjModel.from_xml_path(str(path))
    except ValueError:
        return  # a part that another file includes
    simplify(mjm)
    if left(mjm) or mjm.nv > LARGEST:
        report(file, "left out", left(mjm)[0] if left(mjm) else f"{mjm.nv} degrees of freedom")
        return
    for steps in (0, 50, 200):
        pair = oracle.from_model(mjm, device=device)
        oracle.advance(pair, steps)
        oracle.forward(pair)
        try:
            oracle.compare_all(pair)
        except AssertionError as error:
            report(file, f"{steps} steps", error)
    try:
        compare(path, device)
    except (AssertionError, ImporterError) as error:
        report(file, "import", error)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    for model in sorted(SHARED.rglob("*.xml")):
        sweep(model, sys.argv[1] if len(sys.argv) > 1 else "cpu")
