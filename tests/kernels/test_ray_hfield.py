"""Rays against heightfields: MuJoCo's answer for rays from all sides and from within, in worlds of unequal terrain."""

import mujoco
import numpy as np
import pytest
import warp as wp

from newtonish import mjw
from newtonish.kernels.sensor.ray_hfield import ray_hfield
from newtonish.kernels.structs.model import HeightField


@wp.kernel(enable_backward=False)
def _cast(hfield: HeightField, origin: wp.array2d(dtype=wp.vec3), direction: wp.array2d(dtype=wp.vec3), hit: wp.array2d(dtype=wp.vec4)):
    w, i = wp.tid()
    hit[w, i] = ray_hfield(hfield, w, 1, origin[w, i], direction[w, i])


def terrain(nrow: int, ncol: int) -> mujoco.MjModel:
    """Two heightfields; the second one, in the world's frame, is the one under test."""
    samples = " ".join(f"{x:.6f}" for x in np.random.default_rng(7).random(nrow * ncol))
    return mujoco.MjModel.from_xml_string(
        f"""<mujoco><asset><hfield name="first" nrow="2" ncol="3" size="1 1 1 1"/>
        <hfield name="second" nrow="{nrow}" ncol="{ncol}" size="1 .8 .3 .2" elevation="{samples}"/></asset>
        <worldbody><geom type="hfield" hfield="second"/></worldbody></mujoco>"""
    )


def cast(mjm, worlds, origin, direction, device):
    """Hits (nworld, n, 4) of rays (nworld, n, 3) in worlds with samples of their own."""
    m = mjw.put_model(mjm, device=device)
    m.hfield_data = np.stack(worlds).astype(np.float32)
    rays = [wp.array(a.astype(np.float32), dtype=wp.vec3, device=device) for a in (origin, direction)]
    hit = wp.zeros(origin.shape[:2], dtype=wp.vec4, device=device)
    wp.launch(_cast, origin.shape[:2], [m.hfield, *rays, hit], device=device)
    return hit.numpy()


def expected(mjm, worlds, origin, direction):
    result = np.zeros((*origin.shape[:2], 4))
    for w, samples in enumerate(worlds):
        mjm.hfield_data[:] = samples
        mjd = mujoco.MjData(mjm)
        mujoco.mj_kinematics(mjm, mjd)
        for i, (p, v) in enumerate(zip(origin[w], direction[w])):
            result[w, i, 3] = mujoco.mj_rayHfield(mjm, mjd, 0, p, v, result[w, i, :3])
    return result


def unequal(mjm, nworld):
    rng = np.random.default_rng(3)
    return [mjm.hfield_data * (1.0 if w == 0 else rng.random(len(mjm.hfield_data))) for w in range(nworld)]


@pytest.mark.parametrize("nrow, ncol", [(8, 8), (6, 11), (2, 2)])
def test_rays_from_everywhere(nrow, ncol, device):
    mjm = terrain(nrow, ncol)
    rng = np.random.default_rng(nrow)
    origin = rng.uniform((-2, -2, -1), (2, 2, 1), (3, 400, 3))
    origin[:, 200:300] *= (0.45, 0.35, 0.2)  # many of them within
    target = rng.uniform((-1, -0.8, -0.2), (1, 0.8, 0.3), (3, 400, 3))
    direction = (target - origin) * rng.uniform(0.3, 3.0, (3, 400, 1))
    direction[:, 300:320] = (0, 0, -1)
    direction[:, 320:340] = (0, 0, 2)
    direction[:, 340:350] = (1, 0, 0)
    direction[:, 350:360] = (0, -1, 0)
    direction[:, 399] = 0
    worlds = unequal(mjm, 3)
    hit = cast(mjm, worlds, origin, direction, device)
    theirs = expected(mjm, worlds, origin, direction)
    agree(hit, theirs, at_most=0)
    assert (theirs[..., 3] >= 0).mean() > 0.7


def agree(hit, theirs, at_most):
    close = np.abs(hit[..., 3] - theirs[..., 3]) < 2e-5 * (1 + np.abs(theirs[..., 3]))
    turned = np.abs(hit[..., :3] - theirs[..., :3]).max(axis=-1) > 1e-3
    wrong = ~close | (turned & (theirs[..., 3] >= 0))
    assert wrong.sum() <= at_most, f"{np.argwhere(wrong)[:5]} {hit[wrong][:5]} {theirs[wrong][:5]}"


def test_a_flat_field_is_a_box(device):
    """No oracle: all samples 1 make a box from -0.2 to 0.3; rays through its grid lines do not slip through."""
    mjm = terrain(5, 9)
    flat = [np.concatenate([mjm.hfield_data[:6], np.ones(45)])] * 2
    x, y = np.meshgrid(np.linspace(-1, 1, 9)[1:-1], np.linspace(-0.8, 0.8, 5)[1:-1])
    origin = np.stack([x.ravel(), y.ravel(), np.full(x.size, 5.0)], axis=-1)
    origin = np.stack([origin, origin])
    direction = np.zeros_like(origin)
    direction[..., 2] = -1
    hit = cast(mjm, flat, origin, direction, device)
    np.testing.assert_allclose(hit[..., 3], 4.7, atol=1e-5)
    np.testing.assert_allclose(hit[..., 2], 1.0, atol=1e-5)
