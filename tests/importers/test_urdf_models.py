"""Real URDF files: everything in them equals what MuJoCo and Newton make of them, and they step."""

import warnings

import mujoco
import newton
import numpy as np
import pytest
from paths import shared_model
from urdf_rigs import SHARED_URDF, add, mujoco_urdf, tensor

import newtonish as nt
from newtonish import mjw

NAMES = [path.rsplit("/", 1)[1].removesuffix(".urdf") for path in SHARED_URDF]
models = pytest.mark.parametrize("relative", SHARED_URDF, ids=NAMES)
SETTINGS = {
    "allegro_hand_description_right": 'balanceinertia="true"',  # MuJoCo refuses the file without
    "humanoid": 'boundmass="1e-9" boundinertia="1e-9"',  # and this one, for its massless links
}


def peer(relative: str) -> mujoco.MjModel:
    path = shared_model(relative)
    return mujoco_urdf(path, SETTINGS.get(path.stem, ""))


def test_every_urdf_is_listed() -> None:
    folder = shared_model(SHARED_URDF[0]).parents[2]
    assert sorted(str(path.relative_to(folder)) for path in folder.rglob("*.urdf")) == sorted(SHARED_URDF)


@models
def test_links_and_joints_equal_mujocos(relative: str) -> None:
    builder, model = add(shared_model(relative)), peer(relative)
    bodies = {label.rpartition("/")[2]: row for row, label in enumerate(builder.body_label)}
    balanced = {entry.subject.split("'")[1] for entry in builder.import_reports[0].approximated}
    assert len(bodies) == model.nbody - 1
    for body in range(1, model.nbody):
        row, name = bodies[model.body(body).name], model.body(body).name
        bound = 2e-9 if "humanoid" in relative else 1e-15
        assert builder.body_mass[row] == pytest.approx(model.body_mass[body], rel=1e-12, abs=bound)
        if builder.body_mass[row] > 0:
            np.testing.assert_allclose(builder.body_com[row], model.body_ipos[body], atol=1e-12)
        ours, theirs = np.array(builder.body_inertia[row]).reshape(3, 3), tensor(model, body)
        if name in balanced:  # both sum up to rigid bodies, MuJoCo's by the mean
            assert theirs == pytest.approx(np.eye(3) * np.trace(theirs) / 3, abs=1e-12)
        else:
            np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=bound + 1e-7 * np.abs(theirs).max())
    joints = {label.rpartition("/")[2]: row for row, label in enumerate(builder.joint_label)}
    for index in range(model.njnt):
        one = model.joint(index)
        dof = builder.joint_qd_start[joints[one.name]]
        np.testing.assert_allclose(builder.joint_axis[dof], one.axis, atol=1e-12)
        if model.jnt_limited[index]:
            np.testing.assert_allclose([builder.joint_limit_lower[dof], builder.joint_limit_upper[dof]], one.range, rtol=1e-12)
        else:
            assert builder.joint_limit_lower[dof] <= -1e10 and builder.joint_limit_upper[dof] >= 1e10
        assert builder.joint_damping[dof] == pytest.approx(model.dof_damping[one.dofadr[0]])
        assert builder.joint_friction[dof] == pytest.approx(model.dof_frictionloss[one.dofadr[0]])
        if model.jnt_actfrclimited[index]:
            assert builder.joint_effort_limit[dof] == pytest.approx(model.jnt_actfrcrange[index, 1])


