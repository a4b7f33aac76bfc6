"""The abstract scene: what is to be drawn, apart from drawing. numpy only; any renderer can be put behind it."""

from newtonish.viewer.scene.arrays import Instances, Light, Material, Scene, TextLabel, Texture, Triangles, vertices_of
from newtonish.viewer.scene.camera import Camera
from newtonish.viewer.scene.camera_pose import CameraPose
from newtonish.viewer.scene.enums import CameraType, Category, Frame, Kind, Label, LightType, Mouse, PerturbBit
from newtonish.viewer.scene.maker import SceneMaker
from newtonish.viewer.scene.marks import Marks
from newtonish.viewer.scene.options import VisualOptions
from newtonish.viewer.scene.perturbation import Perturbation
from newtonish.viewer.scene.picking import Picked, pick

__all__ = [
    "Camera",
    "CameraPose",
    "CameraType",
    "Category",
    "Frame",
    "Instances",
    "Kind",
    "Label",
    "Light",
    "LightType",
    "Marks",
    "Material",
    "Mouse",
    "PerturbBit",
    "Perturbation",
    "Picked",
    "Scene",
    "SceneMaker",
    "TextLabel",
    "Texture",
    "Triangles",
    "VisualOptions",
    "pick",
    "vertices_of",
]
