"""Lights in MJCF: their places and directions against MuJoCo's compiler, and what is wrong with them."""

import mujoco
import pytest
from device_arrays import compare

from newtonish import ModelBuilder
from newtonish.errors import ImporterError

FILE = """<mujoco><compiler alignfree="true"/><default><light pos="0 0 3"/><default class="side"><light dir="1 0 -1"/></default></default>
<worldbody><light name="sun" directional="true" cutoff="40"/><frame pos="1 2 3" euler="10 20 30" childclass="side"><light name="framed"/></frame>
<body name="a" pos="0 0 1"><freejoint/><geom type="box" size=".1 .2 .3" pos=".1 .2 .3" euler="10 20 30"/><light name="lamp" dir="0 3 0" mode="track"/>
<body name="b" pos=".3 0 0"><joint axis="0 1 0"/><geom size=".1" pos=".4 0 0"/><light mode="trackcom" pos="1 2 3"/><light mode="targetbody" target="a"/></body></body>
<replicate count="2" euler="0 0 90"><light name="spot" mode="targetbodycom" target="world" pos="2 0 1"/></replicate></worldbody></mujoco>"""


def test_fields_of_lights(tmp_path, device):
    text = FILE.replace(' mode="targetbodycom" target="world"', "")
    for number, model in enumerate((text, text.replace("</worldbody>", '<light name="at" mode="targetbodycom" target="b"/></worldbody>'))):
        path = tmp_path / f"{number}.xml"
        path.write_text(model)
        compare(path, device)


@pytest.mark.parametrize(
    "light",
    ['<light mode="targetbody" target="nobody"/>', '<light pos="1 2"/>', '<light name="l"/><light name="l"/>'],
)
def test_what_is_wrong_with_a_light(light):
    text = f"<mujoco><worldbody>{light}</worldbody></mujoco>"
    with pytest.raises(ValueError):
        mujoco.MjModel.from_xml_string(text)
    with pytest.raises(ImporterError, match=r"<string>:1:\d+: .*light"):
        ModelBuilder().add_mjcf(text)
