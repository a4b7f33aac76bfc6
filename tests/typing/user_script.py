"""What a user writes: type checkers find nothing wrong with it (tests/test_types.py)."""

import numpy as np
import warp as wp

import newtonish
from newtonish import ModelBuilder, SolverMuJoCo, mjw
from newtonish.importers.mjcf import add_mjcf
from newtonish.kernels.structs.container import Data

TEXT = "<mujoco><worldbody><body><joint name='hinge' axis='0 1 0'/><geom size='.1'/></body></worldbody></mujoco>"

builder: ModelBuilder = newtonish.ModelBuilder(up_axis="Z")
add_mjcf(builder, TEXT)
mass: float = builder.body_mass[0] + sum(builder.shape_margin)
label: str = builder.joint_label[0].upper()
builder.joint_q[0] = 0.5
builder.body_mass = [2.0 * x for x in builder.body_mass]
model = builder.finalize(device="cpu")
masses: np.ndarray = model.body_mass.numpy()
bodies: int = model.body_count + len(model.joint_type)

solver = SolverMuJoCo(model)
state_in, state_out, control = model.state(), model.state(), model.control()
solver.step(state_in, state_out, control, None, 0.002)

m, d = mjw.load(TEXT, nworld=4)
m.opt.timestep = 0.001
m.opt.gravity = (0.0, 0.0, -1.6)
m.opt.iterations = 20
m.body_mass = np.full((4, m.nbody), 3.0, dtype=np.float32)
d.qvel.assign(np.ones((4, m.nv), dtype=np.float32))
mjw.step(m, d, nstep=10)


def height(data: Data, world: int) -> float:
    """Height of the first body in a world."""
    return float(data.xpos.numpy()[world, 1, 2])


frame: wp.array = d.contact.frame
print(mass, label, masses, bodies, height(d, 0), d.nefc.numpy().sum(), m.names["joint"], m.geom_rgba.shape, frame.shape)
