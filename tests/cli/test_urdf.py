"""Every command takes a URDF file."""

import json

import mujoco
import numpy as np
import pytest
from urdf_rigs import inertial, joint, link, robot

from newtonish import mjw
from newtonish.cli.main import main
from newtonish.exporters.archive import read_archive
from newtonish.mjw.from_file import read_compiled

SHAPE = '<collision><geometry><box size="0.1 0.1 0.2"/></geometry></collision>'
TEXT = robot(link("base"), link("arm", inertial() + SHAPE), link("tip", inertial(0.4) + SHAPE), '<gazebo reference="arm"/>',
             joint("shoulder", "base", "arm", inside='<axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="5" velocity="2"/>'),
             joint("wrist", "arm", "tip", inside='<origin xyz="0 0 0.4"/>'))  # fmt: skip


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "robot.urdf"
    file.write_text(TEXT, encoding="utf-8")
    return file


def test_info_prints_the_report(path, capsys) -> None:
    assert main(["info", str(path)]) == 0
    out = capsys.readouterr().out
    for text in ("robot.urdf: sizes", "revolute joints", "collision shapes", "gazebo", "robot.urdf:5:"):
        assert text in out


def test_convert(path, tmp_path) -> None:
    assert main(["convert", str(path), str(tmp_path / "robot.xml")]) == 0
    assert main(["convert", str(path), str(tmp_path / "robot.npz")]) == 0
    model, ours = mujoco.MjModel.from_xml_path(str(tmp_path / "robot.xml")), read_compiled(path)[0]
    assert model.opt.integrator == mujoco.mjtIntegrator.mjINT_EULER  # as MuJoCo reads the URDF itself
    for name in ("body_mass", "jnt_range", "jnt_axis", "geom_size", "body_pos", "body_inertia"):
        np.testing.assert_allclose(getattr(model, name), getattr(ours, name).reshape(getattr(model, name).shape), atol=1e-6, err_msg=name)
    assert read_archive(tmp_path / "robot.npz").compiled.nbody == model.nbody == 4


def test_simulate_compare_and_bench(path, tmp_path, capsys) -> None:
    assert main(["simulate", str(path), "--steps", "20", "--worlds", "2", "--device", "cpu"]) == 0
    assert main(["compare", str(path), "--steps", "20"]) == 0
    figures = tmp_path / "figures.json"
    engines = ["bench", str(path), "--worlds", "2", "--steps", "5", "--repeats", "1", "--vs", "mujoco", "--no-startup", "--json", str(figures)]
    assert main(engines) == 0
    assert "robot" in json.dumps(json.loads(figures.read_text()))


def test_formats_are_told_apart_by_the_root_element(path, tmp_path) -> None:
    other = tmp_path / "robot.xml"
    other.write_text("<?xml version='1.0'?>\n<!-- a robot -->\n" + TEXT, encoding="utf-8")
    for source in (other, str(other), TEXT, path):
        m, _ = mjw.load(source, device="cpu")
        assert m.nv == 2 and int(m.opt.integrator) == 0


def test_a_bad_file_ends_with_its_problems(path, capsys) -> None:
    path.write_text(TEXT.replace('mass value="0.4"', 'mass value="x"'), encoding="utf-8")
    assert main(["info", str(path)]) != 0
    assert "robot.urdf:4:" in capsys.readouterr().err
