"""Memory of Data: so many bytes a world, and 8,192 humanoids in less than 350 MiB under the capacities of the usual comparison."""

import mujoco
import pytest

from newtonish import mjw
from newtonish.cli.models import model_path
from newtonish.errors import CapacityError


def test_memory_grows_by_so_much_a_world():
    m, one = mjw.load(model_path("humanoid"), nworld=1, nconmax=24, njmax=64, device="cpu")
    three = mjw.make_data(m, 3, nconmax=24, njmax=64)
    assert three.nbytes() == 3 * one.nbytes()
    assert 8192 * one.nbytes() < 350 * 2**20


@pytest.mark.parametrize("error", [OSError(12, "Cannot allocate memory"), RuntimeError("Failed to allocate 8 bytes on device 'cpu'")])
def test_memory_that_the_system_refuses_is_a_clear_error(error, monkeypatch):
    def refuse(*arguments):
        raise error

    m = mjw.put_model(mujoco.MjModel.from_xml_string("<mujoco/>"), device="cpu")
    monkeypatch.setattr("newtonish.mjw.data.allocate", refuse)
    with pytest.raises(CapacityError, match=r"make_data: nworld: got 3, for which the system lends no memory \(.+\); allowed: .+; take fewer worlds"):
        mjw.make_data(m, 3)
