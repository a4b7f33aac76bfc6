"""What has to be compiled for a function is what it launches: planned by a run that launches nothing."""

import subprocess
import sys

import mujoco
import numpy as np
import pytest
import warp as wp
from lanes_setting import lanes_set
from plans import launched, short_name
from step_models import MODELS, builds_of_steps, step_models

from newtonish import mjw
from newtonish.kernels.forward import diagnose, forward, integrate, step
from newtonish.kernels.runtime import lanes
from newtonish.kernels.runtime import modules as kernel_modules
from newtonish.kernels.runtime.lanes import BLOCK_DIM, Choice, variant
from newtonish.kernels.runtime.launch import Planned, gathered, launch, launch_on, planned
from newtonish.kernels.runtime.modules import SLOWEST, Build
from newtonish.mjw import replay
from newtonish.mjw.casting import rays
from newtonish.mjw.replay import modules_of_step

FRESH = """
import sys
import warp as wp
from newtonish import mjw
from newtonish.kernels.runtime.modules import load_modules, planned_modules

def loaded():
    return {name for name, module in wp._src.context.user_modules.items() if module.execs}

def user(m, d):
    d.ctrl.fill_(0.1)

m, d = mjw.load(sys.argv[1], 3)
at_start = loaded()
mjw.step(m, d)
mjw.reset_data(m, d)
print("later:", *sorted(loaded() - at_start))
used = loaded()
m.opt.integrator, m.opt.noslip_iterations = mjw.IntegratorType.RK4, 2
m.callback.control = user
mjw.step(m, d)
print("more:", *sorted(loaded() - used))
"""


@wp.kernel(module="unique")
def _count(x: wp.array(dtype=float)):
    w, lane = wp.tid()
    if lane == 0:
        x[w] = x[w] + 1.0


def test_a_plan_lists_the_launches_in_their_order_and_carries_none_out(device):
    m, d = mjw.load(f"<mujoco>{MODELS['round']}</mujoco>", 3, device=device)
    with planned() as plan:
        launch(_count, d, [d.time])
        with planned() as inner:
            launch_on(_count, d.device, 3, [d.time])
        launch(_count, d, [d.time])
    planned_one = Planned(variant(_count, Choice(8)), BLOCK_DIM) if d.device.is_cuda else Planned(_count, 1)
    assert plan == [planned_one] * 2
    assert inner == [Planned(_count, 256 if d.device.is_cuda else 1)]
    assert not _count.module.execs  # nothing was compiled either
    assert not d.time.numpy().any()
    launch(_count, d, [d.time])
    assert (d.time.numpy() == 1.0).all()


FUSED = "newtonish.kernels.fused."
# what a GPU launches beside a CPU's kernels: last steps, and what begins and ends the solution of islands side by side
BESIDE = {f"{FUSED}refine", f"{FUSED}refine_islands", "newtonish.kernels.integrate.discrete.refine"}
BESIDE |= {f"{FUSED}find_islands", f"{FUSED}enter_islands"}
IN_PLACE = {f"{FUSED}solve_each_island": f"{FUSED}solve_islands", f"{FUSED}refine_each_island": f"{FUSED}refine_islands"}


def test_a_plan_for_a_gpu_can_be_made_on_a_cpu():
    for label, m, d in step_models():
        on_cpu, on_gpu = modules_of_step(m, d), modules_of_step(m, d, for_cuda=True)
        # variants of the same modules, of one with several kernels there may be several
        files = list(dict.fromkeys(build.module.name.split(".lanes")[0] for build in on_gpu))
        same = [IN_PLACE.get(file, file) for file in files]
        here = [build.module.name for build in on_cpu]
        assert [file for file in same if file in here or file not in BESIDE] == here, label
        assert {build.block_dim for build in on_cpu} == {1}
        assert {build.block_dim for build in on_gpu} == {BLOCK_DIM}


