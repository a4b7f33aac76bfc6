"""What is drawn where: colours, depth and objects at places that geometry tells, for scenes drawn by OpenGL without a display."""

import subprocess
import sys

import numpy as np
import pytest

from newtonish.viewer import errors
from newtonish.viewer.draw import OffscreenRenderer, context
from newtonish.viewer.scene import CameraPose, Instances, Kind, Light, LightType, Material, Scene, Texture
from newtonish.viewer.scene.library import BUILT_IN, Library

NAMES = ("floor", "ball", "die", "glass", "pole")


def made_scene() -> Scene:
    """A checkered floor, a ball, a box of two colours, a pane and a pole below a headlight and a sun; no model is needed."""
    checker = np.zeros((64, 64, 3), np.uint8)
    checker[..., 2] = 255
    checker[:32, :32] = checker[32:, 32:] = (255, 0, 0)
    dice = np.full((6, 16, 16, 3), (0, 255, 255), np.uint8)
    dice[4] = (255, 0, 255)
    textures = [Texture("2d", checker), Texture("skybox", np.full((6, 8, 8, 3), (0, 255, 0), np.uint8)), Texture("cube", dice)]
    materials = [Material(texture=0, uniform=True, specular=0), Material(texture=2, specular=0), Material(specular=0)]
    shown = Instances.empty(5)
    shown.triangles[:] = [BUILT_IN[name] for name in ("plane", "sphere", "box", "box", "capsule")]
    shown.position[1:] = (0, 0, 2), (2.5, 0, 0.4), (-2.5, 0, 1), (0, 2.5, 0.8)
    shown.scale[:] = (20, 20, 1), (0.5, 0.5, 0.5), (0.4, 0.4, 0.4), (0.4, 0.4, 0.02), (0.2, 0.2, 0.6)
    shown.color[:] = (1, 1, 1, 1), (0.8, 0.8, 0.2, 1), (1, 1, 1, 1), (1, 1, 1, 0.3), (0.2, 0.7, 0.3, 1)
    shown.material[:] = 0, 2, 1, 2, 2
    shown.texture_scale[0] = 20, 20, 1
    shown.shadow[:] = True
    shown.kind[:], shown.index[:] = Kind.GEOM, np.arange(5)
    head = Light(headlight=True, castshadow=False, ambient=(0.3,) * 3, diffuse=(0.4,) * 3, specular=(0.0,) * 3)
    sun = Light(direction=np.array([0, 0, -1.0]), diffuse=(0.5,) * 3, specular=(0.0,) * 3)
    return Scene(Library().entries, textures, materials, shown, [head, sun], [], CameraPose(), skybox=1)


class Drawn:
    """One picture of the model, with the pixels of points of the world."""

    def __init__(self, renderer: OffscreenRenderer, scene: Scene) -> None:
        scene.lights[0].direction = scene.camera.forward
        renderer.draw(scene)
        self.color, self.depth, self.seen = renderer.color().astype(int), renderer.depth(), renderer.segmentation()
        self.matrix = scene.camera.projection(renderer.width / renderer.height) @ scene.camera.view()

    def pixel(self, *point: float) -> tuple[int, int]:
        """Row and column of a point of the world."""
        x, y, _, w = self.matrix @ (*point, 1.0)
        height, width = self.depth.shape
        return int((0.5 - 0.5 * y / w) * height), int((0.5 + 0.5 * x / w) * width)


def view(position: tuple, target: tuple) -> CameraPose:
    """A camera at a place that looks at another, 45 degrees high."""
    forward = np.subtract(target, position) / np.linalg.norm(np.subtract(target, position))
    up = np.array([0.0, 1.0, 0.0]) if abs(forward[2]) > 0.99 else np.array([0.0, 0.0, 1.0])
    right = np.cross(forward, up)
    up = np.cross(right / np.linalg.norm(right), forward)
    top = 0.01 * np.tan(np.radians(22.5))
    return CameraPose(np.array(position, float), forward, up, -top, top, 0.0, 0.01, 60.0)


@pytest.fixture(scope="module")
def renderer():
    with OffscreenRenderer(320, 240) as made:
        yield made


@pytest.fixture(scope="module")
def scene() -> Scene:
    return made_scene()


@pytest.fixture
def above(renderer, scene) -> Drawn:
    scene.camera = view((0, 0, 12), (0, 0, 0))
    return Drawn(renderer, scene)


def test_objects_are_seen_where_they_are(above) -> None:
    for name, place in {"floor": (1.3, 1.3, 0), "ball": (0, 0, 2.5), "die": (2.5, 0, 0.8), "pole": (0, 2.5, 1.6)}.items():
        assert tuple(above.seen[above.pixel(*place)]) == (Kind.GEOM, NAMES.index(name)), name


