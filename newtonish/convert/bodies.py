"""The body tree: Newton's links and joints as MuJoCo's depth-first bodies, with inertial frames and static ancestry.

A Newton link becomes a MuJoCo body below the link its joint is attached to; *virtual* links (massless carriers that only
exist because a Newton link has one joint) are merged into the real link at the end of their chain, so that one
MuJoCo body can own several joints. Fixed joints nest the child below its parent without a joint; a fixed joint to
the world makes a mocap body unless ``mujoco:mocap`` says static.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from newtonish.common import frames
from newtonish.convert.loops import split_joints
from newtonish.convert.worlds import Worlds
from newtonish.errors import ModelError, problem, raise_all

__all__ = [
    "DISTANCE",
    "FIXED",
    "FREE",
    "BodyTree",
    "body_frames",
    "body_inertias",
    "build_tree",
    "joint_offsets",
    "sleep_policies",
    "static_tables",
]

FIXED, FREE, DISTANCE, D6 = 3, 4, 5, 6
FLOAT32_NOISE = 3e-7
"""Share of an inertia's trace that float32 storage blurs; below it axes count as principal."""


@dataclass
class BodyTree:
    """Order and ancestry of MuJoCo's bodies, in template positions of Newton's bodies and joints.

    Attributes:
        body: (nbody,) Newton body of each MuJoCo body, -1 for the world.
        parent: (nbody,) MuJoCo parent of each MuJoCo body, 0 for the world itself.
        chain: Newton joints between a body and its parent, from the parent down; more than one with virtual links.
        to_mjc: (Newton bodies,) MuJoCo body of each Newton body.
        virtual: (Newton bodies,) whether a Newton body is a virtual link.
        mocapid: (nbody,) mocap id, -1 for none.
        loops: Joints that close loops; they become constraints.
    """

    body: np.ndarray
    parent: np.ndarray
    to_mjc: np.ndarray
    virtual: np.ndarray
    mocapid: np.ndarray
    chain: list[list[int]] = field(default_factory=list)
    loops: list[int] = field(default_factory=list)

    @property
    def nbody(self) -> int:
        """Number of bodies including the world."""
        return len(self.body)


def _joint_of_child(worlds: Worlds) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """The joint above each body, the parent body of each joint, and the joints that close loops."""
    source = worlds.source
    parent = worlds.local("body", worlds.template("joint", source.array("joint_parent")))
    above, loops = split_joints(worlds)
    problems = [
        problem(
            f"body '{source.labels('body')[worlds.index['body'][0][body]]}'",
            "no joint above it",
            "one joint to a parent body or to the world (-1)",
            "add a joint, for instance add_joint_free or add_joint_fixed",
        )
        for body in np.flatnonzero(above < 0)
    ]
    raise_all(ModelError, "conversion", problems)
    return above, parent, loops


def build_tree(worlds: Worlds) -> BodyTree:
    """Merge virtual links and order the bodies depth first, siblings in Newton's order."""
    source = worlds.source
    above, parent_of_joint, loops = _joint_of_child(worlds)
    virtual = worlds.template("body", source.custom("virtual_link")) > 0
    nlink = len(above)
    chains: dict[int, list[int]] = {}
    children: dict[int, list[int]] = {}
    for link in np.flatnonzero(~virtual).tolist():
        chain = [int(above[link])]
        top = int(parent_of_joint[chain[0]])
        while top >= 0 and virtual[top]:
            chain.insert(0, int(above[top]))
            top = int(parent_of_joint[chain[0]])
            if len(chain) > nlink:
                break
        chains[int(link)] = chain
        children.setdefault(top, []).append(int(link))
    order, parents, stack = [-1], [0], [(link, 0) for link in reversed(children.get(-1, []))]
    while stack:
        link, parent = stack.pop()
        stack += [(c, len(order)) for c in reversed(children.get(link, []))]
        order.append(link)
        parents.append(parent)
    to_mjc = np.full(nlink, -1, dtype=np.int64)
    to_mjc[order[1:]] = np.arange(1, len(order))
    _merge_virtual(worlds, virtual, chains, to_mjc)
    tree = BodyTree(body=np.array(order), parent=np.array(parents), to_mjc=to_mjc, virtual=virtual, mocapid=np.full(len(order), -1))
    tree.chain = [[], *(chains[link] for link in order[1:])]
    tree.loops = loops
    _mark_mocap(worlds, tree)
    return tree


