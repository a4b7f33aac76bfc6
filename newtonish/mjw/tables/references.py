"""Whether the numbers by which entities of a compiled model refer to one another are in range and fit together.

Kernels follow these numbers without looking, so a file or an edit with one of them changed would let them read and write foreign
memory. What follows from other numbers (addresses, sums, the order of the tree) is worked out again and compared.
MuJoCo: ``mj_validateReferences``, and what its compiler takes care of.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from newtonish.common.enums import GEOM_WRAPS, EqType, GeomType, JointType, ObjType, SensorType, TrnType, WrapType
from newtonish.common.sensors import CONTACT_SIZES, SENSORS, sensor_types
from newtonish.errors import ModelError, problem, raise_all
from newtonish.mjw.record import ModelRecord

__all__ = ["check_references"]

_QPOS = {JointType.FREE: 7, JointType.BALL: 4, JointType.SLIDE: 1, JointType.HINGE: 1}
_DOFS = {JointType.FREE: 6, JointType.BALL: 3, JointType.SLIDE: 1, JointType.HINGE: 1}
_REMEDY = "make the model again from its source"

# array -> what it counts, and the least that it may be
_RANGES = {
    "body_mocapid": ("nmocap", -1), "jnt_bodyid": ("nbody", 0), "geom_bodyid": ("nbody", 0), "site_bodyid": ("nbody", 0),
    "cam_bodyid": ("nbody", 0), "cam_targetbodyid": ("nbody", -1), "light_bodyid": ("nbody", 0), "light_targetbodyid": ("nbody", -1),
    "geom_matid": ("nmat", -1), "site_matid": ("nmat", -1), "tendon_matid": ("nmat", -1), "pair_geom1": ("ngeom", 0), "pair_geom2": ("ngeom", 0),
    "ten_J_colind": ("nv", 0), "light_texid": ("ntex", -1),
}  # fmt: skip
_OBJECTS = {
    ObjType.BODY: "nbody", ObjType.XBODY: "nbody", ObjType.JOINT: "njnt", ObjType.GEOM: "ngeom", ObjType.SITE: "nsite",
    ObjType.CAMERA: "ncam", ObjType.MESH: "nmesh", ObjType.TENDON: "ntendon", ObjType.ACTUATOR: "nactuator",
}  # fmt: skip
# address, length of what begins there, and the size of what both point into
_PIECES = (
    ("mesh_vertadr", "mesh_vertnum", "nmeshvert"), ("mesh_faceadr", "mesh_facenum", "nmeshface"), ("tendon_adr", "tendon_num", "nwrap"),
    ("actuator_ctrladr", "actuator_ctrlnum", "nu"), ("actuator_outadr", "actuator_outnum", "nout"),
    ("sensor_adr", "sensor_dim", "nsensordata"), ("ten_J_rowadr", "ten_J_rownnz", "nJten"), ("M_rowadr", "M_rownnz", "nC"),
    ("body_geomadr", "body_geomnum", "ngeom"),
)  # fmt: skip
_OF_ACTUATORS = sensor_types(object="actuator")
_OF_TYPE = {kind.type: kind for kind in SENSORS.values()}


class _Check:
    """Compares the arrays of one model; everything that is wrong is collected."""

    def __init__(self, record: ModelRecord) -> None:
        self.record = record
        self.problems: list[str] = []

    def size(self, name: str) -> int:
        return int(getattr(self.record, name, 0))

    def array(self, name: str) -> np.ndarray:
        """An array; empty if the model has none of that name."""
        return np.zeros(0, dtype=np.int32) if name in self.record.absent else getattr(self.record, name)

    def wrong(self, name: str, i: int, given: Any, allowed: str) -> None:
        self.problems.append(problem(f"{name}[{i}]", str(given), allowed, _REMEDY))

    def all_of(self, name: str, fits: np.ndarray, allowed: str) -> bool:
        """Note the first entry of an array that does not fit."""
        fits = np.atleast_1d(fits)
        if fits.all():
            return True
        i = int(np.argmin(fits))
        self.wrong(name, i, self.array(name).ravel()[i], allowed)
        return False

    def within(self, name: str, least: int, end: int) -> bool:
        values = self.array(name).ravel()
        return self.all_of(name, (values >= least) & (values < end), f"{least} to {end - 1}")

    def equal(self, name: str, wanted: Any) -> bool:
        wanted = np.asarray(wanted)
        values = self.array(name).ravel()
        if len(values) != len(wanted):
            self.problems.append(problem(name, f"{len(values)} numbers", f"{len(wanted)}", _REMEDY))
            return False
        i = int(np.argmin(values == wanted)) if len(values) else 0
        return self.all_of(name, values == wanted, f"{wanted[i] if len(wanted) else ''}, which follows from the rest of the model")

    def pieces(self, address: str, length: str, size: str) -> bool:
        """Each address and what begins there lie within a list."""
        begin, number, end = self.array(address).astype(np.int64), self.array(length).astype(np.int64), self.size(size)
        if not self.all_of(length, (number >= 0) & (number <= end), f"0 to {end}"):
            return False
        fits = (number == 0) | ((begin >= 0) & (begin + number <= end))
        return self.all_of(address, fits, f"places in the list of {end}")


def check_references(record: ModelRecord) -> None:
    """Raise ModelError with everything that is out of range or does not fit together.

    Args:
        record: a ``mujoco.MjModel`` of version 4.0, or something that has its fields.
    """
    check = _Check(record)
    steps: tuple[Callable[[_Check], None], ...] = (
        _names,
        _joints,
        _tree,
        _inertia,
        _ranges,
        _shapes,
        _tendons,
        _equalities,
        _actuators,
        _sensors,
        _past,
        _batched,
    )
    for step in steps:
        step(check)
        if check.problems:  # what follows relies on it
            raise_all(ModelError, "compiled model", check.problems)


def _joints(check: _Check) -> None:
    """Types, and the addresses that follow from them."""
    kinds = check.array("jnt_type")
    if not check.all_of("jnt_type", np.isin(kinds, list(_QPOS)), "0 to 3") or not check.within("jnt_bodyid", 1, check.size("nbody")):
        return
    widths = {name: np.array([table[JointType(int(k))] for k in kinds], dtype=np.int64) for name, table in (("qpos", _QPOS), ("dof", _DOFS))}
    for name, size in (("qpos", "nq"), ("dof", "nv")):
        width = widths[name]
        check.equal(f"jnt_{name}adr", np.cumsum(width) - width)
        if width.sum() != check.size(size):
            check.problems.append(problem(size, str(check.size(size)), f"{width.sum()}, the sum over the joints", _REMEDY))
    body = check.array("jnt_bodyid")
    check.all_of("jnt_bodyid", np.append(True, np.diff(body) >= 0)[: len(body)], "bodies in rising order")
    check.equal("dof_jntid", np.repeat(np.arange(len(kinds)), widths["dof"]))
    check.equal("dof_bodyid", np.repeat(body, widths["dof"]))
    _counts(check, "jnt", body)
    _counts(check, "dof", np.repeat(body, widths["dof"]))


def _counts(check: _Check, name: str, body: np.ndarray) -> None:
    """How many entries each body has, and where they begin, or -1."""
    number = np.bincount(body, minlength=check.size("nbody"))
    check.equal(f"body_{name}num", number)
    check.equal(f"body_{name}adr", np.where(number > 0, np.cumsum(number) - number, -1))


def _tree(check: _Check) -> None:
    """Bodies come after their parents; roots, welded bodies and trees follow from that."""
    parent, nbody, nv = check.array("body_parentid"), check.size("nbody"), check.size("nv")
    order = np.arange(nbody)
    if not check.all_of("body_parentid", (parent >= 0) & (parent < np.maximum(order, 1)), "a body before it"):
        return
    root, weld, last, tree = (np.zeros(nbody, dtype=np.int64) for _ in range(4))
    last[:1] = tree[:1] = -1
    jntnum, dofadr, dofnum, mocap = (check.array(f"body_{name}") for name in ("jntnum", "dofadr", "dofnum", "mocapid"))
    above, of_tree, ntree = np.full(nv, -1), np.zeros(nv, dtype=np.int64), 0
    for b in range(1, nbody):
        p = parent[b]
        root[b] = root[p] if p else b
        weld[b] = b if jntnum[b] or mocap[b] >= 0 else weld[p]
        last[b], tree[b] = last[p], tree[p]
        if dofnum[b]:
            first, end = dofadr[b], dofadr[b] + dofnum[b]
            if tree[b] < 0:
                tree[b], ntree = ntree, ntree + 1
            above[first:end] = [last[p], *range(first, end - 1)]
            of_tree[first:end] = tree[b]
            last[b] = end - 1
    for name, wanted in (("body_rootid", root), ("body_weldid", weld), ("body_treeid", tree), ("dof_parentid", above), ("dof_treeid", of_tree)):
        check.equal(name, wanted)
    number = np.bincount(of_tree, minlength=ntree)
    check.equal("tree_dofnum", number)
    check.equal("tree_dofadr", np.cumsum(number) - number)


def _inertia(check: _Check) -> None:
    """Rows of the mass matrix: a dof and those above it, or itself alone; both triangles for the implicit integrator."""
    nv, above = check.size("nv"), check.array("dof_parentid")
    simple = check.array("dof_simplenum")
    chains: list[list[int]] = []
    for i in range(nv):
        chains.append([*(chains[above[i]] if above[i] >= 0 else []), i])
    check.all_of("dof_simplenum", (simple >= 0) & (simple <= nv - np.arange(nv)), "a number of dofs that follow")
    rows = [chain[-1:] if simple[i] else chain for i, chain in enumerate(chains)]
    _rows(check, "M", rows)
    if check.size("nD"):
        full = [list(chain) for chain in chains]
        for i, chain in enumerate(chains):
            for k in chain[:-1]:
                full[k].append(i)
        if _rows(check, "D", full):
            check.equal("D_diag", [row.index(i) for i, row in enumerate(full)])
        check.within("mapM2D", -1, check.size("nC"))


def _rows(check: _Check, name: str, rows: list[list[int]]) -> bool:
    number = np.array([len(row) for row in rows], dtype=np.int64)
    good = check.equal(f"{name}_rownnz", number) and check.equal(f"{name}_rowadr", np.cumsum(number) - number)
    return check.equal(f"{name}_colind", [k for row in rows for k in row]) and good


def _ranges(check: _Check) -> None:
    for name, (size, least) in _RANGES.items():
        check.within(name, least, check.size(size))
    for pieces in _PIECES:
        check.pieces(*pieces)
    number = np.bincount(check.array("geom_bodyid"), minlength=check.size("nbody")) if not check.problems else np.zeros(0)
    if len(number):
        check.equal("body_geomnum", number)
        check.all_of("geom_bodyid", np.append(True, np.diff(check.array("geom_bodyid")) >= 0)[: check.size("ngeom")], "bodies in rising order")


def _names(check: _Check) -> None:
    """Names, in a model of MuJoCo's own, begin and end within their text."""
    text = check.record.names
    for kind in ("body", "jnt", "geom", "site", "actuator", "sensor", "key"):
        begin = check.array(f"name_{kind}adr")
        check.all_of(f"name_{kind}adr", (begin >= 0) & (begin <= text.rfind(b"\0")), f"0 to {len(text) - 1}")


