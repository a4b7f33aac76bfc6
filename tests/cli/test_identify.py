"""``newtonish identify``: tables, JSON, files, and one-line errors."""

import json
from importlib import import_module

import numpy as np
import pytest

from newtonish import mjw
from newtonish.cli.main import main

MODEL = """<mujoco><option timestep="0.005"/><worldbody><body name="arm"><joint name="elbow" axis="0 1 0" damping="{damping}"/>
  <geom type="capsule" size=".03" fromto="0 0 0 .4 0 0" mass="{mass}"/></body></worldbody>
  <actuator><motor name="drive" joint="elbow" ctrllimited="true" ctrlrange="-2 2"/></actuator></mujoco>"""


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A wrong model, and a log of the right one."""
    folder = tmp_path_factory.mktemp("identify")
    m, d = mjw.load(MODEL.format(mass=1.3, damping=0.2))
    rng, time = np.random.default_rng(0), 0.005 * np.arange(300)
    ctrl, qpos = np.sin(5.0 * time) + np.sin(17.0 * time), np.zeros(300)
    for k in range(300):
        qpos[k] = d.qpos.numpy()[0, 0] + 1e-3 * rng.normal()
        d.ctrl.fill_(float(ctrl[k]))
        mjw.step(m, d)
    np.savetxt(folder / "log.csv", np.column_stack([time, ctrl, qpos]), delimiter=",", header="time,ctrl:drive,qpos:elbow", comments="")
    (folder / "model.xml").write_text(MODEL.format(mass=1.0, damping=0.1))
    return folder


def test_table_and_files(files, capsys):
    words = ["identify", str(files / "model.xml"), str(files / "log.csv"), "--fit", "mass,damping:elbow", "--bounds", "mass:*=0.5:2"]
    words += ["--out", str(files / "out.xml"), "--plot", str(files / "plot.png"), "--excitation", str(files / "next.csv"), "--excitation-seconds", "1"]
    assert main(words) == 0
    output = capsys.readouterr().out
    assert "mass:arm" in output and "interval of 95 %" in output and "converged after" in output
    m, _ = mjw.load(str(files / "out.xml"))
    assert m.body_mass.numpy()[0, 1] == pytest.approx(1.3, rel=0.05)
    assert (files / "plot.png").stat().st_size > 10_000
    proposal = np.genfromtxt(files / "next.csv", delimiter=",", names=True, deletechars="")
    assert proposal.dtype.names == ("time", "ctrl:drive") and abs(proposal["ctrl:drive"]).max() <= 2.0


def test_json_and_resuming(files, capsys):
    words = ["identify", str(files / "model.xml"), str(files / "log.csv"), "--fit", "mass,damping", "--json", "--state", str(files / "state.json")]
    assert main([*words, "--iterations", "1"]) == 0
    assert json.loads(capsys.readouterr().out)["converged"] is False
    assert main(words) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["converged"] is True and found["iterations"] > 1
    assert found["estimates"][0]["value"] == pytest.approx(1.3, rel=0.05)


def test_an_interrupt_leaves_what_was_found(files, capsys, monkeypatch):
    module = import_module("newtonish.identification.identify")

    save = module.save_course
    words = ["identify", str(files / "model.xml"), str(files / "log.csv"), "--fit", "mass,damping", "--json", "--resume", str(files / "part.json")]
    words += ["--out", str(files / "part.py"), "--excitation", str(files / "none.csv")]

    def stop(path, course, found):
        save(path, course, found)
        if course.iterations == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(module, "save_course", stop)
    assert main(words) == 130
    found = json.loads(capsys.readouterr().out)
    assert found["interrupted"] and not found["converged"] and found["iterations"] == 2
    assert "solver.set(body='arm', " in (files / "part.py").read_text() and not (files / "none.csv").exists()
    monkeypatch.setattr(module, "save_course", save)
    assert main(words) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["converged"] and not found["interrupted"] and found["iterations"] > 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--fit", "weight"], "kind 'weight'"),
        (["--bounds", "mass"], "allowed: NAME=LOW:HIGH"),
        (["--initial", "mass"], "allowed: NAME=NUMBER"),
        (["--out", "model.usd"], "allowed: .xml, .usda, .py, .json"),
        (["--weight", "qvel=1"], "weight 'qvel'"),
    ],
)
def test_errors_are_one_line(files, capsys, words, message):
    assert main(["identify", str(files / "model.xml"), str(files / "log.csv"), *words]) == 2
    error = capsys.readouterr().err
    assert message in error and len(error.strip().splitlines()) == 1


def test_broken_log(files, capsys):
    (files / "broken.csv").write_text("time,qpos:elbow\n" + "".join(f"{0.01 * k},nan\n" for k in range(20)))
    assert main(["identify", str(files / "model.xml"), str(files / "broken.csv")]) == 2
    assert "qpos:elbow: got nan in row 0 and 19 others; allowed: finite numbers" in capsys.readouterr().err
