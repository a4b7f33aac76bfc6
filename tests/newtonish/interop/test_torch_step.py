"""Steps as a function of PyTorch: values are those of steps, gradients those of MuJoCo's differences, calls may be chained."""

import numpy as np
import pytest
import step_gradients as reference
import warp as wp

from newtonish import interop, mjw
from newtonish.errors import ModelError, UnsupportedError

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.filterwarnings("ignore::newtonish.errors.NewtonishWarning")


def tensors(given: dict[str, np.ndarray]) -> dict[str, "torch.Tensor"]:
    return {name: torch.tensor(array, requires_grad=True) for name, array in given.items()}


def arguments(given: dict[str, "torch.Tensor"]) -> dict[str, "torch.Tensor"]:
    """With the axis of steps in front; the reference has worlds there."""
    return {name: tensor.transpose(0, 1) if name in ("ctrl", "qfrc_applied", "xfrc_applied") else tensor for name, tensor in given.items()}


def load(nworld: int = reference.NWORLD) -> tuple[mjw.Model, mjw.Data]:
    return mjw.load(reference.XML, nworld=nworld, device="cpu")


@pytest.mark.parametrize("record", [True, False])
def test_gradients_by_all_inputs(record: bool) -> None:
    """State, controls, forces and fields of the model, of a cost of states and sensors."""
    given, cost = tensors(reference.inputs() | reference.fields()), reference.weights()
    step = interop.torch_step(*load(), nstep=reference.NSTEP, record=record, fields=reference.FIELDS)
    states = arguments({name: tensor for name, tensor in given.items() if name not in reference.FIELDS})
    found = step(**states, fields={name: given[name] for name in reference.FIELDS})
    if not record:
        cost = {name: array * (np.arange(reference.NSTEP) == reference.NSTEP - 1)[:, None] for name, array in cost.items()}
    total = sum((getattr(found, name) * torch.tensor(array.swapaxes(0, 1) if record else array[:, -1])).sum() for name, array in cost.items())
    total.backward()
    assert not found.qacc_warmstart.requires_grad
    expected = reference.gradients(reference.inputs() | reference.fields(), cost)
    reference.check({name: tensor.grad.numpy() for name, tensor in given.items()}, expected)


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
            found = step(**arguments(given))
        (found.qpos * cost).sum().backward()
        results.append((found.qpos.detach().numpy(), {name: tensor.grad.numpy() for name, tensor in given.items()}))
    np.testing.assert_array_equal(results[0][0], results[1][0])
    reference.check(results[0][1], results[1][1], 1e-5)


def test_inputs_of_all_worlds_and_of_all_steps() -> None:
    """What lacks axes is the same along them, and its gradient is the sum; other types are converted."""
    m, d = load()
    step, given = interop.torch_step(m, d, nstep=3), reference.inputs(3)
    gain = torch.full((m.nu,), 0.3, dtype=torch.float64, requires_grad=True)
    wide = gain.detach().float().expand(3, d.nworld, m.nu).clone().requires_grad_()
    ends = []
    for ctrl in (gain, wide):
        state = [torch.tensor(given[name], dtype=torch.float64) for name in ("qpos", "qvel", "act")]
        ends.append(step(*state, ctrl))
        ends[-1].qvel.square().sum().backward()
    assert ends[0].qpos.dtype == torch.float64 and torch.equal(ends[0].qpos, ends[1].qpos)
    assert torch.allclose(gain.grad, wide.grad.sum((0, 1)).double(), rtol=1e-6)
    each = wide[0].detach().requires_grad_()
    step(*state, each).qvel.square().sum().backward()
    assert torch.allclose(each.grad, wide.grad.sum(0), rtol=1e-6)


def test_the_same_call_gives_the_same_bits_and_poses_of_mocap_bodies_may_change_before_backward() -> None:
    m, d = load()
    step, found = interop.torch_step(m, d, nstep=2), []
    for moved in (False, True):
        given = tensors(reference.inputs(2))
        end = step(**arguments(given))
        if moved:
            d.mocap_pos.fill_(wp.vec3(0.3, 0.0, 1.0))  # into the way
        end.qpos.square().sum().backward()
        found.append([end.qpos.detach().numpy(), *(tensor.grad.numpy() for tensor in given.values())])
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)


