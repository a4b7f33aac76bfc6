"""The flight recorder: rings of every world, worlds that fail, files, and their replay, bit for bit."""

import warnings
from pathlib import Path

import numpy as np
import pytest
import warp as wp

from newtonish import mjw
from newtonish.cli.main import main
from newtonish.errors import ModelError, NewtonishWarning

TEXT = """<mujoco><option timestep=".005" {option}/><worldbody><geom type="plane" size="5 5 1"/>
  <body name="hand" pos="0 0 1" mocap="true"><geom size=".02" contype="0" conaffinity="0"/></body>
  <body name="ball" pos="0 0 .0995"><freejoint/><geom size=".1" mass="1"/></body>
  <body pos="1 0 .5"><joint name="hinge" axis="0 1 0" damping=".1"/><geom size=".05" pos=".3 0 0" mass="1"/></body></worldbody>
  <equality><connect body1="hand" body2="ball" anchor="0 0 0" active="false"/></equality>
  <actuator><general joint="hinge" dyntype="filter" dynprm=".1" {delay}/></actuator></mujoco>"""
NWORLD, STEPS = 5, 6


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "model.xml"
    path.write_text(TEXT.format(option="", delay='nsample="3" delay=".01"'))
    return path


def flown(source: Path, device: str, steps: int, strike: int = 9, **capacity: int) -> tuple[mjw.Model, mjw.Data, mjw.FlightRecorder]:
    """Worlds under controls and pushes of their own, with their own gravity; one is struck by a force that is no number."""
    m, d = mjw.load(source, nworld=NWORLD, device=device, **capacity)
    m.body_mass = np.repeat(m.body_mass.numpy(), NWORLD, axis=0) * np.linspace(1.0, 2.0, NWORLD, dtype=np.float32)[:, None]
    recorder = mjw.flight_recorder(m, d, STEPS, source=source)
    draw = np.random.default_rng(3)
    for k in range(steps):
        d.ctrl.assign(draw.uniform(-1.0, 1.0, (NWORLD, 1)).astype(np.float32))
        force = np.zeros((NWORLD, m.nv), np.float32)
        force[:, 0] = draw.uniform(-5.0, 5.0, NWORLD)
        if k == strike:
            force[3, 6] = np.inf
        d.qfrc_applied.assign(force)
        mjw.step(m, d)
    return m, d, recorder


def test_a_world_that_fails_is_written_and_replayed(file: Path, device: str, tmp_path: Path) -> None:
    m, d, recorder = flown(file, device, 15)
    assert recorder.failed() == [3]
    assert recorder.dump(tmp_path / "f.npz") == [3]
    _, _, (flight,) = mjw.replay_flight(tmp_path / "f.npz", device=device)
    assert flight.world == 3 and len(flight.steps) == STEPS and flight.qpos.shape == (STEPS, 8)
    np.testing.assert_allclose([step.time for step in flight.steps], 0.005 * np.arange(4, 10), atol=1e-6)
    assert all(step.repeated for step in flight.steps[:-1]) and flight.steps[-1].repeated is None
    assert "qfrc_applied 6" in flight.steps[-1].failure and "hinge" in flight.steps[-1].failure
    assert not any(step.failure for step in flight.steps[:-1]) and max(step.ncon for step in flight.steps) == 1


def test_any_world_and_another_device_of_worlds(file: Path, device: str, tmp_path: Path) -> None:
    m, d, recorder = flown(file, device, 4, strike=99)
    assert recorder.failed() == []
    with pytest.raises(ModelError, match="name worlds to write"):
        recorder.dump(tmp_path / "f.npz")
    assert recorder.dump(tmp_path / "f.npz", [4, 0]) == [0, 4]
    _, _, flights = mjw.replay_flight(tmp_path / "f.npz", device=device)
    assert [flight.world for flight in flights] == [0, 4]
    assert all([step.repeated for step in flight.steps] == [True, True, True, None] for flight in flights)


def test_states_that_the_program_sets_are_told_from_steps(file: Path, device: str, tmp_path: Path) -> None:
    m, d, recorder = flown(file, device, 3, strike=99)
    qvel = d.qvel.numpy()
    qvel[1, 0] += 1.0
    d.qvel.assign(qvel)
    mjw.step(m, d)
    recorder.dump(tmp_path / "f.npz", [0, 1])
    _, _, flights = mjw.replay_flight(tmp_path / "f.npz", device=device)
    assert [step.repeated for step in flights[1].steps] == [True, True, False, None]
    assert [step.repeated for step in flights[0].steps] == [True, True, True, None]


@pytest.mark.parametrize("option", ['integrator="RK4"', 'integrator="implicitfast" cone="elliptic"'])
def test_integrators(option: str, device: str, tmp_path: Path) -> None:
    path = tmp_path / "model.xml"
    path.write_text(TEXT.format(option=option, delay=""))
    _, _, recorder = flown(path, device, 12)
    recorder.dump(tmp_path / "f.npz", range(NWORLD))
    _, _, flights = mjw.replay_flight(tmp_path / "f.npz", device=device)
    assert [len(flight.steps) for flight in flights] == [STEPS] * NWORLD
    for flight in flights:
        assert all(step.repeated for step in flight.steps[:-1])


