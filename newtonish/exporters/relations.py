"""What relates objects of the tree: contact pairs and excludes, tendons, equality constraints."""

from __future__ import annotations

import numpy as np
from lxml import etree

from newtonish.common.enums import EqType, ObjType, WrapType
from newtonish.exporters.world import CompiledWorld, add, polynomial

__all__ = ["write_contact", "write_equalities", "write_tendons"]

EQUALITIES = ("connect", "weld", "joint", "tendon")
WIDTH, RGBA = 0.003, (0.5, 0.5, 0.5, 1.0)
"""How tendons are drawn that say nothing of it."""


def write_contact(root: etree._Element, world: CompiledWorld, filters: bool = True) -> None:
    """Write explicit pairs and excluded bodies, and with ``filters`` geoms that must not meet, as excludes of their bodies."""
    excludes = [divmod(int(signature), 1 << 16) for signature in world.exclude_signature]
    excludes += _excludes_of_filters(world, excludes) if filters else []
    if not (world.npair or excludes):
        return
    section = add(root, "contact")
    geoms, bodies = world.names["geom"], world.names["body"]
    for i in range(world.npair):
        add(
            section, "pair", geom1=geoms[world.pair_geom1[i]], geom2=geoms[world.pair_geom2[i]], condim=int(world.pair_dim[i]),
            friction=world.pair_friction[i], solref=world.pair_solref[i], solreffriction=world.pair_solreffriction[i],
            solimp=world.pair_solimp[i], margin=world.pair_margin[i], gap=world.pair_gap[i], adhesion=world.pair_adhesion[i] or None,
        )  # fmt: skip
    for first, second in excludes:
        add(section, "exclude", body1=bodies[first], body2=bodies[second])


