"""What depends on positions alone, but for contacts, for models without spatial tendons whose actuators act on joints."""

from typing import Any

import warp as wp

from newtonish.kernels.forces.transmission import joint_transmission_world
from newtonish.kernels.math.world import lane_index, world_index, worlds_per_thread
from newtonish.kernels.runtime.launch import launch, through_worlds
from newtonish.kernels.smooth.com import com_pos_world
from newtonish.kernels.smooth.crb import crb_world
from newtonish.kernels.smooth.factor import factor_m_world
from newtonish.kernels.smooth.kinematics import kinematics_world
from newtonish.kernels.structs import packed
from newtonish.kernels.structs.data import Com, Drive, Kinematics, Mass, State, TendonState
from newtonish.kernels.structs.model import Actuator, Body, Dof, Geom, Joint, Site, Size, Tendon, Tree
from newtonish.kernels.tendon.tendon import fixed_tendons_world, tendon_armature_world, tendon_velocity_world


@wp.kernel
def position_joints_kernel(
    size: Size, tree: Tree, body: Body, jnt: Joint, dof: Dof, geom: Geom, site: Site, actuator: Actuator,
    tendon: Tendon, state: State, kin: Kinematics, com: Com, mass: Mass, drive: Drive, ten: TendonState, nworld: int,
):  # fmt: skip
    """Kinematics, centre of mass, mass matrix and its factor, fixed tendons, transmission."""
    thread, part = wp.tid()
    lane = lane_index(part)
    packed.tree(tree)
    packed.body(body)
    packed.jnt(jnt)
    packed.dof(dof)
    packed.geom(geom)
    packed.state(state)
    packed.kin(kin)
    packed.com(com)
    packed.mass(mass)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        kinematics_world(size, tree, body, jnt, geom, site, state, kin, w, lane)
        com_pos_world(size, tree, body, jnt, kin, com, w, lane)
        fixed_tendons_world(size, tendon, state, ten, w, lane)
        crb_world(size, tree, dof, com, mass, w, lane)
        tendon_armature_world(size, dof, tendon, ten, mass, w, lane)
        factor_m_world(size, dof, mass, w)
        tendon_velocity_world(size, tendon, state, ten, w, lane)
        joint_transmission_world(size, jnt, actuator, state, drive, w, lane)


through_worlds(position_joints_kernel)


def launch_position_joints(m: Any, d: Any) -> None:
    """Run the kernel on all worlds."""
    model = [m.size, m.tree, m.body, m.jnt, m.dof, m.geom, m.site, m.actuator, m.tendon]
    data = [d.state, d.kin, d.com, d.mass, d.drive, d.ten]
    launch(position_joints_kernel, d, [*model, *data])
