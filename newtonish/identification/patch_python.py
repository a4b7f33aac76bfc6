"""Identified parameters as lines of Python."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from newtonish.common import frames
from newtonish.errors import UnsupportedError, problem
from newtonish.identification.fields import delays_of, found_fields, index_of
from newtonish.identification.parameters import KINDS
from newtonish.identification.result import Estimate, Identification
from newtonish.mjw.from_file import read_compiled

__all__ = ["python_lines"]

_WORDS = {"body": "body", "jnt": "joint", "actuator": "actuator", "geom": "shape"}
_DOF_WORDS = {"armature": "armature", "damping": "damping", "frictionloss": "friction"}


def python_lines(source: Any, found: Identification, title: str) -> str:
    """A module whose function sets the parameters in a ``SolverMuJoCo``; ``DELAYS`` has what no solver sets afterwards.

    Args:
        source: what ``identify`` was given.
        found: what it returned.
        title: the model's.

    Raises:
        UnsupportedError: an object has no name by which it could be set.
    """
    compiled = read_compiled(source)[0]
    fields = found_fields(compiled, found.estimates)
    calls: dict[tuple[str, str], dict[str, str]] = {}
    for each in found.estimates:
        if each.kind not in ("bias", "delay"):
            kind, name, values = _call(compiled, fields, each)
            calls.setdefault((kind, name), {}).update(values)
    lines = [f'"""Parameters of {title}, found by newtonish identify."""', ""]
    delays = delays_of(compiled, found.estimates)
    if delays:
        lines += [f"DELAYS = {{{', '.join(f'{name!r}: {value:.6g}' for name, value in delays.items())}}}"]
        lines += ['"""Seconds by which controls of actuators act late: part of the model\'s file, not of what a solver sets."""', ""]
    lines += ["", "def set_parameters(solver):", '    """Set them in a newtonish.SolverMuJoCo."""']
    for (kind, name), values in calls.items():
        lines.append(f"    solver.set({kind}={name!r}, {', '.join(f'{word}={value}' for word, value in values.items())})")
    if not calls:
        lines.append("    del solver  # nothing to set")
    return "\n".join(lines) + "\n"


def _call(c: Any, fields: dict[str, np.ndarray], each: Estimate) -> tuple[str, str, dict[str, str]]:
    """Kind and name of an object, and what to set of it."""
    owner, i = KINDS[each.kind].owner, index_of(c, each)
    name = getattr(c, f"{owner}_names")[i]
    if not name:
        given = f"{_WORDS[owner]} {each.object}, which has no name"
        raise UnsupportedError(problem(f"set {each.name}", given, "objects with names", "give it a name in the model"))
    if owner == "body":
        turn = frames.mat_from_quat(np.asarray(c.body_iquat[i], dtype=float))
        values = {"inertia": _nested(turn @ np.diag(fields["body_inertia"][i]) @ turn.T)}
        values |= {"mass": _number(fields["body_mass"][i])} if "body_mass" in fields else {}
    elif owner == "jnt":
        values = {_DOF_WORDS[each.kind]: _number(each.value)}
    elif owner == "geom":
        values = {"mu": _number(each.value)} if each.kind == "friction" else {"solref": _tuple(fields["geom_solref"][i])}
    else:
        return _actuator(c, fields, i, name)
    return _WORDS[owner], name, values


def _actuator(c: Any, fields: dict[str, np.ndarray], i: int, name: str) -> tuple[str, str, dict[str, str]]:
    """A servo by its gains, a joint target by those of its joint, others by all of their parameters."""
    gain, bias = fields["actuator_gainprm"][i], fields["actuator_biasprm"][i]
    servo = gain[0] == -bias[1] and not np.any(gain[1:]) and not bias[0] and not np.any(bias[3:])
    if not servo:
        return "actuator", name, {"gainprm": _tuple(gain), "biasprm": _tuple(bias)}
    joint = c.jnt_names[int(c.actuator_trnid[i, 0])]
    if name == f"{joint}_position":  # Newton's target, which has gains of the joint
        return "joint", joint, {"ke": _number(gain[0]), "kd": _number(-bias[2])}
    return "actuator", name, {"kp": _number(gain[0]), "kv": _number(-bias[2])}


def _number(value: float) -> str:
    return f"{float(value):.9g}"


def _tuple(values: Iterable[float]) -> str:
    return f"({', '.join(map(_number, values))})"


def _nested(matrix: np.ndarray) -> str:
    return f"({', '.join(_tuple(row) for row in 0.5 * (matrix + matrix.T))})"
