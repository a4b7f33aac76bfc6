"""Domain randomisation by names: model fields that differ from world to world and are redrawn with each episode.

``{"geom_friction": ("floor", 0.5, 1.5)}`` multiplies the friction of the geom ``floor`` by a factor between 0.5 and 1.5, another one in each
world and episode. ``{("body_mass", "body_inertia"): ("torso", 0.8, 1.2)}`` applies one factor to both fields.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import warp as wp

from newtonish import mjw
from newtonish.arguments import check_fields, shown
from newtonish.errors import ModelError, problem

__all__ = ["Randomization", "Randomize"]

KINDS = ("body", "jnt", "geom", "site", "actuator", "dof")
"""What model fields belong to, as the beginning of their names; objects of these have names."""

CONSTANTS = frozenset(
    {
        "body_mass", "body_inertia", "body_pos", "body_quat", "body_ipos", "body_iquat", "jnt_pos", "jnt_axis", "qpos0", "dof_armature",
        "tendon_armature", "tendon_coef", "actuator_gear", "site_pos", "eq_data", "geom_size",
    }
)  # fmt: skip
"""Fields after a change of which ``mjw.set_const`` has to derive the constants of the reference pose."""


@dataclass(frozen=True)
class Randomize:
    """How objects of a field are drawn.

    Attributes:
        names: an object, several, or None for all. A joint's name stands for its dofs in ``dof_*`` fields.
        low: least number drawn.
        high: largest.
        operation: ``"scale"`` multiplies the model's own value by the number, ``"add"`` adds it, ``"set"`` puts it in its place.
        component: which component of the field, such as 0 for sliding friction; None: all of them, with the same number.
    """

    names: str | Sequence[str] | None
    low: float
    high: float
    operation: str = "scale"
    component: int | None = None

    def __post_init__(self) -> None:
        check_fields(self, "Randomize")


class Randomization:
    """The randomised fields of a model.

    Args:
        m: model; fields that are randomised get a row for each world.
        d: data.
        specification: ``Randomize`` or the tuple of its attributes by field, or by a tuple of fields that share the number drawn.

    Raises:
        ModelError: a field, an object, a component or an operation does not exist, or a range is empty.
    """

    def __init__(self, m: mjw.Model, d: mjw.Data, specification: Mapping[Any, Any]) -> None:
        self._m, self._d, self._nominal = m, d, {}
        self._draws: list[tuple[tuple[str, ...], Randomize, np.ndarray]] = []
        for key, given in specification.items():
            fields = (key,) if isinstance(key, str) else key
            if not (isinstance(fields, tuple) and fields and all(isinstance(name, str) for name in fields)):
                allowed, remedy = "the name of a field, or a tuple of names", "pass {'body_mass': (None, 0.8, 1.2)} for instance"
                raise ModelError(problem("randomize", f"the key {shown(key)}", allowed, remedy))
            if not isinstance(given, Randomize) and not (isinstance(given, (tuple, list)) and 3 <= len(given) <= 5):
                allowed, remedy = "Randomize, or the tuple of its attributes", "pass (None, 0.8, 1.2) for instance"
                raise ModelError(problem(f"randomize: {', '.join(map(str, fields))}", shown(given), allowed, remedy))
            how = given if isinstance(given, Randomize) else Randomize(*given)
            self._draws.append((fields, how, self._rows(fields, how)))
        for name, nominal in self._nominal.items():
            setattr(m, name, np.repeat(nominal[None], d.nworld, axis=0))
        self._constants = any(name in CONSTANTS for name in self._nominal)
        self._drawn = False

    def _rows(self, fields: tuple[str, ...], how: Randomize) -> np.ndarray:
        """Rows of the fields that are drawn; their own values are remembered."""
        for name in fields:
            known = name in self._m.FLAT and self._m.FLAT[name][1].per_world and getattr(self._m, name).dtype not in (wp.int32, wp.bool)
            if not known:
                allowed = "model fields that have a value in each world, such as body_mass, geom_friction, dof_damping"
                raise ModelError(problem(f"randomize: {name}", "no such field", allowed, "see the list of arrays in the reference"))
            self._nominal.setdefault(name, getattr(self._m, name).numpy()[0].copy())
        name = fields[0]
        if how.operation not in ("scale", "add", "set"):
            raise ModelError(problem(f"randomize: {name}", f"operation {how.operation!r}", "'scale', 'add', 'set'", "choose one of these"))
        if not (np.isfinite([how.low, how.high]).all() and how.low <= how.high):
            raise ModelError(problem(f"randomize: {name}", f"{how.low} to {how.high}", "finite numbers, the smaller first", "swap them"))
        width = min(1 if self._nominal[each].ndim == 1 else self._nominal[each].shape[-1] for each in fields)
        plain = any(self._nominal[each].ndim == 1 for each in fields)
        if how.component is not None and (plain or not 0 <= how.component < width):
            raise ModelError(
                problem(
                    f"randomize: {name}",
                    f"component {how.component}",
                    "None, as the field has one number for each object" if plain else f"0 to {width - 1}",
                    "choose one of these",
                )
            )
        return self._found(name, how)

    def _found(self, name: str, how: Randomize) -> np.ndarray:
        """Row numbers of the objects named."""
        count = len(self._nominal[name])
        if how.names is None:
            return np.arange(count)
        kind = name.split("_")[0]
        if kind not in KINDS:
            allowed = f"None, for all of them; names are those of fields {', '.join(f'{each}_*' for each in KINDS)}"
            raise ModelError(problem(f"randomize: {name}", f"names {how.names!r}", allowed, "pass None"))
        known = self._m.names["jnt" if kind == "dof" else kind]
        wanted = [how.names] if isinstance(how.names, str) else list(how.names)
        missing = [each for each in wanted if each not in known]
        if missing:
            listed = ", ".join(each for each in known if each) or "none has a name"
            raise ModelError(problem(f"randomize: {name}", f"no {kind} {missing[0]!r}", listed, "choose among these"))
        rows = np.array([known.index(each) for each in wanted], dtype=np.int64)
        return np.flatnonzero(np.isin(self._m.dof_jntid.numpy(), rows)) if kind == "dof" else rows

    def draw(self, worlds: np.ndarray, rngs: Sequence[np.random.Generator]) -> None:
        """Redraw the fields of some worlds, each world from its own generator.

        Args:
            worlds: numbers of the worlds, rising.
            rngs: a generator for each world of the model.
        """
        if not self._draws:
            return
        values = {name: np.repeat(nominal[None], len(worlds), axis=0) for name, nominal in self._nominal.items()}
        for fields, how, rows in self._draws:
            numbers = np.array([rngs[i].uniform(how.low, how.high, len(rows)) for i in worlds], dtype=np.float32)
            for name in fields:
                _apply(values[name], numbers, rows, how)
        for name, changed in values.items():
            array = getattr(self._m, name)
            host = array.numpy()
            host[worlds] = changed
            array.assign(host)
        if self._constants:
            self._derive(worlds)

    def _derive(self, worlds: np.ndarray) -> None:
        """Constants of the worlds that were drawn, in runs of neighbours; at first of all, which gives them their rows."""
        if not self._drawn:
            mjw.set_const(self._m, self._d)
            self._drawn = True
            return
        for run in np.split(worlds, np.flatnonzero(np.diff(worlds) > 1) + 1):
            first, last = int(run[0]), int(run[-1]) + 1
            mjw.set_const(self._m.view(first, last), self._d.view(first, last))


def _apply(values: np.ndarray, numbers: np.ndarray, rows: np.ndarray, how: Randomize) -> None:
    """Change rows of ``values`` (n, count, ...) by numbers (n, len(rows))."""
    part = values[:, rows]
    numbers = numbers.reshape(*numbers.shape, *[1] * (part.ndim - 2))
    changed = {"scale": part * numbers, "add": part + numbers, "set": np.broadcast_to(numbers, part.shape)}[how.operation]
    if how.component is None:
        values[:, rows] = changed
    else:
        values[:, rows, how.component] = changed[..., how.component]