@pytest.mark.parametrize("setting, width, solver", [("", 2, 8), ("4", 4, 8), ("128", 128, 128), ("solve=64", 2, 64), ("position_joints=16,32", 32, 32)])
def test_lanes_of_a_chain_by_setting(setting, width, solver):
    m, d = mjw.load(f"<mujoco>{MODELS['past']}</mujoco>", 2, device="cpu")
    with lanes_set(setting):
        builds = modules_of_step(m, d, for_cuda=True)
    found = {build.module.name.removeprefix("newtonish.kernels.fused."): build.block_dim for build in builds}
    assert found[f"solve.lanes{solver}_nv{m.nv}"] == max(solver, BLOCK_DIM)
    assert found[f"constraint_joints.lanes{width}"] == max(width, BLOCK_DIM)
    assert ("position_joints.lanes16" in found) == ("position_joints=16" in setting)


def test_lanes_are_chosen_for_kernels_that_there_are():
    names = {lanes.name_of(kernel) for build in builds_of_steps() for kernel in build.module.kernels.values()}
    chosen = lanes.BY_WARPS | lanes.BY_DOFS | lanes.BY_EIGHTS | lanes.BY_ISLANDS | lanes.BY_FEW | lanes.SIZED
    assert chosen | set(lanes.FEWER_BLOCKS) | set(lanes.MOST_LANES) <= names
    assert all(any(name.startswith(prefix) for name in names) for prefix in lanes.ROUNDED_APART)


@pytest.mark.parametrize("setting", ["solve=3", "many", "solve=", "solve=32;euler=8"])
def test_a_setting_that_is_none(setting):
    m, d = mjw.load(f"<mujoco>{MODELS['past']}</mujoco>", 2, device="cpu")
    with lanes_set(setting), pytest.raises(ValueError, match=r"NEWTONISH_LANES: got .*; allowed: KERNEL=LANES or LANES"):
        modules_of_step(m, d, for_cuda=True)


@pytest.mark.parametrize("name", ["round", "tendons", "past", "looks", "surfaces", "laws"])
def test_what_is_planned_is_what_is_launched(name, device):
    """The commands that a step is recorded from, kernel by kernel."""
    m, d = mjw.load(f"<mujoco>{MODELS[name]}</mujoco>", 2, device=device)
    for integrator in mjw.IntegratorType:
        m.opt.integrator = int(integrator)
        mjw.step(m, d)  # every kernel is compiled
        with planned() as plan:
            step(m, d)
        with gathered() as commands:
            step(m, d)
        # a launch without threads, on a model that has nothing for it, is none
        assert [one.kernel for one in plan] == [command.kernel for command in commands]


def test_a_step_is_forward_and_what_moves_the_state():
    count = 0
    for label, m, d in step_models():
        found = []
        for functions in ((step,), (forward, diagnose, integrate)):
            with planned() as plan:
                for function in functions:
                    function(m, d)
            found.append(plan)
        assert found[0] == found[1], label
        count += 1
    assert count > 200


def test_functions_of_the_users_are_not_called(device):
    m, d = mjw.load(f"<mujoco>{MODELS['round']}</mujoco>", 3, device=device)
    calls = []
    m.callback.control = m.callback.passive = lambda m, d: calls.append(d.first_world)
    for integrator, times in ((mjw.IntegratorType.EULER, 3), (mjw.IntegratorType.RK4, 12)):
        m.opt.integrator = int(integrator)
        calls.clear()
        modules = launched(m, d)
        assert not calls
        assert "forces.acceleration" in modules
        assert ("runtime.callback_time" in modules) == (integrator == mjw.IntegratorType.RK4)  # a call at the step's start is no launch
        mjw.step(m, d)
        assert len(calls) == times  # passive forces are computed again after the controls


