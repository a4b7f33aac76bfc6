"""Worlds: which Newton rows belong to which world, whether all worlds are alike, and which worlds differ in numbers.

The first world is the template. Every other one must have the same structure (bodies, joints, dofs, shapes, rows of
the MuJoCo tables, every integer among their properties); the first difference is reported by name. Numbers may
differ, and what meshes and heightfields look like: worlds with equal ones form one *distinct* world, and the tables are
computed for the distinct worlds only.
"""

from __future__ import annotations

import numpy as np

from newtonish.convert.slots import same_layout, shape_slots
from newtonish.convert.source import Source
from newtonish.convert.structure import MODES, check_structure
from newtonish.errors import ModelError, problem, raise_all
from newtonish.namespaces.mujoco_table import MUJOCO_ATTRIBUTES

__all__ = ["ALIASES", "Worlds", "group_rows", "split_worlds", "world_rows"]

ALIASES = ("dof_passive_stiffness", "dof_springref")
"""Deprecated names of built-in arrays; a real Newton model complains when they are read."""
TABLES = (
    "mujoco:actuator",
    "mujoco:pair",
    "mujoco:exclude",
    "mujoco:tendon",
    "mujoco:camera",
    "mujoco:light",
    "mujoco:sensor",
    "mujoco:keyframe",
    "mujoco:equality_constraint",
)
_WORLD_OF_TABLE = {
    "mujoco:actuator": "actuator_world",
    "mujoco:pair": "pair_world",
    "mujoco:exclude": "exclude_world",
    "mujoco:tendon": "tendon_world",
    "mujoco:camera": "camera_world",
    "mujoco:light": "light_world",
    "mujoco:sensor": "sensor_world",
    "mujoco:keyframe": "key_world",
    "mujoco:equality_constraint": "equality_constraint_world",
}
_FLOATS = {
    "body": ("body_mass", "body_com", "body_inertia", "body_flags"),
    "joint": ("joint_X_p", "joint_X_c", "joint_mimic_coeffs"),
    "joint_dof": (
        "joint_axis", "joint_armature", "joint_damping", "joint_stiffness", "joint_friction", "joint_limit_lower",
        "joint_limit_upper", "joint_limit_ke", "joint_limit_kd", "joint_effort_limit", "joint_target_ke",
        "joint_target_kd",
    ),
    "constraint_mimic": ("constraint_mimic_coef0", "constraint_mimic_coef1"),
    "joint_coord": ("joint_rest_q",),
    "shape": (
        "shape_transform", "shape_scale", "shape_margin", "shape_gap", "shape_material_mu",
        "shape_material_mu_torsional", "shape_material_mu_rolling", "shape_material_ke", "shape_material_kd", "shape_material_kf",
    ),
}  # fmt: skip


class Worlds:
    """Rows of each world and the partition into distinct worlds.

    Attributes:
        count: Number of worlds.
        index: Kind (``body``, ``joint``, ``joint_dof``, ``joint_coord``, ``shape`` or a table) -> (count, n) row
            indices; shapes that belong to no world come first in every world.
        empty: (count, n) places for meshes that are empty in a world; ``index`` has another world's shape there.
        distinct: Worlds that stand for all with equal numbers; the template world 0 is the first.
        inverse: Position in ``distinct`` of each world's representative.
    """

    def __init__(self, source: Source, index: dict[str, np.ndarray]) -> None:
        self.source = source
        self.count = source.world_count
        self.index = index
        self.empty = np.zeros(index["shape"].shape, dtype=bool)
        self.distinct = np.zeros(1, dtype=np.int64)
        self.inverse = np.zeros(self.count, dtype=np.int64)

    def template(self, kind: str, values: np.ndarray) -> np.ndarray:
        """Rows of the template world, shape (n, ...)."""
        return values[self.index[kind][0]]

    def pick(self, kind: str, values: np.ndarray) -> np.ndarray:
        """Rows of every distinct world, shape (distinct, n, ...)."""
        return values[self.index[kind][self.distinct]]

    def local(self, kind: str, values: np.ndarray) -> np.ndarray:
        """Turn indices of template rows (e.g. ``joint_parent``) into positions within the world; -1 stays -1."""
        rows = self.index[kind] if self.empty.any() else self.index[kind][:1]  # in empty places rows are other worlds'
        lookup = np.full(self.source.rows(kind) + 1, -1, dtype=np.int64)
        lookup[rows] = np.arange(rows.shape[1])
        return np.where(np.asarray(values) < 0, -1, lookup[values])


