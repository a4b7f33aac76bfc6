"""Build creatures with any number of legs from one class, put them into an arena, and simulate it in several worlds.

A leg is a model of its own, a creature is a model with legs attached to the rim of its body, and the arena is a model with
creatures attached by free joints. Every name is unique in the end without anybody having thought of it. Run with
``python examples/creatures.py``.
"""

import colorsys

import numpy as np

from newtonish import mjcf, mjw

SECONDS = 1.5
RADIUS = 0.12


class Leg:
    """A thigh and a shin, each moved by a position servo."""

    def __init__(self, name: str, length: float, colour: list[float]) -> None:
        self.model = mjcf.RootElement(model=name)
        self.model.compiler.angle = "radian"
        joint, geom, servo = self.model.default.joint, self.model.default.geom, self.model.default.position
        joint.set_attributes(type="hinge", damping=0.2, armature=0.002)
        geom.set_attributes(type="capsule", rgba=colour)
        servo.set_attributes(kp=4.0, ctrlrange=[-1, 1])

        thigh = self.model.worldbody.add("body", name="thigh")
        self.hip = thigh.add("joint", name="hip", axis=[0, 0, 1])
        thigh.add("geom", name="thigh", fromto=[0, 0, 0, length, 0, 0], size=[length / 4])
        shin = thigh.add("body", name="shin", pos=[length, 0, 0])
        self.knee = shin.add("joint", name="knee", axis=[0, 1, 0])
        shin.add("geom", name="shin", fromto=[0, 0, 0, 0, 0, -length], size=[length / 5])

        self.model.actuator.add("position", name="hip", joint=self.hip)
        self.model.actuator.add("position", name="knee", joint=self.knee)


def make_creature(name: str, legs: int, colour: list[float]) -> mjcf.RootElement:
    """A flat round body with legs around it."""
    model = mjcf.RootElement(model=name)
    model.compiler.angle = "radian"
    model.worldbody.add("geom", name="torso", type="ellipsoid", size=[RADIUS, RADIUS, RADIUS / 2], rgba=colour)
    for k in range(legs):
        angle = 2.0 * np.pi * k / legs
        pos = [RADIUS * np.cos(angle), RADIUS * np.sin(angle), 0]
        rim = model.worldbody.add("site", name=f"rim{k}", pos=pos, euler=[0, 0, angle])
        rim.attach(Leg(f"leg{k}", RADIUS / 2, colour).model)
    return model


def make_arena(counts: list[int], seed: int = 0) -> mjcf.RootElement:
    """A floor with creatures on a line, each of a random colour."""
    hues = np.random.default_rng(seed).random(len(counts))
    arena = mjcf.RootElement(model="arena")
    arena.option.set_attributes(timestep=0.004, integrator="implicitfast")
    arena.worldbody.add("geom", name="floor", type="plane", size=[3, 3, 0.1])
    arena.worldbody.add("light", pos=[0, -2, 3], dir=[0, 2, -3])
    for k, (legs, hue) in enumerate(zip(counts, hues)):
        creature = make_creature(f"creature{k}", legs, [*colorsys.hsv_to_rgb(hue, 0.8, 0.9), 1.0])
        site = arena.worldbody.add("site", name=f"place{k}", pos=[0.6 * k, 0, RADIUS])
        site.attach(creature).add("freejoint")
    return arena


def simulate(counts: list[int], worlds: int = 4, seconds: float = SECONDS) -> np.ndarray:
    """Let the creatures wave their hips, faster in each world; return their positions at the end (worlds, creatures, 3) [m]."""
    arena = make_arena(counts)
    m, d = mjw.load(arena, nworld=worlds)
    rng = np.random.default_rng(1)
    speed, phase = np.linspace(0.0, 20.0, worlds)[:, None], rng.uniform(0.0, 2.0 * np.pi, m.nu)
    for step in range(round(seconds / 0.004)):
        d.ctrl.assign((0.6 * np.sin(speed * step * 0.004 + phase) * (speed > 0)).astype(np.float32))
        mjw.step(m, d)
    qpos = d.qpos.numpy()
    starts = np.cumsum([0] + [7 + 2 * legs for legs in counts])[:-1]
    return np.stack([qpos[:, start : start + 3] for start in starts], axis=1)


def main() -> None:
    counts = [3, 4, 6]
    for world, row in enumerate(simulate(counts)):
        text = ", ".join(f"{legs} legs at ({x:+.2f}, {y:+.2f})" for legs, (x, y, _) in zip(counts, row))
        print(f"world {world}: {text}")


if __name__ == "__main__":
    main()
