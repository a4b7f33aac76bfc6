"""The kinematic tree: bodies with their joints, geoms, sites, cameras and lights."""

from __future__ import annotations

import numpy as np
from lxml import etree

from newtonish.common.enums import GeomType, JointType
from newtonish.common.geoms import GEOMS
from newtonish.convert.geoms import moved_field
from newtonish.exporters.assets import Assets
from newtonish.exporters.pictures import camera_look, light_look
from newtonish.exporters.world import CompiledWorld, add, polynomial

__all__ = ["write_tree"]

JOINTS = ("free", "ball", "slide", "hinge")
SHAPES = (*GEOMS, "sdf")
MODES = ("fixed", "track", "trackcom", "targetbody", "targetbodycom")
PROJECTIONS = ("perspective", "orthographic")
SLEEP = {3: "never", 4: "allowed", 5: "init"}
SQUARES = 1.0
"""Width of the squares of a plane whose shape says none [m]."""
ROUNDING = 1e-6
"""Share by which single precision may have moved a moment."""
_COUNT = (6, 3, 1, 1)


def write_tree(root: etree._Element, world: CompiledWorld, assets: Assets) -> None:
    """Write the world's body and all that is attached to it.

    Args:
        root: The ``mujoco`` element.
        world: The arrays.
        assets: Meshes and heightfields that have been written.
    """
    inside = {kind: _by_body(world, kind) for kind in ("geom", "site", "cam", "light")}
    inside["geom"] = [[geom for geom in geoms if geom not in world.empty] for geoms in inside["geom"]]
    policy = {int(b): SLEEP.get(int(p)) for b, p in zip(world.tree_bodyadr, world.tree_sleep_policy)}
    elements: list[etree._Element] = []
    for body in range(world.nbody):
        if body == 0:
            element = add(root, "worldbody")
        else:
            element = _start_body(elements[world.body_parentid[body]], world, body, policy.get(body))
            first = int(world.body_jntadr[body])
            for joint in range(first, first + int(world.body_jntnum[body])):
                _write_joint(element, world, joint)
        elements.append(element)
        for geom in inside["geom"][body]:
            _write_geom(element, world, geom, assets)
        for site in inside["site"][body]:
            _write_site(element, world, site, assets)
        for camera in inside["cam"][body]:
            _write_camera(element, world, camera)
        for light in inside["light"][body]:
            _write_light(element, world, light)


def _by_body(world: CompiledWorld, kind: str) -> list[list[int]]:
    """Ids of one kind of objects on each body."""
    result: list[list[int]] = [[] for _ in range(world.nbody)]
    for i, body in enumerate(getattr(world, f"{kind}_bodyid")):
        result[int(body)].append(i)
    return result


def _start_body(parent: etree._Element, world: CompiledWorld, body: int, sleep: str | None) -> etree._Element:
    """Start a body with its frame and its inertia; a body without mass says nothing of it."""
    element = add(
        parent, "body", name=world.names["body"][body], pos=world.body_pos[body], quat=world.body_quat[body],
        mocap=True if world.body_mocapid[body] >= 0 else None, gravcomp=world.body_gravcomp[body] or None, sleep=sleep,
        user=world.user("body", body),
    )  # fmt: skip
    mass, inertia = world.body_mass[body], world.body_inertia[body]
    if mass or np.any(inertia):
        moments = _possible(world, body, inertia)
        add(element, "inertial", pos=world.body_ipos[body], quat=world.body_iquat[body], mass=mass, diaginertia=moments)
    return element


def _possible(world: CompiledWorld, body: int, inertia: np.ndarray) -> np.ndarray:
    """Principal moments none of which is above the sum of the others, where only rounding has made it so."""
    moments = np.array(inertia, dtype=np.float64)
    most = int(moments.argmax())
    limit = moments.sum() - moments[most]
    if moments[most] > limit * (1.0 + ROUNDING):
        what = f"body '{world.names['body'][body]}', inertia"
        world.refuse(what, f"principal moments {moments.tolist()}", "no moment above the sum of the others", "correct them")
    moments[most] = min(moments[most], limit)
    return moments


def _write_joint(element: etree._Element, world: CompiledWorld, j: int) -> None:
    """Write a joint; what MuJoCo keeps for each degree of freedom is one value in MJCF."""
    kind, q, dof = int(world.jnt_type[j]), int(world.jnt_qposadr[j]), int(world.jnt_dofadr[j])
    dofs = slice(dof, dof + _COUNT[kind])
    name, scalar = world.names["jnt"][j], kind >= JointType.SLIDE
    own = {}
    for field in ("armature", "frictionloss", "solref", "solimp", "damping", "dampingpoly"):
        values = getattr(world, f"dof_{field}")[dofs]
        if np.any(values != values[0]):
            given = f"different values for its degrees of freedom: {np.array2string(values, threshold=9)}"
            world.refuse(f"joint '{name}', {field}", given, "one value", "set them alike, or split the joint")
        own[field] = values[0]
    yields = world.jnt_springyield[j]
    add(
        element, "joint", name=name, type=JOINTS[kind], group=int(world.jnt_group[j]) or None,
        pos=world.jnt_pos[j] if kind else None, axis=world.jnt_axis[j] if scalar else None, limited=world.jnt_limited[j],
        actuatorfrclimited=world.jnt_actfrclimited[j], solreflimit=world.jnt_solref[j], solimplimit=world.jnt_solimp[j],
        solreffriction=own["solref"], solimpfriction=own["solimp"],
        stiffness=polynomial(world.jnt_stiffness[j], world.jnt_stiffnesspoly[j]), range=world.jnt_range[j],
        actuatorfrcrange=world.jnt_actfrcrange[j], actuatorgravcomp=world.jnt_actgravcomp[j] or None, margin=world.jnt_margin[j],
        ref=world.qpos0[q] if scalar else None, springref=world.qpos_spring[q] if scalar else None,
        springyield=yields if yields else None, armature=own["armature"], damping=polynomial(own["damping"], own["dampingpoly"]),
        frictionloss=own["frictionloss"], user=world.user("jnt", j),
    )  # fmt: skip