def test_depth_is_in_metres_along_the_line_of_sight(above) -> None:
    for point in ((0, 0, 2.5), (2.5, 0, 0.8), (2.3, 0.2, 0.8), (1.3, 1.3, 0), (0, 2.5, 1.6)):
        assert above.depth[above.pixel(*point)] == pytest.approx(12 - point[2], abs=0.01)


def test_the_sky_is_behind_everything(renderer, scene) -> None:
    scene.camera = view((0, -8, 3), (0, 0, 6))
    drawn = Drawn(renderer, scene)
    assert tuple(drawn.seen[0, 160]) == (-1, -1)
    assert drawn.depth[0, 160] == pytest.approx(60.0)
    assert drawn.color[0, 160].tolist() == [0, 255, 0]


def test_a_checker_repeats_by_metres(above) -> None:
    """With one repetition a two metres the squares have sides of one metre."""
    for x in (-1.5, -0.6, 0.6, 1.5):
        for y in (-1.5, 1.5):
            left, up = (0.5 * x - 0.5) % 1 < 0.5, (-0.5 * y - 0.5) % 1 < 0.5
            red, green, blue = above.color[above.pixel(x, y, 0)]
            assert (red > 150, green, blue > 150) == (left == up, 0, left != up), (x, y)


def test_a_cube_texture_covers_its_faces(above) -> None:
    np.testing.assert_allclose(above.color[above.pixel(2.5, 0, 0.8)], (255, 0, 255), atol=3)


@pytest.mark.parametrize("alpha", (False, True))
@pytest.mark.parametrize("kind", ("2d", "cube"))
def test_pictures_in_srgb_are_drawn_linear(renderer, kind: str, alpha: bool) -> None:
    """As MuJoCo's renderer draws them: the transfer function of sRGB (IEC 61966-2-1) is undone, opacity is not touched."""
    scene, values = made_scene(), np.array([188, 100, 5, 255][: 3 + alpha], np.uint8)
    side = np.broadcast_to(values, (8, 8, len(values)))
    scene.textures[2] = Texture(kind, side.copy() if kind == "2d" else np.repeat(side[None], 6, axis=0), srgb=True)
    scene.camera = view((0, 0, 12), (0, 0, 0))
    drawn = Drawn(renderer, scene)
    share = values[:3] / 255.0
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    np.testing.assert_allclose(drawn.color[drawn.pixel(2.5, 0, 0.8)], 255 * 1.2 * linear, atol=3)


def test_lighting_is_the_sum_of_the_lights(above) -> None:
    """Seen from above, the top of the ball faces both lights: ambient 0.3, headlight 0.4, sun 0.5; what is above one is cut off."""
    expected = np.minimum(255 * np.array([0.8, 0.8, 0.2]) * (0.3 + 0.4 + 0.5), 255)
    np.testing.assert_allclose(above.color[above.pixel(0, 0, 2.5)], expected, atol=4)


@pytest.mark.parametrize("count", range(1, 9))
def test_any_number_of_lights_adds_up(renderer, count) -> None:
    """A grey ground under unequal suns and spots straight above it: each adds its diffuse colour, however many there are."""
    shown = Instances.empty(1)
    shown.triangles[:], shown.scale[:], shown.color[:] = BUILT_IN["plane"], (20, 20, 1), (0.5, 0.6, 0.7, 1)
    shown.material[:] = 0
    lights, expected = [], np.zeros(3)
    for row in range(count):
        color = 0.02 * np.array([1 + row, 8 - row, 4.0])
        spot = {"type": LightType.SPOT, "position": np.array([0, 0, 3.0 + row]), "cutoff": 30.0 + row, "exponent": 0.0} if row % 2 else {}
        lights.append(Light(direction=np.array([0, 0, -1.0]), diffuse=tuple(color), specular=(0.0,) * 3, castshadow=row != 1, **spot))
        expected += 255 * color * (0.5, 0.6, 0.7)
    scene = Scene(Library().entries, [], [Material(specular=0)], shown, lights, [], view((0, 0, 12), (0, 0, 0)))
    renderer.draw(scene)
    np.testing.assert_allclose(renderer.color()[120, 160], expected, atol=1.5)


