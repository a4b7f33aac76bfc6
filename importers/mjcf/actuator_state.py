"""What an actuator element means in MuJoCo's general form: gain, bias and activation parameters.

All actuator elements fill one structure. The gains of a shortcut (``position``, ``velocity``, ...) start from the
nearest default class, outwards, whose gains were last written by the same shortcut or by ``general``, and from neutral
ones where there is none; the other values start from the class itself. That is what MuJoCo 4.0 does, found by trying it
out.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from newtonish.common.actuator_laws import LAWS
from newtonish.common.actuator_parameters import Affine, FilterDyn, Muscle, MuscleDyn
from newtonish.common.enums import DynType, GainType
from newtonish.diagnostics import Diagnostics
from newtonish.importers.mjcf.servo_state import input_spec, write_dcmotor, write_orientation, write_pid
from newtonish.mjcf.language.keywords import KEYWORDS
from newtonish.mjcf.language.read import Node

__all__ = ["ACTUATOR_TAGS", "ActuatorState"]

REFUSED = ("plugin",)
ACTUATOR_TAGS = (
    *("general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle", "adhesion"),
    *("orientation", "pid", "dcmotor"),
    *REFUSED,
)
_PLAIN = [
    "ctrlrange",
    "forcerange",
    "actrange",
    "ctrllimited",
    "forcelimited",
    "actlimited",
    "group",
    "user",
    "lengthrange",
    "armature",
    "cranklength",
    "actdim",
    "actearly",
    "inheritrange",
    "velrange",
    "ffrange",
    "nsample",
    "interp",
    "delay",
]


TO_POSITION, TO_VELOCITY, TO_PRESSURE = 1, 2, 32
"""MuJoCo's bits for what the control of a servo or a cylinder means; other shortcuts have none."""


GAIN_OF_SHORTCUT = {"damper": GainType.AFFINE, "muscle": GainType.MUSCLE, **{tag: row.gain for tag, row in LAWS.items()}}
"""Kind of gain by which a class written by ``general`` suits a shortcut; fixed for the others."""


def _neutral_gain() -> list[float]:
    return [1.0] + [0.0] * 9


