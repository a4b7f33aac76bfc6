"""Every kernel of the package is executed by some case."""

import importlib
import pkgutil

import bridge
import warp as wp
from cases import CASES
from emulation.stepping import launching_plainly

import newtonish.kernels
from newtonish import mjw
from newtonish.kernels.runtime.launch import Planned, planned

PACKAGE = "newtonish.kernels."
# by file: why none of its kernels is executed
NEVER_ON_A_GPU = {
    "runtime.sequence": "the loop over launches of a CPU's thread",
}


def kernels_there_are() -> set[tuple[str, str]]:
    """File and key of every kernel."""
    files = [info.name for info in pkgutil.walk_packages(newtonish.kernels.__path__, PACKAGE)]
    for file in files:
        importlib.import_module(file)
    return {(file.removeprefix(PACKAGE), key) for file in files for key in wp.get_module(file).kernels}


def _of(plan: list[Planned]) -> set[tuple[str, str]]:
    return {(one.kernel.module.name.removeprefix(PACKAGE).split(".lanes")[0], one.kernel.key) for one in plan}


def test_every_kernel_is_executed():
    executed = set()
    for case in CASES:
        m = case.load()
        d = mjw.make_data(m, 2)
        with launching_plainly(), planned(for_cuda=True) as plan:
            case.function(m, d)
        executed |= _of(plan)
    with launching_plainly(), planned(for_cuda=True) as plan:
        bridge.play(bridge.scene())
    executed |= _of(plan)
    missing = kernels_there_are() - executed
    assert {file for file, _ in missing} == set(NEVER_ON_A_GPU), sorted(missing)
