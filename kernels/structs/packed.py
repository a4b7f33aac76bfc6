"""What the compiler may know about the arrays of a group on a CPU: entries of the last axis lie one beside the other.

Warp's arrays have strides that are known at run time only, so each access to an element multiplies, and neighbours do not
look like neighbours to the compiler. Arrays of Model and Data are contiguous (``newtonish.mjw.matching`` looks when a function
is recorded); a fused kernel says so with ``packed.body(body)`` and the like, for its groups. Nothing is computed by them.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.kernels.structs import data, model
from newtonish.kernels.structs.field import Group

PACKED: dict[str, Group] = {}
"""Groups of which that is stated, by name."""


def _packed(group: Group) -> Any:
    """A native function of the group's struct that states the last stride of each of its arrays."""
    PACKED[group.name] = group
    facts = [
        f"    __builtin_assume(group.{f.name}.strides[{f.ndim - 1}] == {wp.types.type_size_in_bytes(f.dtype)});" for f in group.fields if f.dims is not None
    ]

    def function(group): ...

    function.__name__ = function.__qualname__ = f"packed_{group.name}"
    function.__annotations__ = {"group": group.struct}
    return wp.func_native("\n".join(["", "#if !defined(__CUDA_ARCH__)", *facts, "#endif", ""]))(function)


tree = _packed(model.TREE)
body = _packed(model.BODY)
jnt = _packed(model.JOINT)
dof = _packed(model.DOF)
geom = _packed(model.GEOM)
site = _packed(model.SITE)
actuator = _packed(model.ACTUATOR)
tendon = _packed(model.TENDON)
state = _packed(data.STATE)
kin = _packed(data.KINEMATICS)
com = _packed(data.COM)
mass = _packed(data.MASS)
vel = _packed(data.VELOCITY)
frc = _packed(data.FORCE)
drive = _packed(data.DRIVE)
ten = _packed(data.TENDON_STATE)
contact = _packed(data.CONTACT)
efc = _packed(data.EFC)
sol = _packed(data.SOLVE)
