"""``newtonish view``: which simulation or recording the window is given."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from newtonish.cli.main import main
from newtonish.viewer import Replay, Simulation
from newtonish.viewer.scene import CameraType
from newtonish.viewer.session_viewer import SessionViewer


class Window(SessionViewer):
    """In place of the window: remembers what it was given."""

    given: list = []  # noqa: RUF012

    def __init__(self, width: int, height: int) -> None:
        super().__init__()
        self.size, self.open = (width, height), True

    def run(self, simulation=None) -> None:
        Window.given.append((self, self.session.simulation))

    def close(self) -> None:
        self.open = False


@pytest.fixture(autouse=True)
def window(monkeypatch):
    monkeypatch.setitem(sys.modules, "newtonish.viewer.window", SimpleNamespace(ViewerGL=Window))
    monkeypatch.setattr(Window, "given", [])


def test_a_model_is_simulated(capsys):
    assert main(["view", "humanoid", "--worlds", "2", "--keyframe", "squat", "--size", "640x480", "--paused"]) == 0
    ((window, simulation),) = Window.given
    assert window.size == (640, 480) and not window.open
    assert isinstance(simulation, Simulation) and simulation.worlds == 2 and simulation.paused
    squat = simulation.solver.compiled.key_qpos[simulation.keyframes.index("squat")]
    np.testing.assert_allclose(simulation.solver.mjw_data.qpos.numpy(), np.tile(squat, (2, 1)), atol=1e-6)


def test_a_run_is_played_and_compiled_arrays_are_simulated(tmp_path, capsys):
    run, arrays = tmp_path / "run.npz", tmp_path / "arrays.npz"
    assert main(["record", "arm", "--seconds", "0.1", "--out", str(run)]) == 0
    assert main(["convert", "arm", str(arrays)]) == 0
    assert main(["view", str(run)]) == 0
    assert main(["view", str(arrays)]) == 0
    assert [type(source) for _, source in Window.given] == [Replay, Simulation]
    assert main(["view", str(run), "--worlds", "3"]) == 2
    assert "--worlds" in capsys.readouterr().err


def test_camera_and_controls_of_the_command_line(capsys):
    assert main(["view", "arm", "--control", "random", "--track", "upper_arm", "--azimuth", "30"]) == 0
    ((window, simulation),) = Window.given
    assert window.session.camera.type == CameraType.TRACKING and window.session.camera.azimuth == 30.0
    assert not simulation.ctrl.any()
    simulation.step()
    assert simulation.ctrl.any()
    assert main(["view", "arm", "--camera", "nobody"]) == 2
    assert "nobody" in capsys.readouterr().err


def test_a_page_is_served(capsys, monkeypatch):
    import newtonish.viewer.web.window as web

    served = []
    monkeypatch.setattr(web.ViewerWeb, "run", lambda viewer, rest: served.append((viewer.session.simulation.name, viewer.frame(), rest)))
    assert main(["view", "arm", "--web", "--port", "8240", "--paused"]) == 0
    assert main(["serve", "arm", "--port", "8240", "--host", "127.0.0.1"]) == 0
    assert served == [("arm.xml", None, True)] * 2
    assert capsys.readouterr().out.startswith("open http://localhost:8240 in a browser")


def test_what_is_wrong_is_one_line(tmp_path, capsys):
    (tmp_path / "bad.xml").write_text("<mujoco>\n  <worldbody><geom/></worldbody>\n</mujoco>")
    for name, said in ((str(tmp_path / "bad.xml"), "bad.xml:2"), ("none.xml", "no such file")):
        assert main(["view", name]) == 2
        line = capsys.readouterr().err
        assert line.count("\n") == 1 and said in line