@models
def test_builder_equals_newtons(relative: str) -> None:
    path, theirs = shared_model(relative), newton.ModelBuilder()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs.add_urdf(str(path))
    ours = add(path)
    assert list(ours.body_label) == theirs.body_label and list(ours.joint_label) == theirs.joint_label
    changed = {entry.subject.split("'")[1] for entry in ours.import_reports[0].approximated}
    kept = [row for row, label in enumerate(theirs.body_label) if label.rpartition("/")[2] not in changed]
    np.testing.assert_allclose(ours.body_mass, theirs.body_mass, rtol=1e-6)
    heavy = [row for row in kept if theirs.body_mass[row] > 0]
    np.testing.assert_allclose(np.array(ours.body_com)[heavy], np.array(theirs.body_com)[heavy], atol=1e-6)
    own, other = (np.array(b.body_inertia, dtype=np.float64).reshape(-1, 3, 3)[kept] for b in (ours, theirs))
    np.testing.assert_allclose(own, other, rtol=2e-5, atol=1e-9)
    names = ["joint_axis", "joint_limit_lower", "joint_limit_upper", "joint_damping", "joint_friction", "joint_effort_limit"]
    names += ["joint_velocity_limit", "joint_target_ke", "joint_target_kd", "joint_target_mode", "joint_type", "joint_parent", "joint_child"]
    for name in names:
        own, other = (np.array(getattr(builder, name), dtype=np.float64).reshape(-1) for builder in (ours, theirs))
        np.testing.assert_allclose(own, other, rtol=1e-6, atol=1e-6, err_msg=name)
    own, other = (np.array([np.array(x) for x in b.joint_X_p], dtype=float) for b in (ours, theirs))
    own[:, 3:] *= np.sign(np.einsum("ni,ni->n", own[:, 3:], other[:, 3:]))[:, None]  # a quaternion and its negative mean the same
    np.testing.assert_allclose(own, other, atol=1e-6)


@pytest.mark.parametrize("relative", [SHARED_URDF[k] for k in (1, 2, 3, 5)], ids=[NAMES[k] for k in (1, 2, 3, 5)])
def test_dynamics_equal_mujocos(relative: str, device: str) -> None:
    """Mass matrix and forces of two unequal worlds."""
    path, model = shared_model(relative), peer(relative)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        m, d = mjw.load(path, nworld=2, device=device)
    rng = np.random.default_rng(3)
    qpos, qvel = rng.uniform(-0.3, 0.3, (2, m.nq)).astype(np.float32), rng.uniform(-1, 1, (2, m.nv)).astype(np.float32)
    d.qpos.assign(qpos)
    d.qvel.assign(qvel)
    mjw.forward(m, d)
    data = mujoco.MjData(model)
    for world in range(2):
        data.qpos[:], data.qvel[:] = qpos[world], qvel[world]
        mujoco.mj_forward(model, data)
        for name in ("qfrc_bias", "qfrc_passive", "qacc_smooth", "xpos", "xipos"):
            ours, theirs = getattr(d, name).numpy()[world], getattr(data, name)
            if name == "xipos":  # of massless bodies it means nothing
                ours, theirs = ours[model.body_mass > 0], theirs[model.body_mass > 0]
            np.testing.assert_allclose(ours, theirs, atol=5e-5 * max(1.0, np.abs(theirs).max()), err_msg=name)


@models
def test_thousand_steps_in_eight_worlds(relative: str, device: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        m, d = mjw.load(shared_model(relative), nworld=8, device=device)
    assert m.report.kept
    d.qvel.assign(np.random.default_rng(0).uniform(-0.3, 0.3, (8, m.nv)).astype(np.float32))
    for _ in range(1000):
        mjw.step(m, d)
    assert np.isfinite(d.qpos.numpy()).all() and np.isfinite(d.qvel.numpy()).all()
    assert not d.nonfinite.numpy().any()


@pytest.mark.parametrize("relative", [SHARED_URDF[1], SHARED_URDF[3]], ids=["barkour", "quadruped"])
def test_floating_robots_fall_and_land(relative: str, device: str) -> None:
    robot = add(shared_model(relative), floating=True, xform=((0.0, 0.0, 0.8), (0.0, 0.0, 0.0, 1.0)))
    scene = nt.ModelBuilder()
    scene.add_ground_plane()
    scene.replicate(robot, 2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = scene.finalize(device=device)
        solver = nt.solvers.SolverMuJoCo(model)
        states = [model.state(), model.state()]
        for _ in range(400):
            solver.step(states[0], states[1], None, None, 0.004)
            states.reverse()
    height = states[0].joint_q.numpy().reshape(2, -1)[:, 2]
    assert np.all((height > 0.02) & (height < 0.75))