def _merge_virtual(worlds: Worlds, virtual: np.ndarray, chains: dict[int, list[int]], to_mjc: np.ndarray) -> None:
    """Point every virtual link at the body it is merged into, and report links that are not below the world."""
    child = worlds.local("body", worlds.template("joint", worlds.source.array("joint_child")))
    problems = []
    for link, chain in chains.items():
        for joint in chain[:-1]:
            if to_mjc[child[joint]] >= 0:
                problems.append(_link_problem(worlds, child[joint], "several real links below it", "exactly one"))
            to_mjc[child[joint]] = to_mjc[link]
    for link in np.flatnonzero(to_mjc < 0).tolist():
        what = "a virtual link without a real link below it" if virtual[link] else "a cycle of joints above it"
        problems.append(_link_problem(worlds, link, what, "links that are attached to the world through their joints"))
    raise_all(ModelError, "conversion", problems)


def _link_problem(worlds: Worlds, link: int, given: str, allowed: str) -> str:
    """A problem of a Newton body given by template position."""
    name = worlds.source.labels("body")[worlds.index["body"][0][link]]
    return problem(f"body '{name}'", given, allowed, "correct the joints of this body")


def _mark_mocap(worlds: Worlds, tree: BodyTree) -> None:
    """Number the mocap bodies: fixed to the world, and not declared static."""
    source = worlds.source
    wish = worlds.template("body", source.custom("mocap"))
    kind = worlds.template("joint", source.array("joint_type"))
    axes = worlds.template("joint", source.array("joint_dof_dim")).sum(axis=-1)
    fixed = (kind == FIXED) | ((kind == D6) & (axes == 0))
    count = 0
    for body in range(1, tree.nbody):
        fixed_to_world = tree.parent[body] == 0 and all(fixed[j] for j in tree.chain[body])
        if wish[tree.body[body]] == 1 and not fixed_to_world:
            given = "mujoco:mocap = 1 on a body that is not fixed to the world"
            text = _link_problem(worlds, tree.body[body], given, "mocap bodies are children of the world without joints")
            raise_all(ModelError, "conversion", [text])
        if fixed_to_world and wish[tree.body[body]] != 0:
            tree.mocapid[body] = count
            count += 1


def joint_offsets(worlds: Worlds) -> tuple[np.ndarray, np.ndarray]:
    """Pose of each joint's child link in its parent link at joint_q = 0, per distinct world."""
    source = worlds.source
    parent = frames.from_newton(worlds.pick("joint", source.array("joint_X_p")))
    child = frames.from_newton(worlds.pick("joint", source.array("joint_X_c")))
    pos, quat = frames.compose(*parent, *frames.invert(*child))
    kind = worlds.template("joint", source.array("joint_type"))
    links = worlds.local("body", worlds.template("joint", source.array("joint_child")))
    free = np.flatnonzero((kind == FREE) | (kind == DISTANCE))
    pos[:, free], quat[:, free] = frames.from_newton(worlds.pick("body", source.array("body_q"))[:, links[free]])
    return pos, quat


def body_frames(worlds: Worlds, tree: BodyTree) -> dict[str, np.ndarray]:
    """``body_pos`` and ``body_quat`` per distinct world: each body in its parent at qpos0."""
    pos, quat = joint_offsets(worlds)
    nworld = len(worlds.distinct)
    body_pos = np.zeros((nworld, tree.nbody, 3))
    body_quat = np.tile(np.array([1.0, 0.0, 0.0, 0.0]), (nworld, tree.nbody, 1))
    for body, chain in enumerate(tree.chain):
        for joint in chain:
            body_pos[:, body], body_quat[:, body] = frames.compose(body_pos[:, body], body_quat[:, body], pos[:, joint], quat[:, joint])
    return {"body_pos": body_pos, "body_quat": body_quat}