def test_a_want_of_room_ends_a_record_unless_the_step_was_taken_again(file: Path, device: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NewtonishWarning)
        _, d, recorder = flown(file, device, 12, strike=99, nconmax=0)
        d.ncon.numpy()
    assert recorder.failed() == list(range(NWORLD))
    recorder.clear([1, 2])
    assert recorder.failed() == [0, 3, 4]


def test_a_retaken_step_is_recorded_once(device: str, monkeypatch: pytest.MonkeyPatch, file: Path) -> None:
    if wp.get_device(device).is_cuda:
        pytest.skip("a GPU takes no step again")
    monkeypatch.setattr("newtonish.mjw.data.estimate", lambda m, nconmax, njmax, headroom, naconmax: (0, 1))
    with pytest.warns(NewtonishWarning, match="taken again"):
        _, d, recorder = flown(file, device, 12, strike=99)
    assert recorder.failed() == [] and recorder._marks.numpy()[:, 0].tolist() == [12] * NWORLD
    recorder.close()
    assert d.recorder is None


def test_files_that_do_not_fit(file: Path, device: str, tmp_path: Path) -> None:
    m, d, recorder = flown(file, device, 3, strike=99)
    recorder.dump(tmp_path / "f.npz", [0])
    other = tmp_path / "other.xml"
    other.write_text(TEXT.format(option="", delay="").replace('"hinge"', '"knee"'))
    with pytest.raises(ModelError, match=r"flight record '.*f.npz': got a record of another model"):
        mjw.replay_flight(tmp_path / "f.npz", source=other, device=device)
    mjw.save(tmp_path / "c.npz", m, d)
    with pytest.raises(ModelError, match=r"flight record '.*c.npz': got 'newtonish checkpoint' of version 1"):
        mjw.replay_flight(tmp_path / "c.npz", device=device)
    data = bytearray((tmp_path / "f.npz").read_bytes())
    data[len(data) // 2] ^= 1
    (tmp_path / "g.npz").write_bytes(data)
    with pytest.raises(ModelError, match=r"flight record"):
        mjw.replay_flight(tmp_path / "g.npz", device=device)
    for wrong in ([5], [-1], "all", [0.5]):
        with pytest.raises(ModelError, match=r"FlightRecorder.dump: worlds"):
            recorder.dump(tmp_path / "f.npz", wrong)
    with pytest.raises(ModelError, match="flight_recorder: steps"):
        mjw.flight_recorder(m, d, 0)


def test_the_neighbours_and_the_steps_do_not_notice(file: Path, device: str) -> None:
    _, d, _ = flown(file, device, 12)
    plain = mjw.load(file, nworld=NWORLD, device=device)
    m, other = plain
    m.body_mass = np.repeat(m.body_mass.numpy(), NWORLD, axis=0) * np.linspace(1.0, 2.0, NWORLD, dtype=np.float32)[:, None]
    draw = np.random.default_rng(3)
    for k in range(12):
        other.ctrl.assign(draw.uniform(-1.0, 1.0, (NWORLD, 1)).astype(np.float32))
        force = np.zeros((NWORLD, m.nv), np.float32)
        force[:, 0] = draw.uniform(-5.0, 5.0, NWORLD)
        if k == 9:
            force[3, 6] = np.inf
        other.qfrc_applied.assign(force)
        mjw.step(m, other)
    for name in ("qpos", "qvel", "act", "time", "history", "nonfinite"):
        np.testing.assert_array_equal(getattr(d, name).numpy(), getattr(other, name).numpy(), err_msg=name)


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, record = tmp_path / "fast.xml", tmp_path / "fast.npz"
    # a wheel that its motor makes faster and faster, until its speed is absurd
    path.write_text(
        '<mujoco><worldbody><body><joint name="axle"/><geom size=".1" mass=".001"/></body></worldbody>'
        '<actuator><motor joint="axle" gear="1e11" ctrlrange="-1 1"/></actuator></mujoco>'
    )
    assert main(["simulate", str(path), "--worlds", "3", "--steps", "20", "--record-failures", str(record)]) == 0
    assert "worlds that failed written to" in capsys.readouterr().out
    assert main(["replay", str(record), "--steps", "4"]) == 0
    out = capsys.readouterr().out
    assert "world 0" in out and "axle" in out and "repeat to the bit" in out
    assert main(["replay", str(record), "--world", "7"]) == 2
    assert "not in the record" in capsys.readouterr().err
    assert main(["replay", str(path)]) == 2
    assert "no flight record" in capsys.readouterr().err
    calm = tmp_path / "calm.npz"
    assert main(["simulate", str(path), "--worlds", "2", "--steps", "3", "--control", "zero", "--record-failures", str(calm)]) == 0
    assert "no world failed" in capsys.readouterr().out and not calm.exists()
    assert main(["simulate", str(path), "--record-failures", str(tmp_path / "a.txt")]) == 2
    assert ".npz" in capsys.readouterr().err
