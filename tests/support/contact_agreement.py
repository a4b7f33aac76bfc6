"""Whether the contacts of a state are MuJoCo's: point by point, or, of general convex shapes, by depth and normal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import mujoco
import numpy as np
import oracle
from convex_oracle import support
from oracle import Pair

from newtonish.kernels.collision.filter import general_convex

if TYPE_CHECKING:
    from agreement import World

DEPTH, DEPTH_SHARE, NORMAL = 1e-4, 0.01, 1e-2  # deepest contact of a convex pair [m], or part of the depth; its normal
SAME_POINT = 2e-5  # [m]: contacts this near are the same, and their rows are comparable
THRESHOLD = 2e-5  # [m]: nearer to the detection distance than this, float32 may see a contact on the other side
CONDITION = 4.0  # a difference within this multiple of what rounding the state does to MuJoCo's own result is float32's
CAPSULE_CYLINDER = (mujoco.mjtGeom.mjGEOM_CAPSULE, mujoco.mjtGeom.mjGEOM_CYLINDER)  # a general convex pair for MuJoCo, not for us


def compare_contacts(pair: Pair, number: int, world: World) -> None:
    """Pairs of primitive geoms: the same points. General convex pairs: the same depth and normal at the deepest point. On a
    heightfield, whose prisms are convex shapes: the same depth and normal of every contact.
    """
    mjd, contact = pair.mjds[number], pair.d.contact
    count = int(pair.d.ncon.numpy()[number])
    ours = {name: getattr(contact, name).numpy()[number, :count] for name in ("geom", *oracle.CONTACT)}
    theirs = {name: np.asarray(getattr(mjd.contact, name)) for name in ours}
    mine, his = by_pair(ours["geom"]), by_pair(theirs["geom"])
    for geoms in sorted(set(mine) | set(his)):
        a, b = mine.get(geoms, []), his.get(geoms, [])
        first = {name: ours[name][a] for name in ours}
        second = {name: theirs[name][b] for name in theirs}
        if len(a) == len(b):
            order = nearest(first["pos"], second["pos"])
            first = {name: value[order] for name, value in first.items()}
            if np.abs(first["pos"] - second["pos"]).max() < SAME_POINT and np.abs(first["dist"] - second["dist"]).max() < SAME_POINT:
                for name in oracle.CONTACT:
                    if name != "frame":
                        check_parameter(world, f"contact.{name} of geoms {geoms}", first[name], second[name])
                turn = np.abs(first["frame"].reshape(-1, 9) - second["frame"].reshape(-1, 9)).max()
                if turn <= 1e-4:
                    continue
        world.same_contacts = False
        if len(a) == len(b) and within_rounding(world, geoms, first, second):
            world.notes.append(f"contact of geoms {geoms}: rounding the state moves it as much")
        elif at_threshold(first) and at_threshold(second):
            world.notes.append(f"contact of geoms {geoms} at the detection distance")
        elif pair.mjm.geom_type[geoms[0]] == mujoco.mjtGeom.mjGEOM_HFIELD and len(a) == len(b) and on_prisms(first, second):
            world.notes.append(f"contacts of convex geoms {geoms}: {describe(first)} against MuJoCo's {describe(second)}")
        elif tuple(pair.mjm.geom_type[list(geoms)]) == CAPSULE_CYLINDER or general_convex(pair.mjm, *np.array(geoms)[:, None])[0]:
            compare_deepest(pair, number, world, geoms, first, second)
        else:
            world.errors.append(f"contacts of geoms {geoms}: {describe(first)} against MuJoCo's {describe(second)}")


def by_pair(geoms: np.ndarray) -> dict[tuple[int, int], list[int]]:
    rows: dict[tuple[int, int], list[int]] = {}
    for row, (a, b) in enumerate(geoms.tolist()):
        rows.setdefault((a, b), []).append(row)
    return rows


def nearest(ours: np.ndarray, theirs: np.ndarray) -> list[int]:
    """For each of their points the nearest of ours not taken yet."""
    free, order = list(range(len(ours))), []
    for pos in theirs:
        best = min(free, key=lambda i: float(np.linalg.norm(ours[i] - pos)))
        free.remove(best)
        order.append(best)
    return order


def at_threshold(contacts: dict[str, np.ndarray]) -> bool:
    """Whether every contact (there may be none) is at the distance from which contacts are looked for."""
    return bool((np.abs(contacts["dist"] - contacts["includemargin"]) < THRESHOLD).all())


def describe(contacts: dict[str, np.ndarray]) -> str:
    distances = " ".join(f"{x:.2g}" for x in contacts["dist"])
    return f"{len(contacts['dist'])} at [{distances}]"


def within_rounding(world: World, geoms: tuple[int, int], ours: dict[str, np.ndarray], theirs: dict[str, np.ndarray]) -> bool:
    """Whether MuJoCo's own contacts of two geoms move as much as ours differ, when the state is rounded."""
    own = {"pos": 0.0, "dist": 0.0, "frame": 0.0}
    for probe in world.near.probes:
        rows = by_pair(probe.contact.geom).get(geoms, [])
        if len(rows) != len(theirs["dist"]):
            continue
        order = nearest(probe.contact.pos[rows], theirs["pos"])
        for name in own:
            there = np.asarray(getattr(probe.contact, name))[rows][order]
            own[name] = max(own[name], float(np.abs(there - theirs[name]).max()))
    differences = {name: float(np.abs(ours[name].reshape(theirs[name].shape) - theirs[name]).max()) for name in own}
    return all(differences[name] <= max(CONDITION * own[name], 1e-6) for name in own)


