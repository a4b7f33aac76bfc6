"""Random whole models as MJCF text, seeded: trees with every kind of joint, geom, actuator, equality, tendon, sensor and option.

Numbers are chosen so that MuJoCo's own step stays finite: masses and inertias within two decades, moderate gains and velocities.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from random_past import delayed, terrain

MESHES = (
    '<mesh name="wedge" vertex="-.1 -.1 -.1  .1 -.1 -.1  -.1 .1 -.1  -.1 -.1 .1  .12 .1 .09"/>'
    '<mesh name="brick" vertex="-.1 -.06 -.05  .1 -.06 -.05  -.1 .06 -.05  .1 .06 -.05  -.1 -.06 .05  .1 -.06 .05  -.1 .06 .05  .1 .06 .05"/>'
)
SERVO = ('dampratio="1"', 'kv=".2"', 'timeconst=".05"')
MOTOR = ('inductance=".01"', 'input="pos" controller="3 0 .2"', 'input="pos" controller="2 1 .1" saturation="1 2 0"', 'cogging=".1 6 .1"')
SCALAR_SENSORS = ("jointpos", "jointvel", "jointlimitpos", "jointlimitvel", "jointlimitfrc", "jointactuatorfrc")
TENDON_SENSORS = ("tendonpos", "tendonvel", "tendonlimitpos", "tendonlimitvel", "tendonlimitfrc", "tendonactuatorfrc")
SITE_SENSORS = ("accelerometer", "velocimeter", "gyro", "force", "torque", "magnetometer", "touch")
FRAME_SENSORS = ("framepos", "framequat", "framexaxis", "frameyaxis", "framezaxis", "framelinvel", "frameangvel", "framelinacc", "frameangacc")
BODY_SENSORS = ("subtreecom", "subtreelinvel", "subtreeangmom")


@dataclass
class _Parts:
    """What the tree has, for the elements that refer to it."""

    rng: np.random.Generator
    bodies: list[str] = field(default_factory=list)
    groups: dict[str, str] = field(default_factory=dict)  # body, and the one above it without joints in between
    geoms: list[tuple[str, str]] = field(default_factory=list)  # geom, its body
    sites: list[tuple[str, str]] = field(default_factory=list)  # site, its body
    scalars: list[str] = field(default_factory=list)
    limited: list[str] = field(default_factory=list)
    balls: list[str] = field(default_factory=list)
    wraps: list[tuple[str, str]] = field(default_factory=list)  # geom, its body
    tendons: list[str] = field(default_factory=list)
    tendon_limited: list[str] = field(default_factory=list)
    actuators: list[str] = field(default_factory=list)

    def pick(self, options):
        return options[int(self.rng.integers(len(options)))]

    def chance(self, probability: float) -> bool:
        return bool(self.rng.random() < probability)

    def move(self, *bodies: str) -> bool:
        """Whether the bodies move against each other: otherwise a Jacobian between them is zero or 1e-17, as rounding has it."""
        return len({self.groups[body] for body in bodies}) > 1

    def two(self, options) -> list:
        return [options[int(k)] for k in self.rng.choice(len(options), 2, replace=False)]


def numbers(values) -> str:
    return " ".join(f"{x:.4f}" for x in np.atleast_1d(values))


def random_model(seed: int) -> str:
    """MJCF text of a random model."""
    parts = _Parts(np.random.default_rng([11, seed]))
    rng = parts.rng
    trees = "".join(_body(parts, 0, i, "") for i in range(int(rng.integers(1, 4))))
    ground = '<geom name="floor" type="plane" size="5 5 .1"/>' if parts.chance(0.7) else ""
    eye = '<camera name="eye" pos="0 -2 1" xyaxes="1 0 0 0 0.4 1" resolution="64 48" sensorsize=".01 .01" focal=".01 .01"/>'
    mocap = '<body name="target" mocap="true" pos="0 0 2"><geom size=".05" contype="0" conaffinity="0"/></body>' if parts.chance(0.15) else ""
    tendons, equalities = _tendons(parts), _equalities(parts, bool(mocap))
    actuators, sensors = _actuators(parts), _sensors(parts)
    option, hfield = _option(parts), ""
    later = np.random.default_rng([12, seed])
    if ground and later.random() < 0.15:
        hfield, ground = terrain(later)
    if later.random() < 0.12:
        step = float(option.split('timestep="')[1].split('"')[0])
        actuators, sensors = delayed(actuators, later, step), delayed(sensors, later, step, period=True)
    return (
        f'<mujoco><compiler angle="radian"/>{option}<asset>{MESHES}{hfield}</asset>'
        f"<worldbody>{ground}{eye}{mocap}{trees}</worldbody><contact>{_contacts(parts)}</contact>"
        f"<tendon>{tendons}</tendon><equality>{equalities}</equality>"
        f"<actuator>{actuators}</actuator><sensor>{sensors}</sensor></mujoco>"
    )


def _option(parts: _Parts) -> str:
    rng = parts.rng
    solver = parts.pick(("Newton",) * 6 + ("CG", "PGS"))
    integrator = parts.pick(("Euler", "RK4", "implicit", "implicitfast", "discrete"))
    noslip = f'noslip_iterations="{parts.pick((3, 30))}" noslip_tolerance="0"' if solver != "PGS" and parts.chance(0.08) else ""
    cone = parts.pick(("pyramidal", "elliptic"))
    names = ("limit", "frictionloss", "spring", "damper", "refsafe", "clampctrl", "eulerdamp", "filterparent", "gravity", "equality")
    flags = " ".join(f'{name}="disable"' for name in names if parts.chance(0.05))
    if parts.chance(0.1):
        flags += ' diagexact="enable"'
    medium = f'density="{numbers(rng.uniform(0, 5))}" viscosity="{numbers(rng.uniform(0, 0.2))}" wind="{numbers(rng.normal(0, 1, 3))}"'
    return (
        f'<option timestep="{numbers(rng.uniform(0.001, 0.005))}" solver="{solver}" integrator="{integrator}" cone="{cone}" '
        f'impratio="{parts.pick((1, 1, 5))}" iterations="500" tolerance="1e-12" ls_iterations="100" '
        f'{noslip} jacobian="{parts.pick(("dense", "dense", "sparse"))}" gravity="{numbers(rng.normal(0, 1, 2))} -9.81" {medium if parts.chance(0.15) else ""}><flag {flags}/></option>'
    )


def _body(parts: _Parts, depth: int, index: int, parent: str) -> str:
    rng = parts.rng
    name = f"b{len(parts.bodies)}"
    parts.bodies.append(name)
    joints = _joints(parts, depth == 0)
    parts.groups[name] = name if joints else parts.groups[parent]
    geoms = "".join(_geom(parts, name) for _ in range(int(rng.integers(1, 3))))
    site = f"s{len(parts.sites)}"
    parts.sites.append((site, name))
    children = "".join(_body(parts, depth + 1, i, name) for i in range(int(rng.integers(0, 3)))) if depth < 3 and len(parts.bodies) < 8 else ""
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


def _geom(parts: _Parts, body: str) -> str:
    rng = parts.rng
    kind = parts.pick(("sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh"))
    size = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}.get(kind)
    shape = f'size="{numbers(rng.uniform(0.04, 0.12, size))}"' if size else f'mesh="{parts.pick(("wedge", "brick"))}"'
    name = f"g{int(rng.integers(1 << 40))}"
    if kind in ("sphere", "cylinder"):
        parts.wraps.append((name, body))
    parts.geoms.append((name, body))
    margin = f'margin="{numbers(rng.uniform(0, 0.02))}"' if parts.chance(0.2) else ""
    soft = f'solref="{parts.pick(("0.02 1", "0.01 0.5", "-2000 -50"))}" solimp="{parts.pick(("0.9 0.95 0.001", "0.7 0.9 0.01 0.3 3"))}"'
    friction = f'condim="{parts.pick((1, 3, 3, 4, 6))}" friction="{numbers([rng.uniform(0.2, 1.2), 0.01, 0.002])}"'
    fluid = 'fluidshape="ellipsoid"' if parts.chance(0.2) else ""
    gap = f'gap="{numbers(rng.uniform(0, 0.01))}"' if parts.chance(0.1) else ""
    return (
        f'<geom name="{name}" type="{kind}" {shape} pos="{numbers(rng.normal(0, 0.05, 3))}" quat="{numbers(rng.normal(0, 1, 4))}" '
        f'density="{numbers(rng.uniform(200, 1500))}" {margin} {gap} {soft} {friction} {fluid} priority="{parts.pick((0, 0, 0, 1))}"/>'
    )


def _contacts(parts: _Parts) -> str:
    """Pairs with parameters of their own, and pairs that do not collide."""
    rng, text = parts.rng, ""
    if len(parts.bodies) > 2 and parts.chance(0.2):
        first, second = parts.two(parts.bodies)
        text += f'<exclude body1="{first}" body2="{second}"/>'
    if len(parts.geoms) > 2 and parts.chance(0.3):
        (one, body), (two, other) = parts.two(parts.geoms)
        if body != other:
            friction = f'condim="{parts.pick((1, 3, 4, 6))}" friction="{numbers(rng.uniform(0.2, 1.2, 2))} 0.01 0.002 0.001"'
            margin = f'margin="{numbers(rng.uniform(0, 0.02))}"' if parts.chance(0.5) else ""
            text += f'<pair geom1="{one}" geom2="{two}" {friction} {margin} solreffriction="{parts.pick(("0 0", "0.04 1"))}"/>'
    return text


def _tendons(parts: _Parts) -> str:
    rng, text = parts.rng, ""
    for i in range(int(rng.integers(0, 3))):
        name = f"t{i}"
        poly = parts.pick((1, 1, 3))
        common = f'name="{name}" damping="{numbers(rng.uniform(0, 0.2, poly))}" stiffness="{numbers(rng.uniform(0, 5, poly))}"'
        if parts.chance(0.2):
            common += ' springlength="0.05 0.2"'
        friction = f' frictionloss="{numbers(rng.uniform(0.01, 0.2))}"' if parts.chance(0.3) else ""
        limited = parts.chance(0.3)
        if limited:
            common += ' limited="true" range="-0.2 0.3"'
        path = ""
        if len(parts.scalars) >= 2 and parts.chance(0.5):
            joints = rng.choice(parts.scalars, 2, replace=False)
            path = "".join(f'<joint joint="{j}" coef="{numbers(rng.normal(0, 1))}"/>' for j in joints)
            text += f"<fixed {common}{friction}>{path}</fixed>"
        elif len(parts.sites) >= 2:
            path, common = _path(parts, common)
            text += f"<spatial {common}{friction}>{path}</spatial>" if path else ""
        if path:
            parts.tendons.append(name)
            if limited:
                parts.tendon_limited.append(name)
    return text


def _path(parts: _Parts, common: str) -> tuple[str, str]:
    """Way of a spatial tendon over sites, geoms with or without a side site, and a pulley; and the tendon's attributes."""
    (first, body), (second, other) = parts.two(parts.sites)
    if not parts.move(body, other):
        return "", common
    wrap = ""
    if parts.wraps and parts.chance(0.5):
        geom, carrier = parts.pick(parts.wraps)
        sides = [site for site, on in parts.sites if on == carrier]
        side = f' sidesite="{parts.pick(sides)}"' if parts.chance(0.3) else ""
        wrap = f'<geom geom="{geom}"{side}/>'
    elif parts.chance(0.3):  # MuJoCo refuses armature and wrapping together
        common += f' armature="{numbers(parts.rng.uniform(0, 0.02))}"'
    path = f'<site site="{first}"/>{wrap}<site site="{second}"/>'
    if "armature" not in common and parts.chance(0.3):
        (third, _), (fourth, _) = parts.two(parts.sites)
        path += f'<pulley divisor="{parts.pick((2, 3))}"/><site site="{third}"/><site site="{fourth}"/>'
    return path, common


