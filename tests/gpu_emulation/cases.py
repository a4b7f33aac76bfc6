"""Models and options that between them launch every kernel of a step, and cases of what is launched beside steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import beside
import mujoco
import warp as wp
from paths import REPO
from step_models import MODELS as SMALL

from newtonish import mjw
from newtonish.assets import asset_path
from newtonish.common.constants import SPRING_IMPEDANCE
from newtonish.common.enums import BroadphaseType
from newtonish.kernels.forward import step
from newtonish.kernels.inverse import inverse
from newtonish.mjw.structure import keep_structure

MODELS = REPO / "tests" / "models"
SOLVER, CONE, JACOBIAN, INTEGRATOR, ENABLE = mujoco.mjtSolver, mujoco.mjtCone, mujoco.mjtJacobian, mujoco.mjtIntegrator, mujoco.mjtEnableBit


@dataclass(frozen=True)
class Case:
    """A model with options.

    Attributes:
        name: For the test.
        model: File name in ``tests/models``, a name in ``step_models``, or an asset of the package.
        options: Of ``mjModel.opt``.
        warm: Steps before the compared ones.
        changes: Of the model on the device.
        broadphase: As in ``put_model``.
        function: What is launched, of (m, d); arrays that it returns are compared along with those of d.
    """

    name: str
    model: str
    options: dict[str, Any] = field(default_factory=dict)
    warm: int = 30
    changes: Callable[[Any], None] | None = None
    broadphase: int | None = None
    function: Callable[[Any, Any], Any] = step

    def load(self) -> Any:
        """The model on the CPU."""
        mjm = self._compiled()
        for name, value in self.options.items():
            setattr(mjm.opt, name, getattr(mjm.opt, name) | value if name == "enableflags" else value)
        m = mjw.put_model(mjm, strict=False, broadphase=self.broadphase)
        if self.changes is not None:
            self.changes(m)
        return m

    def _compiled(self) -> mujoco.MjModel:
        if self.model in SMALL:
            return mujoco.MjModel.from_xml_string(f"<mujoco>{SMALL[self.model]}</mujoco>")
        path = MODELS / f"{self.model}.xml"
        return mujoco.MjModel.from_xml_path(str(path if path.exists() else asset_path(f"{self.model}.xml")))


def _with_gains(m: Any) -> None:
    """Force-space contact gains for every geom."""
    m.geom_gain.fill_(wp.vec2(2.0e4, 50.0))
    m.nforced = m.ngeom


def _lifted(m: Any) -> None:
    """The upper pebble a little higher, where each of its contacts has a derivative."""
    start = m.qpos0.numpy()
    start[:, 7 * 5 + 2] += 0.01
    m.qpos0 = start


def _with_springs(m: Any) -> None:
    """The same as springs in motion too; these are what the exact diagonal asks about."""
    _with_gains(m)
    m.geom_impedance.fill_(SPRING_IMPEDANCE)
    m.flg_spring = 1
    keep_structure(m)


def _watched(m: Any) -> None:
    m.watching = True


def _called(m: Any) -> None:
    m.callback.control = m.callback.passive = beside.no_change


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
    Case("crowd", "crowd", warm=40),
    Case("crowd_elliptic", "crowd", {"cone": CONE.mjCONE_ELLIPTIC}, warm=40),
    Case("crowd_cg", "crowd", {"solver": SOLVER.mjSOL_CG, "tolerance": 0.0}, warm=40),
    Case("arm", "arm"),
    Case("gripper", "arm_gripper"),
    Case("boxes_and_meshes", "hand_cube"),
    Case("overlaps", "overlaps", warm=3),
    Case("heightfield", "biped_terrain", warm=60),
    Case("fields", "fields", warm=20),
    Case("muscles", "muscle_arm"),
    Case("actuators", "actuator_zoo"),
    Case("sensors", "all_sensors"),
    Case("delays", "delays"),
    Case("plastic", "plastic"),
    Case("plastic_rk4", "plastic", {"integrator": INTEGRATOR.mjINT_RK4}),
    Case("equalities", "equality_zoo"),
    Case("fluid", "fluid_zoo"),
    Case("fluid_implicitfast", "fluid_zoo", {"integrator": INTEGRATOR.mjINT_IMPLICITFAST}),
    Case("fluid_implicit", "fluid_zoo", {"integrator": INTEGRATOR.mjINT_IMPLICIT}),
    Case("material", "material_zoo"),
    Case("trees", "smooth_zoo"),
    Case("spatial_tendons", "spatial_tendons"),
    Case("tendons", "tendon_zoo"),
    Case("discrete", "discrete_zoo"),
    # conjugate gradients to where rounding ends them: a tolerance may end them an iteration apart
    Case("discrete_cg", "discrete_zoo", {"solver": SOLVER.mjSOL_CG, "noslip_iterations": 2, "tolerance": 0.0, "iterations": 200}),
    Case("discrete_exact", "discrete_zoo", {"enableflags": ENABLE.mjENBL_DIAGEXACT}),
    Case("discrete_pgs", "discrete_zoo", {"solver": SOLVER.mjSOL_PGS}),
    Case("islands_pgs", "mannequin", {**SPARSE, "solver": SOLVER.mjSOL_PGS, "noslip_iterations": 2}, warm=60),
    Case("gains", "mannequin", warm=60, changes=_with_gains),
    # contacts in both worlds, and the solver ends at the same iteration in both forms
    Case("springs", "mannequin", {"cone": CONE.mjCONE_ELLIPTIC, "enableflags": ENABLE.mjENBL_DIAGEXACT}, warm=64, changes=_with_springs),
    Case("looks", "looks", {"enableflags": ENABLE.mjENBL_ENERGY}),
    Case("laws", "laws"),
    Case("sleep", "sleep_zoo", warm=9),
    # the stack wakes; of its stiff contacts, condition 3e5, a first iteration leaves 1e-5 by rounding, so it is not the last one
    Case("sleep_touch", "sleep_zoo", {"tolerance": 1e-12}, warm=10, broadphase=BroadphaseType.SAP_TILE),
    Case("sleep_boxes", "boxes", {"enableflags": ENABLE.mjENBL_SLEEP}, warm=60),
    Case("sleep_begins", "sleep_zoo", warm=3, function=beside.begin_asleep),
    Case("watched", "mannequin", {"enableflags": ENABLE.mjENBL_FWDINV}, warm=60, changes=_watched),
    Case("stages", "all_sensors", function=beside.stages),
    Case("stages_of_laws", "laws", function=beside.stages),
    Case("stages_of_actuators", "actuator_zoo", function=beside.stages),
    Case("stages_solvers", "mannequin", {"noslip_iterations": 2}, warm=60, function=beside.solvers),
    Case("stages_islands", "mannequin", {**SPARSE, "noslip_iterations": 2}, warm=60, function=beside.solvers),
    Case("stages_implicit", "fluid_zoo", function=beside.implicitly),
    Case("inverse", "mannequin", warm=60, function=inverse),
    Case("inverse_islands", "mannequin", {**SPARSE, "enableflags": ENABLE.mjENBL_INVDISCRETE}, warm=60, function=inverse),
    Case("inverse_implicit", "actuator_zoo", {"integrator": INTEGRATOR.mjINT_IMPLICIT, "enableflags": ENABLE.mjENBL_INVDISCRETE}, function=inverse),
    Case("inverse_implicitfast", "arm", {"integrator": INTEGRATOR.mjINT_IMPLICITFAST, "enableflags": ENABLE.mjENBL_INVDISCRETE}, function=inverse),
    Case("inverse_discrete", "discrete_zoo", function=inverse),
    Case("reset", "delays", function=beside.reset),
    Case("reset_plastic", "plastic", function=beside.reset),
    Case("callbacks", "mannequin", {"integrator": INTEGRATOR.mjINT_RK4}, changes=_called),
    Case("guarded", "delays", function=beside.guarded),
    # without damping at the end of the step, which divides the rounding of opposite forces of welds by light links, six steps in a row
    Case("guarded_equalities", "equality_zoo", {"disableflags": mujoco.mjtDisableBit.mjDSBL_EULERDAMP}, function=beside.guarded),
    Case("jacobians", "mannequin", function=beside.jacobians),
    Case("rays", "hand_cube", function=beside.rays),
    Case("states", "delays", function=beside.states),
    Case("states_with_equalities", "equality_zoo", function=beside.states),
    Case("rollout", "delays", function=beside.rollout),
    Case("rollout_with_equalities", "equality_zoo", function=beside.rollout_once),
    Case("past", "delays", function=beside.hist),
    Case("transition", "arm", function=beside.transition),
    Case("gradients", "mannequin", warm=60, function=beside.gradients),
    Case("gradients_rk4", "mannequin", {"integrator": INTEGRATOR.mjINT_RK4}, warm=60, function=beside.gradients),
    Case("gradients_implicit", "mannequin", {"integrator": INTEGRATOR.mjINT_IMPLICIT}, warm=60, function=beside.gradients),
    Case("gradients_discrete", "mannequin", {"integrator": INTEGRATOR.mjINT_DISCRETE}, warm=60, function=beside.gradients),
    Case("gradients_discrete_with_equalities", "equality_zoo", {"integrator": INTEGRATOR.mjINT_DISCRETE}, function=beside.gradients),
    Case("gradients_discrete_with_tendons", "spatial_tendons", {"integrator": INTEGRATOR.mjINT_DISCRETE}, function=beside.gradients),
    Case("gradients_discrete_with_muscles", "muscle_arm", {"integrator": INTEGRATOR.mjINT_DISCRETE}, function=beside.gradients),
    Case("gradients_discrete_with_actuators", "actuator_zoo", {"integrator": INTEGRATOR.mjINT_DISCRETE}, function=beside.gradients),
    Case("gradients_discrete_with_laws", "laws", {"integrator": INTEGRATOR.mjINT_DISCRETE}, function=beside.gradients),
    Case("gradients_with_equalities", "equality_zoo", function=beside.gradients),
    Case("gradients_by_fields", "mannequin", {"integrator": INTEGRATOR.mjINT_RK4}, warm=60, function=beside.field_gradients),
    Case("gradients_by_fields_of_the_metric", "mannequin", {"integrator": INTEGRATOR.mjINT_DISCRETE}, warm=60, function=beside.field_gradients),
    Case("gradients_by_fields_in_a_medium", "fluid_zoo", {"integrator": INTEGRATOR.mjINT_IMPLICITFAST}, function=beside.field_gradients),
    Case("gradients_by_fields_of_inertia", "arm", {"integrator": INTEGRATOR.mjINT_IMPLICIT}, warm=5, function=beside.field_gradients),
    Case("gradients_by_fields_of_equalities", "equality_zoo", function=beside.field_gradients),
    Case("gradients_of_sensors", "smooth_sensors", warm=20, function=beside.sensor_gradients),
    Case("gradients_with_tendons", "spatial_tendons", function=beside.gradients),
    Case("gradients_with_muscles", "muscle_arm", {"integrator": INTEGRATOR.mjINT_IMPLICITFAST}, function=beside.gradients),
    Case("gradients_with_delays", "delays", function=beside.gradients),
    Case("gradients_with_compensated_weight", "smooth_zoo", function=beside.gradients),
    Case("gradients_with_actuators", "actuator_zoo", {"integrator": INTEGRATOR.mjINT_EULER}, function=beside.gradients),
    Case("gradients_with_laws", "laws", function=beside.gradients),
    Case("gradients_with_laws_in_stages", "laws", {"integrator": INTEGRATOR.mjINT_RK4}, function=beside.gradients),
    Case("gradients_of_shapes", "overlaps", warm=0, changes=_lifted, function=beside.kinks),
    Case("gradients_on_terrain", "terrain", warm=0, function=beside.kinks),
    Case("gradients_of_materials", "surfaces", function=beside.kinks),
    Case("gradients_in_a_medium", "fluid_zoo", {"integrator": INTEGRATOR.mjINT_IMPLICITFAST}, function=beside.gradients),
    Case("trajectory", "smooth_sensors", warm=20, function=beside.trajectory),
    Case("inverse_differences", "arm", function=beside.inverse_differences),
    Case("noise", "all_sensors", function=beside.noise),
    Case("velocity", "actuator_zoo", function=beside.velocity),
    Case("course", "mannequin", warm=60, function=beside.course),
    Case("contact_forces", "mannequin", warm=60, function=beside.contact_forces),
    Case("pictures", "cameras", function=beside.pictures),
    Case("speculative", "speculative_zoo", warm=1),
    Case("speculative_touch", "speculative_zoo", warm=1, broadphase=BroadphaseType.SAP_TILE),
)
