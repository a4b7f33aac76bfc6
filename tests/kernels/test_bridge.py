"""The bridge between Newton's and MuJoCo's conventions: known motions, and push followed by pull."""

import mujoco
import numpy as np
import pytest
import warp as wp
from scipy.spatial.transform import Rotation

from newtonish import mjw
from newtonish.kernels.bridge.frames import Maps
from newtonish.kernels.bridge.states import Given, pull_kernel, push_kernel
from newtonish.kernels.runtime.launch import launch

NWORLD = 3
XML = """
<mujoco>
  <compiler angle="radian"/>
  <worldbody>
    <body name="free" pos="0.3 -0.2 1">
      <freejoint/>
      <inertial pos="0.1 -0.2 0.3" mass="2" diaginertia="0.1 0.2 0.25"/>
      <body name="slider" pos="0 0 0.5">
        <joint name="slide" type="slide" axis="0 1 0" ref="0.1"/>
        <joint name="hinge" type="hinge" axis="1 0 0" ref="-0.4"/>
        <geom size="0.1"/>
      </body>
    </body>
    <body name="ball" pos="1 0 1" quat="0.8 0.1 0.2 -0.3">
      <joint name="ball" type="ball"/>
      <inertial pos="0 0.1 0.2" mass="1" diaginertia="0.1 0.1 0.1"/>
    </body>
    <body name="mocap" mocap="true" pos="0 0 2"/>
  </worldbody>
  <actuator>
    <motor joint="slide"/>
    <position joint="hinge" kp="10"/>
    <position joint="ball" gear="0 1 0" kp="5"/>
    <velocity joint="ball" gear="0 0 1" kv="2"/>
  </actuator>
</mujoco>
"""
NQ, NV, NJOINT, NBODY = 13, 11, 5, 4  # Newton: free 7+6, slide and hinge 1+1 each, ball 4+3; one more fixed joint
BALL_Q, BALL_V = 9, 8


class Bridge:
    """A model in three unequal worlds, with joint frames and coordinates drawn at random."""

    def __init__(self, device: str):
        rng = self.rng = np.random.default_rng(0)
        self.mjm = mujoco.MjModel.from_xml_string(XML)
        self.m = mjw.put_model(self.mjm, device=device)
        self.d = mjw.make_data(self.m, NWORLD)
        self.device = device
        worlds = np.arange(NWORLD)[:, None]
        coord = np.array([*range(7), 7, 8, BALL_Q + 3, BALL_Q, BALL_Q + 1, BALL_Q + 2])
        joint, body = np.array([0, 1, 2, 3]), np.array([-1, 0, 1, 2, 3])
        self.X_p = rng.standard_normal((NWORLD * NJOINT, 7))
        self.X_c = rng.standard_normal((NWORLD * NJOINT, 7))
        for X in (self.X_p, self.X_c):
            X[:, 3:] /= np.linalg.norm(X[:, 3:], axis=1, keepdims=True)
        self.com = np.tile(self.mjm.body_ipos[1:], (NWORLD, 1)) + 0.1 * rng.standard_normal((NWORLD * NBODY, 3))
        maps = self.maps = Maps()
        tables = {
            "joint": joint + NJOINT * worlds,
            "coord": coord + NQ * worlds,
            "dof": np.arange(NV) + NV * worlds,
            "body": np.where(body < 0, -1, body + NBODY * worlds),
            "mocap": 4 + NJOINT * worlds,
            "ctrl_source": np.array([2, 0, 0, 1]),
            "ctrl_index": np.array([0, 8, BALL_Q, BALL_V + 2]) + np.array([1, NQ, NQ, NV]) * worlds,
            "ctrl_axis": np.array([-1, -1, 1, -1]),
            "flags": np.ones(NWORLD * NBODY),
        }
        for name, table in tables.items():
            setattr(maps, name, wp.array(table.astype(np.int32), device=device))
        maps.X_p = wp.array(self.X_p, dtype=wp.transform, device=device)
        maps.X_c = wp.array(self.X_c, dtype=wp.transform, device=device)
        maps.com = wp.array(self.com, dtype=wp.vec3, device=device)
        self.q = rng.standard_normal((NWORLD, NQ)).astype(np.float32)
        for at in (3, BALL_Q):
            self.q[:, at : at + 4] /= np.linalg.norm(self.q[:, at : at + 4], axis=1, keepdims=True)
        self.qd = rng.standard_normal((NWORLD, NV)).astype(np.float32)
        self.f = rng.standard_normal((NWORLD, NV)).astype(np.float32)
        self.body_f = rng.standard_normal((NWORLD, NBODY, 6)).astype(np.float32)
        self.target_q = np.roll(self.q, 1, axis=0)
        self.target_qd = rng.standard_normal((NWORLD, NV)).astype(np.float32)
        self.ctrl = rng.standard_normal(NWORLD).astype(np.float32)

    def array(self, value: np.ndarray, dtype=wp.float32) -> wp.array:
        shape = (-1, *value.shape[2:]) if dtype is not wp.float32 else -1
        return wp.array(value.reshape(shape), dtype=dtype, device=self.device)

    def push(self, dt: float = 0.01) -> None:
        m, d = self.m, self.d
        given = Given()
        given.body_f = self.array(self.body_f, wp.spatial_vector)
        for name, value in (
            ("joint_q", self.q), ("joint_qd", self.qd), ("joint_f", self.f), ("target_q", self.target_q), ("target_qd", self.target_qd),
            ("ctrl", self.ctrl),
        ):  # fmt: skip
            setattr(given, name, self.array(value))
        given.ctrl_more = wp.zeros(NWORLD, dtype=wp.vec3, device=self.device)  # no actuator here has more than one control
        launch(push_kernel, d, [m.size, m.opt, m.body, m.jnt, m.actuator, self.maps, given, dt, d.state])

    def pull(self) -> tuple[np.ndarray, np.ndarray]:
        q, qd = (wp.zeros(NWORLD * n, dtype=float, device=self.device) for n in (NQ, NV))
        launch(pull_kernel, self.d, [self.m.size, self.m.jnt, self.maps, self.d.state, q, qd, q, qd])
        return q.numpy().reshape(NWORLD, NQ), qd.numpy().reshape(NWORLD, NV)

    def frames(self, world: int, joint: int) -> tuple[np.ndarray, Rotation, np.ndarray, Rotation]:
        rows = self.X_p[NJOINT * world + joint], self.X_c[NJOINT * world + joint]
        return rows[0][:3], Rotation.from_quat(rows[0][3:]), rows[1][:3], Rotation.from_quat(rows[1][3:])


