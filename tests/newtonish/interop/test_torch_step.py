"""Steps as a function of PyTorch: values are those of steps, gradients those of MuJoCo's differences, calls may be chained."""

import numpy as np
import pytest
import step_gradients as reference
import warp as wp

from newtonish import interop, mjw
from newtonish.errors import ModelError

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.filterwarnings("ignore::newtonish.errors.NewtonishWarning")


def tensors(given: dict[str, np.ndarray]) -> dict[str, "torch.Tensor"]:
    return {name: torch.tensor(array, requires_grad=True) for name, array in given.items()}


def load(nworld: int = reference.NWORLD) -> tuple[mjw.Model, mjw.Data]:
    return mjw.load(reference.XML, nworld=nworld, device="cpu")


@pytest.mark.parametrize("record", [True, False])
def test_gradients_by_all_inputs(record: bool) -> None:
    given, cost = tensors(reference.inputs()), reference.weights()
    step = interop.torch_step(*load(), nstep=reference.NSTEP, record=record)
    found = step(**given)
    if not record:
        cost = {name: array * (np.arange(reference.NSTEP) == reference.NSTEP - 1)[:, None] for name, array in cost.items()}
    total = sum((getattr(found, name) * torch.tensor(array if record else array[:, -1])).sum() for name, array in cost.items())
    total.backward()
    assert not found.sensordata.requires_grad and not found.qacc_warmstart.requires_grad
    reference.check({name: tensor.grad.numpy() for name, tensor in given.items()}, reference.gradients(reference.inputs(), cost))


def test_chained_calls_are_one_call_of_as_many_steps() -> None:
    """Values to the bit, gradients to rounding; backward goes through calls whose states the Data no longer has."""
    cost = torch.tensor(reference.weights()["qpos"][:, -1])
    results = []
    for chained in (True, False):
        given = tensors(reference.inputs())
        step = interop.torch_step(*load(), nstep=1 if chained else reference.NSTEP)
        if chained:
            state, warm = (given["qpos"], given["qvel"], given["act"]), None
            for t in range(reference.NSTEP):
                found = step(*state, *(given[name][:, t] for name in ("ctrl", "qfrc_applied", "xfrc_applied")), qacc_warmstart=warm)
                state, warm = found[:3], found.qacc_warmstart
        else:
            found = step(**given)
        (found.qpos * cost).sum().backward()
        results.append((found.qpos.detach().numpy(), {name: tensor.grad.numpy() for name, tensor in given.items()}))
    np.testing.assert_array_equal(results[0][0], results[1][0])
    reference.check(results[0][1], results[1][1], 1e-5)


def test_inputs_of_all_worlds_and_of_all_steps() -> None:
    """What lacks axes is the same along them, and its gradient is the sum; other types are converted."""
    m, d = load()
    step, given = interop.torch_step(m, d, nstep=3), reference.inputs(3)
    gain = torch.full((m.nu,), 0.3, dtype=torch.float64, requires_grad=True)
    wide = gain.detach().float().expand(d.nworld, 3, m.nu).clone().requires_grad_()
    ends = []
    for ctrl in (gain, wide):
        state = [torch.tensor(given[name], dtype=torch.float64) for name in ("qpos", "qvel", "act")]
        ends.append(step(*state, ctrl))
        ends[-1].qvel.square().sum().backward()
    assert ends[0].qpos.dtype == torch.float64 and torch.equal(ends[0].qpos, ends[1].qpos)
    assert torch.allclose(gain.grad, wide.grad.sum((0, 1)).double(), rtol=1e-6)
    each = wide[:, 0].detach().requires_grad_()
    step(*state, each).qvel.square().sum().backward()
    assert torch.allclose(each.grad, wide.grad.sum(1), rtol=1e-6)


def test_the_same_call_gives_the_same_bits_and_poses_of_mocap_bodies_may_change_before_backward() -> None:
    m, d = load()
    step, found = interop.torch_step(m, d, nstep=2), []
    for moved in (False, True):
        given = tensors(reference.inputs(2))
        end = step(**given)
        if moved:
            d.mocap_pos.fill_(wp.vec3(0.3, 0.0, 1.0))  # into the way
        end.qpos.square().sum().backward()
        found.append([end.qpos.detach().numpy(), *(tensor.grad.numpy() for tensor in given.values())])
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_world_that_is_reset_has_no_gradient() -> None:
    m, d = load()
    given = tensors(reference.inputs(1))
    with torch.no_grad():
        given["qfrc_applied"][1] = float("nan")
    interop.torch_step(m, d)(**given).qvel.sum().backward()
    assert given["qvel"].grad[1].isnan().all() and given["qvel"].grad[0].isfinite().all()


def test_what_is_refused() -> None:
    m, d = load()
    step = interop.torch_step(m, d)
    qpos, qvel = torch.zeros(d.nworld, m.nq), torch.zeros(d.nworld, m.nv)
    with pytest.raises(ModelError, match=r"torch_step: ctrl: got shape \(3, 5\); allowed: \(3, 1, 2\) or \(3, 2\), or \(2,\) for all worlds"):
        step(qpos, qvel, ctrl=torch.zeros(3, 5))
    with pytest.raises(ModelError, match="torch_step: qvel: got a ndarray; allowed: a tensor"):
        step(qpos, qvel.numpy())
