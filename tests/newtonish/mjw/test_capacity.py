"""Room for rows of limits: one for each joint and tendon, two where the margin lets both sides be active."""

import mujoco
import numpy as np
import pytest

from newtonish import mjw

XML = """
<mujoco>
  <worldbody>
    <body><joint name="slide" type="slide" range="-.1 .1" limited="true" margin="{joint}"/><geom size=".1" contype="0" conaffinity="0"/></body>
    <body pos="1 0 0"><joint name="hinge" range="-10 10" limited="true"/><geom size=".1" pos=".2 0 0" contype="0" conaffinity="0"/></body>
  </worldbody>
  <tendon><fixed range="-.1 .1" limited="true" margin="{tendon}"><joint joint="slide" coef="1"/></fixed></tendon>
</mujoco>
"""


@pytest.mark.parametrize(("joint", "tendon", "room"), [(0.0, 0.0, 3), (0.1, 0.1, 3), (0.11, 0.0, 4), (0.0, 0.11, 4), (0.2, 0.2, 5)])
def test_limits_have_the_room_they_can_need(joint, tendon, room):
    mjm = mujoco.MjModel.from_xml_string(XML.format(joint=joint, tendon=tendon))
    m = mjw.put_model(mjm, device="cpu")
    d = mjw.make_data(m, nworld=3)
    assert d.njmax == room
    positions = np.array([0.0, 0.15, -0.15], dtype=np.float32)
    host = d.qpos.numpy()
    host[:, 0] = positions
    d.qpos.assign(host)
    mjw.forward(m, d)
    assert not d.overflow.numpy().any()
    for w, x in enumerate(positions):
        mjd = mujoco.MjData(mjm)
        mjd.qpos[0] = x
        mujoco.mj_forward(mjm, mjd)
        assert d.nefc.numpy()[w] == mjd.nefc <= room
