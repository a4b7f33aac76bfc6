"""Identification of random robots with known parameters: how often intervals hold the true values, and at what cost beside mujoco.sysid.

    python tests/support/identify_robots.py --robots 50
    python tests/support/identify_robots.py --peer

A robot has four legs of three joints on a stand. Its log of 20 s comes from MuJoCo, with a delay in MuJoCo's own buffers and noise on every sensor. Sought are five numbers of each joint (mass of
the link, armature, damping, dry friction, gain of the servo) and the delay of the controls, from a model in which each of them is wrong by up to 30 %. The servos' forces are measured: without
any measured force, masses and gains could be told only up to a factor. Delays are longer than a step, as MuJoCo makes shorter ones a whole step.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from dataclasses import dataclass

import numpy as np

FIT = ("mass", "armature", "damping", "frictionloss", "gain", "delay")
STEP, LEGS, LINKS = 0.005, 4, 3
NOISE = {"position": 2e-3, "velocity": 2e-2, "force": 5e-2}


@dataclass
class Robot:
    """A robot, the wrong model of it, and its log."""

    true: str
    model: str
    log: dict[str, np.ndarray]
    values: dict[str, float]


def robot(seed: int, seconds: float = 20.0, legs: int = LEGS, delay: bool = True, noise: float = 1.0) -> Robot:
    """A random robot; the same for the same seed."""
    rng = np.random.default_rng(seed)
    joints = legs * LINKS
    values: dict[str, float] = {}
    for j in range(joints):
        kp = rng.uniform(15.0, 30.0)
        numbers = {
            f"mass:link{j}": rng.uniform(0.6, 1.5), f"armature:joint{j}": rng.uniform(0.02, 0.05), f"damping:joint{j}": rng.uniform(0.2, 0.6),
            f"frictionloss:joint{j}": rng.uniform(0.1, 0.4), f"gain:servo{j}": kp,
        }  # fmt: skip
        values |= numbers
    values["delay"] = rng.uniform(0.006, 0.022) if delay else 0.0
    shapes = [(rng.normal(size=3), rng.uniform(0.06, 0.1)) for _ in range(joints)]
    wrong = {name: value * rng.uniform(0.7, 1.3) for name, value in values.items()} | {"delay": 0.0}
    true, model = (_text(numbers, shapes, legs) for numbers in (values, wrong))
    return Robot(true, model, _log(true, joints, rng, seconds, noise), values)


def _text(values: dict[str, float], shapes: list, legs: int) -> str:
    delay = values["delay"]
    bodies, drives, sensors = [], [], []
    for leg in range(legs):
        x, y = 0.5 * (leg % 2), 0.5 * (leg // 2)
        for k in range(LINKS):
            j = LINKS * leg + k
            axis, offset = shapes[j]
            axis = np.array([[0.9, 0.3, 0.1], [0.2, 1.0, 0.1], [0.1, 1.0, -0.2]][k]) + 0.1 * axis
            place = f"{x} {y} 1" if k == 0 else "0.05 0.02 -0.22"
            mass = values[f"mass:link{j}"]
            bodies.append(
                f'<body name="link{j}" pos="{place}"><inertial mass="{mass:.17g}" pos="{0.03 + offset / 3:.17g} 0.02 {-offset:.17g}" diaginertia="{0.005 * mass:.17g} {0.005 * mass:.17g} {0.002 * mass:.17g}"/>'
                f'<joint name="joint{j}" axis="{axis[0]:.17g} {axis[1]:.17g} {axis[2]:.17g}" armature="{values[f"armature:joint{j}"]:.17g}" damping="{values[f"damping:joint{j}"]:.17g}" '
                f'frictionloss="{values[f"frictionloss:joint{j}"]:.17g}"/>'
            )
            late = f'delay="{delay:.17g}" nsample="{int(delay / STEP) + 3}" interp="linear"' if delay > 0.0 else ""
            kp = values[f"gain:servo{j}"]
            drives.append(f'<position name="servo{j}" joint="joint{j}" kp="{kp:.17g}" kv="{0.05 * kp:.17g}" {late}/>')
            sensors.append(
                f'<jointpos name="position{j}" joint="joint{j}"/><jointvel name="velocity{j}" joint="joint{j}"/><actuatorfrc name="force{j}" actuator="servo{j}"/>'
            )
        bodies.append("</body>" * LINKS)
    return (
        f'<mujoco model="legs"><compiler autolimits="true"/><option timestep="{STEP}" integrator="implicitfast"><flag contact="disable"/></option>'
        f"<worldbody>{''.join(bodies)}</worldbody><actuator>{''.join(drives)}</actuator><sensor>{''.join(sensors)}</sensor></mujoco>"
    )


def _log(text: str, joints: int, rng: np.random.Generator, seconds: float, noise: float) -> dict[str, np.ndarray]:
    import mujoco

    m = mujoco.MjModel.from_xml_string(text)
    d = mujoco.MjData(m)
    rows = round(seconds / STEP)
    t = STEP * np.arange(rows)
    waves = [(rng.uniform(0.1, 3.0, 6), rng.uniform(0, 2 * np.pi, 6), rng.uniform(0.1, 0.35, 6)) for _ in range(joints)]
    ctrl = np.stack([sum(a * np.sin(2 * np.pi * f * t + p) for f, p, a in zip(*wave)) for wave in waves], axis=-1)
    position, velocity, force = (np.zeros((rows, joints)) for _ in range(3))
    for k in range(rows):
        position[k], velocity[k] = d.qpos, d.qvel
        d.ctrl[:] = ctrl[k]
        mujoco.mj_step(m, d)
        force[k] = d.sensordata[2::3]
    log: dict[str, np.ndarray] = {"time": t}
    for j in range(joints):
        log[f"ctrl:servo{j}"] = ctrl[:, j]
        log[f"qpos:joint{j}"] = position[:, j] + noise * NOISE["position"] * rng.normal(size=rows)
        log[f"qvel:joint{j}"] = velocity[:, j] + noise * NOISE["velocity"] * rng.normal(size=rows)
        log[f"sensor:force{j}"] = force[:, j] + noise * NOISE["force"] * rng.normal(size=rows)
    return log


def coverage(one: Robot, found) -> tuple[int, int, bool]:
    """Intervals that hold the true value, of how many, and whether all of the wider ones do."""
    inside = [each.low <= one.values[each.name] <= each.high for each in found.estimates]
    return sum(inside), len(inside), all(each.low_of_all <= one.values[each.name] <= each.high_of_all for each in found.estimates)


def sweep(robots: int, seconds: float, legs: int, first: int) -> int:
    """Identify robots and print how often the intervals were right."""
    from newtonish.identification import identify

    inside = total = whole = 0
    for seed in range(first, first + robots):
        begin = time.process_time()
        one = robot(seed, seconds, legs)
        found = identify(one.model, [one.log], FIT)
        good, count, every = coverage(one, found)
        inside, total, whole = inside + good, total + count, whole + every
        worst = max(abs(each.value - one.values[each.name]) / each.deviation for each in found.estimates)
        relative = max(abs(each.value / one.values[each.name] - 1.0) for each in found.estimates)
        print(
            f"robot {seed}: {good} of {count} in their intervals, all at once {'yes' if every else 'no'}, worst {worst:.1f} deviations, {100 * relative:.1f} % off; "
            f"{found.iterations} iterations, converged {found.converged}, {time.process_time() - begin:.1f} s of processor time",
            flush=True,
        )
    print(f"{inside} of {total} parameters ({100 * inside / total:.1f} %) in their 95 % intervals; all of a robot's at once in {whole} of {robots}")
    return 0


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--robots", type=int, default=50)
    parser.add_argument("--first", type=int, default=0, help="first seed")
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--legs", type=int, default=LEGS)
    parser.add_argument("--peer", action="store_true", help="compare the time with mujoco.sysid instead")
    parser.add_argument("--turns", type=int, default=3, help="of that comparison")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    if arguments.peer:
        from identify_peer import compare

        return compare(arguments.first, arguments.seconds, arguments.legs, arguments.turns)
    return sweep(arguments.robots, arguments.seconds, arguments.legs, arguments.first)


if __name__ == "__main__":
    sys.exit(main())
