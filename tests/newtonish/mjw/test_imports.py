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


def test_no_file_has_the_name_of_a_public_function():
    """Importing the file would put the module in the function's place."""
    folder = Path(mjw.__file__).parent
    assert not {path.stem for path in folder.glob("*.py")} & set(mjw.__all__)
