"""Pictures of cameras by rays: MuJoCo's own rays pixel by pixel, worlds that differ, and what is refused."""

import warnings

import mujoco
import numpy as np
import pytest
import warp as wp
from paths import REPO

from newtonish import mjw
from newtonish.errors import ModelError, NewtonishWarning, UnsupportedError

MODEL = REPO / "tests" / "models" / "cameras.xml"


@pytest.fixture(scope="module")
def scene():
    """The model, and data of two worlds whose bodies are elsewhere."""
    mjm = mujoco.MjModel.from_xml_path(str(MODEL))
    m = mjw.put_model(mjm)
    d = mjw.make_data(m, 2)
    qpos = np.tile(mjm.qpos0, (2, 1))
    qpos[1, :7] = [-0.2, 0.5, 1.1, 0.6, 0.8, 0, 0]
    qpos[1, 7:10] += [0.3, -0.4, 0.2]
    d.qpos.assign(qpos)
    mjw.kinematics(m, d)
    mjw.com_pos(m, d)
    return mjm, m, d


def rays_of(mjm, mjd, camera):
    """Depth and geom at every pixel of a camera, by mj_ray."""
    width, height = mjm.cam_resolution[camera]
    x, y = np.meshgrid((np.arange(width) + 0.5) / width - 0.5, 0.5 - (np.arange(height) + 0.5) / height)
    origin, local = np.zeros((height, width, 3)), np.stack([x, y, -np.ones_like(x)], axis=-1)
    if mjm.cam_projection[camera]:
        origin[..., 0], origin[..., 1] = x * mjm.cam_fovy[camera] * width / height, y * mjm.cam_fovy[camera]
        local[..., :2] = 0.0
    elif mjm.cam_sensorsize[camera, 1]:
        (fx, fy, cx, cy), size = mjm.cam_intrinsic[camera], mjm.cam_sensorsize[camera].copy()
        size[1] = min(size[1], size[0] * height / width)
        size[0] = min(size[0], size[1] * width / height)
        local[..., 0], local[..., 1] = (x * size[0] + cx) / fx, (y * size[1] - cy) / fy
    else:
        half = np.tan(0.5 * np.radians(mjm.cam_fovy[camera]))
        local[..., 0], local[..., 1] = 2 * x * half * width / height, 2 * y * half
    axes, groups = mjd.cam_xmat[camera].reshape(3, 3), np.array([1, 1, 1, 0, 0, 0], np.uint8)
    depth, geom = np.zeros((height, width)), np.full((height, width), -1)
    for at in np.ndindex(height, width):
        found = np.zeros(1, np.int32)
        start, along = mjd.cam_xpos[camera] + axes @ origin[at], axes @ local[at]
        dist = mujoco.mj_ray(mjm, mjd, start, along, groups, 1, -1, found)
        depth[at], geom[at] = max(dist, 0.0), found[0]  # the direction's part along the axis is one
    return depth, geom


def test_every_pixel_is_mujocos_ray(scene):
    """Perspective, orthographic and with a lens of its own; only rays that graze an edge may meet something else."""
    mjm, m, d = scene
    rc = mjw.create_render_context(mjm, 2, render_rgb=False, render_depth=True, render_seg=True)
    mjw.render(m, d, rc)
    for w in range(2):
        mjd = mujoco.MjData(mjm)
        mjd.qpos[:] = d.qpos.numpy()[w]
        mujoco.mj_forward(mjm, mjd)
        for camera, (width, height) in enumerate(mjm.cam_resolution):
            seen = wp.zeros((2, height, width), dtype=wp.vec2i)
            mjw.get_segmentation(rc, camera, seen)
            first = rc.depth_adr.numpy()[camera]
            depth = rc.depth_data.numpy()[w, first : first + width * height].reshape(height, width)
            expected, geom = rays_of(mjm, mjd, camera)
            same = seen.numpy()[w, :, :, 0] == geom
            assert same.mean() > 0.99 and len(np.unique(geom)) > 3
            np.testing.assert_allclose(depth[same], expected[same], rtol=1e-4, atol=2e-5)
            assert (seen.numpy()[w][same & (geom >= 0)][:, 1] == mujoco.mjtObj.mjOBJ_GEOM).all()


