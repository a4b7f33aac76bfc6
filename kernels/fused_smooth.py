"""The smooth part of a step in two kernels: what depends on position, and the unconstrained acceleration.

Each calls the stage functions one after the other on one world; a world's arrays stay in the cache between stages, and
a step costs a handful of launches instead of dozens.
"""

import warp as wp

from newtonish.kernels.forces.acceleration import acceleration_world
from newtonish.kernels.forces.actuation import actuation_world
from newtonish.kernels.forces.passive import passive_world
from newtonish.kernels.forces.tendon import tendon_passive_world
from newtonish.kernels.forces.transmission import transmission_world
from newtonish.kernels.smooth.com import com_pos_world
from newtonish.kernels.smooth.com_vel import com_vel_world
from newtonish.kernels.smooth.crb import crb_world
from newtonish.kernels.smooth.factor import factor_m_world
from newtonish.kernels.smooth.kinematics import kinematics_world
from newtonish.kernels.smooth.rne import rne_world
from newtonish.kernels.structs.data import Com, Drive, Force, Kinematics, Mass, Scratch, State, TendonState, Velocity
from newtonish.kernels.structs.model import Actuator, Body, Dof, Geom, Joint, Option, Site, Size, Tendon, Tree
from newtonish.kernels.tendon.fixed import tendon_velocity_world, tendon_world


@wp.kernel
def position_kernel(
    size: Size, tree: Tree, body: Body, jnt: Joint, dof: Dof, geom: Geom, site: Site, actuator: Actuator,
    tendon: Tendon, state: State, kin: Kinematics, com: Com, mass: Mass, drive: Drive, ten: TendonState,
):  # fmt: skip
    """Kinematics, centre of mass, mass matrix and its factor, tendons, transmission."""
    w, lane = wp.tid()
    kinematics_world(size, tree, body, jnt, geom, site, state, kin, w, lane)
    com_pos_world(size, tree, body, jnt, kin, com, w, lane)
    crb_world(size, tree, dof, com, mass, w, lane)
    factor_m_world(size, dof, mass, w)
    tendon_world(size, tendon, state, ten, w, lane)
    tendon_velocity_world(size, tendon, state, ten, w, lane)
    transmission_world(size, jnt, actuator, state, drive, w, lane)


@wp.kernel
def smooth_kernel(
    size: Size, opt: Option, tree: Tree, body: Body, jnt: Joint, dof: Dof, actuator: Actuator,
    tendon: Tendon, state: State, kin: Kinematics, com: Com, mass: Mass, vel: Velocity, frc: Force, drive: Drive,
    ten: TendonState, scratch: Scratch,
):  # fmt: skip
    """Velocities, passive, bias and actuator forces, unconstrained acceleration."""
    w, lane = wp.tid()
    com_vel_world(size, tree, body, jnt, state, com, vel, w, lane)
    passive_world(size, opt, tree, body, jnt, dof, state, kin, com, frc, scratch, w, lane)
    tendon_passive_world(size, opt, tendon, ten, frc, w, lane)
    rne_world(size, opt, tree, body, dof, state, com, vel, frc, w, lane)
    actuation_world(size, opt, jnt, dof, actuator, state, frc, drive, w, lane)
    acceleration_world(size, tree, body, dof, state, kin, com, mass, frc, scratch, w, lane)
