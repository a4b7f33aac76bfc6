"""Steps as a function of JAX: gradients are those of MuJoCo's differences, under jit, vmap and scan."""

import numpy as np
import pytest
import step_gradients as reference

from newtonish import interop, mjw
from newtonish.errors import ModelError, UnsupportedError

jax = pytest.importorskip("jax")
pytestmark = pytest.mark.filterwarnings("ignore::newtonish.errors.NewtonishWarning")


def load(nworld: int = reference.NWORLD) -> tuple[mjw.Model, mjw.Data]:
    return mjw.load(reference.XML, nworld=nworld, device="cpu")


def cost_of(step: interop.JaxStep, weights: dict[str, np.ndarray]):
    def cost(inputs):
        found = step(**inputs)
        return sum((getattr(found, name) * array).sum() for name, array in weights.items())

    return cost


def split(step: interop.JaxStep):
    """The function of inputs and fields in one dict."""
    names = reference.FIELDS
    return lambda **given: step(**{n: a for n, a in given.items() if n not in names}, fields={n: a for n, a in given.items() if n in names})


@pytest.mark.parametrize("compiled", [True, False])
def test_gradients_by_all_inputs(compiled: bool) -> None:
    """State, controls, forces and fields of the model, of a cost of states and sensors."""
    step = interop.jax_step(*load(), nstep=reference.NSTEP, record=True, fields=reference.FIELDS)
    gradient = jax.grad(cost_of(split(step), reference.weights()))
    given = reference.inputs() | reference.fields()
    found = (jax.jit(gradient) if compiled else gradient)(given)
    reference.check({name: np.asarray(array) for name, array in found.items()}, reference.gradients(given, reference.weights()))


def test_worlds_may_differ_in_their_fields_alone() -> None:
    """Masses by vmap, more than the data has worlds, and numbers of float64."""
    m, d = load(2)
    step, given = interop.jax_step(m, d, fields=("body_mass",)), reference.inputs(1)
    masses = m.body_mass.numpy()[0] * np.linspace(0.5, 2.0, 5)[:, None]
    speed = lambda mass: step(given["qpos"][0], given["qvel"][0], given["act"][0], ctrl=given["ctrl"][0, 0], fields={"body_mass": mass}).qvel  # noqa: E731
    found = jax.vmap(speed)(masses)
    bars = jax.jit(jax.vmap(jax.grad(lambda mass: speed(mass).sum())))(masses)
    for world, mass in enumerate(masses):
        np.testing.assert_array_equal(found[world], speed(mass))
        np.testing.assert_array_equal(bars[world], jax.grad(lambda mass: speed(mass).sum())(mass))
    assert np.asarray(bars).any(axis=1).all() and m.body_mass.shape == (1, m.nbody)
    with jax.enable_x64(True):
        wide = jax.grad(lambda mass: speed(mass).sum())(jax.numpy.asarray(masses[0]))
    assert wide.dtype == np.float64
    np.testing.assert_array_equal(np.asarray(wide, np.float32), bars[0])


def test_sensors_without_a_derivative_are_named_where_the_cost_has_them() -> None:
    xml = reference.XML.replace("<sensor>", '<sensor><rangefinder name="eye" site="s"/>').replace("<body pos=", '<site name="s" pos="0 0 2"/><body pos=', 1)
    m, d = mjw.load(xml, nworld=3, device="cpu")
    step, qpos, qvel = interop.jax_step(m, d), reference.inputs()["qpos"], np.zeros((3, m.nv), np.float32)
    assert np.asarray(jax.grad(lambda qpos: step(qpos, qvel).qvel.sum())(qpos)).any()
    with pytest.raises(Exception, match="sensor 'eye': got RANGEFINDER"):  # JAX's, around ours
        jax.grad(lambda qpos: step(qpos, qvel).sensordata.sum())(qpos)


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
    qpos, qvel = np.zeros((3, m.nq)), np.zeros((3, m.nv))
    for wrong, told in (
        (None, "a NoneType"),
        ("abc", "a str"),
        ([[1.0], [1.0, 2.0]], "a list"),
        (qpos.astype(complex), "an array of complex"),
        (qpos > 0, "an array of bool"),
    ):
        with pytest.raises(ModelError, match=f"jax_step: qpos: got {told}.*; allowed: an array of real numbers"):
            step(wrong, qvel)
    with pytest.raises(ModelError, match=r"jax_step: fields: got 'body_mass'; allowed: none, as there were none at the start"):
        step(qpos, qvel, fields={"body_mass": np.ones(m.nbody)})
    step = interop.jax_step(m, d, fields=("body_mass",))
    with pytest.raises(ModelError, match=r"jax_step: fields\['body_mass'\]: got shape \(4,\); allowed: \(3, 5\), or \(5,\) for all worlds"):
        step(qpos, qvel, fields={"body_mass": np.ones(4)})
    with pytest.raises(ModelError, match="jax_step: fields: got 'geom_size'; allowed: body_mass, "):
        interop.jax_step(m, d, fields=["geom_size"])
    with pytest.raises(UnsupportedError, match='jax_step: d: got data made with on_nonfinite="stop"'):
        interop.jax_step(m, mjw.make_data(m, 2, on_nonfinite="stop"))
    with pytest.raises(TypeError, match="forward-mode"):
        jax.jacfwd(lambda qvel: step(qpos, qvel).qvel)(qvel)
