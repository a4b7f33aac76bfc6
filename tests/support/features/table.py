"""What a row of the coverage page is: a feature of MuJoCo 4.0 and the smallest model that needs it."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco


@dataclass(frozen=True)
class Feature:
    """One feature.

    Attributes:
        group: heading under which the page lists it.
        name: MuJoCo's word for it.
        xml: a model in which it acts; the tests move it and compare it with MuJoCo.
    """

    group: str
    name: str
    xml: str

    @property
    def plugins(self) -> dict[str, str]:
        """Plugins by the names of their instances, which a compiled model does not keep."""
        return {one.name: one.plugin_name for one in mujoco.MjSpec.from_string(self.xml).plugins}

    @property
    def key(self) -> str:
        return f"{self.group}: {self.name}"


def model(world: str = "", *, option: str = "", head: str = "", tail: str = "") -> str:
    """A file with these parts: ``option`` holds attributes and flags, ``head`` comes before the bodies, ``tail`` after."""
    attributes, _, flags = option.partition("|")
    opened = f"<option {attributes}>" + (f"<flag {flags}/>" if flags else "") + "</option>"
    return f"<mujoco>{opened}{head}<worldbody>{world}</worldbody>{tail}</mujoco>"


GROUND = '<geom name="ground" type="plane" size="5 5 .1"/>'
ARM = (
    '<site name="world"/><body name="upper" pos="0 0 1"><joint name="shoulder" axis="0 1 0" damping=".1" limited="true" range="-60 60"/>'
    '<geom name="upper" type="capsule" fromto="0 0 0 .3 0 0" size=".04"/><site name="elbow" pos=".3 0 0"/>'
    '<body name="lower" pos=".3 0 0"><joint name="elbow" axis="0 1 .3" damping=".1"/>'
    '<geom name="lower" type="capsule" fromto="0 .02 0 .2 .03 .1" size=".03"/><site name="hand" pos=".2 0 .1" euler="20 30 10"/></body></body>'
)
BALL = '<body name="ball" pos=".6 .1 .09"><freejoint name="free"/><geom name="ball" size=".1" friction=".8 .02 .001"/><site name="ball"/></body>'