def body_inertias(worlds: Worlds, tree: BodyTree) -> dict[str, np.ndarray]:
    """Masses and inertial frames per distinct world.

    Links with ``mujoco:inertial_quat`` keep the principal frame they name; for all others, and for worlds whose
    ``body_inertia`` is no longer the one that frame was made for, it is found by diagonalising ``body_inertia``.
    """
    source = worlds.source
    links, nworld = tree.body[1:], len(worlds.distinct)
    mass = np.zeros((nworld, tree.nbody))
    com = np.zeros((nworld, tree.nbody, 3))
    diag = np.zeros((nworld, tree.nbody, 3))
    quat = np.tile(np.array([1.0, 0.0, 0.0, 0.0]), (nworld, tree.nbody, 1))
    gravcomp = np.zeros((nworld, tree.nbody))
    if len(links):
        mass[:, 1:] = worlds.pick("body", source.array("body_mass"))[:, links]
        com[:, 1:] = worlds.pick("body", source.array("body_com"))[:, links]
        gravcomp[:, 1:] = worlds.pick("body", source.custom("gravcomp"))[:, links]
        full = worlds.pick("body", source.array("body_inertia"))[:, links]
        given_quat = worlds.pick("body", source.custom("inertial_quat"))[:, links]
        given_diag = worlds.pick("body", source.custom("inertial_diag"))[:, links]
        diag[:, 1:], quat[:, 1:] = _principal(full, given_diag, given_quat)
    return {
        "body_mass": mass,
        "body_ipos": com,
        "body_iquat": quat,
        "body_inertia": diag,
        "body_gravcomp": gravcomp,
    }


def _principal(full: np.ndarray, diag: np.ndarray, quat: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Principal moments and axes of inertias (W, n, 3, 3), kept where the authored ones still describe them."""
    authored = np.any(quat != 0.0, axis=-1)
    quat = frames.unit(quat)
    axes = frames.mat_from_quat(quat)
    rebuilt = np.einsum("wnij,wnj,wnkj->wnik", axes, diag, axes)
    trace = np.trace(full, axis1=-2, axis2=-1)
    own = np.trace(rebuilt, axis1=-2, axis2=-1)
    # an inertia that was scaled as a whole, with the mass, keeps its axes; rounding does not count as scaling
    factor = np.where(own > 0, trace / np.where(own > 0, own, 1.0), 1.0)
    factor = np.where(np.abs(factor - 1.0) <= 1e-6, 1.0, factor)
    error = np.abs(rebuilt * factor[..., None, None] - full).max(axis=(-1, -2))
    current = error <= 1e-5 * np.maximum(np.abs(full).max(axis=(-1, -2)), 1e-12)
    diag, quat = diag * factor[..., None], quat.copy()
    seen: dict[bytes, tuple[np.ndarray, np.ndarray]] = {}
    for index in np.argwhere(~(authored & current)):
        matrix = full[tuple(index)]
        key = matrix.tobytes()
        if key not in seen:
            seen[key] = _diagonalise(0.5 * (matrix + matrix.T))
        diag[tuple(index)], quat[tuple(index)] = seen[key]
    return diag, quat


def _diagonalise(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Principal moments and axes; a matrix that is diagonal already keeps the body's axes and their order."""
    diagonal = np.diag(matrix)
    if np.abs(matrix - np.diag(diagonal)).max() <= FLOAT32_NOISE * np.trace(matrix):
        return diagonal.copy(), np.array([1.0, 0.0, 0.0, 0.0])
    return frames.eig3(matrix, noise=FLOAT32_NOISE)


def static_tables(tree: BodyTree, dofnum: np.ndarray) -> dict[str, np.ndarray]:
    """``body_rootid`` (child of the world above) and ``body_weldid`` (topmost ancestor without dofs in between)."""
    root, weld = np.zeros(tree.nbody, dtype=np.int32), np.zeros(tree.nbody, dtype=np.int32)
    for body in range(1, tree.nbody):
        parent = tree.parent[body]
        root[body] = body if parent == 0 else root[parent]
        weld[body] = body if dofnum[body] or tree.mocapid[body] >= 0 else weld[parent]
    return {"body_parentid": tree.parent, "body_rootid": root, "body_weldid": weld, "body_mocapid": tree.mocapid}


def sleep_policies(worlds: Worlds, tree: BodyTree) -> np.ndarray:
    """``mujoco:sleep_policy`` by MuJoCo body."""
    policy = worlds.template("body", worlds.source.custom("sleep_policy"))
    return np.append(np.zeros(1, dtype=np.int64), policy[tree.body[1:]])
