"""Steps as a function of JAX: gradients are those of MuJoCo's differences, under jit, vmap and scan."""

import numpy as np
import pytest
import step_gradients as reference

from newtonish import interop, mjw
from newtonish.errors import ModelError

jax = pytest.importorskip("jax")
pytestmark = pytest.mark.filterwarnings("ignore::newtonish.errors.NewtonishWarning")


def load(nworld: int = reference.NWORLD) -> tuple[mjw.Model, mjw.Data]:
    return mjw.load(reference.XML, nworld=nworld, device="cpu")


def cost_of(step: interop.JaxStep, weights: dict[str, np.ndarray]):
    def cost(inputs):
        found = step(**inputs)
        return sum((getattr(found, name) * array).sum() for name, array in weights.items())

    return cost


@pytest.mark.parametrize("compiled", [True, False])
def test_gradients_by_all_inputs(compiled: bool) -> None:
    step = interop.jax_step(*load(), nstep=reference.NSTEP, record=True)
    gradient = jax.grad(cost_of(step, reference.weights()))
    found = (jax.jit(gradient) if compiled else gradient)(reference.inputs())
    reference.check({name: np.asarray(array) for name, array in found.items()}, reference.gradients(reference.inputs(), reference.weights()))


def test_vmap_adds_worlds_that_go_through_those_of_the_data() -> None:
    """Three worlds by an axis of their own, by vmap, and two at a time."""
    given, weights = reference.inputs(), reference.weights()
    results = []
    for nworld, mapped in ((3, False), (3, True), (2, True), (1, False)):
        step = interop.jax_step(*load(nworld), nstep=reference.NSTEP, record=True)
        if mapped:
            gradient = jax.vmap(lambda inputs, cost, step=step: jax.grad(cost_of(step, cost))(inputs))
            results.append(gradient(given, weights))
        else:
            results.append(jax.grad(cost_of(step, weights))(given))
    for other in results[1:]:
        for name, array in other.items():
            np.testing.assert_array_equal(np.asarray(array), np.asarray(results[0][name]))


def test_scan_is_one_call_of_as_many_steps() -> None:
    given, weights = reference.inputs(), reference.weights()["qpos"][:, -1]
    single, whole = interop.jax_step(*load()), interop.jax_step(*load(), nstep=reference.NSTEP)
    driven = ("ctrl", "qfrc_applied", "xfrc_applied")

    @jax.jit
    def by_scan(inputs):
        def advance(state, now):
            found = single(*state[:3], *now, qacc_warmstart=state[3])
            return (found.qpos, found.qvel, found.act, found.qacc_warmstart), None

        start = (inputs["qpos"], inputs["qvel"], inputs["act"], jax.numpy.zeros_like(inputs["qvel"]))
        end, _ = jax.lax.scan(advance, start, tuple(jax.numpy.moveaxis(inputs[name], 1, 0) for name in driven))
        return (end[0] * weights).sum()

    expected = jax.grad(lambda inputs: (whole(**inputs).qpos * weights).sum())(given)
    found = jax.grad(by_scan)(given)
    reference.check({n: np.asarray(a) for n, a in found.items()}, {n: np.asarray(a) for n, a in expected.items()}, 1e-5)


def test_a_world_that_is_reset_has_no_gradient() -> None:
    given = reference.inputs(1)
    given["qfrc_applied"][1] = np.nan
    step = interop.jax_step(*load())
    found = jax.grad(lambda qvel: step(given["qpos"], qvel, qfrc_applied=given["qfrc_applied"]).qvel.sum())(given["qvel"])
    assert np.isnan(found[1]).all() and np.isfinite(found[0]).all()


def test_what_is_refused() -> None:
    m, d = load()
    step = interop.jax_step(m, d, nstep=2)
    with pytest.raises(ModelError, match=r"jax_step: ctrl: got shape \(3, 2\); allowed: \(3, 2, 2\), or \(2, 2\) for all worlds"):
        step(np.zeros((3, m.nq)), np.zeros((3, m.nv)), ctrl=np.zeros((3, 2)))