def split_worlds(source: Source) -> Worlds:
    """Assign every row to its world, check that the worlds are alike, and find the distinct ones."""
    world = {kind: _world_of(source, kind) for kind in ("body", "joint", "shape")}
    for kind, starts in (("joint_dof", "joint_qd_start"), ("joint_coord", "joint_q_start")):
        start = np.append(source.array(starts)[: source.rows("joint")], source.rows(kind))
        world[kind] = np.repeat(world["joint"], np.diff(start))
    index = {kind: group_rows(kind, of, source.world_count) for kind, of in world.items() if kind != "shape"}
    alike = source.world_count == 1 or same_layout(source, world["shape"], index["body"])
    slots = None if alike else shape_slots(source, world["shape"], index["body"])
    index["shape"] = group_rows("shape", world["shape"], source.world_count) if slots is None else slots[0]
    worlds = Worlds(source, index)
    if slots is not None:
        worlds.empty = slots[1]
    for table in TABLES:
        worlds.index[table] = _table_index(worlds, table)
    worlds.index["mujoco:tendon_joint"] = _tendon_entries(worlds, "joint")
    worlds.index["mujoco:tendon_wrap"] = _tendon_entries(worlds, "wrap")
    mimics = np.zeros(0, np.int64) if not source.rows("constraint_mimic") else _world_of(source, "constraint_mimic")
    worlds.index["constraint_mimic"] = group_rows("constraint_mimic", mimics, source.world_count)
    if worlds.count > 1:
        check_structure(worlds)
        worlds.distinct, worlds.inverse = _distinct(worlds)
    return worlds


def _world_of(source: Source, kind: str) -> np.ndarray:
    """World of each row, -1 for shared shapes; a model built without worlds is world 0 as a whole."""
    world = np.asarray(source.array(f"{kind}_world"), dtype=np.int64)
    if kind == "shape":
        return world
    if source.world_count == 1 and np.all(world < 0):
        return np.zeros_like(world)
    if np.any(world < 0):
        name = source.labels(kind)[int(np.argmax(world < 0))]
        text = problem(
            f"{kind} '{name}'",
            "world -1",
            f"worlds 0 to {source.world_count - 1}; only shapes may be shared by all worlds",
            "add it between begin_world and end_world",
        )
        raise_all(ModelError, "conversion", [text])
    return world


def group_rows(kind: str, world: np.ndarray, count: int) -> np.ndarray:
    """Row indices of each world, shape (count, n), ascending; rows of world -1 stand first in every world."""
    shared = np.flatnonzero(world < 0)
    sizes = np.bincount(world[world >= 0], minlength=count)
    if np.any(sizes != sizes[0]):
        odd = int(np.argmax(sizes != sizes[0]))
        text = problem(
            f"world {odd}",
            f"{sizes[odd]} {kind.removeprefix('mujoco:')} entries",
            f"{sizes[0]}, as in world 0, because all worlds share one structure",
            "build every world alike, or convert the worlds as separate models",
        )
        raise_all(ModelError, "conversion", [text])
    own = np.argsort(world, kind="stable")[len(shared) :].reshape(count, -1)
    return np.concatenate([np.broadcast_to(shared, (count, len(shared))), own], axis=1).astype(np.int64)


