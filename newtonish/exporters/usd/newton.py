"""The words of ``newton:*`` that are written: the schema that each belongs to and its type, as newton-usd-schemas 0.6 has them."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["WORDS", "Word"]


class Word(NamedTuple):
    """An attribute: the schema that has it, the name of its type in ``Sdf.ValueTypeNames``, and whether it may not vary in time."""

    api: str
    type: str = "Float"
    uniform: bool = False


WORDS = {
    "maxSolverIterations": Word("NewtonSceneAPI", "Int", True), "timeStepsPerSecond": Word("NewtonSceneAPI", "Int", True),
    "gravityEnabled": Word("NewtonSceneAPI", "Bool"), "selfCollisionEnabled": Word("NewtonArticulationRootAPI", "Bool"),
    "jointsAddMobility": Word("NewtonArticulationRootAPI", "Bool", True),
    **dict.fromkeys(("armature", "damping", "friction", "velocityLimit", "limitStiffness", "limitDamping"), Word("NewtonJointAPI")),
    "contactMargin": Word("NewtonCollisionAPI"), "contactGap": Word("NewtonCollisionAPI"), "maxHullVertices": Word("NewtonMeshCollisionAPI", "Int", True),
    **dict.fromkeys(("torsionalFriction", "rollingFriction", "contactStiffness", "contactDamping", "contactFrictionGain", "contactAdhesion"),
                    Word("NewtonMaterialAPI")),
    "mimicEnabled": Word("NewtonMimicAPI", "Bool"), "mimicCoef0": Word("NewtonMimicAPI"), "mimicCoef1": Word("NewtonMimicAPI"),
}  # fmt: skip
"""By the name after ``newton:``. An inertia tensor, ``newton:inertia``, is not among them: UsdPhysics holds principal moments and axes, and
the tensor would take precedence over these where somebody edits them."""
