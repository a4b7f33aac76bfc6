"""The identified model as MJCF: the author's file with the numbers found in their places."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from newtonish import mjcf
from newtonish.errors import UnsupportedError, problem
from newtonish.exporters.archive import is_archive
from newtonish.exporters.mjcf import to_mjcf
from newtonish.identification.fields import check_written, found_fields
from newtonish.identification.parameters import KINDS
from newtonish.identification.result import Estimate, Identification
from newtonish.importers.urdf.read import is_urdf
from newtonish.mjw.from_file import read_compiled
from newtonish.model.sources import is_usd

__all__ = ["merged", "save_merged"]

_ELEMENTS = {"jnt": "joint", "body": "body", "actuator": "actuator", "geom": "geom"}


def save_merged(source: Any, found: Identification, path: str | PathLike[str]) -> None:
    """Write a model with the parameters that were found as an MJCF file, with its meshes and pictures beside it.

    Args:
        source: what ``identify`` was given.
        found: what it returned.
        path: the file, whose name ends in .xml.

    Raises:
        UnsupportedError: as ``merged``, or the written file does not compile to what was found.
    """
    root, fields = _merged(source, found)
    target = Path(path)
    mjcf.export_with_assets(root, str(target.parent), target.name)
    check_written(target, fields)


def merged(source: Any, found: Identification) -> Any:
    """A model with the parameters that were found, as the root of an object model of ``newtonish.mjcf``.

    Of an MJCF file or text, all else is as its author wrote it, with included files taken in. Other sources are what ``newtonish convert`` makes of them. Biases are those of measurements and are no part of a model. A delay is written with a buffer that MuJoCo reads linearly.

    Args:
        source: what ``identify`` was given.
        found: what it returned.

    Raises:
        UnsupportedError: an object has no name by which it could be found, or is of a kind that has no such number.
    """
    return _merged(source, found)[0]


def _merged(source: Any, found: Identification) -> tuple[Any, dict[str, np.ndarray]]:
    """The object model, and the fields that it should compile to."""
    compiled = read_compiled(source)[0]
    root = _root(source, compiled)
    fields = found_fields(compiled, found.estimates)
    for each in found.estimates:
        if each.kind == "bias":
            continue
        if not each.object:
            for name in compiled.actuator_names:
                _set_delay(_element(root, "actuator", name, each), each.value, float(compiled.opt.timestep))
            continue
        owner = KINDS[each.kind].owner
        element = _element(root, _ELEMENTS[owner], each.object, each)
        _WRITERS[owner](element, each, compiled, fields)
    return root, fields


def _root(source: Any, compiled: Any) -> Any:
    if hasattr(source, "to_xml_string"):
        return source.root_model if hasattr(source, "root_model") else source
    if not (is_archive(source) or is_usd(source) or is_urdf(str(source))):
        if isinstance(source, PathLike) or not str(source).lstrip().startswith("<"):
            return mjcf.from_path(str(source))
        return mjcf.from_xml_string(str(source))
    return mjcf.from_xml_string(to_mjcf(compiled))


def _element(root: Any, namespace: str, name: str, each: Estimate) -> Any:
    found = root.find(namespace, name) if name else None
    if found is None:
        given = f"{namespace} {name!r}, which is not in the file by that name"
        raise UnsupportedError(problem(f"merge {each.name}", given, "objects with names", f"give the {namespace} a name in the model"))
    return found


def _set_body(element: Any, each: Estimate, c: Any, fields: dict[str, np.ndarray]) -> None:
    """All of the inertia, as it was compiled, but mass and moments."""
    i = list(c.body_names).index(each.object)
    mass = float(fields["body_mass"][i]) if "body_mass" in fields else float(c.body_mass[i])
    if element.inertial is not None:
        element.inertial.remove()
    element.add("inertial", pos=np.asarray(c.body_ipos[i], float), quat=np.asarray(c.body_iquat[i], float), mass=mass, diaginertia=fields["body_inertia"][i])


def _set_joint(element: Any, each: Estimate, c: Any, fields: dict[str, np.ndarray]) -> None:
    if each.kind != "damping":
        setattr(element, each.kind, each.value)
        return
    dof = int(c.jnt_dofadr[list(c.jnt_names).index(each.object)])
    further = np.asarray(c.dof_dampingpoly, float).reshape(int(c.nv), -1)[dof]
    element.damping = [each.value, *further] if further.any() else each.value


def _set_actuator(element: Any, each: Estimate, c: Any, fields: dict[str, np.ndarray]) -> None:
    if each.kind == "delay":
        _set_delay(element, each.value, float(c.opt.timestep))
        return
    i = list(c.actuator_names).index(each.object)
    gain, bias = fields["actuator_gainprm"][i], fields["actuator_biasprm"][i]
    if element.tag == "position":
        element.kp, element.dampratio = float(gain[0]), None
        element.kv = float(-bias[2])
    elif element.tag == "velocity":
        element.kv = float(gain[0])
    elif element.tag == "motor":  # whose gain is 1: its torque follows the gear
        element.gear = np.asarray(c.actuator_gear[i], float) * float(gain[0])
        fields["actuator_gainprm"][i, 0] = 1.0
    elif element.tag == "general":
        element.gainprm, element.biasprm = gain, bias
    else:
        raise UnsupportedError(problem(f"merge {each.name}", f"an actuator <{element.tag}>", "general, motor, position, velocity", "write it as <general>"))


def _set_delay(element: Any, delay: float, step: float) -> None:
    if delay > 0.0:
        element.delay, element.nsample, element.interp = delay, int(np.ceil(delay / step)) + 2, "linear"


def _set_geom(element: Any, each: Estimate, c: Any, fields: dict[str, np.ndarray]) -> None:
    i = list(c.geom_names).index(each.object)
    name = "friction" if each.kind == "friction" else "solref"
    setattr(element, name, fields[f"geom_{name}"][i])


_WRITERS = {"body": _set_body, "jnt": _set_joint, "actuator": _set_actuator, "geom": _set_geom}
