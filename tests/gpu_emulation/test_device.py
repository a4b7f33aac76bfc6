"""Whole programs on the emulated device, each in a process of its own: Warp keeps the device until the end."""

import ast
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

HERE = Path(__file__).parent
BEGIN = """
import ctypes
import numpy as np
import warp as wp
from emulation import device
driver = device.install()
from newtonish import mjw
from newtonish.cli.models import model_path
def load(device, nworld=2):
    m, d = mjw.load(model_path("arm"), nworld=nworld, device=device)
    d.state.qvel.assign(np.linspace(-1.0, 1.0, nworld * m.nv).reshape(nworld, m.nv).astype(np.float32))
    return m, d
"""


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., str]:
    """Runs a program, which is to end with a certain code; what it prints."""

    def run(program: str, ends: int = 0) -> str:
        file = tmp_path / "program.py"
        file.write_text(BEGIN + program)
        environment = os.environ | {"PYTHONPATH": str(HERE), "PYTHONFAULTHANDLER": ""}
        done = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, env=environment, timeout=900)
        assert done.returncode == ends, done.stdout + done.stderr
        return done.stdout

    return run


def test_steps_are_those_of_the_cpu_and_graphs_repeat_them(run):
    run("""
(m, d), (there_m, there) = load("cuda:0"), load("cpu")
assert wp.get_device().is_cuda and m.device.is_cuda and not there_m.device.is_cuda
for _ in range(3):
    mjw.step(m, d), mjw.step(there_m, there)
np.testing.assert_allclose(d.state.qvel.numpy(), there.state.qvel.numpy(), rtol=1e-5, atol=1e-6)
m, again = load("cuda:0")
mjw.step(m, again)
before = driver.allocated_in_graphs
with wp.ScopedCapture() as capture:
    mjw.step(m, again)
assert driver.allocated_in_graphs == before  # a step allocates nothing
for _ in range(2):
    wp.capture_launch(capture.graph)
assert (again.state.qvel.numpy() == d.state.qvel.numpy()).all()
assert {"position_joints_kernel", "solve_kernel"} <= {name.strip("_") for name in driver.launched}
assert not driver.reports()
""")


def test_the_host_cannot_reach_its_memory(run):
    run('ctypes.string_at(wp.zeros(4, dtype=float, device="cuda:0").ptr, 4)', ends=-signal.SIGSEGV)


def test_kernels_cannot_reach_the_hosts(run):
    said = run("""
@wp.kernel
def fill(x: wp.array(dtype=float)):
    x[wp.tid()] = 1.0
x = wp.zeros(64, dtype=float, device="cuda:0")
host = np.zeros(64, dtype=np.float32)
found = []
for place in (x.ptr, host.ctypes.data, x.ptr + 4):
    wp.launch(fill, dim=64, inputs=[wp.array(ptr=place, shape=64, dtype=float, device="cuda:0")], device="cuda:0")
    found += driver.reports() or ["nothing"]
print(found)
""")
    nothing, of_the_host, behind = ast.literal_eval(said.splitlines()[-1])
    assert nothing == "nothing" and "the host's" in of_the_host and "byte 256 of 256" in behind


def test_what_a_graph_cannot_hold(run):
    said = run("""
x = wp.zeros(4, dtype=float, device="cuda:0")
with wp.ScopedCapture():
    x.assign(np.ones(4, dtype=np.float32))
print(*driver.reports())
""")
    assert said.splitlines()[-1].startswith("COPY of 16 bytes of the host's memory while a graph is captured")


