"""Watching arrays: any field of a simulation's ``m``, ``d`` or ``m.opt`` by its name, with an index by name or number."""

from __future__ import annotations

import difflib
import re
from typing import Any

import numpy as np
import warp as wp

from newtonish.errors import ModelError, problem
from newtonish.mjw.by_name import fields as fields_of
from newtonish.mjw.by_name import place_in

__all__ = ["Watches", "fields", "number_text", "read_field"]

MOST = 6
"""Numbers of an array that are shown."""

_FORM = re.compile(r"\s*(?:(?P<owner>[md]|opt|m\.opt)\.)?(?P<field>\w+)\s*(?P<index>(?:\[[^\]]*\]\s*)*)\s*$")


def fields(simulation: Any) -> dict[str, tuple[Any, bool]]:
    """Owner, and whether the first axis is that of the worlds, of every field under its name; those of Data go before those of Model."""
    m, d = simulation.solver.mjw_model, simulation.solver.mjw_data
    found: dict[str, tuple[Any, bool]] = {name: (m.opt, True) for name in vars(m.opt) if not name.startswith("_")}
    for owner in (m, d):
        found |= {name: (owner, per_world) for name, per_world in fields_of(owner).items()}
    return found


def read_field(simulation: Any, text: str) -> np.ndarray:
    """Present numbers of a field in the world shown.

    Args:
        simulation: A Simulation.
        text: A field and where in it: ``"qpos"``, ``"qpos[knee]"``, ``"d.xpos[torso]"``, ``"geom_size[3][0]"``, ``"opt.timestep"``.

    Returns:
        The numbers; an array without axes for a single one.

    Raises:
        ModelError: There is no such field, object or number.
    """
    if getattr(simulation, "solver", None) is None:
        raise ModelError(problem("watch", repr(text), "simulations: a recording or a script's states have no m and d", "open a model"))
    form = _FORM.match(text)
    if form is None:
        raise ModelError(problem("watch", repr(text), "a field and indices, such as qpos[knee] or geom_size[3][0]", "write it like this"))
    name, known = form["field"], fields(simulation)
    owner, per_world = _owner(simulation, known, form["owner"], name)
    value = getattr(owner, name)
    if isinstance(value, wp.array):
        world = simulation.world if per_world and value.ndim and value.shape[0] > 1 else 0
        value = value[world : world + 1].numpy()[0] if per_world and value.size else value.numpy()
    return _indexed(owner, name, np.asarray(value), [part.strip().strip("'\"") for part in re.findall(r"[^\[\],]+", form["index"]) if part.strip()])


def _owner(simulation: Any, known: dict[str, tuple[Any, bool]], prefix: str | None, name: str) -> tuple[Any, bool]:
    m, d = simulation.solver.mjw_model, simulation.solver.mjw_data
    wanted = {"m": m, "d": d, "opt": m.opt, "m.opt": m.opt}.get(prefix or "")
    if (wanted is m or wanted is d) and name in fields_of(wanted):
        return wanted, fields_of(wanted)[name]
    if name in known and (wanted is None or known[name][0] is wanted):
        return known[name]
    label = f"{prefix}.{name}" if prefix else name
    if name in known:
        remedy = "leave out what stands before the point"
    else:
        near = difflib.get_close_matches(name, known, n=3)
        remedy = f"did you mean {' or '.join(near)}?" if near else "see dir(m) and dir(d)"
    raise ModelError(problem("watch", repr(label), "fields of m, d and m.opt", remedy))


def _indexed(owner: Any, name: str, value: np.ndarray, index: list[str]) -> np.ndarray:
    """What remains after one index after another: names of objects for the first, numbers for all."""
    for at, part in enumerate(index):
        if re.fullmatch(r"-?\d+", part):
            place: Any = int(part)
        elif at == 0 and name in getattr(owner, "FLAT", ()):
            place = place_in(owner, name, part)
        else:
            raise ModelError(problem(f"watch: {name}", f"[{part}]", "a number", "give the number of the row"))
        length = len(value) if value.ndim else 0
        if not length or (isinstance(place, int) and not -length <= place < length):
            raise ModelError(problem(f"watch: {name}", f"[{part}]", f"0 to {length - 1}" if length else "no more indices", "choose another"))
        value = value[place]
    return value[0] if value.shape == (1,) else value


def number_text(value: Any) -> str:
    """Numbers as a panel shows them: the first few of many."""
    if isinstance(value, str | bool | np.bool_):
        return str(value)
    host = np.asarray(value.numpy() if hasattr(value, "numpy") else value)
    if host.dtype.kind not in "biuf":
        return str(value)
    flat = host.reshape(-1)
    more = f" … {flat.size} in all" if flat.size > MOST else ""
    return " ".join(f"{number:.4g}" if host.dtype.kind == "f" else str(number) for number in flat[:MOST]) + more if flat.size else "empty"


class Watches:
    """What is watched, and the text that is being typed into the panel.

    Attributes:
        texts: The fields, as they were typed.
        entry: What has been typed of another one; None while nothing is being typed.
        refused: Why the last one was not taken; empty: it was.
    """

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.entry: str | None = None
        self.refused = ""

    def add(self, simulation: Any, text: str) -> bool:
        """Watch another field; returns whether there is such."""
        self.refused = ""
        try:
            read_field(simulation, text)
        except ModelError as error:
            self.refused = str(error)
            return False
        if text not in self.texts:
            self.texts.append(text)
        return True

    def remove(self, text: str) -> None:
        """Watch a field no longer."""
        if text in self.texts:
            self.texts.remove(text)

    def clear(self) -> None:
        """Watch nothing."""
        self.texts, self.refused = [], ""

    def shown(self, simulation: Any) -> list[tuple[str, str]]:
        """Each field with its numbers; a dash where another model has none of it."""
        found = []
        for text in self.texts:
            try:
                found.append((text, number_text(read_field(simulation, text))))
            except ModelError:
                found.append((text, "-"))
        return found

    # -- typing -------------------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Type another one."""
        self.entry, self.refused = "", ""

    def type(self, letters: str) -> None:
        """Letters were typed."""
        if self.entry is not None:
            self.entry += "".join(letter for letter in letters if letter.isprintable())

    def key(self, simulation: Any, name: str) -> None:
        """A key went down while typing: return takes what was typed, tab completes it, escape ends it."""
        if self.entry is None:
            return
        if name in ("RETURN", "ENTER", "NUM_ENTER"):
            if not self.entry.strip() or self.add(simulation, self.entry.strip()):
                self.entry = None
        elif name == "BACKSPACE":
            self.entry = self.entry[:-1]
        elif name == "ESCAPE":
            self.entry, self.refused = None, ""
        elif name == "TAB":
            near = self.suggestions(simulation)
            if near:
                self.entry = near[0]

    def suggestions(self, simulation: Any, count: int = 4) -> list[str]:
        """Fields that begin with what was typed, then those that contain it."""
        typed = self.entry or ""
        if not typed or not re.fullmatch(r"\w+", typed) or getattr(simulation, "solver", None) is None:
            return []
        known = sorted(fields(simulation))
        return [name for name in known if name.startswith(typed)][:count] or [name for name in known if typed in name][:count]