def _shapes(check: _Check) -> None:
    """Types of geoms and sites, their meshes and heightfields, and what these hold."""
    for name in ("geom", "site"):
        kinds, data = check.array(f"{name}_type"), check.array(f"{name}_dataid")
        check.all_of(f"{name}_type", np.isin(kinds, list(GeomType)), "a GeomType")
        if len(data) == len(kinds):
            check.all_of(f"{name}_dataid", (kinds != GeomType.MESH) | ((data >= 0) & (data < check.size("nmesh"))), "a mesh")
            check.all_of(f"{name}_dataid", (kinds != GeomType.HFIELD) | ((data >= 0) & (data < check.size("nhfield"))), "a heightfield")
    for name in ("geom_condim", "pair_dim"):
        check.all_of(name, np.isin(check.array(name), (1, 3, 4, 6)), "1, 3, 4 or 6")
    rows, columns = check.array("hfield_nrow").astype(np.int64), check.array("hfield_ncol").astype(np.int64)
    begin, number = check.array("hfield_adr").astype(np.int64), check.size("nhfielddata")
    check.all_of("hfield_nrow", (rows >= 2) & (rows <= number), "2 or more")
    check.all_of("hfield_ncol", (columns >= 2) & (columns <= number), "2 or more")
    check.all_of("hfield_adr", (begin >= 0) & (begin + rows * columns <= number), f"places among {number} heights")
    faces, vertices = check.array("mesh_face"), check.array("mesh_vertnum")
    for i in range(check.size("nmesh") if not check.problems else 0):
        first = int(check.array("mesh_faceadr")[i])
        own = faces[first : first + int(check.array("mesh_facenum")[i])]
        if own.size and (own.min() < 0 or own.max() >= vertices[i]):
            check.problems.append(problem(f"mesh_face of mesh {i}", f"{own.min()} to {own.max()}", f"0 to {vertices[i] - 1}", _REMEDY))


