"""The other engines start where they are told to: after a step, free bodies and joints are where MuJoCo's are."""

from pathlib import Path

import mujoco
import numpy as np
import pytest

from newtonish.cli.bench.engine import PeerMissing, contacts_of_worlds
from newtonish.cli.bench.peers import PEERS, make

MODEL = """<mujoco>
  <option timestep="0.004"/>
  <worldbody>
    <body pos="0 0 2"><freejoint/>
      <geom type="box" size="0.1 0.2 0.3" pos="0.3 -0.1 0.2"/>
      <body pos="0.5 0 0"><joint name="hinge" axis="0 1 0.2" ref="20" damping="0.1"/><geom size="0.1" pos="0.2 0 0"/></body>
    </body>
    <body pos="3 0 2"><joint name="slide" type="slide" axis="0 0.6 0.8"/><geom size="0.1" pos="0.2 0 0"/></body>
  </worldbody>
  <actuator><motor joint="slide" gear="3"/><position joint="hinge" kp="2"/></actuator>
</mujoco>
"""


@pytest.mark.parametrize("name", PEERS)
def test_states_and_controls_arrive(name: str, tmp_path: Path) -> None:
    path = tmp_path / "body.xml"
    path.write_text(MODEL)
    model = mujoco.MjModel.from_xml_path(str(path))
    rng = np.random.default_rng(0)
    nworld, steps = 3, 4
    qpos = np.tile(model.qpos0, (nworld, 1)) + 0.3 * rng.standard_normal((nworld, model.nq))
    qpos[:, 3:7] /= np.linalg.norm(qpos[:, 3:7], axis=1, keepdims=True)
    qvel = rng.standard_normal((nworld, model.nv))
    ctrl = rng.standard_normal((nworld, model.nu)).astype(np.float32)

    engine = make(name, path, nworld, "cpu")
    engine.start(qpos.astype(np.float32), qvel.astype(np.float32))
    assert engine.advance(ctrl, steps) > 0.0
    assert engine.limit == model.opt.iterations
    assert all(len(values) == nworld for values in engine.counts().values())
    for world in range(nworld):
        data = mujoco.MjData(model)
        data.qpos[:], data.qvel[:], data.ctrl[:] = qpos[world], qvel[world], ctrl[world]
        mujoco.mj_step(model, data, nstep=steps)
        theirs = positions(engine)[world]
        np.testing.assert_allclose(theirs, data.qpos, atol=2e-5, err_msg=f"world {world}")


def positions(engine: object) -> np.ndarray:
    """Positions of all worlds of an engine, MuJoCo's order."""
    if hasattr(engine, "_worlds"):
        return np.stack([data.qpos for data in engine._worlds])
    if hasattr(engine, "qpos"):
        return engine.qpos
    data = engine._solver.mjw_data if hasattr(engine, "_solver") else engine.data
    return data.qpos.numpy()


def test_contacts_without_rows_do_not_count() -> None:
    class Array:
        def __init__(self, *values: object) -> None:
            self._values = np.array(values)

        def numpy(self) -> np.ndarray:
            return self._values

    class Contact:
        efc_address = Array([0, 1], [-1, -1], [2, 3], [5, 5])
        worldid = Array(0, 0, 2, 1)

    class Data:
        nacon, naconmax, contact = Array(3), 4, Contact

    np.testing.assert_array_equal(contacts_of_worlds(Data, 3), [1, 0, 1])


@pytest.mark.parametrize("name", PEERS)
def test_a_file_that_a_peer_does_not_read(name: str, tmp_path: Path) -> None:
    path = tmp_path / "broken.xml"
    path.write_text("<mujoco><worldbody><geom/></worldbody></mujoco>")
    with pytest.raises(PeerMissing, match="cannot load the model"):
        make(name, path, 2, "cpu")