@pytest.fixture(scope="module")
def bridge(device: str) -> Bridge:
    result = Bridge(device)
    result.push()
    return result


def xyzw(q: np.ndarray) -> Rotation:
    return Rotation.from_quat(q[[1, 2, 3, 0]])


def test_push_then_pull_is_the_identity(bridge: Bridge):
    q, qd = bridge.pull()
    np.testing.assert_allclose(q, bridge.q, atol=2e-6)
    np.testing.assert_allclose(qd, bridge.qd, atol=5e-6)


def test_free_pose(bridge: Bridge):
    for w in range(NWORLD):
        p_p, R_p, p_c, R_c = bridge.frames(w, 0)
        R = R_p * Rotation.from_quat(bridge.q[w, 3:7]) * R_c.inv()
        p = p_p + R_p.apply(bridge.q[w, :3]) - R.apply(p_c)
        qpos = bridge.d.qpos.numpy()[w]
        np.testing.assert_allclose(qpos[:3], p, atol=5e-6)
        np.testing.assert_allclose((xyzw(qpos[3:7]) * R.inv()).magnitude(), 0.0, atol=2e-6)


def test_free_velocity_is_that_of_the_centre_of_mass_in_the_parent_frame(bridge: Bridge):
    """MuJoCo's own integration over a short time moves the centre of mass and the orientation as joint_qd says."""
    h = 1e-5
    for w in range(NWORLD):
        R_p = bridge.frames(w, 0)[1]
        com = bridge.com[NBODY * w]
        before, after = bridge.d.qpos.numpy()[w].astype(float), bridge.d.qpos.numpy()[w].astype(float)
        mujoco.mj_integratePos(bridge.mjm, after, bridge.d.qvel.numpy()[w].astype(float), h)
        R0, R1 = xyzw(before[3:7]), xyzw(after[3:7])
        v = (after[:3] + R1.apply(com) - before[:3] - R0.apply(com)) / h
        omega = (R1 * R0.inv()).as_rotvec() / h
        np.testing.assert_allclose(R_p.inv().apply(v), bridge.qd[w, :3], atol=2e-4)
        np.testing.assert_allclose(R_p.inv().apply(omega), bridge.qd[w, 3:6], atol=2e-4)


def test_ball_rotation_and_velocity(bridge: Bridge):
    h = 1e-5
    for w in range(NWORLD):
        R_c = bridge.frames(w, 3)[3]
        before, after = bridge.d.qpos.numpy()[w].astype(float), bridge.d.qpos.numpy()[w].astype(float)
        mujoco.mj_integratePos(bridge.mjm, after, bridge.d.qvel.numpy()[w].astype(float), h)
        r0, r1 = (R_c.inv() * xyzw(q[BALL_Q : BALL_Q + 4]) * R_c for q in (before, after))
        r = Rotation.from_quat(bridge.q[w, BALL_Q : BALL_Q + 4])
        np.testing.assert_allclose((r0 * r.inv()).magnitude(), 0.0, atol=2e-6)
        omega = (r1 * r0.inv()).as_rotvec() / h
        np.testing.assert_allclose(omega, bridge.qd[w, BALL_V : BALL_V + 3], atol=2e-4)