def _tendons(check: _Check) -> None:
    """What tendons run through."""
    kinds, owner = check.array("wrap_type"), check.array("wrap_objid")
    side = check.array("wrap_prm")
    check.all_of("wrap_type", (kinds >= 1) & (kinds <= 5), "1 to 5")
    ends = np.choose(np.clip(kinds, 1, 5) - 1, [check.size(s) for s in ("njnt", "nwrap", "nsite", "ngeom", "ngeom")])
    check.all_of("wrap_objid", (kinds == WrapType.PULLEY) | ((owner >= 0) & (owner < ends)), "an object of that kind")
    check.all_of("wrap_prm", (kinds < 4) | ((side >= -1.0) & (side < check.size("nsite"))), "a site, or -1")
    if not check.problems and len(kinds):
        jointed = kinds == WrapType.JOINT
        scalar = check.array("jnt_type")[np.where(jointed, owner, 0)] >= JointType.SLIDE if check.size("njnt") else ~jointed
        check.all_of("wrap_objid", ~jointed | scalar, "a slide or hinge joint")
    for t in range(check.size("ntendon") if not check.problems else 0):
        first = int(check.array("ten_J_rowadr")[t])
        row = check.array("ten_J_colind")[first : first + int(check.array("ten_J_rownnz")[t])]
        if (np.diff(row) <= 0).any():
            check.problems.append(problem(f"ten_J_colind of tendon {t}", str(row.tolist()), "rising dofs", _REMEDY))
        run = slice(int(check.array("tendon_adr")[t]), int(check.array("tendon_adr")[t] + check.array("tendon_num")[t]))
        jointed = kinds[run] == WrapType.JOINT
        if int(check.array("tendon_type")[t]) not in (0, 1) or (jointed != (check.array("tendon_type")[t] == 0)).any():
            check.wrong("tendon_type", t, check.array("tendon_type")[t], "0 over joints, 1 over sites and geoms")
        around = np.isin(kinds[run], GEOM_WRAPS)
        sites = np.concatenate([[False], kinds[run] == WrapType.SITE, [False]])
        if (around & ~(sites[:-2] & sites[2:])).any():
            check.problems.append(problem(f"wrap_type of tendon {t}", str(kinds[run].tolist()), "geoms between two sites", _REMEDY))
        joints = owner[run][jointed]
        if not np.isin(check.array("jnt_dofadr")[joints], row).all():
            check.problems.append(problem(f"ten_J_colind of tendon {t}", str(row.tolist()), "the dofs of its joints", _REMEDY))
    number = check.array("ten_J_rownnz").astype(np.int64)
    check.equal("ten_J_rowadr", np.cumsum(number) - number)


