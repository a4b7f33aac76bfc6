"""What is imported until a model has taken a step: the kernels it needs, and no others."""

import subprocess
import sys
from pathlib import Path

from newtonish import mjw

NOTHING = "import sys, newtonish; print([name for name in sys.modules if name.startswith(('warp', 'numpy', 'lxml', 'newtonish.kernels'))])"
STEP = """
import gc, sys
from newtonish import mjw
m, d = mjw.load('<mujoco><worldbody><geom type="plane" size="1 1 1"/><body pos="0 0 .1"><freejoint/><geom size=".1"/></body></worldbody></mujoco>')
mjw.step(m, d)
assert gc.isenabled()
print(*(name.removeprefix("newtonish.kernels.") for name in sys.modules if name.startswith("newtonish.kernels.")))
"""
UNUSED = {
    "collision.box_box", "collision.convex", "collision.narrow", "constraint.equality", "constraint.material", "integrate.discrete.stage",
    "forces.laws", "forces.fluid", "fused.sensor", "integrate.rk4", "inverse", "forces.plasticity",
    "solver.pgs", "sparse.solve", "analysis.differences",
}  # fmt: skip


def _printed(program: str) -> str:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=300)
    return done.stdout.strip().splitlines()[-1]


def test_the_package_alone_imports_nothing_else():
    assert _printed(NOTHING) == "[]"


def test_a_sphere_on_the_floor_needs_few_kernels():
    imported = set(_printed(STEP).split())
    assert {"fused.collision_round", "fused.constraint_joints", "fused.euler", "fused.solve"} <= imported
    assert not imported & UNUSED


def test_every_public_name_is_there():
    names = set(dir(mjw))
    for name in mjw.__all__:
        assert name in names
        assert getattr(mjw, name) is not None


def test_names_of_files_are_functions_whoever_imports_the_files():
    program = "import newtonish.mjw.from_mjmodel, newtonish.mjw.from_file; from newtonish import mjw; print(callable(mjw.load), callable(mjw.put_model))"
    assert _printed(program) == "True True"
    folder = Path(mjw.__file__).parent
    assert {path.stem for path in folder.glob("*.py")} & set(mjw.__all__) <= {"load", "put_model"}
