"""Text that is not quite XML: what MuJoCo's reader takes is taken, with the same values, and what it refuses is refused."""

import mujoco
import pytest

from newtonish import ModelBuilder
from newtonish.errors import ImporterError

WORLD = '<worldbody><geom name="g" size=".1"/></worldbody>'
TAKEN = {
    "no blanks": '<mujoco><worldbody><geom name="g"size=".1"type="sphere"/></worldbody></mujoco>',
    "unknown encoding": f'<?xml version="1.0" encoding="foo-1"?><mujoco>{WORLD}</mujoco>',
    "latin": f'<?xml version="1.0" encoding="latin-1"?><mujoco>{WORLD}</mujoco>',
    "ampersand": f'<mujoco model="a & b &amp; c">{WORLD}</mujoco>',
    "less": f'<mujoco model="a < b">{WORLD}</mujoco>',
}
REFUSED = {"twice": '<mujoco><worldbody><geom size=".1" size=".2"/></worldbody></mujoco>', "open": f"<mujoco>{WORLD}"}


@pytest.mark.parametrize("name", TAKEN)
def test_what_is_taken(name, tmp_path):
    path = tmp_path / "model.xml"
    path.write_text(TAKEN[name])
    assert mujoco.MjModel.from_xml_path(str(path)).ngeom == 1
    builder = ModelBuilder()
    builder.add_mjcf(str(path))
    assert builder.shape_label == ["g"]
    assert builder.shape_scale[0][0] == pytest.approx(0.1)


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name, tmp_path):
    path = tmp_path / "model.xml"
    path.write_text(REFUSED[name])
    with pytest.raises(ValueError):
        mujoco.MjModel.from_xml_path(str(path))
    with pytest.raises(ImporterError, match=r"model\.xml:1:\d+: XML"):
        ModelBuilder().add_mjcf(str(path))
