"""What a model has, as far as it decides which stages have anything to do; asked before their kernels are imported."""

from __future__ import annotations

from typing import Any

from newtonish.kernels.enums import BroadphaseType, DisableBit, EnableBit


def is_forced(m: Any) -> bool:
    """Whether geoms have force-space contact gains."""
    return m.nforced > 0


def is_exact(m: Any) -> bool:
    """Whether the flag diagexact is set."""
    return bool(m.opt.enableflags & EnableBit.DIAGEXACT)


def has_material(m: Any) -> bool:
    """Whether contacts of the model can pull or surfaces of it move."""
    return m.size.flg_adhesion != 0 or m.size.flg_surfacevel != 0


def has_adhesion(m: Any) -> bool:
    """Whether contacts of the model can pull."""
    return m.size.flg_adhesion != 0


def collides(m: Any) -> bool:
    """Whether geoms of the model can touch each other."""
    off = DisableBit.CONTACT | DisableBit.CONSTRAINT
    return not m.opt.disableflags & off and (m.size.ncollide > 0 or m.opt.broadphase != BroadphaseType.NXN)


def is_convex(m: Any) -> bool:
    """Whether the kernel that knows all shapes finds the contacts: it alone knows symmetric contacts."""
    return m.hull.nconvex > 0 or m.opt.symmetric_contacts != 0


def has_equalities(m: Any) -> bool:
    """Whether there are equality constraints."""
    return m.size.neq > 0


def has_laws(m: Any) -> bool:
    """Whether an actuator has a force law of its own: a PID controller, a DC motor, a servo of an orientation."""
    return m.size.nlaw > 0


def has_history(m: Any) -> bool:
    """Whether controls or sensors are delayed."""
    return m.past.nhistory > 0


def is_plastic(m: Any) -> bool:
    """Whether the rest of some spring follows what pulls at it."""
    return m.past.nplastic > 0


def has_past(m: Any) -> bool:
    """Whether worlds remember anything beside their state: delayed values, or the rest of plastic springs."""
    return has_history(m) or is_plastic(m)


def has_user_forces(m: Any) -> bool:
    """Whether actuators have functions of the user's."""
    return m.user_actuation is not None


def is_diagnosed(m: Any) -> bool:
    """Whether a step counts warnings or compares forward with inverse dynamics."""
    return bool(m.watching or m.opt.enableflags & EnableBit.FWDINV)


def has_sensors(m: Any) -> bool:
    """Whether there are sensors, and they are evaluated."""
    return m.size.nsensor > 0 and not m.opt.disableflags & DisableBit.SENSOR


def measures(m: Any) -> bool:
    """Whether a step has anything to measure by the common kernel: ordinary sensors, or the energy."""
    return bool((m.sensor.ordinary > 0 and has_sensors(m)) or m.opt.enableflags & EnableBit.ENERGY)


def tendons_react(m: Any) -> bool:
    """Whether forces of spatial tendons are part of what sensors measure."""
    return bool(has_sensors(m) and m.ntenspatial > 0 and m.sensor.accelerations)
