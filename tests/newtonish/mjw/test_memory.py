"""Memory of Data: so many bytes a world, and 8,192 humanoids in less than 350 MiB under the capacities of the usual comparison."""

from newtonish import mjw
from newtonish.cli.models import model_path


def test_memory_grows_by_so_much_a_world():
    m, one = mjw.load(model_path("humanoid"), nworld=1, nconmax=24, njmax=64, device="cpu")
    three = mjw.make_data(m, 3, nconmax=24, njmax=64)
    assert three.nbytes() == 3 * one.nbytes()
    assert 8192 * one.nbytes() < 350 * 2**20