def test_shadows_take_the_light_of_what_they_fall_on(renderer, scene) -> None:
    """The ball hides the sun from the ground below it, and from nothing else."""
    scene.camera = view((0, -6, 4), (0, 0, 0))
    drawn = Drawn(renderer, scene)
    in_shadow = drawn.color[drawn.pixel(0.1, -0.2, 0)].max()
    in_light = drawn.color[drawn.pixel(0.1, -1.2, 0)].max()
    assert drawn.seen[drawn.pixel(0.1, -0.2, 0)][1] == 0
    assert in_light - in_shadow == pytest.approx(255 * 0.5, abs=12)
    with OffscreenRenderer(320, 240, shadow_size=0) as plain:
        without = Drawn(plain, scene)
    assert abs(without.color[without.pixel(0.1, -0.2, 0)].max() - in_light) < 12


def test_transparent_things_let_what_is_behind_through(above) -> None:
    """Drawn from both ends as MuJoCo does, an opacity of 0.3 hides 1 - 0.7² of the ground."""
    row, column = above.pixel(-2.4, 0.2, 1.02)
    assert tuple(above.seen[row, column]) == (Kind.GEOM, NAMES.index("glass"))
    floor = above.color[above.pixel(-2.4, 0.6, 0)]
    glass = above.color[row, column]
    assert np.all(glass >= np.minimum(0.51 * 255 - 10, 250))
    assert floor.min() < 20 < glass.min()


def test_a_plane_seen_from_below_is_not_in_the_way(renderer, scene) -> None:
    scene.camera = view((0, -1, -6), (0, 0, 0))
    drawn = Drawn(renderer, scene)
    assert drawn.color[drawn.pixel(0, 0, 1.5)][1] > 60, "the ball and the sky shine through"


def test_an_endless_ground_fades_into_the_haze_of_the_horizon(renderer) -> None:
    """At the distance of the horizon MuJoCo's cone of haze hides h / (1 + h) of the ground; above the horizon nothing."""
    scene = made_scene()
    scene.instances.scale[0, :2] = 60.0
    scene.instances.material[0] = 2
    scene.instances.color[0, :3] = 0.0
    scene.haze = (1.0, 1.0, 1.0, 0.5)
    scene.camera = view((0, -1, 6), (0, 40, 0))
    drawn = Drawn(renderer, scene)
    far = drawn.color[drawn.pixel(0, 41, 0)]
    np.testing.assert_allclose(far, 255 * 0.5 / 1.5, atol=6)
    assert drawn.color[drawn.pixel(3, 15, 0)].max() < 3, "near things are clear"
    above = drawn.color[drawn.pixel(0, 40, 9)]
    assert above.tolist() == [0, 255, 0]


def mirror_scene(entry: str, reflectance: float) -> Scene:
    """A yellow ball over a dark mirror, a plane or the top of a box, whose surface is at the height 0."""
    shown = Instances.empty(2)
    shown.triangles[:] = BUILT_IN[entry], BUILT_IN["sphere"]
    shown.position[:] = (0, 0, -0.5 * (entry == "box")), (0, 0, 1)
    shown.scale[:] = (4, 4, 0.5 if entry == "box" else 1), (0.5, 0.5, 0.5)
    shown.color[:] = (0.1, 0.1, 0.1, 1), (0.8, 0.8, 0.2, 1)
    shown.material[:], shown.kind[:], shown.index[:] = (0, 1), Kind.GEOM, (0, 1)
    light = Light(ambient=(1.0,) * 3, diffuse=(0.0,) * 3, specular=(0.0,) * 3, headlight=True, castshadow=False)
    materials = [Material(specular=0, reflectance=reflectance), Material(specular=0)]
    return Scene(Library().entries, [], materials, shown, [light], [], view((0, -6, 2), (0, 0, 0)))


@pytest.mark.parametrize("entry", ["plane", "box"])
def test_a_mirror_adds_the_image_of_what_stands_before_it(renderer, entry) -> None:
    """At the mirror image of the ball the mirror shows its own colour and the ball's times the reflectance; elsewhere its own."""
    drawn = Drawn(renderer, mirror_scene(entry, 0.5))
    place, beside = drawn.pixel(0, 0, -1), drawn.pixel(1.2, 0, -1)
    assert drawn.seen[place][1] == drawn.seen[beside][1] == 0, "the mirror, not the ball"
    np.testing.assert_allclose(drawn.color[place], 255 * (0.1 + 0.5 * np.array([0.8, 0.8, 0.2])), atol=2)
    np.testing.assert_allclose(drawn.color[beside], 25.5, atol=2)
    dull = Drawn(renderer, mirror_scene(entry, 0.0))
    np.testing.assert_allclose(dull.color[place], 25.5, atol=2)