def test_gradcheck_of_pytorch() -> None:
    """Its differences of float32 steps, and that two calls have the same bits, through a chain of two calls with fields."""
    m, d = load()
    step, given = interop.torch_step(m, d, fields=("body_mass", "opt.gravity")), reference.inputs(1)
    state = [torch.tensor(given[name], dtype=torch.float64) for name in ("qpos", "qvel", "act")]
    mass = torch.tensor(m.body_mass.numpy()[0], dtype=torch.float64)
    gravity = torch.tensor([0.3, 0.0, -9.0], dtype=torch.float64)

    def twice(qvel, ctrl, mass, gravity):
        found = step(state[0], qvel, state[2], ctrl, fields={"body_mass": mass, "opt.gravity": gravity})
        found = step(*found[:3], ctrl, fields={"body_mass": mass})
        return found.qpos, found.qvel, found.sensordata

    wanted = [tensor.requires_grad_() for tensor in (state[1], torch.full((m.nu,), 0.2, dtype=torch.float64), mass, gravity)]
    assert torch.autograd.gradcheck(twice, wanted, eps=1e-2, atol=2e-3, rtol=2e-3, nondet_tol=0.0)


def test_fields_are_those_of_the_call_and_the_model_keeps_its_own() -> None:
    """Also of calls that wait for backward, and as the model's own values and options change."""
    m, d = load()
    step, plain, given = interop.torch_step(m, d, nstep=2, fields=("body_mass", "dof_damping")), interop.torch_step(m, d, nstep=2), reference.inputs(2)
    states = {name: torch.tensor(array) for name, array in given.items()}
    own, heavy = m.body_mass.numpy().copy(), torch.tensor(m.body_mass.numpy()[0] * 2.0, requires_grad=True)
    first = step(**arguments(states), fields={"body_mass": heavy})
    light = (heavy.detach() * 0.25).requires_grad_()
    second = step(**arguments(states), fields={"body_mass": light.expand(d.nworld, -1)})
    first.qvel.square().sum().backward()
    second.qvel.square().sum().backward()
    alone = heavy.detach().clone().requires_grad_()
    step(**arguments(states), fields={"body_mass": alone}).qvel.square().sum().backward()
    assert torch.equal(alone.grad, heavy.grad) and not torch.equal(heavy.grad, light.grad) and light.grad.abs().max() > 0.0
    np.testing.assert_array_equal(m.body_mass.numpy(), own)
    assert m.body_mass.shape[0] == 1
    for change in (lambda: None, lambda: m.body_mass.fill_(0.7), lambda: setattr(m, "dof_damping", np.full((d.nworld, m.nv), 0.4, dtype=np.float32))):
        change()
        for one, other in zip(step(**arguments(states)), plain(**arguments(states)), strict=True):
            assert torch.equal(one, other)
    m.opt.timestep = 0.002
    assert torch.equal(step(**arguments(states)).qpos, plain(**arguments(states)).qpos)
    m.body_mass.assign(heavy.detach().numpy())
    assert torch.equal(step(**arguments(states)).qpos, step(**arguments(states), fields={"body_mass": heavy}).qpos)


def test_sensors_without_a_derivative_are_named_where_the_cost_has_them() -> None:
    xml = reference.XML.replace("<sensor>", '<sensor><rangefinder name="eye" site="s"/>').replace("<body pos=", '<site name="s" pos="0 0 2"/><body pos=', 1)
    m, d = mjw.load(xml, nworld=3, device="cpu")
    step = interop.torch_step(m, d, fields=("body_mass",))
    qpos, qvel = torch.tensor(reference.inputs()["qpos"], requires_grad=True), torch.zeros(3, m.nv)
    found = step(qpos, qvel)
    found.qvel.sum().backward()
    assert qpos.grad.abs().max() > 0.0
    with pytest.raises(UnsupportedError, match="sensor 'eye': got RANGEFINDER"):
        step(qpos, qvel).sensordata.sum().backward()
    m, d = mjw.load(reference.XML.replace("<sensor>", "<sensor><e_kinetic/>"), nworld=3, device="cpu")
    mass = torch.tensor(m.body_mass.numpy()[0], requires_grad=True)
    found = interop.torch_step(m, d, fields=("body_mass",))(qpos, qvel, fields={"body_mass": mass})
    with pytest.raises(UnsupportedError, match=r"fields body_mass in the law of sensor 'sensor0' of type E_KINETIC"):
        found.sensordata.sum().backward()


def test_compiled_functions_have_the_call_between_their_graphs() -> None:
    step, qpos = interop.torch_step(*load()), torch.tensor(reference.inputs()["qpos"])

    def cost(qvel: "torch.Tensor") -> "torch.Tensor":
        return step(qpos, 2.0 * qvel).qvel.square().sum()

    speeds = [torch.tensor(reference.inputs()["qvel"], requires_grad=True) for _ in range(2)]
    cost(speeds[0]).backward()
    torch.compile(cost, backend="eager")(speeds[1]).backward()
    assert torch.equal(speeds[0].grad, speeds[1].grad)
    with pytest.raises(RuntimeError, match="setup_context"):
        torch.func.grad(cost)(speeds[0].detach())