def test_result_does_not_depend_on_threads_and_follows_colours(scene):
    mjm, m, d = scene
    rc = mjw.create_render_context(m, 2, cam_res=(16, 12), render_depth=True, background_color=(0, 1, 0, 1))
    pictures, threads = [], mjw.get_num_threads()
    try:
        for count in (1, 2):
            mjw.set_num_threads(count)
            mjw.render(m, d, rc)
            pictures.append((rc.depth_data.numpy().tobytes(), rc.rgb_data.numpy().tobytes()))
    finally:
        mjw.set_num_threads(threads)
    assert pictures[0] == pictures[1]
    out = wp.zeros((2, 12, 16), dtype=wp.vec3)
    mjw.get_rgb(rc, 1, out)
    rgba = m.geom_rgba.numpy()
    kept = rgba.copy()
    rgba[..., :3] = 0.0
    m.geom_rgba.assign(rgba)
    mjw.render(m, d, rc)
    dark = wp.zeros_like(out)
    mjw.get_rgb(rc, 1, dark)
    m.geom_rgba.assign(kept)
    assert dark.numpy().sum() < 0.3 * out.numpy().sum()
    scaled = wp.zeros((2, 12, 16), dtype=wp.float32)
    mjw.get_depth(rc, 1, 3.5, scaled)
    first = rc.depth_adr.numpy()[1]
    depth = rc.depth_data.numpy()[:, first : first + 12 * 16].reshape(2, 12, 16)
    np.testing.assert_allclose(scaled.numpy(), np.clip(depth / 3.5, 0, 1), rtol=1e-6)
    assert depth.min() < 3.5 < depth.max()


def test_cameras_are_chosen_by_name_number_or_flag(scene):
    """Of a compiled model and of one of ours."""
    mjm, m, _ = scene
    for model in (mjm, m):
        for chosen in (["lens", "front"], [2, 0]):
            assert mjw.create_render_context(model, cam_res=(8, 8), cam_active=chosen).cam_id == [2, 0]
        assert mjw.create_render_context(model, cam_res=(8, 8), cam_active=[True, False, True]).cam_id == [0, 2]


def test_what_is_wrong_is_named(scene):
    mjm, m, d = scene
    with pytest.raises(ModelError, match=r"cam_active.*'side'.*front, above, lens"):
        mjw.create_render_context(mjm, cam_active=["side"])
    with pytest.raises(ModelError, match="cam_res: got 2 values"):
        mjw.create_render_context(mjm, cam_res=[(8, 8), (8, 8)])
    with pytest.raises(UnsupportedError, match="use_shadows"):
        mjw.create_render_context(mjm, render_rgb=True, use_shadows=True)
    rc = mjw.create_render_context(mjm, 3, cam_res=(8, 8), cam_active=[True, False, False])
    with pytest.raises(ModelError, match="render: rc"):
        mjw.render(m, d, rc)
    with pytest.raises(ModelError, match=r"get_depth: camera_index.*none"):
        mjw.get_depth(rc, 0, 1.0, wp.zeros((3, 8, 8), dtype=wp.float32))
    with pytest.raises(ModelError, match="get_rgb: array"):
        mjw.get_rgb(rc, 0, wp.zeros((3, 8, 9), dtype=wp.vec3))


def test_a_sky_changes_colours_alone(device):
    """Frameworks ask for it whatever they draw, and read where pictures begin from arrays."""
    sky = MODEL.read_text().replace("<asset>", '<asset><texture type="skybox" builtin="flat" rgb1="1 0 0" width="8" height="48"/>')
    mjm = mujoco.MjModel.from_xml_string(sky)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nothing = mjw.create_render_context(mjm, cam_res=[], render_rgb=[], render_depth=[], cam_active=[False] * mjm.ncam, render_skybox=True, device=device)
        rc = mjw.create_render_context(mjm, cam_res=(8, 8), render_rgb=False, render_depth=True, use_shadows=True, render_skybox=True, device=device)
    assert nothing.nrender == 0
    np.testing.assert_array_equal(rc.depth_adr.numpy(), 64 * np.arange(mjm.ncam))
    np.testing.assert_array_equal(rc.rgb_adr.numpy(), -1)
    with pytest.warns(NewtonishWarning, match="render_skybox.*background_color"):
        mjw.create_render_context(mjm, cam_res=(8, 8), render_rgb=True, render_skybox=True, device=device)
    with pytest.warns(NewtonishWarning, match="use_textures, enable_specular: got True; allowed: colours without these"):
        mjw.create_render_context(mjm, cam_res=(8, 8), render_rgb=True, use_textures=True, enable_specular=True, enable_emission=False, device=device)