def test_a_mirror_shows_highlights_undimmed_and_dims_before_light_is_cut_off(renderer) -> None:
    """As MuJoCo's renderer: the reflectance is that of colours and emission alone, and an image of what is overlit is brighter than that of white."""
    scene = mirror_scene("plane", 0.25)
    scene.lights[0].ambient = (2.0,) * 3
    drawn = Drawn(renderer, scene)
    np.testing.assert_allclose(drawn.color[drawn.pixel(0, 0, -1)], 255 * (0.2 + 0.25 * 2.0 * np.array([0.8, 0.8, 0.2])), atol=2)
    scene = mirror_scene("plane", 0.01)
    light = np.array([0.0, 4.0, -6.0]) / np.hypot(4.0, 6.0)  # by way of the mirror it is reflected into the eye
    scene.lights[:] = [Light(direction=light, ambient=(0.0,) * 3, diffuse=(0.0,) * 3, specular=(1.0,) * 3, castshadow=False)]
    scene.materials[1] = Material(specular=1.0, shininess=0.05)
    shining = Drawn(renderer, scene)
    image = shining.color[shining.seen[..., 1] == 0].max(axis=0)
    assert image.min() > 100 and np.ptp(image) <= 2, "white, whatever the colour of the ball"


def test_only_the_front_of_a_mirror_mirrors(renderer) -> None:
    """A plane from behind does not, nor the sides of a box."""
    for entry, height in (("plane", -2), ("box", -0.4)):
        pictures = []
        for reflectance in (0.0, 1.0):
            scene = mirror_scene(entry, reflectance)
            scene.camera = view((0, -12, height), (0, 0, height))
            pictures.append(Drawn(renderer, scene).color)
        np.testing.assert_array_equal(*pictures)


def test_pictures_repeat_and_change_size(renderer, scene) -> None:
    scene.camera = view((3, -6, 4), (0, 0, 0))
    first, second = Drawn(renderer, scene), Drawn(renderer, scene)
    np.testing.assert_array_equal(first.color, second.color)
    renderer.resize(160, 120)
    small = Drawn(renderer, scene)
    renderer.resize(320, 240)
    assert small.color.shape == (120, 160, 3) and small.seen.shape == (120, 160, 2)
    assert (small.seen[:, :, 1] == first.seen[1::2, 1::2, 1]).mean() > 0.95


def test_instances_that_come_and_go_are_followed(renderer, scene) -> None:
    scene.camera = view((0, 0, 12), (0, 0, 0))
    everything, fewer = scene.instances, scene.instances.take(np.array([0, 2]))
    fewer.layout = everything.layout + 1
    scene.instances = fewer
    drawn = Drawn(renderer, scene)
    assert sorted(np.unique(drawn.seen[..., 1])) == sorted(fewer.index.tolist())
    scene.instances = everything
    assert len(np.unique(Drawn(renderer, scene).seen[..., 1])) == 5


def test_two_renderers_do_not_disturb_each_other(renderer, scene) -> None:
    scene.camera = view((0, 0, 12), (0, 0, 0))
    before = Drawn(renderer, scene).color
    with OffscreenRenderer(100, 50) as other:
        Drawn(other, scene)
        np.testing.assert_array_equal(renderer.color(), before)
    np.testing.assert_array_equal(Drawn(renderer, scene).color, before)


def test_without_egl_one_line_says_what_is_missing(monkeypatch) -> None:
    def refuse(name: str):
        raise OSError(f"{name}: cannot open shared object file")

    context._library.cache_clear()
    context._platform.cache_clear()
    monkeypatch.setattr(context.ctypes, "CDLL", refuse)
    with pytest.raises(errors.ViewerUnavailable, match=r"^cannot draw: libEGL is missing; .*apt install libegl1") as caught:
        OffscreenRenderer(8, 8)
    assert "\n" not in str(caught.value)
    monkeypatch.undo()
    context._library.cache_clear()
    context._platform.cache_clear()


@pytest.mark.parametrize(("hidden", "said"), [("pyglet", "pip install pyglet"), ("pyglet.gl", "apt install libgl1")])
def test_without_pyglet_or_opengl_one_line_says_what_is_missing(hidden: str, said: str) -> None:
    code = f"""
import sys
class Hide:
    def find_spec(self, name, path=None, target=None):
        if name == {hidden!r}:
            raise ImportError('Library "GL" not found.', name=name)
sys.meta_path.insert(0, Hide())
import newtonish.viewer, newtonish.viewer.scene
assert "pyglet" not in sys.modules
from newtonish.viewer.errors import ViewerUnavailable
try:
    import newtonish.viewer.draw
except ViewerUnavailable as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert said in done.stdout and done.stdout.count("\n") == 1
