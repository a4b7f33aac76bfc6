"""``mjc:*`` prims that refer to others: tendons, actuators, equality constraints and keyframes, as elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from newtonish.importers import frames
from newtonish.importers.usd.bodies import BodyReader
from newtonish.importers.usd.dialects import DEGREE, Resolver
from newtonish.importers.usd.document import checked_list, element, mjc_values
from newtonish.importers.usd.joints import EQUALITIES, JOINT_TYPES, world_frames
from newtonish.importers.usd.shapes import is_site
from newtonish.importers.usd.source import Source
from newtonish.mjcf.language.read import Node

__all__ = ["read_actuators", "read_equalities", "read_keyframes", "read_tendons"]

TENDON = (
    "actuatorfrclimited actuatorfrcrange[] armature frictionloss group limited margin range[] rgba solimpfriction solimplimit"
    " solreffriction solreflimit springlength width"
)
ACTUATOR = (
    "actDim actEarly actLimited actRange[] biasPrm biasType ctrlLimited ctrlRange[] dynPrm dynType forceLimited forceRange[]"
    " gainPrm gainType gear group inheritRange lengthRange[] armature crankLength"
)
TOKENS = {"dyntype": "none integrator filter filterexact muscle user", "gaintype": "fixed affine muscle user", "biastype": "none affine muscle user"}
MIMICS = {"MjcEqualityJointAPI", "NewtonMimicAPI"}
SOL = {"solref": (2, 2), "solimp": (5, 5)}


def _section(name: str, nodes: list[Node]) -> Node:
    """A section of the document."""
    section = element(name, "/")
    section.children = nodes
    return section


# -- tendons --------------------------------------------------------------------------------------------------------------


def read_tendons(source: Source, bodies: BodyReader) -> Node:
    """Read ``MjcTendon`` prims."""
    nodes = []
    for prim in source.of("MjcTendon"):
        if bodies.leads_out(prim, "mjc:path", "mjc:sideSites"):
            continue
        kind = source.get(prim, "mjc:type", "spatial")
        if kind not in ("fixed", "spatial"):
            source.problem(prim, "mjc:type", f"'{kind}'", "fixed, spatial", "correct it")
            continue
        values = mjc_values(source, prim, TENDON)
        checked_list(
            source, prim, values, {"solreflimit": (2, 2), "solreffriction": (2, 2), "solimplimit": (5, 5), "solimpfriction": (5, 5), "springlength": (1, 2)}
        )
        for name in ("stiffness", "damping"):
            number = source.number(prim, f"mjc:{name}")
            values |= {} if number is None else {name: [number]}
        node = element(kind, str(prim.GetPath()), **values)
        path = _path(source, prim)
        if path is not None:
            node.children = _fixed(source, prim, path) if kind == "fixed" else _spatial(source, prim, path)
            nodes.append(node)
    return _section("tendon", nodes)


def _path(source: Source, prim: Any) -> list[str] | None:
    """Targets of a tendon in the order in which it meets them."""
    targets = [str(path) for path in source.targets(prim, "mjc:path")]
    order = source.get(prim, "mjc:path:indices") or list(range(len(targets)))
    if any(not 0 <= k < len(targets) for k in order):
        source.problem(prim, "mjc:path:indices", str(order[:8]), f"0 to {len(targets) - 1}", "correct the array")
        return None
    return [targets[k] for k in order]


def _numbers(source: Source, prim: Any, name: str, count: int, default: Any) -> list[Any] | None:
    """An array with one number for each element of a path; None, and a problem, for another length."""
    values = source.get(prim, name) or [default] * count
    if len(values) != count:
        source.problem(prim, name, f"{len(values)} numbers", f"{count}, one for each", "correct the array")
        return None
    return values


def _fixed(source: Source, prim: Any, path: list[str]) -> list[Node]:
    """Joints of a fixed tendon."""
    coefficients = _numbers(source, prim, "mjc:path:coef", len(path), 1.0)
    if coefficients is None:
        return []
    return [element("joint", str(prim.GetPath()), "wrap_joint", joint=joint, coef=coef) for joint, coef in zip(path, coefficients)]


def _spatial(source: Source, prim: Any, path: list[str]) -> list[Node]:
    """Sites, geoms and pulleys of a spatial tendon; a segment other than the first begins with a pulley."""
    where = str(prim.GetPath())
    segments = _numbers(source, prim, "mjc:path:segments", len(path), 0)
    sides = [str(target) for target in source.targets(prim, "mjc:sideSites")]
    beside = _numbers(source, prim, "mjc:sideSites:indices", len(path), -1)
    if segments is None or beside is None:
        return []
    divisors = source.get(prim, "mjc:path:divisors") or [1.0] * (max(segments, default=0) + 1)
    if segments != sorted(segments) or min(segments, default=0) < 0 or max(segments, default=0) >= len(divisors):
        given = f"segments {segments[:8]} with {len(divisors)} divisors"
        source.problem(prim, "mjc:path:segments", given, "rising numbers, each with a divisor", "correct the arrays")
        return []
    if any(k >= len(sides) for k in beside):
        source.problem(prim, "mjc:sideSites:indices", str(beside[:8]), f"-1 to {len(sides) - 1}", "correct the array")
        return []
    nodes, current = [], 0 if divisors[0] == 1.0 else -1
    for target, segment, side in zip(path, segments, beside):
        if segment != current:
            nodes.append(element("pulley", where, divisor=float(divisors[segment])))
            current = segment
        found = source.stage.GetPrimAtPath(target)
        if found and is_site(source, found):
            nodes.append(element("site", where, "wrap_site", site=target))
        else:
            nodes.append(element("geom", where, "wrap_geom", geom=target, sidesite=sides[side] if side >= 0 else None))
    return nodes


# -- actuators ------------------------------------------------------------------------------------------------------------


def read_actuators(source: Source, bodies: BodyReader) -> Node:
    """Read ``MjcActuator`` prims."""
    nodes = []
    for prim in source.of("MjcActuator"):
        if bodies.leads_out(prim, "mjc:target", "mjc:refSite", "mjc:sliderSite"):
            continue
        values = mjc_values(source, prim, ACTUATOR)
        checked_list(source, prim, values, {"gainprm": (1, 10), "biasprm": (1, 10), "dynprm": (1, 10), "gear": (1, 6)})
        for name, words in TOKENS.items():
            if name in values and values[name] not in words.split():
                source.problem(prim, f"mjc:{name}", f"'{values.pop(name)}'", words, "correct it")
        damping = [source.number(prim, "mjc:damping", 0.0), *(source.get(prim, "mjc:dampingPoly") or [])]
        if any(damping):
            values["damping"] = damping
        target = _target(source, prim, bodies)
        if target is not None:
            nodes.append(element("general", str(prim.GetPath()), **values, **target))
    return _section("actuator", nodes)


def _target(source: Source, prim: Any, bodies: BodyReader) -> dict[str, Any] | None:
    """What an actuator acts on, by the attributes MJCF has for it."""
    targets = {name: [str(path) for path in source.targets(prim, f"mjc:{name}")] for name in ("target", "refSite", "sliderSite")}
    in_parent = bool(source.get(prim, "mjc:jointInParent", False))
    given = targets["target"]
    if len(given) != 1 or max(map(len, targets.values())) > 1:
        source.problem(prim, "mjc:target", f"{len(given)} targets", "one target, and at most one refSite and sliderSite", "name one")
        return None
    found = source.stage.GetPrimAtPath(given[0])
    kind = source.kind(found) if found else ""
    if kind in JOINT_TYPES:
        return {"jointinparent" if in_parent else "joint": given[0]}
    if kind == "MjcTendon":
        return {"tendon": given[0]}
    if found and is_site(source, found):
        if targets["sliderSite"]:
            return {"cranksite": given[0], "slidersite": targets["sliderSite"][0]}
        return {"site": given[0], **({"refsite": targets["refSite"][0]} if targets["refSite"] else {})}
    if given[0] in bodies.poses:
        return {"body": given[0]}
    what = f"{given[0]}, {'a ' + (kind or 'prim without type') if found else 'which is no prim'}"
    source.problem(prim, "mjc:target", what, "a joint, a tendon, a site or a body", "name one of these")
    return None


# -- equality -------------------------------------------------------------------------------------------------------------


def read_equalities(source: Source, resolver: Resolver, bodies: BodyReader) -> Node:
    """Read connects and welds, which are joint prims of their own, and joints that follow another."""
    nodes = []
    for prim in source.having(*EQUALITIES, *MIMICS):
        apis = source.apis(prim)
        if bodies.leads_out(prim, "physics:body0", "physics:body1", "newton:mimicJoint", "mjc:target"):
            continue
        if resolver.mjc and apis & EQUALITIES:
            node = _pin(source, prim, bodies, "MjcEqualityWeldAPI" in apis)
        elif apis & MIMICS:
            node = _mimic(source, resolver, prim)
        else:
            continue
        if node is not None:
            nodes.append(node)
    return _section("equality", nodes)


def _pin(source: Source, prim: Any, bodies: BodyReader, weld: bool) -> Node | None:
    """A connect or a weld; between sites where it names sites."""
    values = mjc_values(source, prim, "solref solimp")
    checked_list(source, prim, values, SOL)
    values["active"] = bool(source.get(prim, "physics:jointEnabled", True))
    source.use(prim, "physics:excludeFromArticulation", "physics:axis", "physics:collisionEnabled")
    if weld:
        values["torquescale"] = float(source.get(prim, "mjc:torqueScale", 1.0))
    ends = world_frames(source, prim, bodies.poses, bodies.pose, "mjc:target")
    if ends is None:
        return None
    tag = "weld" if weld else "connect"
    if all(target is not None and is_site(source, target) for _, target, _ in ends):
        return element(tag, str(prim.GetPath()), **values, **{f"site{k}": str(end[1].GetPath()) for k, end in enumerate(ends, 1)})
    for k, (body, _, _) in enumerate(ends, 1):
        values[f"body{k}"] = body or "world"
    (_, _, first), (_, _, second) = ends
    if weld:
        pos, quat = frames.compose(*first, *frames.invert(*second))
        values |= {"relpose": [*pos, *quat], "anchor": second[0].tolist()}
    else:
        values["anchor"] = first[0].tolist()
    return element(tag, str(prim.GetPath()), **values)


def _mimic(source: Source, resolver: Resolver, prim: Any) -> Node | None:
    """A joint that follows another by a polynomial; ``newton:mimicCoef0`` of a turning joint is in degrees.

    Where both dialects say who leads, and by which two coefficients, Newton's words win, as in MuJoCo.
    """
    turns = source.kind(prim) == "PhysicsRevoluteJoint"
    values = mjc_values(source, prim, "solref solimp") if resolver.mjc else {}
    checked_list(source, prim, values, SOL)
    leader = source.targets(prim, "newton:mimicJoint") if "newton" in resolver.order else []
    other = source.targets(prim, "mjc:target") if resolver.mjc else []
    leader = leader or other
    if len(leader) > 1:
        source.problem(prim, "newton:mimicJoint", f"{len(leader)} joints", "one joint", "name one")
        return None
    coefficients = [0.0, 1.0, 0.0, 0.0, 0.0]
    for k in range(5 if resolver.mjc else 0):
        coefficients[k] = source.number(prim, f"mjc:coef{k}", coefficients[k])
    if "newton" in resolver.order:
        values["active"] = bool(source.get(prim, "newton:mimicEnabled", True))
        for k, unit in ((0, DEGREE if turns else source.length), (1, 1.0)):
            given = source.number(prim, f"newton:mimicCoef{k}")
            if given is not None:
                coefficients[k] = given * unit
    if not np.isfinite(coefficients).all():
        source.problem(prim, "newton:mimicCoef0", str(coefficients), "finite numbers", "correct them")
        return None
    name = f"{prim.GetPath()}:mimic"
    return element("joint", str(prim.GetPath()), "eq_joint", **values | {
        "name": name, "joint1": str(prim.GetPath()), "joint2": str(leader[0]) if leader else None, "polycoef": coefficients,
    })  # fmt: skip


# -- keyframes ------------------------------------------------------------------------------------------------------------


def read_keyframes(source: Source) -> Node:
    """Read ``MjcKeyframe`` prims: one keyframe for each time sample of ``mjc:qpos``, or of the part that has most."""
    nodes = []
    for prim in source.of("MjcKeyframe"):
        parts = {name: dict(source.samples(prim, f"mjc:{name}")) for name in ("qpos", "qvel", "act", "ctrl", "mpos", "mquat")}
        times = sorted(parts["qpos"] or max(parts.values(), key=len))
        for time in times:
            name = str(prim.GetPath()) if len(times) == 1 else f"{prim.GetPath()}:{time:g}"
            values = {
                part: held[time] if time in held else held[max([t for t in held if t <= time], default=min(held))] for part, held in parts.items() if held
            }
            nodes.append(element("key", str(prim.GetPath()), name=name, time=time / (source.stage.GetTimeCodesPerSecond() or 1.0), **values))
    return _section("keyframe", nodes)