def _write_geom(element: etree._Element, world: CompiledWorld, g: int, assets: Assets) -> None:
    """Write a geom; it has no mass, as the bodies say theirs."""
    kind, data = int(world.geom_type[g]), int(world.geom_dataid[g])
    name = world.names["geom"][g]
    if kind >= len(SHAPES):  # none that a conversion makes
        world.refuse(f"geom '{name}'", f"shape {kind}", ", ".join(SHAPES), "replace it by a mesh")
        return
    pos, quat, velocity = world.geom_pos[g], world.geom_quat[g], world.geom_surfacevel[g]
    meshed = kind in (GeomType.MESH, GeomType.SDF)
    if meshed:
        there = assets.pose_in_file(data, pos, quat)
        velocity = moved_field(velocity[None], pos, quat, *there)[0]
        pos, quat = there
    fluid = world.geom_fluid[g]
    written = add(
        element, "geom", name=name, type=SHAPES[kind], pos=pos, quat=quat, size=None if meshed else _size(kind, world.geom_size[g]),
        mesh=assets.mesh[data] if meshed else None, hfield=assets.hfield[data] if kind == GeomType.HFIELD else None, mass=0.0,
        contype=int(world.geom_contype[g]), conaffinity=int(world.geom_conaffinity[g]), condim=int(world.geom_condim[g]),
        group=int(world.geom_group[g]), priority=int(world.geom_priority[g]), friction=world.geom_friction[g],
        solmix=world.geom_solmix[g], solref=world.geom_solref[g], solimp=world.geom_solimp[g], margin=world.geom_margin[g],
        gap=world.geom_gap[g], surfacevel=velocity if np.any(velocity) else None, adhesion=world.geom_adhesion[g] or None,
        fluidshape="ellipsoid" if fluid[0] else None, fluidcoef=fluid[1:6] if fluid[0] else None, rgba=world.colour("geom", g),
        castshadow=None if world.geom_castshadow[g] else False, material=world.material("geom", g), user=world.user("geom", g),
    )  # fmt: skip
    field = int(world.geom_plugin[g])
    if kind == GeomType.SDF and field >= 0:
        add(written, "plugin", instance=world.names["plugin"][field])


def _size(kind: int, size: np.ndarray) -> np.ndarray | None:
    """What a geom's size is written as; None: it follows from its asset."""
    if kind in (GeomType.HFIELD, GeomType.MESH):
        return None
    if kind == GeomType.PLANE and size[2] <= 0.0:  # the width of the squares that it is drawn with, which MuJoCo wants to be positive
        return np.array([size[0], size[1], SQUARES])
    return size


def _write_site(element: etree._Element, world: CompiledWorld, s: int, assets: Assets) -> None:
    """Write a site."""
    kind, data = int(world.site_type[s]), int(world.site_dataid[s])
    pos, quat = world.site_pos[s], world.site_quat[s]
    if kind == GeomType.MESH:
        pos, quat = assets.pose_in_file(data, pos, quat)
    add(
        element, "site", name=world.names["site"][s], type=SHAPES[kind], pos=pos, quat=quat,
        size=None if kind == GeomType.MESH else world.site_size[s], mesh=assets.mesh[data] if kind == GeomType.MESH else None,
        group=int(world.site_group[s]), rgba=world.colour("site", s), material=world.material("site", s), user=world.user("site", s),
    )  # fmt: skip


def _write_camera(element: etree._Element, world: CompiledWorld, c: int) -> None:
    """Write a camera, with its lens where it has a sensor, else with its angle."""
    target, sensor = int(world.cam_targetbodyid[c]), world.cam_sensorsize[c]
    lens = bool(np.any(sensor))
    focal, principal = world.cam_intrinsic[c][:2], world.cam_intrinsic[c][2:]
    projection = int(world.cam_projection[c])
    add(
        element, "camera", name=world.names["cam"][c], mode=MODES[int(world.cam_mode[c])],
        target=world.names["body"][target] if target >= 0 else None, pos=world.cam_pos[c], quat=world.cam_quat[c],
        projection=PROJECTIONS[projection] if projection else None, resolution=world.cam_resolution[c],
        fovy=None if lens else world.cam_fovy[c], sensorsize=sensor if lens else None, focal=focal if lens else None,
        principal=principal if lens else None, user=world.user("cam", c), **camera_look(world, c),
    )  # fmt: skip


def _write_light(element: etree._Element, world: CompiledWorld, i: int) -> None:
    """Write a light."""
    target = int(world.light_targetbodyid[i])
    add(
        element, "light", name=world.names["light"][i], mode=MODES[int(world.light_mode[i])],
        target=world.names["body"][target] if target >= 0 else None, pos=world.light_pos[i], dir=world.light_dir[i],
        **light_look(world, i),
    )  # fmt: skip
