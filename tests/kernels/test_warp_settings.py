"""What importing and stepping does to Warp: to our modules what they need, to everybody else's nothing."""

import subprocess
import sys

import pytest
import warp as wp
from paths import OWN

from newtonish import NewtonishWarning
from newtonish.kernels.fused.solve import solve_kernel
from newtonish.kernels.runtime import header, launch
from newtonish.kernels.runtime.launch import goes_through_worlds, through_worlds
from newtonish.kernels.runtime.sequence import sequence_kernel
from newtonish.mjw import recording

GRADIENTS = """
import sys

import warp as wp
from newtonish import mjw

m, d = mjw.load(sys.argv[1], nworld=2)
mjw.step(m, d)

@wp.kernel
def squares(x: wp.array(dtype=float), total: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(total, 0, x[i] * x[i])

x = wp.array([1.0, 2.0, 3.0], dtype=float, device="cpu", requires_grad=True)
total = wp.zeros(1, dtype=float, device="cpu", requires_grad=True)
with wp.Tape() as tape:
    wp.launch(squares, 3, inputs=[x, total], device="cpu")
tape.backward(total)
print("gradient", x.grad.numpy().tolist())
loaded = [module for module in wp._src.context.user_modules.values() if module.execs and module.name.startswith("newtonish.")]
print("loaded", len(loaded), "with adjoints", [module.name for module in loaded if module.options["enable_backward"]])
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory) -> subprocess.CompletedProcess:
    """A program that imports newtonish, takes a step, and differentiates a kernel of its own."""
    path = tmp_path_factory.mktemp("program") / "program.py"
    path.write_text(GRADIENTS)
    return subprocess.run([sys.executable, str(path), str(OWN / "mjcf_tree.xml")], capture_output=True, text=True, check=True, timeout=300)


def test_a_kernel_of_the_users_has_gradients_and_ours_have_none(program):
    assert "gradient [2.0, 4.0, 6.0]" in program.stdout
    loaded = next(line for line in program.stdout.splitlines() if line.startswith("loaded"))
    assert loaded.endswith("with adjoints []") and int(loaded.split()[1]) > 5


def test_lines_about_modules_of_the_users_are_shown_and_those_about_ours_are_not(program):
    lines = program.stdout.splitlines()
    assert [line.split()[1] for line in lines if line.startswith("Module ")] == ["__main__"]
    assert not any(line.startswith("Warp ") for line in lines)


def test_kernels_that_go_through_worlds_are_marked():
    assert goes_through_worlds(solve_kernel)
    assert not goes_through_worlds(sequence_kernel)


def test_every_kernel_whose_last_argument_is_the_number_of_worlds_is_marked():
    from cuda_compile import STEP_BUILDS

    kernels = [kernel for build in STEP_BUILDS for kernel in wp.get_module(build.module.name.split(".lanes")[0]).kernels.values()]
    named = {kernel.key for kernel in kernels if kernel.adj.args and kernel.adj.args[-1].label == "nworld"}
    assert named == {kernel.key for kernel in kernels if goes_through_worlds(kernel)}
    assert len(named) >= 20


def test_a_kernel_without_the_number_of_worlds_cannot_be_marked():
    with pytest.raises(TypeError, match=r"sequence_kernel: got .* nworld"):
        through_worlds(sequence_kernel)


def test_a_first_compilation_that_failed_is_tried_again(monkeypatch):
    answers = [OSError("no space left on device")]

    def load(module):
        if answers:
            raise answers.pop()

    monkeypatch.setattr(header, "_state", {})
    monkeypatch.setattr(header, "_turns", header.Turns())
    monkeypatch.setattr(header, "_load", load)
    monkeypatch.setattr(header, "_cores", lambda: 2)
    assert isinstance(header.begin("cpu").exception(), OSError)
    header.load_side_by_side(["one", "two", "three"])
    assert header.begin("cpu").exception() is None
    assert len(header._turns._free) == 2  # as many as there are cores, after two beginnings


def test_a_module_that_failed_is_compiled_again(monkeypatch):
    forgotten = []

    class Module:
        def mark_modified(self):
            forgotten.append(self)

    def fail(*arguments, **settings):
        raise RuntimeError("no space left on device")

    module = Module()
    monkeypatch.setattr(wp, "force_load", fail)
    with pytest.raises(RuntimeError, match="no space"):
        launch.load_now([module], "cpu", block_dim=1, workers=0)
    assert forgotten == [module]


def test_an_untested_warp_is_warned_of_once(monkeypatch):
    monkeypatch.setattr(wp, "__version__", "1.99.0")
    monkeypatch.setattr(recording, "_warned", set())
    with pytest.warns(NewtonishWarning, match=r"untested version 1\.99\.0; allowed: 1\.19\.\*; .*1\.5 times as long") as found:
        recording.warn_of_untested_warp()
        recording.warn_of_untested_warp()
    assert len(found) == 1


def test_the_installed_warp_is_tested():
    assert launch.is_known()
