"""An actuator of your own: a position servo with a friction that has a memory, as three Warp functions.

The friction is a spring that yields (Dahl's model): its deflection is the actuator's activation and follows
dz/dt = v - k |v| z / Fc. The servo's force is gain times activation plus bias, so the gain is minus the spring's stiffness
and the bias is the servo. Run with ``python examples/user_actuator.py [--worlds N]``.
"""

import argparse

import numpy as np
import warp as wp

from newtonish import mjw

# dynprm: stiffness k [N m/rad], Coulomb friction Fc [N m]; gainprm: k; biasprm: kp [N m/rad], kd [N m s/rad]
XML = """
<mujoco>
  <option timestep="0.002" integrator="implicitfast"/>
  <worldbody>
    <body><joint name="hinge" axis="0 0 1" damping="0.05"/><geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.03"/></body>
  </worldbody>
  <actuator>
    <general joint="hinge" dyntype="user" gaintype="user" biastype="user"
             dynprm="20 0.2" gainprm="20" biasprm="8 0.5"/>
  </actuator>
</mujoco>
"""


@wp.func
def deflection_rate(x: mjw.ActuatorInput, act: wp.array2d(dtype=float)) -> float:
    return x.velocity - x.prm[0] * wp.abs(x.velocity) * x.act / x.prm[1]


@wp.func
def friction(x: mjw.ActuatorInput, act: wp.array2d(dtype=float)) -> float:
    return -x.prm[0]


@wp.func
def servo(x: mjw.ActuatorInput, act: wp.array2d(dtype=float)) -> float:
    return x.prm[0] * (x.ctrl - x.length) - x.prm[1] * x.velocity


def simulate(worlds: int, seconds: float = 1.0, device: str = "cpu") -> tuple[np.ndarray, np.ndarray]:
    """Drive every world to another angle.

    Returns:
        Angle [rad] and deflection of the friction [rad] of each world at the end.
    """
    functions = mjw.UserActuation(gain=friction, bias=servo, dyn=deflection_rate)
    m, d = mjw.load(XML, nworld=worlds, device=device, actuation=functions)
    d.ctrl.assign(np.linspace(0.2, 0.8, worlds, dtype=np.float32)[:, None])
    for _ in range(round(seconds / 0.002)):
        mjw.step(m, d)
    return d.qpos.numpy()[:, 0].copy(), d.act.numpy()[:, 0].copy()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--worlds", type=int, default=4)
    parser.add_argument("--device", default="cpu")
    arguments = parser.parse_args()
    angles, deflections = simulate(arguments.worlds, device=arguments.device)
    for world, (angle, deflection) in enumerate(zip(angles, deflections)):
        print(f"world {world}: angle {angle:.3f} rad, friction deflected by {deflection:.4f} rad")


if __name__ == "__main__":
    main()
