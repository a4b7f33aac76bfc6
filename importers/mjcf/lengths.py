"""``add_mjcf``'s ``scale`` and ``legacy_margin_gap``: every length of a file in another measure, as values are read.

Masses, gains, forces and velocities that are written keep their numbers; what a density weighs follows the size, and written
moments of inertia go with the square. Ranges, references and rest positions are lengths where a joint slides or a tendon has a
path; polynomials between joints are rewritten for the scaled coordinates.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from newtonish.errors import ModelError, problem

__all__ = ["AS_WRITTEN", "Lengths"]

_OF = {
    "geom": ("pos", "size", "fromto", "margin", "gap"),
    "site": ("pos", "size", "fromto"),
    "camera": ("pos",),
    "light": ("pos",),
    "mesh": ("scale",),
    "pair": ("margin", "gap"),
    "connect": ("anchor",),
    "weld": ("anchor",),
    "spatial": ("range", "springlength", "springyield", "margin"),
    "joint": ("pos",),
}
"""Attributes that are lengths, by kind of element."""

_OF_SLIDES = ("range", "ref", "springref", "springyield", "margin")


@dataclass(frozen=True)
class Lengths:
    """How lengths are read.

    Attributes:
        scale: Factor on every length.
        legacy: Margins and gaps mean what they meant before MuJoCo 3.9: contacts push from ``margin - gap`` on.
    """

    scale: float = 1.0
    legacy: bool = False

    def check(self) -> None:
        """Raise a ModelError for a factor that is none."""
        if not 0.0 < self.scale < math.inf:
            raise ModelError(problem("add_mjcf, scale", str(self.scale), "a number above zero", "pass 1.0 for the file as it is"))

    def values(self, kind: str, given: dict[str, Any]) -> dict[str, Any]:
        """The values of an element of a kind, defaults applied, with its lengths scaled."""
        if self.scale == 1.0 and not self.legacy:
            return given
        result = dict(given)
        names = _OF.get(kind, ()) + (_OF_SLIDES if kind == "joint" and given["type"] == "slide" else ())
        for name in names:
            if name in result:
                result[name] = self.times(result[name])
        if kind == "weld" and "relpose" in result:
            result["relpose"] = [*self.times(result["relpose"][:3]), *result["relpose"][3:]]
        if kind == "spatial":  # a negative rest length asks for the length at the start
            result["springlength"] = [new if old > 0.0 else old for old, new in zip(given["springlength"], result["springlength"])]
        if self.legacy and kind in ("geom", "pair") and "margin" in result:
            result["margin"] -= result.get("gap", 0.0)
        return result

    def times(self, value: Any) -> Any:
        """A length or a list of lengths, scaled."""
        return [v * self.scale for v in value] if isinstance(value, (list, tuple)) else value * self.scale

    def of_joint(self, joint: Any) -> float:
        """Factor on the coordinate of a joint of the tree; 1 for anything else."""
        return self.scale if getattr(joint, "type", "") == "slide" else 1.0

    def polynomial(self, numbers: Sequence[float], ends: Sequence[Any]) -> list[float]:
        """Coefficients of the first joint's coordinate as a polynomial of the second's."""
        first, second = (self.of_joint(end) for end in (*ends, None, None)[:2])
        return [c * first / second**k for k, c in enumerate(numbers)]

    def key(self, part: str, numbers: list[float], joints: Iterable[Any]) -> list[float]:
        """Numbers of a keyframe, as many as are written, with positions and their rates scaled."""
        factors: list[float] = []
        if part == "mpos":
            factors = [self.scale] * len(numbers)
        elif part in ("qpos", "qvel"):
            for joint in joints:
                count = joint.coords if part == "qpos" else joint.dofs
                lengths = 3 if joint.type == "free" else int(joint.type == "slide")
                factors += [self.scale] * lengths + [1.0] * (count - lengths)
        factors += [1.0] * (len(numbers) - len(factors))
        return [v * f for v, f in zip(numbers, factors)]


AS_WRITTEN = Lengths()