def _equalities(check: _Check) -> None:
    kinds, objects = check.array("eq_type"), check.array("eq_objtype")
    sites = (objects == ObjType.SITE) & np.isin(kinds, (EqType.CONNECT, EqType.WELD))
    for name, least in (("eq_obj1id", 0), ("eq_obj2id", -1)):
        values = check.array(name)
        for kind, size in ((EqType.CONNECT, "nbody"), (EqType.WELD, "nbody"), (EqType.JOINT, "njnt"), (EqType.TENDON, "ntendon")):
            own = (kinds == kind) & ~sites
            check.all_of(name, ~own | ((values >= least) & (values < check.size(size))), f"{least} to {check.size(size) - 1}")
        check.all_of(name, ~sites | ((values >= 0) & (values < check.size("nsite"))), f"0 to {check.size('nsite') - 1}")
        if not check.problems and (kinds == EqType.JOINT).any():
            jointed = (kinds == EqType.JOINT) & (values >= 0)
            check.all_of(name, ~jointed | (check.array("jnt_type")[np.where(jointed, values, 0)] >= JointType.SLIDE), "a slide or hinge joint")


def _actuators(check: _Check) -> None:
    """What actuators pull at, and where their activations are."""
    number = check.size("nactuator")
    trnid, kinds = check.array("actuator_trnid").reshape(number, 2), check.array("actuator_trntype")
    targets: dict[int, tuple[str, int | None]] = {
        TrnType.JOINT: ("njnt", None), TrnType.JOINTINPARENT: ("njnt", None), TrnType.SLIDERCRANK: ("nsite", 0), TrnType.TENDON: ("ntendon", None),
        TrnType.SITE: ("nsite", -1), TrnType.BODY: ("nbody", None),
    }  # fmt: skip
    for i in range(number):
        size, second = targets.get(int(kinds[i]), ("", None))
        if int(kinds[i]) == TrnType.SO3:
            size, second = ("njnt" if trnid[i, 1] < 0 else "nsite"), -1
        if size and not 0 <= trnid[i, 0] < check.size(size):
            check.wrong("actuator_trnid", i, trnid[i].tolist(), f"0 to {check.size(size) - 1}")
        if second is not None and not second <= trnid[i, 1] < check.size("nsite"):
            check.wrong("actuator_trnid", i, trnid[i].tolist(), f"{second} to {check.size('nsite') - 1} for the second")
    begin, length, end = check.array("actuator_actadr").astype(np.int64), check.array("actuator_actnum").astype(np.int64), check.size("na")
    check.all_of("actuator_actnum", (length >= 0) & (length <= end), f"0 to {end}")
    check.all_of("actuator_actadr", (begin >= 0) == (length > 0), "a place where there are activations, and -1 where there are none")
    check.all_of("actuator_actadr", (begin >= -1) & (begin + np.maximum(length, 0) <= end), f"places among {end} activations")
    check.all_of("actuator_outnum", np.isin(check.array("actuator_outnum"), (1, 3)), "1, or 3 of an orientation")
    outputs = check.array("actuator_outnum").astype(np.int64)
    check.equal("actuator_outadr", np.cumsum(outputs) - outputs)
    controls = check.array("actuator_ctrlnum").astype(np.int64)
    check.equal("actuator_ctrladr", np.cumsum(controls) - controls)


