"""Files of logs: CSV, NumPy archives, and trajectories that mujoco.sysid wrote."""

import json

import numpy as np
import pytest

from newtonish.errors import ModelError
from newtonish.identification import Columns, read_log
from newtonish.mjw.from_file import read_compiled

MODEL = """<mujoco><worldbody><body name="ball"><freejoint name="root"/><geom size=".1"/></body>
  <body name="arm"><joint name="elbow"/><geom size=".1"/><site name="s"/></body></worldbody>
  <actuator><motor name="drive" joint="elbow"/></actuator>
  <sensor><gyro name="imu" site="s"/><jointpos name="angle" joint="elbow"/></sensor></mujoco>"""


@pytest.fixture(scope="module")
def columns() -> Columns:
    return Columns(read_compiled(MODEL)[0])


def test_names(columns):
    assert list(columns.places)[:3] == ["qpos:root.0", "qpos:root.1", "qpos:root.2"]
    assert columns.places["qpos:elbow"].number == 7 and columns.places["qvel:elbow"].number == 6
    assert columns.resolve("log", "elbow_qvel") == "qvel:elbow"
    assert columns.resolve("log", "drive_ctrl") == "ctrl:drive"
    assert columns.resolve("log", "imu.2") == "sensor:imu.2"
    with pytest.raises(ModelError, match=r"column 'qpos:elbo'.*did you mean qpos:elbow"):
        columns.resolve("log", "qpos:elbo")


def test_csv_and_arrays_read_alike(columns, tmp_path):
    rng = np.random.default_rng(0)
    time, angle, ctrl = 0.01 * np.arange(20), rng.normal(size=20), rng.normal(size=20)
    path = tmp_path / "log.csv"
    np.savetxt(path, np.column_stack([time, ctrl, angle]), delimiter=",", header="time,ctrl:drive,angle", comments="")
    np.savez(tmp_path / "log.npz", time=time, ctrl=ctrl[:, None], sensordata=np.column_stack([np.zeros((20, 3)), angle]))
    text, arrays = read_log(path, columns), read_log(tmp_path / "log.npz", columns)
    np.testing.assert_allclose(text.columns["sensor:angle"], angle)
    for name, value in text.columns.items():
        np.testing.assert_allclose(arrays.columns[name], value)


def test_trajectory_of_sysid(columns, tmp_path):
    """Its layout: controls and sensors at times of their own, and a mapping of names in JSON."""
    rng = np.random.default_rng(1)
    control, sensor = rng.normal(size=(20, 1)), rng.normal(size=(19, 4))
    mapping = json.dumps({"imu": [0, [0, 1, 2]], "angle": [0, [3]]})
    path = tmp_path / "trajectory.npz"
    np.savez(
        path,
        control_times=0.01 * np.arange(20),
        control_data=control,
        sensordata_times=0.01 * np.arange(1, 20),
        sensordata_data=sensor,
        initial_state=np.zeros(16),
        sensordata_signal_mapping=mapping,
    )
    log = read_log(path, columns)
    np.testing.assert_allclose(log.columns["sensor:angle"], sensor[:, 3])
    np.testing.assert_allclose(log.columns["sensor:imu.1"], sensor[:, 1])
    np.testing.assert_allclose(log.columns["ctrl:drive"], control[1:, 0])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("time,angle\n0,1\n1,two\n", "'two' in line 3, column 'angle'"),
        ("time,angle\n0,1\n1\n", "1 numbers in line 3; allowed: 2"),
        ("time,angle,angle\n0,1,1\n", "two columns 'angle'"),
        ("angle\n1\n", "no column 'time'"),
        ("", "no column 'time'"),
    ],
)
def test_broken_text(columns, tmp_path, text, words):
    path = tmp_path / "log.csv"
    path.write_text(text)
    with pytest.raises(ModelError, match=words):
        read_log(path, columns)


def test_broken_archive(columns, tmp_path):
    path = tmp_path / "log.npz"
    path.write_bytes(b"no archive")
    with pytest.raises(ModelError, match=r"no log .*allowed: a \.csv file"):
        read_log(path, columns)
    with pytest.raises(OSError):
        read_log(tmp_path / "missing.npz", columns)
    with pytest.raises(ModelError, match=r"'qpos' of shape \(20, 3\); allowed: \(n, 8\)"):
        read_log({"time": np.arange(20.0), "qpos": np.zeros((20, 3))}, columns)
    with pytest.raises(ModelError, match="only ctrl:drive; allowed: measured ones"):
        read_log({"time": np.arange(20.0), "ctrl:drive": np.zeros(20)}, columns)
