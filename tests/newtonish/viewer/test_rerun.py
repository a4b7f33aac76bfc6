"""Logging to rerun: the file is read again with rerun's own reader, and holds the meshes and the poses of every frame."""

import sys
from importlib.util import find_spec

import numpy as np
import pytest

from newtonish.viewer import Simulation, ViewerRerun, ViewerUnavailable

needs_rerun = pytest.mark.skipif(find_spec("rerun") is None, reason="rerun, which is 170 MB, is not installed: pip install newtonish[rerun]")

MODEL = """
<mujoco>
  <asset>
    <texture name="squares" type="2d" builtin="checker" width="16" height="16" rgb1="1 1 0" rgb2="0 0 1"/>
    <material name="squares" texture="squares"/>
  </asset>
  <worldbody>
    <geom type="plane" size="1 1 .1" material="squares"/>
    <body pos="0 0 1"><freejoint/><geom type="sphere" size=".1" rgba="1 0 0 1"/></body>
    <body pos="1 0 2"><freejoint/><geom type="sphere" size=".2" rgba="0 1 0 1"/></body>
  </worldbody>
</mujoco>
"""


def test_without_rerun_one_line_says_what_to_install(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "rerun", None)
    with pytest.raises(ViewerUnavailable, match=r'rerun-sdk is missing; pip install "newtonish\[rerun\]"'):
        ViewerRerun()


@needs_rerun
def test_a_recording_has_every_pose_of_every_frame(tmp_path) -> None:
    simulation = Simulation(MODEL, worlds=2)
    path = tmp_path / "run.rrd"
    expected = []
    with ViewerRerun(record_to_rrd=path) as viewer:
        viewer.set_model(simulation.model)
        viewer.set_world_offsets([[0, 0, 0], [0, 5, 0]])
        for _ in range(4):
            viewer.begin_frame(simulation.time)
            viewer.log_state(simulation.state)
            viewer.log_scalar("energy", simulation.time**2)
            viewer.log_lines("rail", np.zeros((1, 3)), np.ones((1, 3)))
            viewer.end_frame()
            expected.append((simulation.time, simulation.state.body_q.numpy()[:, :3].copy()))
            simulation.step()
        assert viewer.frame_count == 4 and viewer.is_running()
    viewer.close()
    rows = read(path)
    times = [time for time, _ in expected]
    assert [time for time, _ in rows["/energy", "scalars"]] == pytest.approx(times)
    assert [value[0] for _, value in rows["/energy", "scalars"]] == pytest.approx([time**2 for time in times])
    assert ("/rail", "strips") in rows
    spheres = [entity for entity, part in rows if part == "translations" and "sphere" in entity]
    assert len(spheres) == 2, "one for each colour"
    assert len([entity for entity, part in rows if part == "blob"]) == 1, "the plane with its picture"
    for frame, (time, poses) in enumerate(expected):
        wanted = np.sort((poses.reshape(2, 2, 3) + np.array([[[0, 0, 0]], [[0, 5, 0]]])).reshape(-1, 3), axis=0)
        logged = [rows[entity, "translations"][frame] for entity in spheres]
        assert all(at == pytest.approx(time) for at, _ in logged)
        np.testing.assert_allclose(np.sort(np.concatenate([np.stack(places) for _, places in logged]), axis=0), wanted, atol=1e-5)
    for entity in spheres:
        assert len(rows[entity, "vertex_positions"]) == 1, "meshes are sent once"


def read(path) -> dict:
    """(time [s], value) of each row, by entity and component."""
    import pyarrow
    from rerun.chunk import RrdReader

    found: dict = {}
    for chunk in RrdReader(path).stream().to_chunks():
        batch = chunk.to_record_batch()
        times = [ns * 1e-9 for ns in batch.column("time").cast(pyarrow.int64()).to_pylist()] if "time" in batch.schema.names else [-1.0] * chunk.num_rows
        for name in batch.schema.names:
            if ":" in name:
                rows = found.setdefault((chunk.entity_path, name.split(":")[-1]), [])
                rows += [(time, value) for time, value in zip(times, batch.column(name).to_pylist()) if value is not None]
    return {key: sorted(rows, key=lambda row: row[0]) for key, rows in found.items()}
