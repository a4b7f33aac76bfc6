"""What of a model is shown."""

from __future__ import annotations

from dataclasses import dataclass, field, fields

from newtonish.errors import ModelError, problem
from newtonish.viewer.scene.enums import Category, Frame, Label

__all__ = ["FLAGS", "GROUPS", "VisualOptions"]

_SIX = 6


def _groups() -> list[bool]:
    """The first three of six groups: MuJoCo's default."""
    return [True, True, True, False, False, False]


@dataclass
class VisualOptions:
    """Switches of what is drawn, with MuJoCo's names (``mjtVisFlag``) and defaults.

    Attributes:
        convexhull: Meshes that collide are drawn as their convex hulls.
        texture: Materials have their textures.
        joint: Axes of hinges (arrows) and slides (arrows with wedges), balls and free joints.
        camera: Cameras as boxes with a lens, and the frustum of those with a resolution.
        actuator: Actuators, in the colour of their control, between those of the least, none, and the greatest.
        activation: The colour is that of the activation, where there is one.
        light: Lights as cylinders.
        tendon: Spatial tendons along their paths.
        rangefinder: Rays of range finders and of distance sensors.
        constraint: Ends of connect and weld constraints.
        inertia: Boxes (or ellipsoids, as the model says) with the mass and inertia of each body.
        sclinertia: Their size is that of water of the body's mass.
        perturbforce: Forces on bodies from outside.
        perturbobj: The perturbation: a string from the selected point to where it is dragged, a box that is turned.
        contactpoint: Contacts as flat cylinders.
        contactforce: Contact forces as arrows.
        contactsplit: Normal and friction force each have an arrow.
        transparent: What moves is drawn transparent.
        autoconnect: Lines between the joints and the centres of mass: the skeleton.
        com: Centres of mass of each tree.
        select: The point that was selected.
        static: What is fixed to the world.
        skin: Skins.
        invisible: Shapes without the flag ``ShapeFlags.VISIBLE`` too.
        frame: Whose coordinate frames are drawn.
        label: What is labelled.
        geomgroup, sitegroup, jointgroup, tendongroup, actuatorgroup, skingroup: Which of the groups 0 to 5 are drawn.
        categories: Bits of :class:`Category`.
    """

    convexhull: bool = False
    texture: bool = True
    joint: bool = False
    camera: bool = False
    actuator: bool = False
    activation: bool = False
    light: bool = False
    tendon: bool = True
    rangefinder: bool = True
    constraint: bool = False
    inertia: bool = False
    sclinertia: bool = False
    perturbforce: bool = False
    perturbobj: bool = True
    contactpoint: bool = False
    contactforce: bool = False
    contactsplit: bool = False
    transparent: bool = False
    autoconnect: bool = False
    com: bool = False
    select: bool = False
    static: bool = True
    skin: bool = True
    invisible: bool = False
    frame: Frame = Frame.NONE
    label: Label = Label.NONE
    geomgroup: list[bool] = field(default_factory=_groups)
    sitegroup: list[bool] = field(default_factory=_groups)
    jointgroup: list[bool] = field(default_factory=_groups)
    tendongroup: list[bool] = field(default_factory=_groups)
    actuatorgroup: list[bool] = field(default_factory=_groups)
    skingroup: list[bool] = field(default_factory=_groups)
    categories: int = Category.ALL

    def __post_init__(self) -> None:
        for name in GROUPS:
            given = getattr(self, name)
            if len(given) != _SIX:
                raise ModelError(problem(f"VisualOptions.{name}", f"{len(given)} values", "six", "give one for each group 0 to 5"))

    def toggle(self, name: str) -> bool:
        """Switch a flag, and return what it is now.

        Raises:
            ModelError: There is no flag of this name.
        """
        if name not in FLAGS:
            raise ModelError(problem("VisualOptions", f"flag '{name}'", ", ".join(FLAGS), "choose one of these"))
        setattr(self, name, not getattr(self, name))
        return getattr(self, name)

    def show(self, listed: str) -> None:
        """Take a list such as ``"contactpoint,com,frame=body,label=joint"``: flags to switch, and the kind that has frames or labels.

        Raises:
            ModelError: There is no such flag or kind.
        """
        for entry in filter(None, (part.strip() for part in listed.split(","))):
            name, given, kind = entry.partition("=")
            if not given:
                self.toggle(name)
                continue
            kinds: dict[str, type[Frame] | type[Label]] = {"frame": Frame, "label": Label}
            if name not in kinds or kind.upper() not in kinds[name].__members__:
                names = ", ".join(one.lower() for one in kinds[name].__members__) if name in kinds else "frame=KIND, label=KIND"
                raise ModelError(problem("VisualOptions", f"'{entry}'", names, "choose one of these"))
            setattr(self, name, kinds[name][kind.upper()])

    def shape_key(self) -> tuple:
        """What the choice and the look of shapes depends on; with an equal key nothing but their poses changes."""
        return (self.convexhull, self.texture, self.transparent, self.static, self.invisible, int(self.categories),
                tuple(self.geomgroup), tuple(self.sitegroup))  # fmt: skip


FLAGS = tuple(column.name for column in fields(VisualOptions) if column.type == "bool")
"""Names of all switches."""

GROUPS = tuple(column.name for column in fields(VisualOptions) if column.type == "list[bool]")
"""Names of all sets of groups."""