def _table_index(worlds: Worlds, table: str) -> np.ndarray:
    """Rows of each world in a table of the MuJoCo namespace; rows of no world are shared by all."""
    source = worlds.source
    count = source.rows(table)
    world = np.asarray(source.custom(_WORLD_OF_TABLE[table])).copy()
    if worlds.count == 1:
        return np.arange(count)[None, :]
    if table == "mujoco:actuator" and count and np.any(world < 0):
        world = _world_of_targets(worlds, world)
    if table == "mujoco:tendon" and count and np.any(world < 0):
        world = _world_of_tendons(worlds, world)
    if table == "mujoco:equality_constraint" and count and np.any(world < 0):
        world = _world_of_equalities(worlds, world)
    if table == "mujoco:keyframe":  # keyframes are states of the one compiled model: the template's are kept
        return np.broadcast_to(np.flatnonzero(world <= 0), (worlds.count, int(np.sum(world <= 0))))
    return group_rows(table, world, worlds.count)


def _tendon_entries(worlds: Worlds, kind: str) -> np.ndarray:
    """Rows of ``mujoco:tendon_joint`` or ``mujoco:tendon_wrap`` of each world, one tendon after another."""
    first, number, _ = tendon_spans(worlds.source, kind)
    world = np.concatenate([np.full(int(number[rows].sum()), w) for w, rows in enumerate(worlds.index["mujoco:tendon"])])
    rows = [np.arange(first[r], first[r] + number[r]) for r in worlds.index["mujoco:tendon"].ravel()]
    listed = np.concatenate([*rows, np.zeros(0, np.int64)]).astype(np.int64)
    return listed[group_rows(f"mujoco:tendon_{kind}", world, worlds.count)]


