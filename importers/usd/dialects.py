"""What one quantity is called in each dialect of physics attributes, in which unit, and which dialect is asked first.

A row of :data:`DIALECTS` says how to read a quantity: the attribute's name and how its number becomes SI. ``per_degree``
marks gains that are per degree on angular axes, ``degree`` angles and angular velocities; both are plain on linear axes.
``{axis}`` stands for the instance of a schema: ``angular``, ``linear``, ``transX`` ... ``rotZ``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from newtonish.errors import UnsupportedError, problem
from newtonish.importers.usd.source import Source

__all__ = ["DEGREE", "DIALECTS", "Resolver", "parse_order"]

DEGREE = math.pi / 180.0
PER_DEGREE = 180.0 / math.pi


class Way(NamedTuple):
    """How a dialect writes one quantity; ``unset`` is the number that stands for nothing."""

    name: str
    unit: str = ""
    unset: Callable[[Any], bool] = lambda value: False
    convert: Callable[[Any], Any] = lambda value: value


def _infinite(value: Any) -> bool:
    return isinstance(value, float) and math.isinf(value)


def _shell(value: Any) -> bool:
    return value == "shell"


DIALECTS: dict[str, dict[str, list[Way]]] = {
    "mjc": {
        "timestep": [Way("mjc:option:timestep")],
        "iterations": [Way("mjc:option:iterations")],
        "gravity_enabled": [Way("mjc:flag:gravity")],
        "armature": [Way("mjc:armature")],
        "damping": [Way("mjc:damping")],
        "friction": [Way("mjc:frictionloss")],
        "margin": [Way("mjc:margin")],
        "gap": [Way("mjc:gap")],
        "shell": [Way("mjc:shellinertia")],
        "hull_vertices": [Way("mjc:maxhullvert")],
        "torsional": [Way("mjc:torsionalfriction")],
        "rolling": [Way("mjc:rollingfriction")],
    },
    "newton": {
        "timestep": [Way("newton:timeStepsPerSecond", unset=lambda rate: not rate > 0, convert=lambda rate: 1.0 / rate)],
        "iterations": [Way("newton:maxSolverIterations", unset=lambda count: count < 0)],
        "gravity_enabled": [Way("newton:gravityEnabled")],
        "armature": [Way("newton:armature")],
        "damping": [Way("newton:damping", "per_degree")],
        "friction": [Way("newton:friction")],
        "velocity_limit": [Way("newton:velocityLimit", "degree", _infinite)],
        "limit_ke": [Way("newton:limitStiffness", "per_degree", _infinite), Way("newton:{axis}:limitStiffness", "per_degree", _infinite)],
        "limit_kd": [Way("newton:limitDamping", "per_degree", _infinite), Way("newton:{axis}:limitDamping", "per_degree", _infinite)],
        "position": [Way("newton:{axis}:position", "degree")],
        "velocity": [Way("newton:{axis}:velocity", "degree")],
        "margin": [Way("newton:contactMargin")],
        "gap": [Way("newton:contactGap", unset=_infinite)],
        "shell": [Way("newton:massModel", convert=_shell)],
        "hull_vertices": [Way("newton:maxHullVertices")],
        "torsional": [Way("newton:torsionalFriction")],
        "rolling": [Way("newton:rollingFriction")],
        "contact_ke": [Way("newton:contactStiffness", unset=_infinite), Way("newton:contact_ke")],
        "contact_kd": [Way("newton:contactDamping", unset=_infinite), Way("newton:contact_kd")],
        "contact_kf": [Way("newton:contactFrictionGain", unset=_infinite), Way("newton:contact_kf")],
        "contact_ka": [Way("newton:contactAdhesion", unset=_infinite), Way("newton:contact_ka")],
        "self_collision": [Way("newton:selfCollisionEnabled")],
    },
    "physx": {
        "timestep": [Way("physxScene:timeStepsPerSecond", unset=lambda rate: not rate > 0, convert=lambda rate: 1.0 / rate)],
        "armature": [Way("physxJoint:armature")],
        "velocity_limit": [Way("physxJoint:maxJointVelocity", "degree", _infinite)],
        "limit_ke": [Way("physxLimit:{axis}:stiffness", "per_degree", lambda value: not value > 0)],
        "limit_kd": [Way("physxLimit:{axis}:damping", "per_degree", lambda value: not value > 0)],
        "position": [Way("state:{axis}:physics:position", "degree")],
        "velocity": [Way("state:{axis}:physics:velocity", "degree")],
        "margin": [Way("physxCollision:restOffset", unset=_infinite)],
        "hull_vertices": [Way("physxConvexHullCollision:hullVertexLimit")],
        "contact_ke": [Way("physxMaterial:compliantContactStiffness", unset=lambda value: not value > 0)],
        "contact_kd": [Way("physxMaterial:compliantContactDamping", unset=lambda value: not value > 0)],
        "self_collision": [Way("physxArticulation:enabledSelfCollisions")],
    },
}
ROTATIONS = ("angular", "rotX", "rotY", "rotZ")


class Resolver:
    """Looks quantities up, in the first dialect of an order that has an opinion.

    Attributes:
        order: Names of the dialects, the first one wins.
        mjc: Whether ``mjc:*`` is among them.
    """

    def __init__(self, source: Source, order: Sequence[str]) -> None:
        self._source = source
        self.order = tuple(order)
        self.mjc = "mjc" in self.order

    def find(self, prim: Any, quantity: str, axis: str = "linear", default: Any = None, scale: float = 1.0) -> Any:
        """Value of a quantity of a prim in SI units and radians; opinions that lose are noted in the report.

        ``scale`` is the stage's unit of the quantity. Numbers of ``mjc:*`` are SI whatever the stage's units are, as MuJoCo
        reads them.
        """
        return self.named(prim, quantity, axis, default, scale)[0]

    def named(self, prim: Any, quantity: str, axis: str = "linear", default: Any = None, scale: float = 1.0) -> tuple[Any, str]:
        """The same value, and the name of the attribute that gives it, empty for none."""
        found, winner = default, ""
        if not self._source.speaks(prim):
            return found, winner
        for dialect in self.order:
            for way in DIALECTS[dialect].get(quantity, ()):
                name = way.name.format(axis=axis)
                value = self._source.get(prim, name)
                if value is None or way.unset(value):
                    continue
                if winner:
                    self._source.log.ignored(f"lost {name}", self._source.place(prim), name, f"gives way to {winner}", warn=False)
                    continue
                if isinstance(value, float) and math.isnan(value):
                    self._source.problem(prim, name, "not a number", "a number", "correct it")
                    continue
                found, winner = self._converted(way, value, axis), name
                if scale != 1.0 and dialect != "mjc":
                    found *= scale
        return found, winner

    @staticmethod
    def _converted(way: Way, value: Any, axis: str) -> Any:
        value = way.convert(value)
        if axis in ROTATIONS and way.unit:
            return value * (PER_DEGREE if way.unit == "per_degree" else DEGREE)
        return value


def parse_order(resolvers: Sequence[Any] | None) -> tuple[str, ...]:
    """Return the names of the dialects to ask, from names or from objects that have one, such as Newton's.

    Raises:
        UnsupportedError: For a dialect that is not known.
    """
    if resolvers is None:
        return tuple(DIALECTS)
    names = [str(getattr(item, "name", item)) for item in resolvers]
    for name in names:
        if name not in DIALECTS or names.count(name) > 1:
            allowed = f"each of {', '.join(DIALECTS)} at most once"
            raise UnsupportedError(problem("add_usd, schema_resolvers", f"'{name}' in {names}", allowed, "pass names in order of priority"))
    return tuple(names)