def test_graphs_repeat_and_choose_by_conditions(run):
    run("""
@wp.kernel
def count(left: wp.array(dtype=int), odd: wp.array(dtype=int), turns: wp.array(dtype=int)):
    left[0] -= 1
    odd[0] = left[0] % 2
    turns[0] += 1
@wp.kernel
def add(value: int, sums: wp.array(dtype=int)):
    sums[0] += value
left, odd, turns, sums = (wp.array([n], dtype=int, device="cuda:0") for n in (5, 0, 0, 0))
def turn():
    wp.launch(count, dim=1, inputs=[left, odd, turns])
    wp.capture_if(odd, lambda: wp.launch(add, dim=1, inputs=[1, sums]), lambda: wp.launch(add, dim=1, inputs=[100, sums]))
with wp.ScopedCapture() as capture:
    wp.capture_while(left, turn)
    wp.launch(add, dim=1, inputs=[10000, sums])
assert turns.numpy()[0] == 0
wp.capture_launch(capture.graph)
assert (left.numpy()[0], turns.numpy()[0], sums.numpy()[0]) == (0, 5, 10302)
wp.capture_launch(capture.graph)  # there is nothing left to do
assert (turns.numpy()[0], sums.numpy()[0]) == (5, 20302)
assert not driver.reports()
with wp.ScopedCapture():
    wp.capture_while(left, lambda: wp.zeros(4, dtype=float))
assert "ALLOCATION" in driver.reports()[0]
""")


def test_trees_of_boxes_are_searched(run):
    run("""
@wp.kernel
def search(tree: wp.uint64, found: wp.array(dtype=int)):
    query = wp.bvh_query_aabb(tree, wp.vec3(0.0), wp.vec3(1.0))
    box = int(0)
    while wp.bvh_query_next(query, box):
        found[box] = 1
begin = np.array([[-2.0, 0.0, 0.0], [0.5, 0.5, 0.5], [3.0, 0.0, 0.0]], dtype=np.float32)
lowers, uppers = (wp.array(corner, dtype=wp.vec3, device="cuda:0") for corner in (begin, begin + 1.0))
tree = wp.Bvh(lowers, uppers)
for corner, expected in ((begin, [0, 1, 0]), (begin[[1, 0, 2]], [1, 0, 0])):
    lowers.assign(corner), uppers.assign(corner + 1.0)
    tree.refit()
    found = wp.zeros(3, dtype=int, device="cuda:0")
    wp.launch(search, dim=1, inputs=[tree.id, found])
    assert found.numpy().tolist() == expected, found
assert not driver.reports()
""")


def test_steps_leave_no_memory_behind(run):
    run("""
def resident():
    with open("/proc/self/statm") as file:
        return 4096 * int(file.read().split()[1])
m, d = load("cuda:0", 64)
mjw.step(m, d, nstep=20)
before = resident()
mjw.step(m, d, nstep=20)
assert resident() < before + (4 << 20), (before, resident())
""")


def test_a_peer_launches_on_the_device_that_was_asked_for(run):
    run("""
from newtonish.cli.bench.engine import Engine
from newtonish.cli.bench.peers import MuJoCoWarp
class Peer:
    def step(self, m, d):
        self.device = str(wp.get_device())
for device in ("cpu", "cuda:0"):
    engine = MuJoCoWarp.__new__(MuJoCoWarp)
    Engine.__init__(engine)
    engine._wp, engine._device, engine._engine, engine._graph, engine.model, engine.data = wp, device, Peer(), None, None, None
    engine.advance(np.zeros(0), 0)
    assert engine._engine.device == device, engine._engine.device
""")


# the last has surfaces that close twice on rounding, whose rims are written again
@pytest.mark.parametrize(
    "words", [("newtonish/mjw/test_overflow.py",), ("kernels/test_collision_convex.py", "-k", "cylinder-cylinder-touching")], ids=["overflow", "convex"]
)
def test_tests_run_on_it(words):
    file, *chosen = words
    command = [sys.executable, "-m", "pytest", "-n0", "-q", "--emulate-gpu", "--device", "cuda:0", str(HERE.parent / file), *chosen]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1100)
    assert done.returncode == 0 and " passed" in done.stdout, done.stdout + done.stderr