@dataclass
class ActuatorState:
    """MuJoCo's general actuator; see its manual for the parameters.

    Attributes:
        shortcut: Element that wrote the gains last, empty for ``general``.
        ctrlspec: What the shortcut takes as its control, as MuJoCo's compiler notes it.
        plain: Values that are copied as they are.
        outer: State of the class around this one.
    """

    shortcut: str = ""
    gainprm: list[float] = field(default_factory=_neutral_gain)
    biasprm: list[float] = field(default_factory=lambda: [0.0] * 10)
    dynprm: list[float] = field(default_factory=_neutral_gain)
    dyntype: int = 0
    gaintype: int = 0
    biastype: int = 0
    ctrlspec: int = 0
    gear: list[float] = field(default_factory=lambda: [1.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    damping: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.0])
    plain: dict[str, Any] = field(default_factory=dict)
    outer: ActuatorState | None = None

    def copy(self) -> ActuatorState:
        """Return an independent copy, for an element of this class."""
        gainprm, biasprm, dynprm = list(self.gainprm), list(self.biasprm), list(self.dynprm)
        gear, damping, plain = list(self.gear), list(self.damping), dict(self.plain)
        return replace(self, gainprm=gainprm, biasprm=biasprm, dynprm=dynprm, gear=gear, damping=damping, plain=plain)

    def inner(self) -> ActuatorState:
        """Return the state with which a class inside this one begins."""
        result = self.copy()
        result.outer = self
        return result

    def apply(self, node: Node, log: Diagnostics) -> None:
        """Write one actuator element over this state."""
        values = node.values
        if node.tag != "general" and not self._suits(node.tag):
            self._take_gains(node.tag)
        for name in _PLAIN:
            if name in values:
                self.plain[name] = values[name]
        for name in ("gear", "damping"):
            if name in values:
                given = values[name]
                setattr(self, name, given + getattr(self, name)[len(given) :])
        if node.tag == "general":
            self._general(values)
            spec = input_spec(node, log)
            self.ctrlspec = self.ctrlspec if spec is None else spec
            self.shortcut = ""
            return
        self.shortcut = node.tag
        shortcut: dict[str, Callable[[Node, Diagnostics], None]] = {
            "motor": self._motor,
            "position": self._position,
            "intvelocity": self._position,
            "velocity": self._velocity,
            "damper": self._damper,
            "cylinder": self._cylinder,
            "muscle": self._muscle,
            "adhesion": self._adhesion,
        }
        if node.tag in shortcut:
            shortcut[node.tag](node, log)
        elif node.tag in SERVOS:
            SERVOS[node.tag](self, node, log)

    def _suits(self, tag: str) -> bool:
        """Whether a shortcut may start from these gains."""
        return self.shortcut == tag or (self.shortcut == "" and self.gaintype == GAIN_OF_SHORTCUT.get(tag, 0))

    def _take_gains(self, tag: str) -> None:
        """Start with the gains of the nearest outer class that were not written by another shortcut."""
        source = self.outer
        while source is not None and not source._suits(tag):
            source = source.outer
        self._reset()
        if source is not None:
            self.gainprm, self.biasprm, self.dynprm = list(source.gainprm), list(source.biasprm), list(source.dynprm)
            self.dyntype, self.gaintype, self.biastype = source.dyntype, source.gaintype, source.biastype
            self.ctrlspec = source.ctrlspec
            if "inheritrange" in source.plain:
                self.plain["inheritrange"] = source.plain["inheritrange"]

    def _reset(self) -> None:
        """Forget what another shortcut wrote."""
        self.gainprm, self.biasprm, self.dynprm = _neutral_gain(), [0.0] * 10, _neutral_gain()
        if self.gaintype == GainType.DCMOTOR:  # which had written it
            self.plain.pop("actearly", None)
        self.dyntype = self.gaintype = self.biastype = self.ctrlspec = 0
        self.plain.pop("inheritrange", None)

    def _general(self, values: dict[str, Any]) -> None:
        kind = self.gaintype
        for name in ("gainprm", "biasprm", "dynprm"):
            if name in values:
                given = values[name]
                setattr(self, name, given + getattr(self, name)[len(given) :])
        for name, words in (("dyntype", "dyn"), ("gaintype", "gain"), ("biastype", "bias")):
            if name in values:
                setattr(self, name, KEYWORDS[words].split().index(values[name]))
        if self.gaintype != kind:  # an input signature belongs to its kind of gain
            self.ctrlspec = 0

    def _motor(self, node: Node, log: Diagnostics) -> None:
        self._reset()

    def _position(self, node: Node, log: Diagnostics) -> None:
        values = node.values
        integrated = node.tag == "intvelocity"
        kp = values.get("kp", self.gainprm[Affine.CONSTANT])
        self.gainprm = [kp] + [0.0] * 9
        third = self.biasprm[Affine.VELOCITY]
        if "kv" in values and "dampratio" in values:
            log.problem(node.at("dampratio"), node.label, "kv and dampratio together", "one of them", "keep one")
        for name, sign in (("kv", -1.0), ("dampratio", 1.0)):
            if name in values:
                if not 0 <= values[name] < math.inf:
                    log.problem(node.at(name), f"{node.label}, {name}", str(values[name]), "not below zero", "correct it")
                third = sign * values[name]
        self.biasprm = [0.0, -kp, third] + [0.0] * 7
        if integrated:
            self.dyntype, self.dynprm = 1, _neutral_gain()
        else:
            # Only an earlier <position> may have left a filter; a class written by <general> does not count.
            old = self.dynprm[FilterDyn.TIMECONST] if self.dyntype == 3 else 0.0
            timeconst = values.get("timeconst", old)
            if not 0 <= timeconst < math.inf:
                log.problem(node.at("timeconst"), f"{node.label}, timeconst", str(timeconst), "not below zero", "correct it")
            self.dyntype = 3 if timeconst > 0 else 0
            self.dynprm = [timeconst if timeconst > 0 else 1.0] + [0.0] * 9
        self.gaintype, self.biastype = 0, 1
        self.ctrlspec = TO_VELOCITY if integrated else TO_POSITION
        ranged = "actrange" if integrated else "ctrlrange"
        if "inheritrange" in values and ranged in values and values["inheritrange"] > 0:
            log.problem(node.at("inheritrange"), node.label, f"{ranged} and inheritrange together", "one of them", "keep one")

    def _velocity(self, node: Node, log: Diagnostics) -> None:
        kv = node.values.get("kv", self.gainprm[Affine.CONSTANT])
        self._reset()
        self.gainprm[Affine.CONSTANT], self.biasprm[Affine.VELOCITY], self.biastype = kv, -kv, 1
        self.ctrlspec = TO_VELOCITY

    def _damper(self, node: Node, log: Diagnostics) -> None:
        kv = node.values.get("kv", -self.gainprm[Affine.VELOCITY])
        self._reset()
        self.gainprm = [0.0, 0.0, -kv] + [0.0] * 7
        self.gaintype = 1
        self.plain["ctrllimited"] = "true"
        if kv < 0:
            log.problem(node.at("kv"), f"{node.label}, kv", str(kv), "not below zero", "correct it")
        if min(node.values.get("ctrlrange", [0.0])) < 0:
            log.problem(node.at("ctrlrange"), f"{node.label}, ctrlrange", "a negative end", "not below zero", "correct it")

    def _cylinder(self, node: Node, log: Diagnostics) -> None:
        values = node.values
        bias = values.get("bias", self.biasprm[: len(Affine)])
        area = values.get("area", self.gainprm[Affine.CONSTANT])
        if "diameter" in values:
            area = math.pi / 4 * values["diameter"] * values["diameter"]
        timeconst = values.get("timeconst", self.dynprm[FilterDyn.TIMECONST])
        self._reset()
        self.gainprm[Affine.CONSTANT], self.biasprm[: len(Affine)] = area, bias
        self.dynprm[FilterDyn.TIMECONST] = timeconst
        self.dyntype, self.biastype, self.ctrlspec = 2, 1, TO_PRESSURE

    def _muscle(self, node: Node, log: Diagnostics) -> None:
        values = node.values
        fresh = self.gaintype != GainType.MUSCLE  # a class written by another element has no muscle's numbers
        dynamics = [0.01, 0.04, 0.0] if fresh else self.dynprm[: len(MuscleDyn)]
        gain = [0.75, 1.05, -1.0, 200.0, 0.5, 1.6, 1.5, 1.3, 1.2] if fresh else self.gainprm[: len(Muscle)]
        times = slice(MuscleDyn.ACTIVATION, MuscleDyn.SMOOTHING)
        dynamics[times] = values.get("timeconst", dynamics[times])
        dynamics[MuscleDyn.SMOOTHING] = values.get("tausmooth", dynamics[MuscleDyn.SMOOTHING])
        span = slice(Muscle.RANGE_LOW, Muscle.FORCE)
        gain[span] = values.get("range", gain[span])
        for k in list(Muscle)[Muscle.FORCE :]:
            gain[k] = values.get(k.name.lower(), gain[k])
        self._reset()
        self.dynprm = dynamics + [0.0] * 7
        self.gainprm = [*gain, 0.0]
        self.biasprm = list(self.gainprm)
        self.dyntype, self.gaintype, self.biastype = DynType.MUSCLE, GainType.MUSCLE, GainType.MUSCLE
        if not gain[Muscle.RANGE_LOW] < gain[Muscle.RANGE_HIGH]:
            log.problem(node.at("range"), f"{node.label}, range", str(gain[span]), "two rising numbers", "correct it")
        if min(dynamics) < 0.0:
            log.problem(node.at("timeconst"), node.label, f"times {dynamics}", "not below zero", "correct them")

    def _adhesion(self, node: Node, log: Diagnostics) -> None:
        gain = node.values.get("gain", self.gainprm[Affine.CONSTANT])
        self._reset()
        self.gainprm[Affine.CONSTANT] = gain
        self.plain["ctrllimited"] = "true"
        if gain < 0:
            log.problem(node.at("gain"), f"{node.label}, gain", str(gain), "not below zero", "correct it")


SERVOS = {"orientation": write_orientation, "pid": write_pid, "dcmotor": write_dcmotor}
