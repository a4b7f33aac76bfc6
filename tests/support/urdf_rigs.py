"""URDF files for tests: small robots from a few lines, and MuJoCo's reading of a file whose meshes it would not find."""

import re
import warnings
from pathlib import Path

import mujoco
import numpy as np

import newtonish as nt

__all__ = ["LIKE_OURS", "SHARED_URDF", "add", "inertial", "joint", "link", "mujoco_urdf", "robot", "tensor"]

SHARED_URDF = (
    "allegro_hand_urdf/allegro_hand_description/allegro_hand_description_right.urdf",
    "barkour_vb/barkour_vb_rev_1_0_head_straight.urdf",
    "newton_urdf_primitives/examples/assets/cartpole.urdf",
    "newton_urdf_primitives/examples/assets/quadruped.urdf",
    "newton_urdf_primitives/tests/assets/humanoid.urdf",
    "pelican_urdf/quadrotor/dependencies/pelican.urdf",
    "pelican_urdf/quadrotor/dependencies/pelican_fixed_rotors.urdf",
)

LIKE_OURS = 'strippath="false" fusestatic="false" discardvisual="false"'
"""Compiler settings with which MuJoCo keeps the links and shapes that we keep."""


def inertial(mass: float = 1.0, moments: str = 'ixx="0.1" iyy="0.2" izz="0.25" ixy="0" ixz="0" iyz="0"', origin: str = "") -> str:
    """An ``inertial`` element."""
    return f'<inertial><origin {origin}/><mass value="{mass}"/><inertia {moments}/></inertial>'


def link(name: str, inside: str | None = None) -> str:
    """A link, by default with an inertial."""
    return f'<link name="{name}">{inertial() if inside is None else inside}</link>\n'


def joint(name: str, parent: str, child: str, kind: str = "revolute", inside: str = "") -> str:
    """A joint."""
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{inside}</joint>\n'


def robot(*parts: str) -> str:
    """A file."""
    return f'<robot name="r">\n{"".join(parts)}</robot>\n'


def add(text: str, builder: nt.ModelBuilder | None = None, **options) -> nt.ModelBuilder:
    """A builder with a robot in it; warnings are kept back."""
    builder = builder or nt.ModelBuilder()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        builder.add_urdf(text, **options)
    return builder


def tensor(model: mujoco.MjModel, body: int) -> np.ndarray:
    """Inertia about a body's centre of mass in its axes."""
    turn = np.zeros(9)
    mujoco.mju_quat2Mat(turn, model.body_iquat[body])
    turn = turn.reshape(3, 3)
    return turn @ np.diag(model.body_inertia[body]) @ turn.T


def mujoco_urdf(path: Path, settings: str = "") -> mujoco.MjModel:
    """MuJoCo's model of a copy whose meshes have absolute paths and that names compiler settings."""
    text = re.sub(r'filename="package://[^/"]*/', 'filename="', path.read_text(encoding="utf-8"))

    def place(match: re.Match) -> str:
        found = sorted(path.parent.rglob(Path(match[1]).name))
        return f'filename="{found[0]}"'

    text = re.sub(r'filename="([^"]*)"', place, text)
    return mujoco.MjModel.from_xml_string(text.replace("</robot>", f"<mujoco><compiler {LIKE_OURS} {settings}/></mujoco></robot>"))