def test_scalar_joints_are_shifted_by_the_reference(bridge: Bridge):
    qpos, qvel = bridge.d.qpos.numpy(), bridge.d.qvel.numpy()
    np.testing.assert_allclose(qpos[:, 7:9], bridge.q[:, 7:9] + [0.1, -0.4], atol=1e-6)
    np.testing.assert_array_equal(qvel[:, 6:8], bridge.qd[:, 6:8])


def test_forces_do_the_same_work_on_both_sides(bridge: Bridge):
    """Power of the pushed forces equals the power of the given ones, joint by joint."""
    qvel, qfrc = bridge.d.qvel.numpy(), bridge.d.qfrc_applied.numpy()
    np.testing.assert_array_equal(qfrc[:, :6], 0.0)
    ours, theirs = qvel * qfrc, bridge.qd * bridge.f
    np.testing.assert_allclose(ours[:, 6:8], theirs[:, 6:8], rtol=1e-6)
    np.testing.assert_allclose(ours[:, 8:].sum(axis=1), theirs[:, 8:].sum(axis=1), rtol=1e-4, atol=1e-5)


def test_wrenches_of_a_body_and_of_its_free_joint_add_up(bridge: Bridge):
    xfrc = bridge.d.xfrc_applied.numpy()
    np.testing.assert_array_equal(xfrc[:, 0], 0.0)
    np.testing.assert_allclose(xfrc[:, 1], bridge.body_f[:, 0] + bridge.f[:, :6], rtol=1e-6)
    np.testing.assert_array_equal(xfrc[:, 2:], bridge.body_f[:, 1:])


def test_controls(bridge: Bridge):
    ctrl = bridge.d.ctrl.numpy()
    np.testing.assert_array_equal(ctrl[:, 0], bridge.ctrl)
    np.testing.assert_allclose(ctrl[:, 1], bridge.target_q[:, 8] - 0.4, atol=1e-6)
    for w in range(NWORLD):
        R_c = bridge.frames(w, 3)[3]
        target = Rotation.from_quat(bridge.target_q[w, BALL_Q : BALL_Q + 4])
        np.testing.assert_allclose(ctrl[w, 2], (R_c * target * R_c.inv()).as_rotvec()[1], atol=5e-6)
        r = Rotation.from_quat(bridge.q[w, BALL_Q : BALL_Q + 4])
        speed = (R_c * r.inv()).apply(bridge.target_qd[w, BALL_V : BALL_V + 3])
        np.testing.assert_allclose(ctrl[w, 3], speed[2], atol=5e-6)


def test_mocap_pose_and_time_step(bridge: Bridge):
    for w in range(NWORLD):
        p_p, R_p, p_c, R_c = bridge.frames(w, 4)
        R = R_p * R_c.inv()
        np.testing.assert_allclose(bridge.d.mocap_pos.numpy()[w, 0], p_p - R.apply(p_c), atol=5e-6)
        np.testing.assert_allclose((xyzw(bridge.d.mocap_quat.numpy()[w, 0]) * R.inv()).magnitude(), 0.0, atol=2e-6)
    np.testing.assert_allclose(bridge.m.opt.timestep.numpy(), 0.01)


def test_kinematic_bodies_follow_the_caller(device: str):
    bridge = Bridge(device)
    flags = np.ones((NWORLD, NBODY), dtype=np.int32)
    flags[1, 0] = flags[2, 2] = 2
    bridge.maps.flags = wp.array(flags.reshape(-1), device=device)
    bridge.push()
    np.testing.assert_array_equal(bridge.d.xfrc_applied.numpy()[1, 1], 0.0)
    np.testing.assert_array_equal(bridge.d.qfrc_applied.numpy()[2, 8:], 0.0)
    assert np.all(bridge.d.qfrc_applied.numpy()[1, 8:] != 0.0)
    bridge.d.qpos.zero_()
    q, qd = (wp.array(a.reshape(-1), device=device) for a in (bridge.q, bridge.qd))
    launch(pull_kernel, bridge.d, [bridge.m.size, bridge.m.jnt, bridge.maps, bridge.d.state, q, qd, q, qd])
    kept = q.numpy().reshape(NWORLD, NQ)
    np.testing.assert_array_equal(kept[1, :7], bridge.q[1, :7])
    np.testing.assert_array_equal(kept[2, BALL_Q:], bridge.q[2, BALL_Q:])
    assert np.any(kept[0, :7] != bridge.q[0, :7])
    np.testing.assert_array_equal(qd.numpy().reshape(NWORLD, NV)[1, :6], bridge.qd[1, :6])