def test_a_fresh_process_loads_all_modules_before_the_first_launch(tmp_path):
    path = tmp_path / "model.xml"
    path.write_text(f"<mujoco>{MODELS['round']}</mujoco>")
    done = subprocess.run([sys.executable, "-c", FRESH, str(path)], capture_output=True, text=True, check=True, timeout=600)
    lines = [line.split() for line in done.stdout.splitlines()]
    (later,), (more,) = ([line[1:] for line in lines if line[0] == word] for word in ("later:", "more:"))
    assert later == []
    assert {name.removeprefix("newtonish.kernels.") for name in more} == {"integrate.rk4", "fused.noslip", "runtime.callback_time"}


@pytest.mark.parametrize("function", [mjw.forward, mjw.step1, mjw.inverse])
def test_who_evaluates_the_dynamics_has_the_modules_of_a_step(function, monkeypatch, device):
    m = mjw.put_model(mujoco.MjModel.from_xml_string(f"<mujoco>{MODELS['round']}</mujoco>"), device=device)
    d = mjw.make_data(m, 2)
    asked = []
    monkeypatch.setattr(replay, "load_modules", lambda device, builds: asked.extend(build.module.name for build in builds))
    function(m, d)
    short = [short_name(name) for name in asked]
    assert len(asked) >= 4 and ("inverse" in short) == (function is mjw.inverse)
    assert (set(launched(m, d)) <= set(short)) == (function is not mjw.inverse)


def test_a_model_compiles_only_what_it_has(device):
    m, d = mjw.load(f"<mujoco>{MODELS['round']}</mujoco>", 2, device=device)
    beside = ["refine"] if d.device.is_cuda else []
    names = ["position_joints", "collision_round", "smooth_motors", "constraint_joints", "solve", *beside, "euler"]
    assert launched(m, d) == [f"fused.{name}" for name in names]
    m.opt.solver, m.opt.integrator = int(mjw.SolverType.CG), int(mjw.IntegratorType.IMPLICITFAST)
    assert launched(m, d)[4:] == ["fused.solve_cg", "fused.refine", "fused.implicitfast"]
    assert [short_name(build.module.name) for build in modules_of_step(m, d)][-1] == "reset"


def test_the_slowest_are_modules_that_there_are_and_begin_first(monkeypatch, device):
    known = {short_name(build.module.name) for build in builds_of_steps()} | {"inverse"}
    assert set(SLOWEST) <= known
    m, d = mjw.load(f"<mujoco>{MODELS['looks']}</mujoco>", 2, device="cpu")
    began = []
    monkeypatch.setattr(kernel_modules, "load_side_by_side", lambda modules: began.extend(modules))
    monkeypatch.setattr(kernel_modules, "_loaded", set())
    kernel_modules.load_modules("cpu", modules_of_step(m, d))
    short = [module.name.removeprefix("newtonish.kernels.") for module in began]
    slow = [name for name in short if name in SLOWEST]
    assert len(slow) > 6 and short[: len(slow)] == slow == sorted(slow, key=SLOWEST.index)
    assert len(set(short)) == len(short) and short[-1] == "reset"
    kernel_modules.load_modules("cpu", [Build(module, 1) for module in began])
    assert len(began) == len(short)  # what was loaded is not loaded again


def test_rays_and_sorting_are_gathered_as_well(device):
    m, d = mjw.load(f"<mujoco>{MODELS['round']}</mujoco>", 2, device=device)
    mjw.forward(m, d)
    start = wp.array(np.array([[[0.0, 0.0, 3.0]]]), dtype=wp.vec3, device=device)
    down = wp.array(np.array([[[0.0, 0.0, -1.0]]]), dtype=wp.vec3, device=device)
    dist, geomid = wp.zeros((2, 1), dtype=float, device=device), wp.zeros((2, 1), dtype=int, device=device)
    normal, exclude = wp.zeros((2, 1), dtype=wp.vec3, device=device), wp.full(1, -1, dtype=int, device=device)
    arguments = start, down, [-1] * 6, True, exclude, dist, geomid, normal
    with gathered() as commands:
        rays(m, d, *arguments)
    assert len(commands) == 1 and not dist.numpy().any()
    commands[0].launch()
    assert (dist.numpy() > 0.0).all()
