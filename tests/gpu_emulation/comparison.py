"""What a case launches, by emulation and in the CPU's own form."""

from __future__ import annotations

from cases import Case
from emulation.compiler import Form
from emulation.emulator import CHECKED, Emulator, Schedule
from emulation.stepping import Launch, differences, emulating, launching_plainly, prepare
from lanes_setting import lanes_set

from newtonish.kernels.runtime.launch import planned

WORLDS = 2
# sums over lanes are taken in another order than on a CPU; float32 keeps seven digits
TOLERANCE = 1e-5
# what a case's results may differ by, where rounding is magnified
LOOSER = {
    "discrete_cg": 2e-4,  # forces of stiff rows, each the stiffness times a residual that conjugate gradients leave
    "inverse_differences": 5e-4,  # rounding, divided by a step of 0.01
    # rounding of opposite forces of welds, divided by light links: 1.0e-5 of MuJoCo's speeds with 64 lanes, 6e-6 with 32 and with sums fused, 7e-7 on a CPU
    "rollout_with_equalities": 1.5e-5,
    "tendons": 3e-5,  # opposite contact forces that cancel in the generalized force
}


def compare(
    case: Case, setting: str, schedule: Schedule, *, form: Form = CHECKED, allowed: float | None = None, exact: dict[str, float] | None = None
) -> dict[str, Launch]:
    """A case from a warm state in both forms, on worlds that differ.

    Args:
        case: model, options and function.
        setting: of NEWTONISH_LANES; empty: the mapping's choice.
        schedule: order of the lanes.
        form: how kernels are compiled for the emulation.
        allowed: difference, relative to the largest entry of an array; None: what rounding makes of this case.
        exact: what is allowed of single arrays, by name.

    Returns:
        What was launched, by key of the kernel.
    """
    m = case.load()
    here, there, unused = (prepare(m, WORLDS, case.warm) for _ in range(3))
    expected = case.function(m, here) or []
    emulator = Emulator(form, schedule)
    with lanes_set(setting):
        with launching_plainly(), planned(for_cuda=True):  # which puts all kernels into their modules before one of these is compiled
            case.function(m, unused)
        with emulating(emulator) as launched:
            found = case.function(m, there) or []
    reports = emulator.reports()
    assert not reports, "\n".join(reports)
    most = LOOSER.get(case.name, TOLERANCE) if allowed is None else allowed
    apart = {"status.nhessian_needed": float("inf")} if m.mapping.islands > 1 else {}  # islands side by side need room together
    closer = apart | (exact or {})
    beyond = [one for one in differences(here, there, expected, found) if not one.size <= closer.get(one.array, most)]
    assert not beyond, f"beyond {most}: {beyond}"
    return launched