def _equalities(parts: _Parts, mocap: bool) -> str:
    rng, text = parts.rng, ""
    soft = f'solref="{parts.pick(("0.02 1", "0.05 1"))}"'
    if mocap:
        text += f'<weld body1="target" body2="{parts.pick(parts.bodies)}" {soft}/>'
    if len(parts.bodies) > 2 and parts.chance(0.3):
        first, second = parts.two(parts.bodies)
        kind = parts.pick(('connect anchor=".1 0 0"', "weld", f'weld torquescale="{numbers(rng.uniform(0.1, 3))}"'))
        if parts.move(first, second):
            text += f'<{kind} body1="{first}" body2="{second}" {soft}/>'
    if len(parts.sites) > 2 and parts.chance(0.15):
        (first, body), (second, other) = parts.two(parts.sites)
        if parts.move(body, other):
            text += f'<{parts.pick(("connect", "weld"))} site1="{first}" site2="{second}" {soft}/>'
    if len(parts.scalars) > 1 and parts.chance(0.3):
        first, second = rng.choice(parts.scalars, 2, replace=False)
        text += f'<joint joint1="{first}" joint2="{second}" polycoef="{numbers(rng.normal(0, 0.3, 5))}" {soft}/>'
    if len(parts.tendons) > 1 and parts.chance(0.3):
        text += f'<tendon tendon1="{parts.tendons[0]}" tendon2="{parts.tendons[1]}" polycoef="0 {numbers(rng.normal(0, 0.5))} 0 0 0" {soft}/>'
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
                f'<pid {name} {where} kp="{numbers(rng.uniform(0.5, 5))}" kv=".1" ki="{numbers(rng.uniform(0, 2))}" {rates}/>',
                f'<dcmotor {name} {where} motorconst="{numbers(rng.uniform(0.1, 0.5))}" resistance=".5" {parts.pick(MOTOR)}/>',
            ]
        elif where.startswith("jointinparent"):
            ball = where.split('"')[1]
            kinds.append(f'<orientation {name} joint="{ball}" kp="{numbers(rng.uniform(0.2, 2))}" kv=".05" ctrlrange="-1 1"/>')
        elif parts.chance(0.5):
            (crank, _), (slider, _) = parts.two(parts.sites) if len(parts.sites) > 1 else (("", ""), ("", ""))
            if crank:
                rod = f'cranksite="{crank}" slidersite="{slider}" cranklength="{numbers(rng.uniform(0.3, 0.9))}"'
                kinds.append(f'<general {name} {rod} gainprm="{numbers(rng.uniform(0.2, 2))}" {rates}/>')
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
        choices += ["<e_potential/>", "<e_kinetic/>"]
        choices.append(f'<rangefinder site="{site}"/>')
        choices.append(f'<camprojection site="{site}" camera="eye"/>')
        choices.append(f'<insidesite site="{site}" objtype="body" objname="{parts.pick(parts.bodies)}"/>')
        if len(parts.bodies) > 1:
            first, second = parts.two(parts.bodies)
            kind = parts.pick(("distance", "normal", "fromto"))
            choices.append(f'<{kind} body1="{first}" body2="{second}" cutoff="1"/>')
            choices.append(f'<contact body1="{first}" body2="{second}" num="1" reduce="{parts.pick(("netforce", "mindist"))}" data="found force"/>')
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
        choice = parts.pick(choices)
        if "cutoff" not in choice and "quat" not in choice and "axis" not in choice and parts.chance(0.2):
            choice = choice.replace("/>", f' cutoff="{numbers(rng.uniform(0.1, 2))}"/>')
        text += choice
    return text