def test_a_world_that_is_reset_has_no_gradient() -> None:
    m, d = load()
    given = tensors(reference.inputs(1))
    with torch.no_grad():
        given["qfrc_applied"][1] = float("nan")
    interop.torch_step(m, d)(**arguments(given)).qvel.sum().backward()
    assert given["qvel"].grad[1].isnan().all() and given["qvel"].grad[0].isfinite().all()


def test_clocks_begin_at_zero_so_that_the_same_inputs_give_the_same_bits() -> None:
    m, d = mjw.load(reference.XML.replace("<sensor>", "<sensor><clock/>"), nworld=3, device="cpu")
    step, qpos = interop.torch_step(m, d, nstep=3), torch.tensor(reference.inputs()["qpos"])
    first, second = (step(qpos, torch.zeros(3, m.nv)).sensordata for _ in range(2))
    assert torch.equal(first, second) and first[:, 0].sub(0.02).abs().max() < 1e-6


def test_what_is_refused() -> None:
    m, d = load()
    step = interop.torch_step(m, d, fields=("body_mass",))
    qpos, qvel = torch.zeros(d.nworld, m.nq), torch.zeros(d.nworld, m.nv)
    with pytest.raises(ModelError, match=r"torch_step: ctrl: got shape \(3, 5\); allowed: \(1, 3, 2\) or \(3, 2\) or \(2,\)"):
        step(qpos, qvel, ctrl=torch.zeros(3, 5))
    with pytest.raises(ModelError, match="torch_step: qvel: got a ndarray; allowed: a tensor"):
        step(qpos, qvel.numpy())
    for wrong, told in (
        (None, "a NoneType; allowed: a tensor"),
        (qpos.to(torch.complex64), "a complex tensor"),
        (qpos.to("meta"), "a meta tensor"),
        (qpos.to_sparse(), "a sparse_coo tensor"),
        (qpos.bool(), "a strided tensor of torch.bool; allowed: a dense tensor of real numbers"),
    ):
        with pytest.raises(ModelError, match=f"torch_step: qpos: got {told}"):
            step(wrong, qvel)
    assert step(qpos.long(), qvel).qpos.dtype == torch.float32  # whole numbers are no results
    with pytest.raises(ModelError, match=r"torch_step: fields\['body_mass'\]: got shape \(4,\); allowed: \(3, 5\) or \(5,\)"):
        step(qpos, qvel, fields={"body_mass": torch.zeros(4)})
    with pytest.raises(ModelError, match=r"torch_step: fields: got 'dof_damping'; allowed: body_mass; name it when you make the function"):
        step(qpos, qvel, fields={"dof_damping": qvel})
    with pytest.raises(ModelError, match=r"torch_step: fields: got a Tensor; allowed: a dict"):
        step(qpos, qvel, fields=qpos)
    for wrong, told in (
        ("body_mass", "'body_mass'; allowed: names of fields"),
        (("geom_size",), "'geom_size'; allowed: body_mass, "),
        (("body_mass",) * 2, "body_mass twice"),
    ):
        with pytest.raises(ModelError, match=f"torch_step: fields: got {told}"):
            interop.torch_step(m, d, fields=wrong)
    with pytest.raises(ModelError, match="torch_step: nstep: got 0"):
        interop.torch_step(m, d, nstep=0)
    with pytest.raises(UnsupportedError, match='torch_step: d: got data made with on_nonfinite="stop"'):
        interop.torch_step(m, mjw.make_data(m, 2, on_nonfinite="stop"))


def test_what_steps_remember_is_refused_by_name() -> None:
    late = reference.XML.replace("<motor ", '<motor delay=".02" nsample="3" ')
    with pytest.raises(UnsupportedError, match="delays: got"):
        interop.torch_step(*mjw.load(late, nworld=2, device="cpu"))
    string = """<mujoco><worldbody><body><joint name="a" type="slide"/><geom size=".1"/></body></worldbody>
      <tendon><fixed name="t" stiffness="3"><joint joint="a" coef="1"/></fixed></tendon></mujoco>"""
    m, d = mjw.load(string, nworld=2, device="cpu")
    with pytest.raises(UnsupportedError, match="torch_step: fields, tendon_armature: got tendons without armature"):
        interop.torch_step(m, d, fields=("tendon_armature",))
