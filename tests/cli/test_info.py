"""``newtonish info`` prints sizes and the fate of everything in the file, and fails like the other commands."""

import json
import re
from pathlib import Path

import pytest

from newtonish.assets import asset_path
from newtonish.cli.main import main

MODEL = """<mujoco model="arm">
  <worldbody>
    <body name="arm">
      <joint name="elbow" axis="0 1 0"/>
      <geom name="link" size="0.1" pos="0.3 0 0"/>
    </body>
  </worldbody>
  <sensor>
    <plugin name="angle" plugin="mujoco.sensor.touch_grid"/>
  </sensor>
</mujoco>
"""


def sizes(text: str) -> dict[str, int]:
    return {name: int(value.replace(",", "")) for name, value in re.findall(r"(n\w+)  [\w ,]+?\s*│\s*([\d,]+)", text)}


def test_packaged_humanoid(capsys) -> None:
    assert main(["info", str(asset_path())]) == 0
    output = capsys.readouterr()
    expected = {"nbody": 14, "nq": 28, "nv": 27, "nu": 21, "ngeom": 21, "nexclude": 3, "nkey": 2}
    assert expected.items() <= sizes(output.out).items()
    assert output.err == ""


def test_memory_is_that_of_the_arrays(capsys) -> None:
    from newtonish import mjw

    assert main(["info", "arm_gripper"]) == 0
    stated = float(re.search(r"a world\s*│\s*([\d.]+) KiB", capsys.readouterr().out)[1])
    (m, few), (_, many) = (mjw.load(asset_path("arm_gripper.xml"), nworld=n) for n in (2, 34))
    assert m.nbytes() > 0
    assert stated == pytest.approx((many.nbytes() - few.nbytes()) / 32 / 1024, abs=0.1)


def test_ignored_elements_have_their_place(tmp_path: Path, capsys) -> None:
    path = tmp_path / "arm.xml"
    path.write_text(MODEL)
    assert main(["info", str(path)]) == 0
    output = capsys.readouterr()
    assert sizes(output.out)["nv"] == 1
    ignored = output.out[output.out.index("Ignored") :]
    assert re.search(r"arm\.xml:9:\d+", ignored)
    assert "angle" in ignored
    assert output.err == ""


def test_many_things_with_one_note_are_one_line(tmp_path: Path, capsys) -> None:
    path = tmp_path / "arm.xml"
    plugin = '<plugin name="{}" plugin="mujoco.sensor.touch_grid"/>'
    for count, listed in ((3, 3), (40, 1)):
        sensors = "\n".join(plugin.format(f"angle{i}") for i in range(count))
        path.write_text(MODEL.replace(plugin.format("angle"), sensors))
        assert main(["info", str(path)]) == 0
        ignored = capsys.readouterr().out
        ignored = ignored[ignored.index("Ignored") :]
        assert len(re.findall(r"arm\.xml:\d+:\d+", ignored)) == listed and "arm.xml:9:" in ignored and "angle0" in ignored
        assert ("and 39 more" in re.sub(r"[\s│]+", " ", ignored)) == (count == 40)


def test_kept_elements_stand_by_section_with_their_attributes(tmp_path: Path, capsys) -> None:
    path = tmp_path / "arm.xml"
    path.write_text(MODEL)
    assert main(["info", str(path)]) == 0
    output = capsys.readouterr().out
    assert re.search(r"worldbody │ body +│ 1 +│ arm.xml:3:5 │ name", output)
    assert re.search(r"│ joint +│ 1 +│ arm.xml:4:7 │ name axis", output)
    kept = output[output.index("Kept") : output.index("Approximated")]
    assert "plugin" not in kept


def test_all_prints_every_place(tmp_path: Path, capsys) -> None:
    path = tmp_path / "arm.xml"
    path.write_text(MODEL)
    assert main(["info", str(path), "--all"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "arm.xml:5:7: geom: kept" in lines and "arm.xml:5:25: geom, size: kept" in lines
    assert any(re.fullmatch(r"arm\.xml:9:5: plugin: ignored, .+", line) for line in lines)


def test_json_holds_all_of_it_also_for_archives(tmp_path: Path, capsys) -> None:
    path, archive = tmp_path / "arm.xml", tmp_path / "arm.npz"
    path.write_text(MODEL)
    assert main(["convert", str(path), str(archive)]) == 0
    capsys.readouterr()
    found = []
    for file in (path, archive):
        assert main(["info", str(file), "--json"]) == 0
        found.append(json.loads(capsys.readouterr().out))
    assert found[0]["sizes"]["nv"] == 1 and found[0]["memory"]["bytes_per_world"] > 0
    geom = next(c for c in found[0]["contents"] if (c["element"], c["attribute"]) == ("geom", ""))
    assert (geom["fate"], geom["number"], geom["places"]) == ("kept", 1, ["arm.xml:5:7"])
    assert found[0]["contents"] == found[1]["contents"] and found[0]["ignored"] == found[1]["ignored"]


@pytest.mark.parametrize("text", ["", "<mujoco>", "<mujoco><worldbody><geom sise='1'/></worldbody></mujoco>"])
def test_broken_files(text: str, tmp_path: Path, capsys) -> None:
    path = tmp_path / "broken.xml"
    path.write_text(text)
    assert main(["info", str(path)]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1 and "broken.xml" in lines[0]
