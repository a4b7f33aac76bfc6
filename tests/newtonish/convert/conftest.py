"""Comparison of a CompiledModel with mujoco.MjModel, field by field."""

from collections.abc import Callable, Iterable

import mujoco
import numpy as np
import pytest

from newtonish.common.compiled_fields import FIELDS
from newtonish.convert.compiled import CompiledModel

# used elsewhere only: bounding volume trees
NOT_COMPILED = ("body_bvhadr", "body_bvhnum", "jnt_group")
_SIZE_NAMES = "nq nv nu nactuator nout na nbody njnt ntree ngeom nsite npair nexclude nkey nmocap nM nB nC nD nJmom ngravcomp"
SIZES = tuple(_SIZE_NAMES.split())


def differences(compiled: CompiledModel, oracle: mujoco.MjModel, skip: Iterable[str] = (), tolerance: float = 1e-5) -> list[str]:
    """Every field that differs, with the worst error relative to the tolerance."""
    found = []
    spatial = any(kind != mujoco.mjtWrap.mjWRAP_JOINT for kind in oracle.wrap_type)  # these are left out
    for name in (*SIZES, *(() if spatial else ("ntendon", "nwrap", "nJten"))):
        if getattr(compiled, name) != getattr(oracle, name):
            found.append(f"{name}: {getattr(compiled, name)} instead of {getattr(oracle, name)}")
    for name in FIELDS:
        if name in NOT_COMPILED or name in skip or name.startswith("mesh_") or (spatial and name.startswith(("tendon_", "wrap_", "ten_"))):
            continue
        ours, theirs = getattr(compiled, name), getattr(oracle, name)
        if isinstance(theirs, bytes):
            theirs = np.frombuffer(theirs, dtype=np.uint8)
        if ours.shape != theirs.shape:
            found.append(f"{name}: shape {ours.shape} instead of {theirs.shape}")
            continue
        ours, theirs = ours.astype(np.float64), theirs.astype(np.float64)
        if name.endswith("quat") and name != "key_mquat":
            sign = np.sign(np.sum(ours * theirs, axis=-1, keepdims=True))
            ours = ours * np.where(sign == 0, 1, sign)
        error = np.abs(ours - theirs) / (tolerance + tolerance * np.abs(theirs))
        if error.size and error.max() > 1.0:
            at = tuple(int(i) for i in np.unravel_index(np.argmax(error), error.shape))
            found.append(f"{name}{list(at)}: {ours[at]!r} instead of {theirs[at]!r}")
    return found


@pytest.fixture
def compare() -> Callable[..., list[str]]:
    """The list of differences between a compiled model and MuJoCo's."""
    return differences
