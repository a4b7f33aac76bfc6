"""``--option``: fields of the options by name and by MJCF's words, and what is said of wrong ones."""

import numpy as np
import pytest

from newtonish import mjw
from newtonish.cli.arguments import UsageError
from newtonish.cli.main import main
from newtonish.cli.models import with_options
from newtonish.cli.options import apply_options, apply_to_simulation, setting
from newtonish.common.enums import DisableBit, IntegratorType
from newtonish.viewer import Simulation

MODEL = '<mujoco><worldbody><body><freejoint/><geom size=".1"/></body></worldbody></mujoco>'


def options(*texts: str):
    m, _ = mjw.load(MODEL, nworld=2)
    apply_options(m.opt, [setting(text) for text in texts])
    return m.opt


def test_values_arrive():
    opt = options(
        "timestep=0.004", "gravity=0,0,-1.6", "integrator=ImplicitFast", "iterations=7", "disableflags=contact,gravity", "impratio=4", "enableflags=2"
    )
    assert opt.timestep.numpy() == pytest.approx(0.004) and opt.iterations == 7 and opt.enableflags == 2
    np.testing.assert_allclose(opt.gravity.numpy()[0], (0, 0, -1.6), rtol=1e-6)
    assert opt.integrator == IntegratorType.IMPLICITFAST and opt.impratio_invsqrt.numpy() == pytest.approx(0.5)
    assert opt.disableflags == DisableBit.CONTACT | DisableBit.GRAVITY


WRONG = {
    "timestap=1": "did you mean timestep?",
    "integrator=implicitfats": "did you mean implicitfast?",
    "disableflags=contcat": "did you mean contact?",
    "timestep=fast": "allowed: a finite number",
    "timestep=-1": "above 0",
    "gravity=1,2": "3 numbers",
    "iterations=-3": "0 or more",
    "iterations=1.5": "whole number",
    "impratio=0": "above 0",
}


@pytest.mark.parametrize("text", WRONG)
def test_wrong_ones_are_refused_by_name(text):
    with pytest.raises(UsageError, match="--option") as caught:
        options(text)
    assert WRONG[text] in str(caught.value) and "\n" not in str(caught.value)


def test_what_is_no_setting(capsys):
    assert main(["simulate", "--option", "timestep"]) == 2
    assert "allowed: NAME=VALUE" in capsys.readouterr().err


def test_of_a_simulation_to_look_at():
    """A ball falls by g t^2/2: the gravity and the time step of the command line."""
    simulation = Simulation(MODEL, device="cpu")
    apply_to_simulation(simulation, [setting("gravity=0,0,-2"), setting("timestep=0.01")])
    for _ in range(50):
        simulation.step()
    assert simulation.time == pytest.approx(0.5, abs=1e-5)
    assert simulation.state.body_q.numpy()[0, 2] == pytest.approx(-0.25, abs=0.01)


@pytest.mark.parametrize("command", ["view", "record", "profile"])
def test_commands_that_show_take_it(command, capsys):
    rest = ["--out", "x.npz"] if command == "record" else []
    assert main([command, "arm", *rest, "--option", "timestap=1"]) == 2
    assert "did you mean timestep?" in capsys.readouterr().err


def test_of_the_benchmark_for_every_engine(tmp_path):
    """MuJoCo reads what ours reads: the same file with other options, meshes and all."""
    mujoco = pytest.importorskip("mujoco")
    path = tmp_path / "ball.xml"
    path.write_text(MODEL)
    changed = with_options(path, [setting("timestep=0.0125"), setting("gravity=0,0,-2"), setting("cone=elliptic"), setting("iterations=7")])
    theirs, (ours, _) = mujoco.MjModel.from_xml_path(str(changed)), mjw.load(changed)
    assert theirs.opt.timestep == 0.0125 and ours.opt.timestep.numpy() == pytest.approx(0.0125)
    np.testing.assert_allclose(theirs.opt.gravity, ours.opt.gravity.numpy()[0])
    assert (theirs.opt.iterations, theirs.opt.cone) == (ours.opt.iterations, ours.opt.cone) == (7, mujoco.mjtCone.mjCONE_ELLIPTIC)
    assert with_options(path, []) is path
    with pytest.raises(UsageError, match=r"--option timestap.*timestep"):
        with_options(path, [setting("timestap=1")])
