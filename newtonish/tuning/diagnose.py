"""The diagnosis of a model: every drive, limit, equality and contact as a spring and damper in SI units."""

from __future__ import annotations

from copy import copy
from os import PathLike
from typing import Any

from newtonish.convert import CompiledModel, convert
from newtonish.errors import ModelError, problem
from newtonish.mjw.from_file import read_compiled
from newtonish.tuning.constraints import contact_rows, equality_rows, limit_poses, limit_rows
from newtonish.tuning.drives import drive_rows
from newtonish.tuning.mechanics import Mechanics
from newtonish.tuning.rows import Row

__all__ = ["compile_source", "diagnose", "keyframe_of"]


def compile_source(source: Any) -> CompiledModel:
    """Compiled arrays of a file, a text, a ``newtonish.Model`` (its first world), or of compiled arrays themselves."""
    if hasattr(source, "body_count"):
        source = convert(source)
    if not isinstance(source, CompiledModel):
        source = read_compiled(str(source) if isinstance(source, PathLike) else source)[0]
    first = copy(source)
    first.batched = {}  # a world is a pose here, not one of the model's
    return first


def keyframe_of(compiled: CompiledModel, pose: str | int | None) -> int | None:
    """Number of a keyframe by name or number; None stands for the first one, and is the answer where there is none.

    Raises:
        ModelError: There is no such keyframe.
    """
    if pose is None:
        return 0 if compiled.nkey else None
    names = list(compiled.key_names)
    if pose in names:
        return names.index(pose)
    if str(pose).isdecimal() and int(pose) < compiled.nkey:
        return int(pose)
    known = ", ".join(name or str(number) for number, name in enumerate(names)) or "none, the model has no keyframes"
    raise ModelError(problem("pose", repr(pose), known, "name a keyframe, or leave it out for the first one or the reference pose"))


def diagnose(source: Any, pose: str | int | None = None) -> list[Row]:
    """Say what the gains of a model come to in newtons, metres and seconds.

    Rows are counted with MuJoCo's regularisation: what holds at rest, and what answers in motion. Drives and contacts are those of the pose, a limit
    is taken with its joint at the limit and the others in the pose. Of several worlds the first counts. Rows of the integrator ``discrete``, which
    are implicit, are described as those of the others.

    Args:
        source: Path or text of an MJCF or URDF file, path of a USD file or archive, a ``newtonish.Model``, or compiled arrays.
        pose: Keyframe by name or number; None: the first one, or the reference pose of a model without keyframes.

    Returns:
        Drives, limits, equalities and contacts, in this order.

    Raises:
        ImporterError: Everything wrong with the file.
        ModelError: There is no such keyframe.
    """
    compiled = compile_source(source)
    poses, place = limit_poses(compiled)
    mechanics = Mechanics(compiled, keyframe_of(compiled, pose), poses)
    return [
        *drive_rows(compiled, mechanics),
        *limit_rows(compiled, mechanics, place),
        *equality_rows(compiled, mechanics),
        *contact_rows(compiled, mechanics),
    ]
