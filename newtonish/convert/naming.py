"""Names of everything in a compiled model, by id, from the template world's labels."""

from __future__ import annotations

from newtonish.convert.compiled import CompiledModel
from newtonish.convert.parts import Parts
from newtonish.convert.source import Source

__all__ = ["name_parts"]

SUFFIXES = ("_position", "_velocity")
"""What a joint's name gets for the actuator that follows its target."""


def name_parts(compiled: CompiledModel, source: Source, parts: Parts, others: dict[str, list[str]]) -> None:
    """Fill the lists of names; ``compiled`` has its maps.

    Args:
        compiled: The compiled model.
        source: The model it was made of.
        parts: Its lists.
        others: Names by kind of what no list has: keyframes and custom elements.
    """
    maps = compiled.maps
    bodies, shapes = source.labels("body"), source.labels("shape")
    compiled.body_names = ["world", *(bodies[i] for i in maps.mjc_body[0, 1:])]
    compiled.geom_names = [shapes[i] for i in maps.mjc_geom[0]]
    compiled.site_names = [shapes[i] for i in maps.mjc_site[0]]
    compiled.jnt_names, compiled.tendon_names, compiled.eq_names = parts.joint_names, parts.tendons.name, parts.equalities.name
    compiled.sensor_names, compiled.cam_names, compiled.light_names = parts.sensors.name, parts.cameras.name, parts.lights.name
    compiled.mesh_names = [mesh.name for mesh in parts.meshes.meshes]
    for kind, names in others.items():
        setattr(compiled, f"{kind}_names", names)
    labels = source.custom("actuator_label")
    for kind, row, joint in zip(maps.actuator_source, maps.actuator_index[0], compiled.actuator_trnid[:, 0]):
        follows = kind < len(SUFFIXES)
        compiled.actuator_names.append(compiled.jnt_names[joint] + SUFFIXES[kind] if follows else str(labels[row]))
