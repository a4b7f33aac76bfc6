"""The first stage of a step: what depends on positions alone, but for contacts and rows."""

from __future__ import annotations

from typing import Any

from newtonish.kernels.forces.stage import law_transmission


def position_stage(m: Any, d: Any) -> None:
    """Kinematics, centre of mass, mass matrix and its factor, tendons, transmission, and where cameras and lights are if somebody asks.

    Reads   d.state. Writes d.kin, d.com, d.mass, d.drive (length, moment), d.ten, d.camlight.
    MuJoCo  mj_fwdPosition without contacts and constraint rows.
    """
    if m.simple.position:
        from newtonish.kernels.fused.position_joints import launch_position_joints

        launch_position_joints(m, d)
    else:
        from newtonish.kernels.fused.position import launch_position

        launch_position(m, d)
    law_transmission(m, d)
    if d.places_cameras:
        from newtonish.kernels.smooth.camlight import camlight

        camlight(m, d)


def tendon_velocities(m: Any, d: Any) -> None:
    """Velocities of tendons, which the position stage computes, for another velocity in the same position."""
    if m.size.ntendon > 0:
        from newtonish.kernels.tendon.tendon import tendon

        tendon(m, d)


def reactions(m: Any, d: Any) -> None:
    """Accelerations of bodies and the forces between them, where they are asked for though no sensor needs them."""
    if m.measures_reactions:
        from newtonish.kernels.smooth.rne_postconstraint import rne_postconstraint

        rne_postconstraint(m, d)
