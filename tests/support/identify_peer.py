"""The same log identified here and by ``mujoco.sysid``, timed by processor time (``identify_robots.py --peer``).

The robot of ``identify_robots`` has no delay here, because ``mujoco.sysid`` has no parameter for one that acts on controls. Both begin at the same wrong parameters with the same bounds. ``mujoco.sysid`` is used as its
own tests use it, with its default optimizer, weights of sensors by their noise, and the true state at the beginning, which newtonish has to find from the noisy log.

It goes on to 1e-8, newtonish until a step is a twentieth of a standard deviation, and then finds intervals and what the log cannot tell. So two times of both are told: that of the whole
call, and that at which it first stood within a twentieth of a standard deviation of its own end.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from newtonish.identification.search import CLOSE


def peer_parameters(estimates, sysid):
    """The parameters of an identification for ``mujoco.sysid``, with their bounds."""
    result = sysid.ParameterDict()
    for each in estimates:
        low, high = each["low"], each["high"]
        result.add(sysid.Parameter(each["name"], each["initial"], low, high, modifier=_modifier(each["kind"], each["object"])))
    return result


def _modifier(kind: str, name: str):
    def mass(spec, p):
        body = spec.body(name)
        ratio = float(p.value[0]) / body.mass
        body.mass, body.inertia = float(p.value[0]), np.asarray(body.inertia) * ratio

    def gain(spec, p):
        actuator = spec.actuator(name)
        ratio = float(p.value[0]) / actuator.gainprm[0]
        actuator.gainprm, actuator.biasprm = np.asarray(actuator.gainprm) * ratio, np.asarray(actuator.biasprm) * ratio

    def joint(spec, p):
        setattr(spec.joint(name), kind, [float(p.value[0]), 0.0, 0.0] if kind == "damping" and np.ndim(spec.joint(name).damping) else float(p.value[0]))

    return {"mass": mass, "gain": gain}.get(kind, joint)


def peer(one, parameters, iterations: int):
    """What ``mujoco.sysid`` finds, seconds of processor time, and where it stood when: (seconds, parameters) of each point whose residuals it asked for."""
    import mujoco
    from mujoco import sysid

    spec = mujoco.MjSpec.from_string(one.model)
    model = spec.compile()
    names = [model.sensor(i).name for i in range(model.nsensor)]
    log = one.log
    table = []
    weights = {}
    for name in names:
        kind, number = name.rstrip("0123456789"), name.lstrip("abcdefghijklmnopqrstuvwxyz")
        column = {"position": f"qpos:joint{number}", "velocity": f"qvel:joint{number}", "force": f"sensor:force{number}"}[kind]
        table.append(log[column])
        noise = {"position": 2e-3, "velocity": 2e-2, "force": 5e-2}[kind]
        weights[name] = float(np.linalg.norm(log[column])) / noise / 1e3  # its residuals are divided by the columns' norms
    sensors = np.stack(table, axis=-1)
    control = np.stack([log[f"ctrl:servo{j}"] for j in range(model.nu)], axis=-1)
    # a row of a rollout's sensors is that of the state before the step, at the time behind it
    sensor_rows = sysid.TimeSeries.from_names(log["time"][1:], sensors[:-1], model)
    data = mujoco.MjData(model)
    state = sysid.create_initial_state(model, data.qpos, data.qvel, data.act)
    sequences = sysid.ModelSequences("legs", spec, "log", state, sysid.TimeSeries(log["time"], control), sensor_rows)
    residual = sysid.build_residual_fn(models_sequences=[sequences], sensor_weights=weights)
    given = peer_parameters(parameters, sysid)
    begin, course = time.process_time(), []

    def told(x, params, **further):
        """The residuals; keeps where the search is."""
        result = residual(x, params, **further)
        if np.size(x) == len(parameters):
            course.append((time.process_time() - begin, np.ravel(x).copy()))
        return result

    found, _ = sysid.optimize(initial_params=given, residual_fn=told, optimizer="mujoco", verbose=False, max_iters=iterations, x_scale="jac")
    return found.as_vector(), time.process_time() - begin, course


def compare(seed: int, seconds: float, legs: int, turns: int, iterations: int = 40) -> int:
    """Print both results and their times, taken in turns."""
    from identify_robots import FIT, robot

    from newtonish.identification import identify
    from newtonish.identification.columns import Columns
    from newtonish.identification.parameters import find_parameters
    from newtonish.mjw.from_file import read_compiled

    one = robot(seed, seconds, legs, delay=False)
    fit = [kind for kind in FIT if kind != "delay"]
    compiled = read_compiled(one.model)[0]
    parameters = [vars(each) for each in find_parameters(compiled, Columns(compiled), [], fit)]
    identify(one.model, [{name: value[:200] for name, value in one.log.items()}], fit, iterations=1)  # loads kernels
    true = np.array([one.values[each["name"]] for each in parameters])
    ratios = []
    for _ in range(turns):
        values, whole, course = peer(one, parameters, iterations)
        ratios.append([])
        for apart in (True, False):
            found, spent, ours = timed(one, fit, apart)
            deviation = np.array([each.deviation for each in found.estimates])
            own = np.array([each.value for each in found.estimates])
            first, theirs = reached(ours, own, deviation), reached(course, values, deviation)
            _tell(f"newtonish{'' if apart else ', all legs as one part'}", spent, f"{found.iterations} iterations", first, own, true)
            ratios[-1] += [whole / spent, theirs / first]
        _tell("mujoco.sysid", whole, f"{len(course)} points", theirs, values, true)
    words = "whole calls", "until near the end", "whole calls, all legs as one part", "until near the end, all legs as one part"
    for name, each in zip(words, np.transpose(ratios), strict=True):
        print(f"times mujoco.sysid, {name}: {np.median(each):.1f} ({min(each):.1f} to {max(each):.1f})")
    return 0


def timed(one, fit, apart: bool):
    """What newtonish finds, seconds of processor time, and where it stood after each iteration."""
    from newtonish.identification import identify

    begin, course = time.process_time(), []
    with TemporaryDirectory() as folder:
        state = Path(folder) / "state.json"

        def told(*_):
            course.append((time.process_time() - begin, np.array(json.loads(state.read_text())["values"])))

        found = identify(one.model, [one.log], fit, apart=apart, state=state, progress=told)
    return found, time.process_time() - begin, course


def reached(course, end, deviation) -> float:
    """Seconds at which a search first stood within a twentieth of a standard deviation of its end."""
    return next(spent for spent, x in course if np.sqrt(np.mean(((x - end) / deviation) ** 2)) < CLOSE)


def _tell(name: str, spent: float, more: str, near: float, values, true: np.ndarray) -> None:
    error = np.abs(np.asarray(values) / true - 1.0)
    print(
        f"{name}: {spent:.1f} s of processor time, {near:.1f} s until near its end, {more}; off by {100 * np.sqrt(np.mean(error**2)):.2f} % rms, {100 * error.max():.2f} % at most",
        flush=True,
    )
