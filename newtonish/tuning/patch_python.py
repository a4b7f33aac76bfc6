"""Tuned gains as lines of Python."""

from __future__ import annotations

from newtonish.tuning.result import Outcome

__all__ = ["python_lines"]


def python_lines(outcome: Outcome, title: str, names: list[str], targets: bool = False) -> str:
    """A module whose function sets the gains in a ``SolverMuJoCo``.

    Args:
        outcome: What was found.
        title: The model's.
        names: Names of all actuators, in their order.
        targets: Whether drives may be joint targets, which are set by their joint.
    """
    spec = ", ".join(f"{name}={value:g}" for name, value in outcome.specification.bounds.items())
    lines = [
        f'"""Gains of {title}, found by newtonish tune for {spec}."""',
        "",
        "",
        "def set_gains(solver):",
        '    """Set them in a newtonish.SolverMuJoCo."""',
    ]
    for result in filter(lambda result: result.changed, outcome.results):
        target, (first, second) = result.target, result.values
        if target.kind == "limit":
            sign = -1.0 if target.names[0] == "stiffness" else 1.0
            lines.append(f"    solver.set(joint={target.name!r}, solreflimit=({sign * first:.6g}, {sign * second:.6g}))")
        elif targets and names[target.stiffener] == f"{target.name}_position":
            lines.append(f"    solver.set(joint={target.name!r}, ke={first:.6g}, kd={second:.6g})")
        elif target.damper == target.stiffener:
            lines.append(f"    solver.set(actuator={names[target.stiffener]!r}, kp={first:.6g}, kv={second:.6g})")
        else:
            lines.append(f"    solver.set(actuator={names[target.stiffener]!r}, kp={first:.6g})")
            lines.append(f"    solver.set(actuator={names[target.damper]!r}, kv={second:.6g})")
    if not any(result.changed for result in outcome.results):
        lines.append("    del solver  # nothing to change")
    return "\n".join(lines) + "\n"
