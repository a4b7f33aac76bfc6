"""What scripts log to viewers beside states: lines, points, meshes, shapes, frames, pictures and numbers, as with Newton's viewers."""

import warnings

import numpy as np
import pytest
import warp as wp
from x_input import virtual_display

import newtonish as nt
from newtonish.errors import NewtonishWarning
from newtonish.model.enums import GeoType
from newtonish.viewer import ViewerFile, ViewerGL, ViewerNull, ViewerWeb
from newtonish.viewer.logged import picture_of
from newtonish.viewer.scene import Kind, Marks, SceneMaker, vertices_of

WHITE = np.full((40, 60, 3), 255, np.uint8)


@pytest.fixture(scope="module")
def model():
    builder = nt.ModelBuilder()
    builder.add_ground_plane()
    builder.add_shape_box(builder.add_body(xform=wp.transform((0.0, 0.0, 0.5), wp.quat_identity())), hx=0.2, hy=0.2, hz=0.2)
    return builder.finalize(device="cpu")


def corners(maker: SceneMaker, model: nt.Model, marks: Marks) -> list[np.ndarray]:
    """Corners of every mark, as a renderer draws them."""
    scene = maker.make(model.state(), marks=marks)
    return [vertices_of(scene, int(row))[0] for row in np.flatnonzero(scene.instances.kind == Kind.UNKNOWN)]


def test_marks_are_where_they_were_logged(model) -> None:
    maker, marks = SceneMaker(model), Marks()
    turned = [1, 2, 3, 0, 0, np.sqrt(0.5), np.sqrt(0.5)]  # a quarter about z
    marks.segments("line", [[0, 0, 1]], wp.array([[2, 0, 1]], dtype=wp.vec3), (1, 0, 0), 0.1, False)
    marks.segments("arrow", [[0, 0, 0]], [[0, 0, 3]], None, 0.1, False, arrows=True)
    marks.points("point", [[0, 5, 0]], 0.5, None, False)
    marks.mesh("mesh", [[0, 0, 0], [1, 0, 0], [0, 0, 1]], [0, 1, 2])
    marks.copies("copy", "mesh", [turned], [[2, 2, 2]], None, False)
    marks.shapes("capsule", GeoType.CAPSULE, (0.1, 0.4), [turned], None, None, False)
    marks.shapes("box", GeoType.BOX, (0.1, 0.2, 0.3), [turned], None, None, False)
    found = corners(maker, model, marks)
    expected = [
        ([0, -0.05, 0.95], [2, 0.05, 1.05]), ([-0.0875, -0.0875, 0], [0.0875, 0.0875, 3]), ([-0.5, 4.5, -0.5], [0.5, 5.5, 0.5]),
        ([1, 2, 3], [1, 4, 5]), ([0.9, 1.9, 2.5], [1.1, 2.1, 3.5]), ([0.8, 1.9, 2.7], [1.2, 2.1, 3.3]),
    ]  # fmt: skip
    for points, (low, high) in zip(found, expected, strict=True):
        np.testing.assert_allclose([points.min(axis=0), points.max(axis=0)], [low, high], atol=2e-3)
    marks.mesh("mesh", [[0, 0, 0], [3, 0, 0], [0, 0, 1]], [0, 1, 2])  # in place
    assert corners(maker, model, marks)[3].max(axis=0) == pytest.approx([1, 8, 5], abs=1e-5)
    marks.segments("line", None, None, None, 0.1, False)
    marks.points("point", [[0, 5, 0]], 0.5, None, hidden=True)
    assert len(corners(maker, model, marks)) == 4
    assert len(corners(SceneMaker(model), model, marks)) == 4, "a model opened later has a library of its own"
    marks.frame("pose", wp.transform((0.0, 0.0, 7.0), wp.quat_identity()), 1.0)
    assert np.concatenate(corners(maker, model, marks)[4:]).max(axis=0) == pytest.approx([1, 1, 8], abs=0.06)


def test_what_cannot_be_drawn_is_named() -> None:
    marks = Marks()
    with pytest.raises(nt.ModelError, match=r"'a'.*the mesh 'b'.*none was logged.*log_mesh"):
        marks.copies("a", "b", None, None, None, False)
    with pytest.raises(nt.ModelError, match=r"'a'.*1 starts and 2 ends"):
        marks.segments("a", [[0, 0, 0]], np.zeros((2, 3)), None, 0.1, False)
    with pytest.raises(nt.ModelError, match=r"'a'.*HFIELD.*SPHERE"):
        marks.shapes("a", GeoType.HFIELD, 1.0, [[0, 0, 0, 0, 0, 0, 1]], None, None, False)
    with pytest.raises(nt.ModelError, match=r"log_image: 'a'.*int64 of shape \(2, 2\)"):
        picture_of("a", np.zeros((2, 2), dtype=np.int64))