def tendon_spans(source: Source, kind: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """First row in ``mujoco:tendon_{kind}`` of each tendon, number of rows, and whether they lie outside the table; those count as none."""
    first, number = (np.asarray(source.custom(f"tendon_{kind}_{end}"), dtype=np.int64) for end in ("adr", "num"))
    outside = (number < 0) | ((number > 0) & ((first < 0) | (first + number > source.rows(f"mujoco:tendon_{kind}"))))
    return first, np.where(outside, 0, number), outside


def _world_of_tendons(worlds: Worlds, world: np.ndarray) -> np.ndarray:
    """World of tendon rows that do not name one: that of their first joint, or of a shape of their path."""
    source = worlds.source
    first, number = source.custom("tendon_joint_adr"), source.custom("tendon_joint_num")
    dofs = np.append(source.tendon_dofs, -1)
    target = dofs[np.where((first >= 0) & (first < len(dofs)) & (number > 0), first, -1)]
    found = np.where(world < 0, _world_of_dofs(worlds)[target], world)
    of_shape = np.append(source.array("shape_world"), -1)
    for tendon in np.flatnonzero(found < 0):
        adr, num = int(source.custom("tendon_wrap_adr")[tendon]), int(source.custom("tendon_wrap_num")[tendon])
        shapes = source.custom("tendon_wrap_shape")[max(adr, 0) : max(adr, 0) + max(num, 0)]
        found[tendon] = max((int(of_shape[shape]) for shape in shapes if -1 <= shape < len(of_shape) - 1), default=-1)
    return found


def _world_of_equalities(worlds: Worlds, world: np.ndarray) -> np.ndarray:
    """World of equality rows that do not name one: that of a body, dof or tendon of theirs."""
    source = worlds.source
    of_dof = _world_of_dofs(worlds)
    of_body = np.full(source.rows("body") + 1, -1, dtype=np.int64)
    of_tendon = np.full(source.rows("mujoco:tendon") + 1, -1, dtype=np.int64)
    for lookup, kind in ((of_body, "body"), (of_tendon, "mujoco:tendon")):
        for w, rows in enumerate(worlds.index[kind]):
            lookup[rows] = w
    for lookup, column in (
        (of_body, source.custom("equality_constraint_body1")),
        (of_body, source.custom("equality_constraint_body2")),
        (of_dof, source.equality_dofs[:, 0]),
        (of_tendon, source.custom("equality_constraint_tendon1")),
    ):
        world = np.where(world < 0, lookup[np.where(column < len(lookup) - 1, column, -1)], world)
    return world


def _world_of_dofs(worlds: Worlds) -> np.ndarray:
    """World of each dof; one more element, -1, for the index -1."""
    of_dof = np.full(worlds.source.rows("joint_dof") + 1, -1, dtype=np.int64)
    for w, dofs in enumerate(worlds.index["joint_dof"]):
        of_dof[dofs] = w
    return of_dof


def _world_of_targets(worlds: Worlds, world: np.ndarray) -> np.ndarray:
    """World of actuator rows that do not name one: that of the dof they act on."""
    source = worlds.source
    of_dof = _world_of_dofs(worlds)
    target = source.custom("actuator_trnid")[:, 0]
    on_joint = (source.custom("actuator_trntype") <= 1) & (target >= 0) & (target < len(of_dof) - 1)
    return np.where((world < 0) & on_joint, of_dof[np.where(on_joint, target, -1)], world)


def _float_columns(worlds: Worlds) -> list[np.ndarray]:
    """Per world one flat row of each number that may differ."""
    source = worlds.source
    names = [(kind, source.array(name)) for kind, entries in _FLOATS.items() for name in entries if source.has(name)]
    for row in MUJOCO_ATTRIBUTES:
        numbers = row.dtype in ("float", "vec2", "vec3", "vec4", "vec5", "vec6", "vec10", "transform") or row.name in MODES
        if numbers and row.frequency in worlds.index:
            if row.assignment == "model" and row.name not in ALIASES and source.authored(row.name):
                names.append((row.frequency, source.custom(row.name)))
    # rows of worlds that stand one after another need not be gathered
    in_order = {kind: index.size == worlds.source.rows(kind) and bool(np.all(np.diff(index.ravel()) == 1)) for kind, index in worlds.index.items()}
    columns = [(values if in_order[kind] else values[worlds.index[kind]]).reshape(worlds.count, -1) for kind, values in names]
    free = np.isin(worlds.template("joint", source.array("joint_type")), (4, 5))
    children = source.array("joint_child")[worlds.index["joint"][:, free]]
    columns.append(source.array("body_q")[children].reshape(worlds.count, -1))
    columns.append(world_rows(source, source.array("gravity")))
    columns.append(source.geometry[worlds.index["shape"]].astype(np.float64))
    columns.append(worlds.empty.astype(np.float64))
    for row in MUJOCO_ATTRIBUTES:
        if row.frequency == "world" and source.authored(row.name):
            columns.append(world_rows(source, source.custom(row.name)))
    return columns


def world_rows(source: Source, values: np.ndarray) -> np.ndarray:
    """Values of world frequency as (worlds, k); one row stands for all worlds."""
    flat = values.reshape(len(values), -1)
    return np.broadcast_to(flat[:1], (source.world_count, flat.shape[1])) if len(flat) < source.world_count else flat[: source.world_count]


def _distinct(worlds: Worlds) -> tuple[np.ndarray, np.ndarray]:
    """Group worlds with equal numbers; world 0's group is the first."""
    columns = [c for c in _float_columns(worlds) if c.shape[1]]
    varying = [c for c in columns if not np.array_equal(c, np.broadcast_to(c[:1], c.shape), equal_nan=True)]
    if not varying:
        return np.zeros(1, dtype=np.int64), np.zeros(worlds.count, dtype=np.int64)
    table = np.ascontiguousarray(np.concatenate(varying, axis=1))
    groups: dict[bytes, int] = {}
    inverse = np.array([groups.setdefault(row.tobytes(), len(groups)) for row in table], dtype=np.int64)
    return _first_of(inverse, len(groups)), inverse


def _first_of(inverse: np.ndarray, groups: int) -> np.ndarray:
    """First world of each group."""
    first = np.full(groups, -1, dtype=np.int64)
    first[inverse[::-1]] = np.arange(len(inverse))[::-1]
    return first
