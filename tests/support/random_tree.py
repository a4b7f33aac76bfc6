"""Random kinematic trees as MJCF text, seeded: every joint type, off-centre inertias, several trees, fixed bodies."""

import numpy as np


def _numbers(values) -> str:
    return " ".join(f"{x:.4f}" for x in np.atleast_1d(values))


def _joints(rng: np.random.Generator, root: bool) -> list[str]:
    """Joints of one body: none, a free one (children of the world only), a ball, or up to three hinges and slides."""
    kind = rng.choice(["none", "free", "ball", "scalar"], p=[0.15, 0.25, 0.2, 0.4])
    common = f'damping="{_numbers(rng.uniform(0, 0.3, 3))}" armature="{_numbers(rng.uniform(0, 0.05))}"'
    spring = f'stiffness="{_numbers(rng.uniform(0, 2, 3))}"' if rng.random() < 0.5 else ""
    if kind == "free" and root:
        return [f'<joint type="free" {common} {spring}/>']
    if kind == "none" and not root:
        return []
    if kind == "ball":
        return [f'<joint type="ball" pos="{_numbers(rng.normal(0, 0.1, 3))}" {common} {spring}/>']
    types = rng.choice(["hinge", "slide"], size=rng.integers(1, 4))
    place = f'pos="{_numbers(rng.normal(0, 0.1, 3))}" ref="{_numbers(rng.normal(0, 0.2))}"'
    return [f'<joint type="{t}" axis="{_numbers(rng.normal(0, 1, 3))}" {place} {common} {spring}/>' for t in types]


def _body(rng: np.random.Generator, depth: int) -> str:
    principal = rng.uniform(0.01, 0.03, 3) + 0.01
    inertial = (
        f'<inertial pos="{_numbers(rng.normal(0, 0.1, 3))}" quat="{_numbers(rng.normal(0, 1, 4))}" '
        f'mass="{_numbers(rng.uniform(0.2, 1.5))}" diaginertia="{_numbers(principal)}"/>'
    )
    children = [_body(rng, depth - 1) for _ in range(rng.integers(0, 3))] if depth > 0 else []
    joints = _joints(rng, root=False) if depth < 3 else _joints(rng, root=True)
    place = f'pos="{_numbers(rng.normal(0, 0.3, 3))}" quat="{_numbers(rng.normal(0, 1, 4))}"'
    site = f'<site pos="{_numbers(rng.normal(0, 0.1, 3))}" quat="{_numbers(rng.normal(0, 1, 4))}"/>'
    gravcomp = f'gravcomp="{_numbers(rng.uniform(0, 1.5))}"' if rng.random() < 0.3 else ""
    return f"<body {place} {gravcomp}>{inertial}{site}{''.join(joints)}{''.join(children)}</body>"


def random_tree(seed: int) -> str:
    """MJCF of a few random trees; there are no geoms, so nothing touches."""
    rng = np.random.default_rng(seed)
    bodies = "".join(_body(rng, 3) for _ in range(rng.integers(2, 5)))
    return f'<mujoco><option timestep="0.003" gravity="{_numbers(rng.normal(0, 5, 3))}"/><worldbody>{bodies}</worldbody></mujoco>'
