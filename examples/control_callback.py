"""A control law that belongs to the step: a pendulum held upright by a kernel that reads this step's positions and velocities.

Controls that are set between two steps are computed from what the step before found; a callback is called in the middle of the
step, and with RK4 four times in it. Run with ``python examples/control_callback.py [--worlds N]``.
"""

import argparse

import numpy as np
import warp as wp

from newtonish import mjw

XML = """
<mujoco>
  <option timestep="0.01" integrator="RK4"/>
  <worldbody>
    <body pos="0 0 1">
      <joint name="hinge" axis="0 1 0" damping="0.01"/>
      <geom type="capsule" fromto="0 0 0 0 0 0.5" size="0.03" mass="1"/>
    </body>
  </worldbody>
  <actuator><motor joint="hinge" ctrlrange="-20 20"/></actuator>
</mujoco>
"""


@wp.kernel
def hold_upright(
    xipos: wp.array2d(dtype=wp.vec3), qvel: wp.array2d(dtype=float), stiffness: wp.array(dtype=float), first: int,
    ctrl: wp.array2d(dtype=float),
):  # fmt: skip
    w = wp.tid()
    lean = xipos[w, 1][0]  # how far the centre of mass is off the axis [m]
    ctrl[w, 0] = -stiffness[first + w] * lean - 2.0 * qvel[w, 0]


def simulate(worlds: int, seconds: float = 2.0, device: str = "cpu") -> np.ndarray:
    """Let each world hold its pendulum with a stiffness of its own.

    Returns:
        Angle from the vertical in each world at the end [rad].
    """
    m, d = mjw.load(XML, nworld=worlds, device=device)
    d.qpos.fill_(0.3)
    stiffness = wp.array(np.linspace(0.0, 60.0, worlds), dtype=float, device=device)

    def control(m: mjw.Model, d: mjw.Data) -> None:
        # On a CPU each thread records this for a slice of the worlds, which begins at world d.first_world.
        inputs = [d.xipos, d.qvel, stiffness, d.first_world]
        wp.launch(hold_upright, dim=d.nworld, inputs=inputs, outputs=[d.ctrl], device=d.device)

    m.callback.control = control
    for _ in range(round(seconds / 0.01)):
        mjw.step(m, d)
    return d.qpos.numpy()[:, 0].copy()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--worlds", type=int, default=8)
    parser.add_argument("--device", default="cpu")
    arguments = parser.parse_args()
    angles = simulate(arguments.worlds, device=arguments.device)
    print(f"angles from the vertical: {np.round(angles, 3)} rad")


if __name__ == "__main__":
    main()