def _excludes_of_filters(world: CompiledWorld, excludes: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Pairs of bodies none of whose geoms may meet; where only some may not, that is refused by name."""
    filtered = {tuple(sorted(map(int, pair))) for pair in world.compiled.geom_filter_pairs}
    if not filtered:
        return []
    known = {tuple(sorted(pair)) for pair in excludes}
    of_body: dict[int, list[int]] = {}
    for geom, body in enumerate(world.geom_bodyid):
        of_body.setdefault(int(body), []).append(geom)
    result = []
    bodies = {tuple(sorted((int(world.geom_bodyid[a]), int(world.geom_bodyid[b])))) for a, b in filtered} - known
    for first, second in sorted(bodies):
        open_pairs = [
            (a, b) for a in of_body[first] for b in of_body[second]
            if tuple(sorted((a, b))) not in filtered and _may_collide(world, a, b)
        ]  # fmt: skip
        if not open_pairs:
            result.append((first, second))
            continue
        names = world.names["geom"]
        a, b = next(pair for pair in sorted(filtered) if {int(world.geom_bodyid[i]) for i in pair} == {first, second})
        c, d = open_pairs[0]
        given = f"a filter, while '{names[c]}' and '{names[d]}' of the same bodies collide"
        world.refuse(f"geoms '{names[a]}' and '{names[b]}'", given, "filters of all geoms of two bodies", "use contype and conaffinity")
    return result


def _may_collide(world: CompiledWorld, a: int, b: int) -> bool:
    """Whether the masks of two geoms let them meet."""
    contype, conaffinity = world.geom_contype, world.geom_conaffinity
    return bool(int(contype[a]) & int(conaffinity[b]) or int(contype[b]) & int(conaffinity[a]))


def write_tendons(root: etree._Element, world: CompiledWorld) -> None:
    """Write tendons with what they run over."""
    if not world.ntendon:
        return
    section = add(root, "tendon")
    looks = _looks_of_fixed(root, world)
    for t in range(world.ntendon):
        bounded = bool(np.isfinite(world.tendon_range[t]).all())  # a limit without stiffness has no range
        wraps = range(int(world.tendon_adr[t]), int(world.tendon_adr[t]) + int(world.tendon_num[t]))
        fixed = int(world.wrap_type[wraps[0]]) == WrapType.JOINT
        yields = world.tendon_springyield[t]
        element = add(
            section, "fixed" if fixed else "spatial", name=world.names["tendon"][t], class_=looks.get(t), group=int(world.tendon_group[t]) or None,
            limited=world.tendon_limited[t] and bounded, actuatorfrclimited=world.tendon_actfrclimited[t], range=world.tendon_range[t] if bounded else None,
            actuatorfrcrange=world.tendon_actfrcrange[t], solreflimit=world.tendon_solref_lim[t], solimplimit=world.tendon_solimp_lim[t],
            solreffriction=world.tendon_solref_fri[t], solimpfriction=world.tendon_solimp_fri[t], frictionloss=world.tendon_frictionloss[t],
            springlength=_springlength(world, t), springyield=yields if yields else None, margin=world.tendon_margin[t],
            stiffness=polynomial(world.tendon_stiffness[t], world.tendon_stiffnesspoly[t]),
            damping=polynomial(world.tendon_damping[t], world.tendon_dampingpoly[t]), armature=world.tendon_armature[t],
            user=world.user("tendon", t),
            **({} if fixed else {"width": world.tendon_width[t], "rgba": world.tendon_rgba[t], "material": world.material("tendon", t)}),
        )  # fmt: skip
        for w in wraps:
            _write_wrap(element, world, w)


def _looks_of_fixed(root: etree._Element, world: CompiledWorld) -> dict[int, str]:
    """Classes of fixed tendons by id: only a default says how wide and in which colour they are drawn."""
    classes: dict[bytes, str] = {}
    found = {}
    for t in range(world.ntendon):
        width, rgba = world.tendon_width[t], world.tendon_rgba[t]
        if int(world.wrap_type[world.tendon_adr[t]]) != WrapType.JOINT or (width == WIDTH and np.array_equal(rgba, RGBA)):
            continue
        key = width.tobytes() + rgba.tobytes()
        if not classes:
            main = etree.Element("default")
            root.insert(list(root).index(root.find("worldbody")), main)
        if key not in classes:
            classes[key] = f"fixed{len(classes)}"
            add(add(main, "default", class_=classes[key]), "tendon", width=width, rgba=rgba)
        found[t] = classes[key]
    return found


def _springlength(world: CompiledWorld, t: int) -> np.ndarray:
    """Rest lengths; -1, which would mean that they are derived, becomes the number beside it."""
    lengths = world.tendon_lengthspring[t]
    return np.where(lengths == -1.0, np.nextafter(-1.0, 0.0), lengths)


def _write_wrap(element: etree._Element, world: CompiledWorld, w: int) -> None:
    """Write one entry of a tendon."""
    kind, target, number = int(world.wrap_type[w]), int(world.wrap_objid[w]), world.wrap_prm[w]
    names = world.names
    if kind == WrapType.JOINT:
        add(element, "joint", joint=names["jnt"][target], coef=number)
    elif kind == WrapType.PULLEY:
        add(element, "pulley", divisor=number)
    elif kind == WrapType.SITE:
        add(element, "site", site=names["site"][target])
    else:
        side = round(float(number))
        add(element, "geom", geom=names["geom"][target], sidesite=names["site"][side] if side >= 0 else None)


def write_equalities(root: etree._Element, world: CompiledWorld) -> None:
    """Write equality constraints."""
    if not world.neq:
        return
    section = add(root, "equality")
    active = world.eq_active0
    for e in range(world.neq):
        kind, data = int(world.eq_type[e]), world.eq_data[e]
        first, second = int(world.eq_obj1id[e]), int(world.eq_obj2id[e])
        if kind >= len(EQUALITIES):
            world.refuse(f"equality constraint '{world.names['eq'][e]}'", f"type {kind}", ", ".join(EQUALITIES), "remove it")
            continue
        spaces: dict[int, str] = {EqType.JOINT: "jnt", EqType.TENDON: "tendon"}
        space = spaces.get(kind, "site" if int(world.eq_objtype[e]) == ObjType.SITE else "body")
        word = EQUALITIES[kind] if kind >= EqType.JOINT else space
        names = world.names[space]
        own = {f"{word}1": names[first], f"{word}2": names[second] if second >= 0 else None}
        if kind >= EqType.JOINT:
            own["polycoef"] = data[:5]
        elif space == "body":
            own["anchor"] = data[:3]
        if kind == EqType.WELD:
            own["torquescale"] = data[10]
            if space == "body" and not data[11]:
                own["relpose"] = data[3:10]
        add(
            section, EQUALITIES[kind], name=world.names["eq"][e], active=active[e], solref=world.eq_solref[e],
            solimp=world.eq_solimp[e], **own,
        )  # fmt: skip
