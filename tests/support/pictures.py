"""A model with everything that MJCF says of pictures and for users, and the files it names."""

from pathlib import Path

import numpy as np
from PIL import Image

XML = """
<mujoco><compiler texturedir="pictures"/>
<visual><global fovy="30" offwidth="800" orthographic="true"/><quality shadowsize="1024"/><headlight active="true" diffuse=".1 .2 .3"/>
  <map znear=".02" force=".1"/><scale com=".7"/><rgba haze=".1 .2 .3 1" contactforce="1 0 1 .5"/></visual>
<default><material specular=".1"/><light castshadow="false"/><texture rgb1="1 0 .25"/><default class="shiny"><material shininess=".9"/></default></default>
<asset>
  <texture type="skybox" builtin="gradient" rgb1=".3 .5 .7" rgb2="0 0 0" width="16"/>
  <texture name="floor" type="2d" builtin="checker" mark="edge" markrgb=".8 .8 .8" width="7" height="9"/>
  <texture file="rgb.png" type="2d"/><texture name="alpha" file="rgba.png" type="2d" nchannel="4" vflip="true"/>
  <texture name="rough" file="grey.png" type="2d" nchannel="1" hflip="true" colorspace="sRGB"/>
  <material name="plain" rgba="1 0 0 .5"/>
  <material name="tiles" texture="floor" texrepeat="3 2" texuniform="true" reflectance=".2" class="shiny"/>
  <material name="layered" metallic=".3" roughness=".4" emission=".6"><layer texture="rgb" role="rgb"/><layer texture="rough" role="roughness"/></material>
  <mesh name="kite" vertex="0 0 0 1 0 0 0 1 0 0 0 1" texcoord="0 0 1 .1 0 .2 .3 1" face="0 2 1 0 1 3 0 3 2 1 2 3" material="layered"/>
</asset>
<worldbody><light pos="0 0 3"/><light type="directional" castshadow="true" diffuse="1 .5 0"/><light name="sun" type="image" texture="rgb" intensity="9"/>
  <camera ipd=".1" output="depth segmentation"/><camera user="1 0 2"/>
  <geom type="plane" size="1 1 .1" material="tiles"/><geom size=".1" pos="3 0 0" castshadow="false"/>
  <body name="a" pos="0 0 1"><joint user="4" name="h"/><geom type="mesh" mesh="kite" group="2"/><geom user="1 2 3" type="box" size=".1 .1 .1" material="plain" rgba="0 1 0 1"/>
    <site name="s" material="plain" group="4"/><site rgba="1 1 0 .2"/><light mode="track" range="3" cutoff="20" exponent="2" softness=".5"/>
    <body name="b" user="7" pos="0 0 1"><joint/><geom size=".1" material="plain"/><site name="t" user="8 9"/></body></body></worldbody>
<tendon><spatial material="layered" width=".01"><site site="s"/><site site="t"/></spatial><fixed user="5 6"><joint joint="h" coef="1"/></fixed></tendon>
<size nuser_geom="4" nuser_sensor="2"/><actuator><motor joint="h"/><motor joint="h" user="3"/></actuator><sensor><jointpos joint="h" user="1"/></sensor>
<deformable><skin name="skin" material="tiles" inflate=".1" group="3" vertex="0 0 0 1 0 0 0 1 0 0 0 1" texcoord="0 0 1 0 0 1 1 1" face="0 2 1 0 1 3">
    <bone body="a" bindpos="0 0 1" bindquat="2 0 0 0" vertid="0 1" vertweight=".5 1"/><bone body="b" bindpos="0 0 1" bindquat="0 1 0 0" vertid="0 3 2" vertweight=".5 1 7"/></skin>
  <skin rgba="1 0 0 1" vertex="0 0 0 1 0 0 0 1 0" face="0 2 1"><bone body="world" bindpos="0 0 0" bindquat="1 0 0 0" vertid="0 1 2" vertweight="1 1 1"/></skin></deformable>
</mujoco>
"""


def write_pictures(folder: Path) -> Path:
    """Write the files that ``XML`` names into a folder, and return it."""
    rng = np.random.default_rng(0)
    (folder / "pictures").mkdir()
    for name, shape in (("rgb", (4, 6, 3)), ("rgba", (6, 6, 4)), ("grey", (6, 6)), ("grid", (12, 16, 3)), ("square", (5, 5, 3))):
        Image.fromarray(rng.integers(0, 255, shape, dtype=np.uint8)).save(folder / "pictures" / f"{name}.png")
    return folder