def _sensors(check: _Check) -> None:
    """What sensors measure, and how many numbers they give."""
    dim, at = check.array("sensor_dim").astype(np.int64), 0
    for s in range(check.size("nsensor")):
        kind = int(check.array("sensor_type")[s])
        if check.array("sensor_adr")[s] != at:
            check.wrong("sensor_adr", s, check.array("sensor_adr")[s], str(at))
        at += int(dim[s])
        if kind not in list(SensorType):
            check.wrong("sensor_type", s, kind, "a SensorType")
        elif kind in _OF_TYPE:
            row = _OF_TYPE[SensorType(kind)]
            _object(check, s, "obj", row.measured)
            _object(check, s, "ref", row.references)
            numbers = _numbers(check, s, kind) if row.varies else row.dim
            if numbers and dim[s] != numbers:
                check.wrong("sensor_dim", s, dim[s], str(numbers))
            if kind in (SensorType.BALLQUAT, SensorType.BALLANGVEL) and not check.problems:
                joint = check.array("jnt_type")[check.array("sensor_objid")[s]]
                if joint != JointType.BALL:
                    check.wrong("sensor_objid", s, check.array("sensor_objid")[s], "a ball joint")
    check.within("sensor_needstage", 0, 4)
    if at != check.size("nsensordata"):
        check.problems.append(problem("nsensordata", str(check.size("nsensordata")), str(at), _REMEDY))


