"""Random whole models as MJCF text, seeded: trees with every kind of joint, geom, actuator, equality, tendon, sensor and option.

Numbers are chosen so that MuJoCo's own step stays finite: masses and inertias within two decades, moderate gains and velocities.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

MESHES = (
    '<mesh name="wedge" vertex="-.1 -.1 -.1  .1 -.1 -.1  -.1 .1 -.1  -.1 -.1 .1  .12 .1 .09"/>'
    '<mesh name="brick" vertex="-.1 -.06 -.05  .1 -.06 -.05  -.1 .06 -.05  .1 .06 -.05  -.1 -.06 .05  .1 -.06 .05  -.1 .06 .05  .1 .06 .05"/>'
)
SERVO = ('dampratio="1"', 'kv=".2"', 'timeconst=".05"')
SCALAR_SENSORS = ("jointpos", "jointvel", "jointlimitpos", "jointlimitvel", "jointlimitfrc", "jointactuatorfrc")
TENDON_SENSORS = ("tendonpos", "tendonvel", "tendonlimitpos", "tendonlimitvel", "tendonlimitfrc", "tendonactuatorfrc")
SITE_SENSORS = ("accelerometer", "velocimeter", "gyro", "force", "torque", "magnetometer", "touch")
FRAME_SENSORS = ("framepos", "framequat", "framexaxis", "framelinvel", "frameangvel", "framelinacc", "frameangacc")
BODY_SENSORS = ("subtreecom", "subtreelinvel", "subtreeangmom")


@dataclass
class _Parts:
    """What the tree has, for the elements that refer to it."""

    rng: np.random.Generator
    bodies: list[str] = field(default_factory=list)
    sites: list[tuple[str, str]] = field(default_factory=list)  # site, its body
    scalars: list[str] = field(default_factory=list)
    limited: list[str] = field(default_factory=list)
    balls: list[str] = field(default_factory=list)
    wraps: list[str] = field(default_factory=list)
    tendons: list[str] = field(default_factory=list)
    tendon_limited: list[str] = field(default_factory=list)
    actuators: list[str] = field(default_factory=list)

    def pick(self, options):
        return options[int(self.rng.integers(len(options)))]

    def chance(self, probability: float) -> bool:
        return bool(self.rng.random() < probability)


def numbers(values) -> str:
    return " ".join(f"{x:.4f}" for x in np.atleast_1d(values))


def random_model(seed: int) -> str:
    """MJCF text of a random model."""
    parts = _Parts(np.random.default_rng([11, seed]))
    rng = parts.rng
    trees = "".join(_body(parts, 0, i) for i in range(int(rng.integers(1, 4))))
    ground = '<geom name="floor" type="plane" size="5 5 .1"/>' if parts.chance(0.7) else ""
    mocap = '<body name="target" mocap="true" pos="0 0 2"><geom size=".05" contype="0" conaffinity="0"/></body>' if parts.chance(0.15) else ""
    tendons, equalities = _tendons(parts), _equalities(parts, bool(mocap))
    actuators, sensors = _actuators(parts), _sensors(parts)
    return (
        f'<mujoco><compiler angle="radian"/>{_option(parts)}<asset>{MESHES}</asset>'
        f"<worldbody>{ground}{mocap}{trees}</worldbody><tendon>{tendons}</tendon><equality>{equalities}</equality>"
        f"<actuator>{actuators}</actuator><sensor>{sensors}</sensor></mujoco>"
    )


def _option(parts: _Parts) -> str:
    rng = parts.rng
    solver = parts.pick(("Newton",) * 6 + ("CG", "PGS"))
    integrator = parts.pick(("Euler", "RK4", "implicit", "implicitfast"))
    cone = parts.pick(("pyramidal", "elliptic"))
    names = ("limit", "frictionloss", "spring", "damper", "refsafe", "clampctrl", "eulerdamp", "filterparent", "gravity", "equality")
    flags = " ".join(f'{name}="disable"' for name in names if parts.chance(0.05))
    medium = f'density="{numbers(rng.uniform(0, 5))}" viscosity="{numbers(rng.uniform(0, 0.2))}" wind="{numbers(rng.normal(0, 1, 3))}"'
    return (
        f'<option timestep="{numbers(rng.uniform(0.001, 0.005))}" solver="{solver}" integrator="{integrator}" cone="{cone}" '
        f'impratio="{parts.pick((1, 1, 5))}" iterations="500" tolerance="1e-12" ls_iterations="100" '
        f'gravity="{numbers(rng.normal(0, 1, 2))} -9.81" {medium if parts.chance(0.15) else ""}><flag {flags}/></option>'
    )


def _body(parts: _Parts, depth: int, index: int) -> str:
    rng = parts.rng
    name = f"b{len(parts.bodies)}"
    parts.bodies.append(name)
    joints = _joints(parts, depth == 0)
    geoms = "".join(_geom(parts) for _ in range(int(rng.integers(1, 3))))
    site = f"s{len(parts.sites)}"
    parts.sites.append((site, name))
    children = "".join(_body(parts, depth + 1, i) for i in range(int(rng.integers(0, 3)))) if depth < 3 and len(parts.bodies) < 8 else ""
    place = [0.5 * index, 0.1 * rng.normal(), rng.uniform(0.1, 0.6)] if depth == 0 else rng.uniform(-0.25, 0.25, 3)
    extra = f'gravcomp="{numbers(rng.uniform(0, 1))}"' if parts.chance(0.15) else ""
    return (
        f'<body name="{name}" pos="{numbers(place)}" quat="{numbers(rng.normal(0, 1, 4))}" {extra}>{joints}{geoms}'
        f'<site name="{site}" pos="{numbers(rng.normal(0, 0.1, 3))}" quat="{numbers(rng.normal(0, 1, 4))}" size=".15"/>{children}</body>'
    )


def _joints(parts: _Parts, root: bool) -> str:
    rng = parts.rng
    kind = parts.pick(("free", "scalar", "ball", "scalar") if root else ("scalar", "scalar", "ball", "none"))
    if kind == "none":
        return ""
    name = f"j{len(parts.scalars)}_{len(parts.balls)}_{len(parts.bodies)}"
    if kind == "free":
        return f'<joint name="{name}" type="free" damping="{numbers(rng.uniform(0, 0.2))}"/>'
    if kind == "ball":
        parts.balls.append(name)
        limit = f'limited="true" range="0 {numbers(rng.uniform(0.2, 1.5))}"' if parts.chance(0.4) else ""
        return f'<joint name="{name}" type="ball" pos="{numbers(rng.normal(0, 0.05, 3))}" {limit} {_dof(parts)}/>'
    text = ""
    for k in range(int(rng.integers(1, 4))):
        each = f"{name}_{k}"
        parts.scalars.append(each)
        limit = ""
        if parts.chance(0.4):
            limit = f'limited="true" range="{numbers([-rng.uniform(0, 0.6), rng.uniform(0, 0.6)])}" margin="{parts.pick((0, 0.05))}"'
            limit += f' solreflimit="{parts.pick(("0.02 1", "0.05 0.7", "-300 -15"))}"'
            parts.limited.append(each)
        ref = f'ref="{numbers(rng.normal(0, 0.2))}" springref="{numbers(rng.normal(0, 0.2))}"' if parts.chance(0.3) else ""
        force = 'actuatorfrcrange="-1 1.5"' if parts.chance(0.1) else ""
        where = f'axis="{numbers(rng.normal(0, 1, 3))}" pos="{numbers(rng.normal(0, 0.05, 3))}"'
        text += f'<joint name="{each}" type="{parts.pick(("hinge", "hinge", "slide"))}" {where} {limit} {ref} {force} {_dof(parts)}/>'
    return text


def _dof(parts: _Parts) -> str:
    """Armature, damping, spring and friction loss."""
    rng = parts.rng
    text = f'armature="{numbers(rng.uniform(0.005, 0.05))}"'
    if parts.chance(0.5):
        text += f' damping="{numbers(rng.uniform(0, 0.3, parts.pick((1, 3))))}"'
    if parts.chance(0.3):
        text += f' stiffness="{numbers(rng.uniform(0, 3, parts.pick((1, 3))))}"'
    if parts.chance(0.25):
        text += f' frictionloss="{numbers(rng.uniform(0.01, 0.3))}"'
    return text


def _geom(parts: _Parts) -> str:
    rng = parts.rng
    kind = parts.pick(("sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh"))
    size = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}.get(kind)
    shape = f'size="{numbers(rng.uniform(0.04, 0.12, size))}"' if size else f'mesh="{parts.pick(("wedge", "brick"))}"'
    name = f"g{int(rng.integers(1 << 40))}"
    if kind in ("sphere", "cylinder"):
        parts.wraps.append(name)
    margin = f'margin="{numbers(rng.uniform(0, 0.02))}"' if parts.chance(0.2) else ""
    soft = f'solref="{parts.pick(("0.02 1", "0.01 0.5", "-2000 -50"))}" solimp="{parts.pick(("0.9 0.95 0.001", "0.7 0.9 0.01 0.3 3"))}"'
    friction = f'condim="{parts.pick((1, 3, 3, 4, 6))}" friction="{numbers([rng.uniform(0.2, 1.2), 0.01, 0.002])}"'
    fluid = 'fluidshape="ellipsoid"' if parts.chance(0.2) else ""
    return (
        f'<geom name="{name}" type="{kind}" {shape} pos="{numbers(rng.normal(0, 0.05, 3))}" quat="{numbers(rng.normal(0, 1, 4))}" '
        f'density="{numbers(rng.uniform(200, 1500))}" {margin} {soft} {friction} {fluid} priority="{parts.pick((0, 0, 0, 1))}"/>'
    )


def _tendons(parts: _Parts) -> str:
    rng, text = parts.rng, ""
    for i in range(int(rng.integers(0, 3))):
        name = f"t{i}"
        common = f'name="{name}" damping="{numbers(rng.uniform(0, 0.2))}" stiffness="{numbers(rng.uniform(0, 5))}"'
        if parts.chance(0.3):
            common += f' frictionloss="{numbers(rng.uniform(0.01, 0.2))}"'
        if parts.chance(0.3):
            common += ' limited="true" range="-0.2 0.3"'
            parts.tendon_limited.append(name)
        if len(parts.scalars) >= 2 and parts.chance(0.5):
            joints = rng.choice(parts.scalars, 2, replace=False)
            parts.tendons.append(name)
            text += f"<fixed {common}>" + "".join(f'<joint joint="{j}" coef="{numbers(rng.normal(0, 1))}"/>' for j in joints) + "</fixed>"
        elif len(parts.sites) >= 2:
            first, second = (parts.sites[int(k)][0] for k in rng.choice(len(parts.sites), 2, replace=False))
            wrap = f'<geom geom="{parts.pick(parts.wraps)}"/>' if parts.wraps and parts.chance(0.5) else ""
            if not wrap and parts.chance(0.3):  # MuJoCo refuses both together
                common += f' armature="{numbers(rng.uniform(0, 0.02))}"'
            parts.tendons.append(name)
            text += f'<spatial {common}><site site="{first}"/>{wrap}<site site="{second}"/></spatial>'
        elif name in parts.tendon_limited:
            parts.tendon_limited.remove(name)
    return text


def _equalities(parts: _Parts, mocap: bool) -> str:
    rng, text = parts.rng, ""
    soft = f'solref="{parts.pick(("0.02 1", "0.05 1"))}"'
    if mocap:
        text += f'<weld body1="target" body2="{parts.pick(parts.bodies)}" {soft}/>'
    if len(parts.bodies) > 2 and parts.chance(0.3):
        first, second = rng.choice(parts.bodies, 2, replace=False)
        kind = parts.pick(('connect anchor=".1 0 0"', "weld"))
        text += f'<{kind} body1="{first}" body2="{second}" {soft}/>'
    if len(parts.scalars) > 1 and parts.chance(0.3):
        first, second = rng.choice(parts.scalars, 2, replace=False)
        text += f'<joint joint1="{first}" joint2="{second}" polycoef="{numbers(rng.normal(0, 0.3, 5))}" {soft}/>'
    if len(parts.tendons) > 1 and parts.chance(0.3):
        text += f'<tendon tendon1="t0" tendon2="t1" polycoef="0 {numbers(rng.normal(0, 0.5))} 0 0 0" {soft}/>'
    return text


def _actuators(parts: _Parts) -> str:
    rng, text = parts.rng, ""
    for i in range(int(rng.integers(0, 6))):
        targets = [f'joint="{j}"' for j in parts.scalars] + [f'tendon="{t}"' for t in parts.tendons]
        targets += [f'jointinparent="{j}" gear="{numbers(rng.normal(0, 1, 3))}"' for j in parts.balls]
        targets += [f'site="{s}" gear="{numbers(rng.normal(0, 1, 6))}"' for s, _ in parts.sites[:2]]
        where = parts.pick(targets)
        rates = f'ctrlrange="-1 1" ctrllimited="{parts.pick(("true", "false"))}"'
        name = f'name="a{i}"'
        scalar = where.startswith("joint=") or where.startswith("tendon")
        kinds = [
            f'<motor {name} {where} {rates} forcerange="-2 2"/>',
            f'<velocity {name} {where} kv="{numbers(rng.uniform(0.1, 1))}" {rates}/>',
            f'<general {name} {where} dyntype="{parts.pick(("filter", "filterexact", "integrator"))}" dynprm="0.05" '
            f'gainprm="{numbers(rng.uniform(0.2, 2))}" biastype="affine" biasprm="0 {numbers(-rng.uniform(0, 1, 2))}" '
            f'actearly="{parts.pick(("true", "false"))}" {rates}/>',
        ]
        if scalar:
            kinds += [
                f'<position {name} {where} kp="{numbers(rng.uniform(0.5, 5))}" {parts.pick(SERVO)} {rates}/>',
                f'<intvelocity {name} {where} kp="{numbers(rng.uniform(0.5, 5))}" actrange="-1 1" {rates}/>',
                f'<damper {name} {where} kv="{numbers(rng.uniform(0.1, 1))}" ctrlrange="0 1"/>',
                f'<cylinder {name} {where} area=".5" bias="0.1 -0.5 -0.1" {rates}/>',
                f'<muscle {name} {where} lengthrange="-1 1.2" force="2" ctrlrange="0 1"/>',
            ]
        else:
            kinds.append(f'<adhesion {name} body="{parts.pick(parts.bodies)}" gain="2" ctrlrange="0 1"/>')
        parts.actuators.append(f"a{i}")
        text += parts.pick(kinds)
    return text


def _sensors(parts: _Parts) -> str:
    rng, text = parts.rng, ""
    for _ in range(int(rng.integers(0, 8))):
        site, body = parts.pick(parts.sites)
        choices = [f'<{parts.pick(SITE_SENSORS)} site="{site}"/>', f'<{parts.pick(BODY_SENSORS)} body="{body}"/>', "<clock/>"]
        reference = f'reftype="body" refname="{parts.pick(parts.bodies)}"' if parts.chance(0.4) else ""
        frame = parts.pick(FRAME_SENSORS)
        choices.append(f'<{frame} objtype="{parts.pick(("body", "xbody"))}" objname="{body}" {reference if "acc" not in frame else ""}/>')
        if parts.scalars:
            kind = parts.pick(SCALAR_SENSORS)
            pool = parts.limited if "limit" in kind else parts.scalars
            choices += [f'<{kind} joint="{joint}"/>' for joint in pool]
        if parts.tendons:
            kind = parts.pick(TENDON_SENSORS)
            pool = parts.tendon_limited if "limit" in kind else parts.tendons
            choices += [f'<{kind} tendon="{tendon}"/>' for tendon in pool]
        if parts.balls:
            choices.append(f'<{parts.pick(("ballquat", "ballangvel"))} joint="{parts.pick(parts.balls)}"/>')
        if parts.actuators:
            choices.append(f'<{parts.pick(("actuatorpos", "actuatorvel", "actuatorfrc"))} actuator="{parts.pick(parts.actuators)}"/>')
        text += parts.pick(choices)
    return text
