"""Models and options that between them launch every kernel of a step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import mujoco
from paths import REPO

from newtonish import mjw
from newtonish.assets import asset_path
from newtonish.kernels.enums import BroadphaseType

MODELS = REPO / "tests" / "models"
SOLVER, CONE, JACOBIAN, INTEGRATOR, ENABLE = mujoco.mjtSolver, mujoco.mjtCone, mujoco.mjtJacobian, mujoco.mjtIntegrator, mujoco.mjtEnableBit


@dataclass(frozen=True)
class Case:
    """A model with options.

    Attributes:
        name: For the test.
        model: File name in ``tests/models``, or an asset of the package.
        options: Of ``mjModel.opt``.
        warm: Steps before the compared ones.
        changes: Of the model on the device.
        broadphase: As in ``put_model``.
    """

    name: str
    model: str
    options: dict[str, Any] = field(default_factory=dict)
    warm: int = 30
    changes: Callable[[Any], None] | None = None
    broadphase: int | None = None

    def load(self) -> Any:
        """The model on the CPU."""
        path = MODELS / f"{self.model}.xml"
        mjm = mujoco.MjModel.from_xml_path(str(path if path.exists() else asset_path(f"{self.model}.xml")))
        for name, value in self.options.items():
            setattr(mjm.opt, name, getattr(mjm.opt, name) | value if name == "enableflags" else value)
        m = mjw.put_model(mjm, strict=False, broadphase=self.broadphase)
        if self.changes is not None:
            self.changes(m)
        return m


def _with_gains(m: Any) -> None:
    """Force-space contact gains for every geom."""
    m.gain.ke.fill_(2.0e4)
    m.gain.kd.fill_(50.0)


SPARSE = {"jacobian": JACOBIAN.mjJAC_SPARSE}
CASES = (
    Case("mannequin", "mannequin", warm=60),
    Case("elliptic", "mannequin", {"cone": CONE.mjCONE_ELLIPTIC, "noslip_iterations": 3}, warm=60),
    Case("cg", "mannequin", {"solver": SOLVER.mjSOL_CG}, warm=60),
    Case("cg_to_the_end", "mannequin", {"solver": SOLVER.mjSOL_CG, "tolerance": 0.0}, warm=60),
    Case("pgs", "mannequin", {"solver": SOLVER.mjSOL_PGS}, warm=60),
    Case("rk4", "mannequin", {"integrator": INTEGRATOR.mjINT_RK4}, warm=60),
    Case("implicit", "mannequin", {"integrator": INTEGRATOR.mjINT_IMPLICIT}, warm=60),
    Case("exact_diagonal", "mannequin", {"enableflags": ENABLE.mjENBL_DIAGEXACT}, warm=60),
    Case("sweep", "mannequin", warm=60, broadphase=BroadphaseType.SAP_TILE),
    Case("islands", "mannequin", SPARSE, warm=60),
    Case("islands_elliptic", "mannequin", {**SPARSE, "cone": CONE.mjCONE_ELLIPTIC}, warm=60),
    Case("islands_cg", "mannequin", {**SPARSE, "solver": SOLVER.mjSOL_CG}, warm=60),
    Case("arm", "arm"),
    Case("gripper", "arm_gripper"),
    Case("boxes_and_meshes", "hand_cube"),
    Case("heightfield", "biped_terrain", warm=60),
    Case("muscles", "muscle_arm"),
    Case("actuators", "actuator_zoo"),
    Case("sensors", "all_sensors"),
    Case("delays", "delays"),
    Case("plastic", "plastic"),
    Case("equalities", "equality_zoo"),
    Case("fluid", "fluid_zoo"),
    Case("fluid_implicitfast", "fluid_zoo", {"integrator": INTEGRATOR.mjINT_IMPLICITFAST}),
    Case("fluid_implicit", "fluid_zoo", {"integrator": INTEGRATOR.mjINT_IMPLICIT}),
    Case("material", "material_zoo"),
    Case("trees", "smooth_zoo"),
    Case("spatial_tendons", "spatial_tendons"),
    Case("tendons", "tendon_zoo"),
    Case("discrete", "discrete_zoo"),
    Case("discrete_cg", "discrete_zoo", {"solver": SOLVER.mjSOL_CG, "noslip_iterations": 2}),
    Case("discrete_exact", "discrete_zoo", {"enableflags": ENABLE.mjENBL_DIAGEXACT}),
)