def _numbers(check: _Check, s: int, kind: int) -> int:
    """Numbers of a sensor whose parameters say how many; 0: any."""
    parameters = [int(i) for i in check.array("sensor_intprm")[s]]
    if kind == SensorType.CONTACT:
        return parameters[2] * sum(size for i, size in enumerate(CONTACT_SIZES.values()) if parameters[0] >> i & 1)
    if kind == SensorType.TACTILE and not check.problems:
        return 3 * int(check.array("mesh_vertnum")[check.array("sensor_objid")[s]])
    if kind in _OF_ACTUATORS and not check.problems:
        return int(check.array("actuator_outnum")[check.array("sensor_objid")[s]])
    return 0


def _object(check: _Check, s: int, end: str, kinds: tuple[int, ...]) -> None:
    """The object of a sensor at one end is of a kind that it can measure, and there is one of that number."""
    if not kinds:
        return
    kind, number = int(check.array(f"sensor_{end}type")[s]), int(check.array(f"sensor_{end}id")[s])
    if kind not in kinds:
        check.wrong(f"sensor_{end}type", s, kind, " or ".join(str(int(k)) for k in kinds))
    elif kind and not 0 <= number < check.size(_OBJECTS[ObjType(kind)]):
        check.wrong(f"sensor_{end}id", s, number, "one of the model")


def _past(check: _Check) -> None:
    """Buffers of delays, and yielded springs."""
    for kind, dims in (("actuator", check.array("actuator_ctrlnum")), ("sensor", check.array("sensor_dim"))):
        buffers = check.array(f"{kind}_history").reshape(-1, 2).astype(np.int64)
        begin = check.array(f"{kind}_historyadr").astype(np.int64)
        end = check.size("nhistory")
        for i, (samples, order) in enumerate(buffers):
            if samples < 0 or not 0 <= order <= 2:
                check.wrong(f"{kind}_history", i, [int(samples), int(order)], "a number of samples, and 0 to 2")
            elif not samples and begin[i] != -1:
                check.wrong(f"{kind}_historyadr", i, int(begin[i]), "-1 where there are no samples")
            elif samples and not (begin[i] >= 0 and begin[i] + 2 + samples * (1 + int(dims[i])) <= end):
                check.wrong(f"{kind}_historyadr", i, int(begin[i]), f"places among {end} numbers")
    end = check.size("nplastic")
    for kind, room in (("jnt", np.where(check.array("jnt_type") == JointType.BALL, 4, 1)), ("tendon", 2)):
        begin = check.array(f"{kind}_plasticadr").astype(np.int64)
        if len(begin):
            check.all_of(f"{kind}_plasticadr", (begin < 0) | (begin + room <= end), f"places among {end} numbers")


def _batched(check: _Check) -> None:
    """Values of several worlds are of the template's shape, and meshes of worlds are there."""
    batched = check.record.batched
    for name, value in batched.items():
        for owner in (check.record, check.record.opt):
            template = getattr(owner, name, None)
            if template is not None and np.shape(value)[1:] != np.shape(template):
                check.problems.append(problem(f"{name} of worlds", f"shape {np.shape(value)}", f"(worlds, {np.shape(template)})", _REMEDY))
    ids = np.asarray(batched.get("geom_dataid", np.zeros(0)))
    if ids.size and (ids.min() < -1 or ids.max() >= max(check.size("nmesh"), check.size("nhfield"))):
        check.problems.append(problem("geom_dataid of worlds", f"{ids.min()} to {ids.max()}", "meshes of the model", _REMEDY))
