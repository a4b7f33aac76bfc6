"""From an ``MjModel`` (MuJoCo's own or ``newtonish.convert``'s) to a Model on the device.

The source is read once, by field name, into a record (``newtonish.mjw.record``), from which all here is worked out; its per-world values,
if it has any, come from ``batched``: a mapping of flat names to arrays with a world axis in front.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from newtonish.common.enums import BiasType, BroadphaseType, DisableBit, ForceLaw, GainType, IntegratorType
from newtonish.errors import ModelError, problem
from newtonish.kernels.runtime.header import begin
from newtonish.kernels.runtime.lanes import Mapping
from newtonish.kernels.speculative.stage import may_speculate
from newtonish.kernels.structs.checked import checked
from newtonish.kernels.structs.container import Keyframes, Model
from newtonish.kernels.structs.field import Field, Group, vec8d
from newtonish.kernels.structs.options import make_settable
from newtonish.mjw.by_name import find
from newtonish.mjw.distance_fields import GeomFields, geom_fields, kernel_of
from newtonish.mjw.matching import BESIDE_FIELDS, INTEGRATORS, UNSIMULATED_FLAGS, get_device, integer
from newtonish.mjw.record import ModelRecord, read_model
from newtonish.mjw.structure import keep_structure
from newtonish.mjw.supported import check_supported, needs_other_gain
from newtonish.mjw.tables.actuator_reflection import Reflected, with_actuators
from newtonish.mjw.tables.broadphase import choose, collision_tables
from newtonish.mjw.tables.contact_estimate import likely_contacts
from newtonish.mjw.tables.fields import field_tables
from newtonish.mjw.tables.fluid import fluid_bodies, option_changed
from newtonish.mjw.tables.gains import contact_gains, forced_geoms
from newtonish.mjw.tables.geometric import Surfaces, measured_meshes
from newtonish.mjw.tables.heaps import likely_heap
from newtonish.mjw.tables.history import history_tables
from newtonish.mjw.tables.host_fields import HostFields
from newtonish.mjw.tables.host_options import host_options
from newtonish.mjw.tables.hulls import hull_tables
from newtonish.mjw.tables.laws import force_laws
from newtonish.mjw.tables.references import check_references
from newtonish.mjw.tables.row_capacity import row_capacity
from newtonish.mjw.tables.sensors import fields_in_sight, sensor_tables
from newtonish.mjw.tables.simple import simple_stages
from newtonish.mjw.tables.sleep import sleep_tables
from newtonish.mjw.tables.tree import branch_scale, fixed_tendon_rows, moment_rows, tree_tables, wrap_rows
from newtonish.mjw.user_actuation import UserActuation, user_parts

SPATIAL = 1  # TendonType
_DOUBLES = (wp.float64, wp.vec3d, wp.mat33d, vec8d)
_HOST_ONLY = ("key_time", "key_qpos", "key_qvel", "key_act", "key_ctrl", "key_mpos", "key_mquat", "key_plastic")


def put_model(
    mjm: Any,
    batch_sizes: dict[str, int] | None = None,
    *,
    device: Any = None,
    strict: bool = True,
    actuation: UserActuation | None = None,
    broadphase: int | None = None,
    sdf: dict[str | int, Any] | None = None,
) -> Model:
    """Copy a compiled model to the device.

    Args:
        mjm: a ``mujoco.MjModel`` of version 3.2 or later, or a ``newtonish.convert.CompiledModel``.
        batch_sizes: fields by name that are to have a value for each world, with the number of worlds; each starts with
            the model's value everywhere. With ``geom_dataid`` every mesh gets its hull, so that any of them can be set; set
            what follows from the mesh as well (``geom_size``, ``geom_rbound``, ``geom_pos``, ``geom_quat``, inertia).
        device: Warp device; None: Warp's current one.
        strict: raise ``UnsupportedError`` with the full list if the model has anything that is not simulated;
            otherwise warn once with the same list and leave those things out.
        actuation: functions for actuators whose gain, bias or dynamics are of type ``user``.
        broadphase: ``BroadphaseType``: look at every pair of geoms that may collide (NXN), or sweep over sorted bounds
            (SAP_TILE); None: by the number of geoms. The contacts are the same. It is ``m.opt.broadphase`` afterwards.
        sdf: fields of geoms of type ``sdf`` that have a plugin: names of MuJoCo's (``"mujoco.sdf.nut"``) or ``mjw.DistanceField``, by the name
            or number of the plugin's instance or by the name of the geom. With an ``MjSpec`` at hand: ``{p.name: p.plugin_name for p in spec.plugins}``.

    Returns:
        The Model; fields with one value for all worlds have a world axis of length 1.

    Raises:
        ModelError: ``mjm`` is no compiled model, there is no such device, or ``batch_sizes`` names a field that has no world
            axis, or no positive number of worlds.
        UnsupportedError: parts of the model are not simulated (strict).
    """
    record = read_model(mjm)
    check_references(record)
    device = get_device("put_model", device)
    begin(device)  # compiling, where nothing is in the cache yet
    fields = geom_fields(record, sdf)
    check_supported(record, strict=strict, actuation=actuation, fields=fields)
    batched: dict[str, np.ndarray] = dict(with_actuators(record, record.batched))
    m = Model(max([1, *(len(a) for a in batched.values())]), device)
    every_mesh = "geom_dataid" in (batch_sizes or {})
    derived = _derived(record, fields, choose(record, broadphase), every_mesh) | fluid_bodies(record, batched)
    if "dof_length" in batched:
        batched["sleep_dof_length"] = batched["dof_length"]
    if "wrap_prm" in batched:
        batched["tendon_wrap_scale"] = branch_scale(record, batched["wrap_prm"])
    derived |= _materials(record, batched) | contact_gains(record)
    derived["ntenarmature"] = _tendons_with_armature(record, batched)
    for g in m.GROUPS:
        for f in g.fields:
            _put_field(m, g, f, record, derived, batched)
    m.key = Keyframes(m, {name: np.array(getattr(record, name), dtype=np.float64) for name in _HOST_ONLY})
    m.nkey = record.nkey
    m.names = record.names_of
    m.__dict__["finder"] = find
    m.maps = record.maps
    m.reflected = Reflected.of(record, record.batched)
    m.nforced = forced_geoms(record)
    m.ntenspatial = int(np.sum(record.tendon_type == SPATIAL)) if record.ntendon else 0
    m.nuserdata = record.nuserdata
    m.surfaces = Surfaces(record, every_mesh)
    m.surfaces.fields = fields_in_sight(record)
    if m.ranging.nray > 0 or may_speculate(m):
        m.surfaces.put(m)
    m.contact_bound = int(derived["contact_bound"])
    m.pairs_listed = m.opt.broadphase == BroadphaseType.NXN
    m.likely_contacts, m.likely_heap = likely_contacts(record), likely_heap(record)
    if m.opt.integrator not in INTEGRATORS:  # reported by check_supported
        m.opt.integrator = int(IntegratorType.IMPLICITFAST)
    m.opt.enableflags = int(m.opt.enableflags) & ~UNSIMULATED_FLAGS
    m.opt.disableflags = int(m.opt.disableflags) & ~int(DisableBit.NATIVECCD)  # check_supported tells
    if m.sdf.ncollide > 0:
        m.opt.enableflags = int(m.opt.enableflags) & ~BESIDE_FIELDS
    m.filterparent = not m.opt.disableflags & DisableBit.FILTERPARENT
    _silence_actuators(m, record)
    m.mapping = Mapping(int(m.size.nv), int(np.diff(derived["tree_level_adr"]).max()), int(m.size.ntree))
    m.user_actuation = actuation if user_parts(record) else None
    if m.user_actuation is not None:
        m.user_actuation.load(device, m.mapping)
    m.field_kernel = kernel_of(fields, device, m.mapping) if m.sdf.ncollide > 0 else None
    m.nexposed = int(derived["nexposed"])
    m.simple = simple_stages(m)
    make_settable(m.opt, m, option_changed, host_options(m, record))
    m.host_fields = HostFields(m, record)
    for name, count in (batch_sizes or {}).items():
        _repeat(m, name, count)
    mark_batched(m)
    m.version = 0
    keep_structure(m)
    return m


def _repeat(m: Model, name: str, count: int) -> None:
    """Give field ``name`` a value for each of ``count`` worlds."""
    g, f = Model.FLAT.get(name, (None, None))
    batched = m.host_fields.is_batched(name) if f is None else f.dims is not None and f.per_world
    if not batched:
        allowed = "flat names of fields with a world axis, such as body_mass"
        raise ModelError(problem("put_model: batch_sizes", repr(name), allowed, "correct the name"))
    count = integer(f"put_model: batch_sizes['{name}']", count, 1)
    array = getattr(m, name)
    if array.shape[0] not in (1, count):
        allowed = f"{array.shape[0]}, the worlds of the model"
        raise ModelError(problem(f"put_model: batch_sizes['{name}']", str(count), allowed, "correct the number"))
    setattr(m, name, np.repeat(array.numpy(), count // array.shape[0], axis=0))
    m.__dict__["nworld"] = max(m.nworld, count)


def mark_batched(m: Model) -> None:
    """Mark arrays with a world axis as mujoco_warp does, which frameworks look for before they give every world a value."""
    for g in m.GROUPS:
        for f in g.fields:
            if f.dims is not None and f.per_world:
                getattr(getattr(m, g.name), f.name)._is_batched = True


def _materials(record: ModelRecord, batched: dict[str, np.ndarray]) -> dict[str, int]:
    """Whether contacts can pull, surfaces move, and constraints are springs in motion too, in any world."""

    def used(name: str) -> bool:
        return bool(np.any(np.asarray(batched.get(name, getattr(record, name))) != 0.0))

    return {"flg_adhesion": used("geom_adhesion") or used("pair_adhesion"), "flg_surfacevel": used("geom_surfacevel"), "flg_spring": int(record.flg_spring)}


def _tendons_with_armature(record: ModelRecord, batched: dict[str, np.ndarray]) -> int:
    """Number of tendons with inertia in any world."""
    armature = np.asarray(batched.get("tendon_armature", record.tendon_armature))
    return int((armature.reshape(-1, record.ntendon) != 0.0).any(axis=0).sum()) if record.ntendon else 0


def _put_field(m: Model, g: Group, f: Field, record: ModelRecord, derived: dict[str, Any], batched: dict[str, Any]) -> None:
    flat = g.flat_name(f)
    if f.dims is None:
        source = derived[flat] if flat in derived else getattr(record.opt if g.name == "opt" else record, flat)
        setattr(getattr(m, g.name), f.name, int(source))
        return
    if flat in batched:
        array = np.asarray(batched[flat])
    else:
        if flat in derived:
            array = derived[flat]
        elif g.name == "opt":
            array = getattr(record.opt, flat)
        else:
            array = getattr(record, flat)
        array = np.asarray(array)[None] if f.per_world else np.asarray(array)
    setattr(getattr(m, g.name), f.name, checked(_upload(array, f, m.device), f"Model.{'opt.' if g.name == 'opt' else ''}{flat}"))


def _silence_actuators(m: Model, record: ModelRecord) -> None:
    """Let actuators pull with no force whose gain does not go with the bias: reported by check_supported as left out."""
    silent = np.array([needs_other_gain(record, i) for i in range(record.nactuator)], dtype=bool)
    if silent.any():
        for name, kind in (("gaintype", GainType.FIXED), ("biastype", BiasType.NONE), ("law", ForceLaw.GAIN_BIAS)):
            array = getattr(m.actuator, name)
            array.assign(np.where(silent, int(kind), array.numpy()).astype(np.int32))
        gain = m.actuator.gainprm.numpy()
        gain[:, silent] = 0.0
        m.actuator.gainprm.assign(gain)


def _upload(array: np.ndarray, f: Field, device: Any) -> wp.array:
    """An array of the declared dtype; trailing axes of vectors are folded into the dtype."""
    kinds = {wp.int32: np.int32, wp.vec2i: np.int32, wp.vec3i: np.int32, wp.uint64: np.uint64} | dict.fromkeys(_DOUBLES, np.float64)
    scalar = kinds.get(f.dtype, np.float32)
    shape = tuple(array.shape[: f.ndim])
    if f.dtype in (wp.mat33, wp.mat33d) and array.size:
        array = array.reshape(*shape, 3, 3)
    if 0 in array.shape or array.size == 0:
        shape = shape + (0,) * (f.ndim - len(shape))
        return wp.zeros(shape, dtype=f.dtype, device=device)
    return wp.array(np.ascontiguousarray(array, dtype=scalar), dtype=f.dtype, ndim=f.ndim, device=device)


def _derived(record: ModelRecord, fields: GeomFields, broadphase: BroadphaseType, every_mesh: bool) -> dict[str, Any]:
    """What the kernels need and MjModel does not hold under that name."""
    pairs, geom1, geom2 = collision_tables(record, broadphase)
    tables = tree_tables(record)
    moments = moment_rows(record) | fixed_tendon_rows(record) | wrap_rows(record)
    return {
        **tables,
        **moments,
        **force_laws(record),
        **sensor_tables(record),
        **history_tables(record),
        **row_capacity(record, geom1, geom2, broadphase == BroadphaseType.NXN, tables["tree_chain_adr"]),
        **sleep_tables(record),
        **field_tables(record, fields, pairs.pop("nfield"), geom1, geom2),
        "thickness_least": record.geom_aabb.reshape(-1, 6)[:, 3:].min(axis=1, initial=np.inf) if record.ngeom else np.zeros(0),
        **hull_tables(record, geom1, geom2, np.arange(record.nmesh) if every_mesh else measured_meshes(record), pairs.pop("nconvex")),
        **pairs,
        "nv_pad": (record.nv + 7) // 8 * 8,
        "nmaxcondim": int(max([1, *record.geom_condim, *record.pair_dim])),
        "impratio_invsqrt": np.array(1.0 / np.sqrt(record.opt.impratio)),
        "meaninertia": np.array(record.meaninertia),
        "symmetric_contacts": 0,
    }
