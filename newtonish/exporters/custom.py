"""Custom numbers, texts and tuples, written as MJCF."""

from __future__ import annotations

from lxml import etree

from newtonish.exporters.world import CompiledWorld, add

__all__ = ["write_custom"]

OBJECTS = {
    1: ("body", "body"), 2: ("xbody", "body"), 3: ("joint", "jnt"), 5: ("geom", "geom"), 6: ("site", "site"), 7: ("camera", "cam"),
    18: ("tendon", "tendon"), 19: ("actuator", "actuator"), 20: ("sensor", "sensor"), 21: ("numeric", "numeric"),
    22: ("text", "text"), 23: ("tuple", "tuple"),
}  # fmt: skip
"""MJCF's word and our kind of name by MuJoCo's number of a kind of objects."""


def write_custom(root: etree._Element, world: CompiledWorld) -> None:
    """Write the section, if there is anything in it."""
    if not (world.nnumeric or world.ntext or world.ntuple):
        return
    section, names = add(root, "custom"), world.names
    for i in range(world.nnumeric):
        first, size = int(world.numeric_adr[i]), int(world.numeric_size[i])
        add(section, "numeric", name=names["numeric"][i], size=size, data=world.numeric_data[first : first + size])
    for i in range(world.ntext):
        first, size = int(world.text_adr[i]), int(world.text_size[i])
        text = world.text_data[first : first + size - 1].tobytes().decode()
        add(section, "text", name=names["text"][i], data=text)
    for i in range(world.ntuple):
        entry = add(section, "tuple", name=names["tuple"][i])
        first = int(world.tuple_adr[i])
        for k in range(first, first + int(world.tuple_size[i])):
            word, kind = OBJECTS.get(int(world.tuple_objtype[k]), ("", ""))
            target = int(world.tuple_objid[k])
            name = names[kind][target] if kind and target >= 0 else None
            if name is None:
                given = f"an element that names nothing (kind {int(world.tuple_objtype[k])}, number {target})"
                world.refuse(f"tuple '{names['tuple'][i]}'", given, "objects with names", "correct it, or remove the tuple")
                continue
            add(entry, "element", objtype=word, objname=name, prm=world.tuple_objprm[k])
