"""Each line below the imports is wrong, and type checkers say so (tests/test_types.py)."""
# ruff: noqa: B018

import newtonish
from newtonish import mjw

builder = newtonish.ModelBuilder()
model = builder.finalize()
m, d = mjw.load("<mujoco/>")
builder.bodymass  # wrong
model.joint_qs  # wrong
m.body_masses  # wrong
d.qposs  # wrong
m.opt.timesteps  # wrong
weight: str = builder.body_mass[0]  # wrong
count: str = m.nv  # wrong
