"""Gains, limits, materials and masses of joints, shapes, bodies, tendons and actuators by name: ``model.set(joint="knee", target_ke=80.0)``.

What is set follows from the kind: columns of the model and ``mujoco:*`` attributes, without the kind in front, as in ``m.joint("knee")`` of
``newtonish.mjw``. The answer says which properties were edited, for ``solver.notify_model_changed``; ``solver.set`` does both.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from typing import Any, NamedTuple, NoReturn

import numpy as np
import warp as wp

from newtonish.errors import ModelError, problem
from newtonish.model.enums import ModelFlags

__all__ = ["KINDS", "set_by_name"]

FORCE = ModelFlags.JOINT_DOF_FORCE_PROPERTIES


class Kind(NamedTuple):
    """Where the rows of a kind of object are, and what of them can be set."""

    labels: str
    world: str
    flag: ModelFlags
    columns: dict[str, str]  # what is set -> array; custom attributes with their namespace


def _same(prefix: str, names: str) -> dict[str, str]:
    return {name: f"{prefix}{name}" for name in names.split()}


KINDS: dict[str, Kind] = {
    "joint": Kind("joint_label", "joint_world", FORCE, {
        "ke": "joint_target_ke", "kd": "joint_target_kd",
        **_same("joint_", "target_ke target_kd limit_ke limit_kd limit_lower limit_upper effort_limit friction damping stiffness armature"),
        **_same("mujoco.", "limit_margin solreflimit solimplimit solreflimit_mode solreffriction solimpfriction"),
    }),
    "shape": Kind("shape_label", "shape_world", ModelFlags.SHAPE_PROPERTIES, {
        **_same("shape_material_", "ke kd kf mu mu_torsional mu_rolling"), **_same("shape_", "margin gap"),
        **_same("mujoco.", "solref solref_mode"), **_same("mujoco.geom_", "solimp solmix priority adhesion surfacevel"),
    }),
    "body": Kind("body_label", "body_world", ModelFlags.BODY_INERTIAL_PROPERTIES, _same("body_", "mass inertia com")),
    "tendon": Kind("mujoco.tendon_label", "mujoco.tendon_world", ModelFlags.TENDON_PROPERTIES, _same(
        "mujoco.tendon_", "stiffness damping frictionloss armature range margin limit_ke limit_kd solref_limit solimp_limit solref_limit_mode "
        "solref_friction solimp_friction springlength")),
    "actuator": Kind("mujoco.actuator_label", "mujoco.actuator_world", ModelFlags.ACTUATOR_PROPERTIES, {
        "kp": "mujoco.actuator_gainprm", "kv": "mujoco.actuator_biasprm",
        **_same("mujoco.actuator_", "gainprm biasprm dynprm gear forcerange ctrlrange damping armature")}),
}  # fmt: skip
"""Kinds of objects; ``ke`` and ``kd`` of a joint are those of its target, of a shape those of its material. The ``inertia`` of a body is (3, 3), about its centre
of mass ``com`` in the axes of the body, and does not follow its ``mass``."""


def set_by_name(model: Any, world: int | Sequence[int] | None, objects: dict[str, str | Sequence[str] | None], values: dict[str, Any]) -> int:
    """Set properties of one kind of object.

    Args:
        model: A model of this package or of Newton.
        world: The only worlds to change; None: all.
        objects: Names or patterns by kind, of which one is given.
        values: What to set.

    Returns:
        The flags of what was edited, bits of ``ModelFlags``.

    Raises:
        ModelError: No such object or property, or values that do not fit; nothing has been changed then.
    """
    given = {kind: names for kind, names in objects.items() if names is not None}
    if len(given) != 1:
        raise ModelError(problem("set", f"{' and '.join(given) or 'no object'}", f"one of {', '.join(KINDS)}", "name objects of one kind in a call"))
    name, pattern = next(iter(given.items()))
    kind = KINDS[name]
    title = f"set({name}={pattern!r})"
    if not values:
        raise ModelError(problem(title, "nothing to set", ", ".join(kind.columns), f"for instance set({name}={pattern!r}, {next(iter(kind.columns))}=...)"))
    rows = _rows(model, kind, title, name, _several(pattern), world)
    edits, flags = [], 0
    for key, value in _with_modes(model, name, rows, values).items():
        edits.append(_edit(model, kind, title, name, rows, key, value))
        flags |= ModelFlags.JOINT_DOF_INERTIAL_PROPERTIES if (name, key) == ("joint", "armature") else kind.flag
    if name == "joint":
        _check_targets(model, title, rows, values)
    for array, places, block, column, second in edits:
        _write(array, places, block, column)
        if second is not None:
            _write(*second)
    return flags


def _several(pattern: Any) -> Sequence[Any]:
    return list(pattern) if isinstance(pattern, (list, tuple, set)) else [pattern]


def _find(model: Any, path: str) -> Any:
    for part in path.split("."):
        model = getattr(model, part, None)
    return model


def _refuse(title: str, given: str, known: Iterable[str], key: str, otherwise: str) -> NoReturn:
    words = list(dict.fromkeys(known))
    near = difflib.get_close_matches(key, words, n=3)
    listed = ", ".join(map(repr, words[:8])) + (f" and {len(words) - 8} others" if len(words) > 8 else "")
    raise ModelError(problem(title, given, listed or "none, the model has none", f"did you mean {' or '.join(map(repr, near))}?" if near else otherwise))


def _rows(model: Any, kind: Kind, title: str, name: str, patterns: Sequence[str], world: int | Sequence[int] | None) -> np.ndarray:
    """Rows of the objects: (worlds, n); of joints those of their dofs. Objects of no world are one world for themselves."""
    labels = list(_find(model, kind.labels) or ())
    found: set[int] = set()
    for pattern in patterns:
        if not isinstance(pattern, str):
            raise ModelError(problem(title, f"a {type(pattern).__name__}", f"labels of {name}s", "give a name, a pattern or several of them"))
        own = _matching(labels, pattern)
        if not own:
            _refuse(title, f"{pattern!r}", [label for label in labels if label], pattern, "a pattern may have * and ?")
        found |= set(own)
    places = np.array(sorted(found))
    of = np.asarray(_find(model, kind.world).numpy())[places]
    if np.all(of < 0) or not np.any(of < 0):
        of = np.maximum(of, 0)
    else:
        raise ModelError(problem(title, "objects of single worlds and of all", f"{name}s of one of the two", "set them in two calls"))
    present = np.unique(of)
    wanted = present if world is None else np.atleast_1d(np.asarray(world))
    if not np.isin(wanted, present).all():
        raise ModelError(problem(title, f"world {world!r}", f"0 to {int(present.max())}", "name worlds that have such objects"))
    rows = [_dofs(model, places[of == each]) if name == "joint" else places[of == each] for each in wanted]
    if not all(len(row) for row in rows):
        raise ModelError(problem(title, "joints without dofs", "hinges, slides, balls and others that move", "name another joint"))
    return np.stack(rows)


def _matching(labels: Sequence[str], pattern: str) -> list[int]:
    """Labels that are the pattern, else those whose last part is, else those that match it with * and ?."""
    exact = [row for row, label in enumerate(labels) if label == pattern]
    last = exact or [row for row, label in enumerate(labels) if label.rsplit("/", 1)[-1] == pattern]
    return last or [row for row, label in enumerate(labels) if fnmatchcase(label, pattern) or fnmatchcase(label.rsplit("/", 1)[-1], pattern)]


def _dofs(model: Any, joints: np.ndarray) -> np.ndarray:
    start = np.append(model.joint_qd_start.numpy()[: model.joint_count], model.joint_dof_count)
    return np.concatenate([np.arange(start[joint], start[joint + 1]) for joint in joints])


def _edit(model: Any, kind: Kind, title: str, name: str, rows: np.ndarray, key: str, value: Any) -> tuple[Any, ...]:
    """Array, rows, values as float64 and the component of one property; some have a second array: kp of an actuator its bias, masses their inverse."""
    if key not in kind.columns:
        _refuse(f"{title}: {key}", f"{key!r}", kind.columns, key, "choose one of these")
    array = _find(model, kind.columns[key])
    if array is None:
        remedy = "call SolverMuJoCo.register_custom_attributes(builder) before anything is added, or read the model from a file of MuJoCo's"
        raise ModelError(problem(f"{title}: {key}", "a model without MuJoCo's attributes", "models that have them", remedy))
    column = {"kp": 0, "kv": 2}.get(key) if name == "actuator" else None
    shape = () if column is not None else tuple(array.shape[1:]) + tuple(getattr(array.dtype, "_shape_", ()))
    block = _fitted(f"{title}: {key}", value, rows.shape, shape)
    if key == "kp" and name == "actuator":
        return array, rows, block, column, (_find(model, "mujoco.actuator_biasprm"), rows, -block, 1)
    if name == "body" and key in ("mass", "inertia"):
        return array, rows, block, column, (_find(model, f"body_inv_{key}"), rows, _inverse(f"{title}: {key}", key, block), None)
    return array, rows, -block if column == 2 else block, column, None


def _inverse(title: str, key: str, block: np.ndarray) -> np.ndarray:
    """Inverses of masses or inertias."""
    if key == "mass":
        if not np.all((block > 0.0) & (block < np.inf)):
            raise ModelError(problem(title, f"{block.min():g}", "masses above 0 [kg]", "correct it"))
        return 1.0 / block
    if not np.allclose(block, np.swapaxes(block, -1, -2), rtol=1e-5, atol=0.0) or np.any(np.linalg.eigvalsh(block) <= 0.0):
        raise ModelError(problem(title, "a matrix that is no inertia", "symmetric positive definite (3, 3) [kg m^2]", "correct it"))
    return np.linalg.inv(block)


def _fitted(title: str, value: Any, rows: tuple[int, ...], shape: tuple[int, ...]) -> np.ndarray:
    """Values for all rows (worlds, n, ...): one for all, one for each world, or one for each world and object."""
    try:
        host = np.asarray(value.numpy() if hasattr(value, "numpy") else value, dtype=np.float64)
    except (TypeError, ValueError):
        host = None
    if host is not None:
        for fits in ((), rows[:1], rows):
            if host.shape == (*fits, *shape):
                if np.isnan(host).any():
                    raise ModelError(problem(title, "NaN", "numbers", "correct the value"))
                spread = host.reshape(*fits, *[1] * (len(rows) - len(fits)), *shape)
                return np.broadcast_to(spread, (*rows, *shape)).copy()
    given = repr(value)[:60] if host is None else f"shape {host.shape}"
    allowed = " or ".join(str((*fits, *shape)) if (*fits, *shape) else "a number" for fits in ((), rows[:1], rows))
    raise ModelError(problem(title, given, allowed, "give one value for all worlds or one for each"))


def _with_modes(model: Any, name: str, rows: np.ndarray, values: dict[str, Any]) -> dict[str, Any]:
    """Values with the mode in which they count: a solref as written, a gain in newtons, unless its mode is one of gains or is given."""
    raw, gains, mode = {"joint": ("solreflimit", ("limit_ke", "limit_kd"), "solreflimit_mode"), "shape": ("solref", ("ke", "kd"), "solref_mode"),
                        "tendon": ("solref_limit", ("limit_ke", "limit_kd"), "solref_limit_mode")}.get(name, ("", (), ""))  # fmt: skip
    array = _find(model, KINDS[name].columns[mode]) if mode else None
    if array is None or mode in values:
        return values
    if raw in values:
        return values | {mode: 1}
    now = array.numpy()[rows]
    return values | {mode: np.where(np.isin(now, (1, 2)), 0, now)} if set(gains) & set(values) else values


def _check_targets(model: Any, title: str, rows: np.ndarray, values: dict[str, Any]) -> None:
    """Gains of a target that does not act would change nothing."""
    wanted = sorted({"ke", "kd", "target_ke", "target_kd"} & set(values))
    if wanted and not np.any(model.joint_target_mode.numpy()[rows]):
        allowed = "joints with a joint_target_mode"
        raise ModelError(problem(f"{title}: {wanted[0]}", "joints without a target", allowed, "set kp and kv of their actuators: set(actuator=..., kp=...)"))


def _write(array: wp.array, rows: np.ndarray, block: np.ndarray, column: int | None) -> None:
    values = array.numpy()
    if column is None:
        values[rows] = block
    else:
        values[rows, column] = block
    array.assign(values)
