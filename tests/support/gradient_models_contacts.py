"""Pairs of shapes in every kind of contact, for derivatives: what touches what, and with which of its features."""

from __future__ import annotations

SHAPES = {
    "sphere": 'type="sphere" size=".1"',
    "capsule": 'type="capsule" size=".08 .15"',
    "pin": 'type="capsule" size=".03 .05"',
    "stick": 'type="capsule" size=".04 .3"',
    "box": 'type="box" size=".2 .15 .1"',
    "cylinder": 'type="cylinder" size=".12 .1"',
    "rod": 'type="cylinder" size=".05 .3"',
    "egg": 'type="ellipsoid" size=".1 .14 .08"',
    "rock": 'type="mesh" mesh="rock"',
    "brick": 'type="mesh" mesh="brick"',
    "hills": 'type="hfield" hfield="hills"',
    "slope": 'type="hfield" hfield="slope"',
}
ASSETS = """<asset>
  <mesh name="rock" vertex=".2 .02 .01 -.18 .03 -.02 .01 .16 .03 .02 -.2 -.01 .03 .01 .15 -.02 .02 -.14 .1 .1 .09 -.09 .1 .08"/>
  <mesh name="brick" vertex=".2 .15 .1 -.2 .15 .1 .2 -.15 .1 -.2 -.15 .1 .2 .15 -.1 -.2 .15 -.1 .2 -.15 -.1 -.2 -.15 -.1"/>
  <hfield name="hills" nrow="3" ncol="4" size=".4 .3 .1 .1" elevation="0 .3 1 .2 .5 .4 .8 0 .3 1 .2 .6"/>
  <hfield name="slope" nrow="2" ncol="2" size=".4 .3 .1 .1" elevation="0 1 0 1"/>
</asset>"""

CURVED = (
    ("cylinder", "sphere", 0.242, "35 0 0", "0 0 0"),  # rim
    ("cylinder", "capsule", 0.239, "30 0 0", "70 20 0"),  # rim and line
    ("cylinder", "capsule", 0.195, "88 0 0", "3 85 0"),  # crossing lines
    ("cylinder", "cylinder", 0.274, "30 0 0", "75 40 0"),
    ("cylinder", "cylinder", 0.236, "90 20 0", "3 90 0"),  # sides
    ("cylinder", "box", 0.282, "0 0 0", "40 30 5"),  # cap and corner
    ("cylinder", "box", 0.304, "85 0 0", "20 47 0"),  # side and edge
    ("cylinder", "rock", 0.232, "10 85 0", "10 0 0"),
    ("egg", "sphere", 0.175, "0 0 0", "0 0 0"),
    ("egg", "capsule", 0.163, "10 0 0", "20 85 0"),
    ("egg", "egg", 0.178, "10 20 0", "40 20 0"),
    ("egg", "cylinder", 0.228, "10 20 0", "40 20 0"),  # rim
    ("egg", "cylinder", 0.195, "10 20 0", "90 20 0"),  # side
    ("egg", "box", 0.175, "10 20 0", "0 0 0"),  # face
    ("egg", "box", 0.257, "10 20 0", "47 0 0"),  # edge
    ("egg", "rock", 0.205, "10 20 0", "10 0 0"),
    ("box", "cylinder", 0.248, "0 0 0", "30 20 0"),  # face and rim
    ("box", "cylinder", 0.311, "45 0 0", "30 20 0"),  # edge and rim
)
FLAT = (
    ("brick", "brick", 0.199, "0 0 0", "2 3 15"),
    ("box", "brick", 0.199, "0 0 0", "1 -2 25"),
    ("brick", "box", 0.199, "1 0 0", "0 -2 25"),
    ("brick", "capsule", 0.178, "0 0 0", "85 0 20"),
    ("brick", "capsule", 0.178, "2 0 0", "90 0 75"),
    ("box", "cylinder", 0.219, "1 0 0", "90 -2 0"),  # side on a face
    ("cylinder", "cylinder", 0.199, "1 0 0", "0 -2 25"),  # caps
    ("cylinder", "pin", 0.128, "1 0 0", "90 0 20"),
    ("rock", "brick", 0.245, "10 10 0", "30 20 10"),
)
DOFS = 9  # of a pair
FIELDS = (
    ("hills", "sphere", 0.16, "0 0 0", "0 0 0"),
    ("hills", "capsule", 0.15, "0 0 0", "80 20 0"),
    ("hills", "cylinder", 0.2, "0 0 0", "30 20 0"),
    ("hills", "rock", 0.194, "0 0 0", "30 20 0"),
    ("slope", "sphere", 0.151, "0 0 0", "0 0 0"),
    ("slope", "egg", 0.135, "0 0 0", "30 20 0"),
)


def _stack(at: int, lower: str, upper: str, height: float, turned: str, turned_upper: str) -> str:
    """Two shapes one above the other, the lower one on springs where it may move."""
    springs = '<joint axis="0 1 0" stiffness="300" damping="1"/><joint axis="1 .2 0" stiffness="300" damping="1"/>'
    weight = "" if lower not in ("hills", "slope") else '<inertial pos="0 0 0" mass="3" diaginertia=".1 .1 .1"/>'
    return f"""<body pos="{at} 0 0">{weight}{springs}<geom {SHAPES[lower]} euler="{turned}"/></body>
    <body pos="{at + 0.03} .02 {height}"><freejoint/><geom {SHAPES[upper]} euler="{turned_upper}"/>
      <body pos="0 0 .3"><joint axis="1 0 0"/><geom size=".05" contype="0" conaffinity="0"/></body></body>"""


def stacks(pairs: tuple[tuple[str, str, float, str, str], ...]) -> str:
    """A model of such pairs side by side."""
    bodies = "".join(_stack(i, *pair) for i, pair in enumerate(pairs))
    return f'<mujoco><option timestep=".002" ccd_tolerance="1e-12" ccd_iterations="50"/>{ASSETS}<worldbody>{bodies}</worldbody></mujoco>'