@pytest.mark.parametrize(("shape", "size"), [((4, 6), (4, 6)), ((4, 6, 1), (4, 6)), ((4, 6, 4), (4, 6)), ((3, 4, 6), (8, 12)), ((2, 4, 6, 3), (4, 12))])
def test_pictures_of_all_forms(shape, size) -> None:
    given = np.random.default_rng(0).random(shape).astype(np.float32)
    made = picture_of("a", wp.array(given, device="cpu"))
    assert made.dtype == np.uint8 and made.shape == (*size, 4 if shape[-1] == 4 else 3)
    first = given if len(shape) == 2 or shape == (4, 6, 1) or shape == (4, 6, 4) else given[0]
    expected = np.round(255 * (first[..., None] if first.ndim == 2 else first))
    np.testing.assert_array_equal(made[:4, :6], np.broadcast_to(expected, made[:4, :6].shape))
    np.testing.assert_array_equal(picture_of("a", np.full((2, 2), 7, np.uint8)), 7)


def log_everything(viewer, model, k: int) -> None:
    """A frame with all that a script can log."""
    viewer.begin_frame(0.01 * k)
    viewer.log_state(model.state())
    viewer.log_lines("line", [[0, -1, 1.6]], [[0, 1, 1.6]], (0, 1, 0), 0.2)
    viewer.log_arrows("arrow", [[0, 0, 1]], [[0, 0, 2]])
    viewer.log_points("points", [[0, 0, 3]], 0.1)
    viewer.log_mesh("mesh", [[0, 0, 0], [1, 0, 0], [0, 0, 1]], [0, 1, 2], hidden=True)
    viewer.log_instances("copies", "mesh", [[0, 0, 1, 0, 0, 0, 1]], None, None, None)
    viewer.log_shapes("shape", GeoType.SPHERE, 0.1, [[0, 0, 2, 0, 0, 0, 1]])
    viewer.log_gizmo("pose", wp.transform((0.0, 0.0, 1.0), wp.quat_identity()))
    viewer.log_image("camera", WHITE)
    viewer.log_scalar("reward", 1.5)
    viewer.end_frame()


def test_viewers_that_record_say_once_what_they_leave_out(model, tmp_path) -> None:
    with ViewerFile(tmp_path / "run.npz") as viewer, pytest.warns(NewtonishWarning) as told:
        viewer.set_model(model)
        for k in range(2):
            log_everything(viewer, model, k)
    methods = [str(one.message).split(":")[0].removeprefix("ViewerFile.") for one in told]
    assert methods == ["log_lines", "log_points", "log_mesh", "log_instances", "log_shapes", "log_gizmo", "log_image", "log_scalar"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        log_everything(ViewerNull(), model, 0)


def test_a_window_draws_it(model) -> None:
    with virtual_display(), ViewerGL(900, 640, samples=1, shadow_size=256, frame_rate=1000) as viewer:
        viewer.set_model(model)
        viewer.set_camera((4, 0, 1), 0, 180)
        with pytest.warns(NewtonishWarning, match="log_gizmo.*no mouse moves it"):
            log_everything(viewer, model, 0)
        viewer._panels_at = -1.0
        viewer.frame()
        picture = viewer.picture().astype(int)
        place = viewer.area("picture camera")
        x, y = (int(value) for value in place.middle)
        assert (picture[y + 20, x] == 255).all()
        above = picture[: int(place.y)]
        assert ((above[..., 1] > 120) & (above[..., 0] < 60) & (above[..., 2] < 60)).sum() > 500, "a green line across the middle"
        viewer.log_image("camera", WHITE // 5, fullscreen=True)
        viewer.frame()
        assert (viewer.picture()[600, 700] == 51).all() and viewer.area("panel logged") is not None
        viewer.begin_frame(1.0)
        viewer.log_lines("line", None, None)
        viewer.end_frame()
        kinds = [name for name in viewer.session.marks._shown]
        assert kinds == ["arrow", "points", "copies", "shape"], "frames are of one frame, the others stay"


def test_a_page_has_handles_that_move_the_scripts_pose(model) -> None:
    pose = wp.transform((0.0, 0.0, 1.0), wp.quat_identity())
    with ViewerWeb(port=8193) as viewer:
        viewer.set_model(model)
        log_everything(viewer, model, 0)
        viewer.log_gizmo("hand", pose)
        viewer.end_frame()
        assert viewer._gizmos["hand"].position == pytest.approx((0, 0, 1))
        viewer.post(viewer._move, "hand", (1.0, 2.0, 3.0), (0.0, 1.0, 0.0, 0.0))
        viewer.end_frame()
        assert list(pose) == pytest.approx([1, 2, 3, 1, 0, 0, 0])
        assert viewer._panel._pictures["camera"][1] == 0 and "reward: 1.5" in viewer._panel._status.content