def compare_deepest(pair: Pair, number: int, world: World, geoms: tuple[int, int], ours: dict[str, np.ndarray], theirs: dict[str, np.ndarray]) -> None:
    """A pair of general convex shapes: one contact of the same depth and normal, or a normal that is proven to be as good.

    The depth of a pair is the least distance by which one shape has to move to leave the other. It can be the same in many
    directions, and MuJoCo's is not always the least: the supports of the shapes along both normals say which way out is shorter.
    """
    name = f"convex geoms {geoms}"
    text = f"contacts of {name}: {describe(ours)} against MuJoCo's {describe(theirs)}"
    if not len(ours["dist"]) or not len(theirs["dist"]):
        one = ours if len(ours["dist"]) else theirs
        shallow = float((one["includemargin"] - one["dist"]).max())
        (world.notes if shallow < DEPTH else world.errors).append(text)
        return
    normals, others = (c["frame"].reshape(len(c["dist"]), 9)[:, :3] for c in (ours, theirs))
    depths = np.abs(ours["dist"][:, None] - theirs["dist"][None])
    turns = np.linalg.norm(normals[:, None] - others[None], axis=2)
    allowed = max(DEPTH, DEPTH_SHARE * float(np.abs(theirs["dist"]).max()))
    if ((depths <= allowed) & (turns <= NORMAL)).any():
        world.notes.append(text)
        return
    deepest = int(ours["dist"].argmin())
    depth, out = -float(ours["dist"][deepest]), exit_distance(pair.mjm, pair.mjds[number], geoms, normals[deepest])
    theirs_out = min(exit_distance(pair.mjm, pair.mjds[number], geoms, normal) for normal in others)
    text += f"; out along our normal {out:.3g} m, along MuJoCo's {theirs_out:.3g} m"
    proven = depth <= out + allowed and out <= theirs_out + allowed
    (world.notes if proven else world.errors).append(text)


def on_prisms(ours: dict[str, np.ndarray], theirs: dict[str, np.ndarray]) -> bool:
    """Whether contacts in the same order have the depths and normals that convex pairs must have."""
    turns = np.linalg.norm(ours["frame"].reshape(-1, 9)[:, :3] - theirs["frame"].reshape(-1, 9)[:, :3], axis=1)
    allowed = np.maximum(DEPTH, DEPTH_SHARE * np.abs(theirs["dist"]))
    return bool((np.abs(ours["dist"] - theirs["dist"]) <= allowed).all() and (turns <= NORMAL).all())


def exit_distance(mjm: mujoco.MjModel, mjd: mujoco.MjData, geoms: tuple[int, int], normal: np.ndarray) -> float:
    """How far the second geom has to move along ``normal`` to leave the first [m]."""
    a, b = geoms
    n = np.asarray(normal, dtype=np.float64)
    mats = mjd.geom_xmat.reshape(-1, 3, 3)
    out = support(mjm, a, (n @ mats[a])[None])[0] + support(mjm, b, (-n @ mats[b])[None])[0]
    return float(out - n @ (mjd.geom_xpos[b] - mjd.geom_xpos[a]))


def check_parameter(world: World, name: str, ours: np.ndarray, theirs: np.ndarray) -> None:
    error = float(np.abs(ours - theirs).max(initial=0.0))
    if not error <= oracle.SMOOTH * max(1.0, float(np.linalg.norm(theirs))):
        world.errors.append(f"{name}: {ours.tolist()} against MuJoCo's {theirs.tolist()}")
