"""Views of arrays by other frameworks: the same memory, seen by the next step, in two unequal worlds."""

import sys
from importlib.util import find_spec

import numpy as np
import pytest
import warp as wp

import newtonish
from newtonish import interop, mjw

XML = """
<mujoco>
  <worldbody>
    <body name="cart"><joint name="cart" type="slide" axis="1 0 0"/><geom size="0.1" mass="2"/>
      <body pos="0 0 0.3"><joint name="pole" axis="0 1 0" damping="0.1"/><geom size="0.05" mass="1"/></body></body>
  </worldbody>
  <actuator><motor joint="cart" gear="3"/></actuator>
  <sensor><jointpos joint="pole"/></sensor>
</mujoco>
"""
BALLS = """
<mujoco>
  <worldbody>
    <geom type="plane" size="1 1 .1"/>
    <body pos="0 0 .09"><freejoint/><geom size="0.1" mass="1"/><site name="pad" size="0.2"/></body>
  </worldbody>
  <sensor><touch site="pad"/></sensor>
</mujoco>
"""
FRAMEWORKS = [
    pytest.param(name, marks=pytest.mark.skipif(name != "numpy" and find_spec(name) is None, reason=f"needs {name}")) for name in ("numpy", "torch", "jax")
]


def address(view: object) -> int:
    """Where a view's memory begins."""
    if hasattr(view, "data_ptr"):
        return view.data_ptr()
    return view.unsafe_buffer_pointer() if hasattr(view, "unsafe_buffer_pointer") else view.ctypes.data


def load() -> tuple[mjw.Model, mjw.Data]:
    """Two worlds with poles at other angles."""
    m, d = mjw.load(XML, nworld=2, device="cpu")
    d.qpos.assign(np.array([[0.0, 0.1], [0.2, -0.4]], dtype=np.float32))
    return m, d


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_every_array_of_model_and_data_is_the_same_memory(framework: str) -> None:
    for owner in load():
        views = interop.tensors(owner, framework)
        names = list(views)
        assert {"body_mass", "geom_size"} <= set(names) or {"qpos", "ctrl", "sensordata"} <= set(names)
        for name in names:
            array, view = getattr(owner, name), getattr(views, name)
            assert tuple(view.shape) == (*array.shape, *getattr(array.dtype, "_shape_", ())), name
            assert array.size == 0 or address(view) == array.ptr, name


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_every_array_of_newtons_objects_is_the_same_memory(framework: str) -> None:
    builder = newtonish.ModelBuilder()
    builder.add_mjcf(XML)
    model = builder.finalize(device="cpu")
    for owner, name in ((model, "body_mass"), (model.state(), "joint_q"), (model.control(), "joint_f"), (model.mujoco, "dof_passive_stiffness")):
        views = interop.tensors(owner, framework)
        assert name in list(views)
        for each in views:
            array = getattr(owner, each)
            view = getattr(views, each)
            assert np.array_equal(np.nan_to_num(np.asarray(view)).ravel(), np.nan_to_num(array.numpy()).ravel()), each
            assert array.size == 0 or framework == "jax" or address(view) == array.ptr, each  # JAX copies what does not suit it


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_every_array_of_contacts_and_sensors_is_the_same_memory(framework: str) -> None:
    """Contacts in their slots, rows of constraints and sensors, after a step with unequal contacts."""
    m, d = mjw.load(BALLS, nworld=2, device="cpu")
    d.qpos.assign(np.array([[0.0, 0.0, 0.09, 1, 0, 0, 0], [0.0, 0.0, 0.5, 1, 0, 0, 0]], dtype=np.float32))
    groups = d.contact, d.efc, d.sense
    views = [interop.tensors(group, framework) for group in groups]
    mjw.step(m, d)
    assert d.ncon.numpy().tolist() == [1, 0]
    for group, view in zip(groups, views):
        names = list(view)
        assert {"dist", "pos", "geom"} <= set(names) or {"D", "force"} <= set(names) or "sensordata" in names
        for name in names:
            array, tensor = getattr(group, name), getattr(view, name)
            assert tuple(tensor.shape) == (*array.shape, *getattr(array.dtype, "_shape_", ())), name
            assert array.size == 0 or address(tensor) == array.ptr, name
    touch = np.asarray(interop.tensors(d, framework).sensordata)
    assert touch[0, 0] > 0.0 == touch[1, 0]
    np.testing.assert_allclose(np.asarray(views[0].dist)[0, 0], -0.01, atol=1e-6)


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_every_array_of_newtons_contacts_is_the_same_memory(framework: str) -> None:
    builder = newtonish.ModelBuilder()
    builder.add_mjcf(BALLS)
    model = builder.finalize(device="cpu")
    solver, state = newtonish.SolverMuJoCo(model), model.state()
    contacts = newtonish.Contacts(solver.get_max_contact_count(), 0, device="cpu")
    solver.step(state, state, None, None, 0.002)
    solver.update_contacts(contacts, state)
    views = interop.tensors(contacts, framework)
    assert {"rigid_contact_count", "rigid_contact_shape0", "rigid_contact_normal"} <= set(views)
    for name in views:
        array, tensor = getattr(contacts, name), getattr(views, name)
        assert np.array_equal(np.nan_to_num(np.asarray(tensor)).ravel(), np.nan_to_num(array.numpy()).ravel()), name
        assert array.size == 0 or framework == "jax" or address(tensor) == array.ptr, name


@pytest.mark.parametrize("framework", ["numpy", *FRAMEWORKS[1:2]])
def test_what_is_written_in_place_is_what_the_next_step_reads(framework: str) -> None:
    (m, d), (other, expected) = load(), load()
    view = interop.tensors(d, framework)
    mjw.step(m, d)  # recorded with the memory that the views are of
    mjw.step(other, expected)
    view.ctrl[1, 0] = 5.0
    view.qvel[0] += 0.25
    expected.ctrl.assign(np.array([[0.0], [5.0]], dtype=np.float32))
    expected.qvel.assign(expected.qvel.numpy() + np.array([[0.25], [0.0]], dtype=np.float32))
    before = d.qpos.numpy().copy()
    mjw.step(m, d)
    mjw.step(other, expected)
    assert np.array_equal(d.qpos.numpy(), expected.qpos.numpy())
    assert np.array_equal(np.asarray(view.qpos), d.qpos.numpy())
    assert not np.array_equal(before, d.qpos.numpy())


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_assigning_by_name_writes_into_the_memory_that_is_there(framework: str) -> None:
    m, d = load()
    pointer = d.xfrc_applied.ptr
    views = interop.tensors(d, framework)
    values = np.arange(2 * 3 * 6, dtype=np.float64).reshape(2, 3, 6)
    views.xfrc_applied = values if framework != "torch" else sys.modules["torch"].tensor(values)
    assert d.xfrc_applied.ptr == pointer
    assert np.array_equal(d.xfrc_applied.numpy(), values)
    with pytest.raises(ValueError, match=r"xfrc_applied: got values of shape \(2, 18\); allowed: shape \(2, 3, 6\)"):
        views.xfrc_applied = values.reshape(2, 18)


def test_views_follow_arrays_that_grow() -> None:
    _, d = load()
    views = interop.tensors(d.contact, "numpy")
    d.contact.dist = wp.zeros((2, 50), dtype=float, device="cpu")
    assert views.dist.shape == (2, 50)


def test_arrays_that_repeat_one_entry_are_refused() -> None:
    _, d = load()
    row = wp.zeros(3, dtype=float, device="cpu")
    repeated = wp.array(ptr=row.ptr, dtype=float, shape=(4, 3), strides=(0, 4), device="cpu")
    with pytest.raises(ValueError, match=r"shape \(4, 3\) with stride 0 along axis 0, where one entry stands for 4; allowed.*contiguous\(\)"):
        interop.to_numpy(repeated)
    with pytest.raises(ValueError, match="to_numpy: array: got a ndarray; allowed: Warp arrays"):
        interop.to_numpy(d.qpos.numpy())


def test_names_and_frameworks_that_do_not_exist() -> None:
    _, d = load()
    with pytest.raises(ValueError, match="framework: got 'tensorflow'; allowed: 'torch', 'jax', 'numpy'"):
        interop.tensors(d, "tensorflow")
    with pytest.raises(AttributeError, match="did you mean qpos"):
        interop.tensors(d, "numpy").qposs  # noqa: B018
    with pytest.raises(AttributeError):
        interop.tensors(d, "numpy").qposs = np.zeros(2)


@pytest.mark.parametrize(("name", "convert"), [("torch", interop.to_torch), ("jax", interop.to_jax)])
def test_a_missing_framework_says_what_to_install(name: str, convert: object, monkeypatch: pytest.MonkeyPatch) -> None:
    _, d = load()

    class Absent:
        def find_spec(self, wanted: str, path: object = None, target: object = None) -> None:
            if wanted == name:
                raise ModuleNotFoundError(f"No module named {wanted!r}", name=wanted)

    monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setattr(sys, "meta_path", [Absent(), *sys.meta_path])
    with pytest.raises(ModuleNotFoundError, match=f"no package {name}; .*pip install {name}"):
        convert(d.qpos)
    with pytest.raises(ModuleNotFoundError, match=f"pip install {name}"):
        interop.tensors(d, name)


@pytest.mark.skipif(find_spec("torch") is None, reason="needs torch")
def test_a_tensor_set_by_name_stays_the_memory_of_the_simulation() -> None:
    import torch

    m, d = load()
    ctrl = torch.zeros((2, 1))
    d.ctrl = ctrl
    assert d.ctrl.ptr == ctrl.data_ptr()
    ctrl[1] = 5.0
    mjw.step(m, d)
    velocity = d.qvel.numpy()
    assert velocity[1, 0] > 0.005 > abs(velocity[0, 0])
    with pytest.raises(ValueError, match=r"ctrl: got a tensor of shape \(2, 1\) of torch.float64"):
        d.ctrl = torch.zeros((2, 1), dtype=torch.float64)
    m.body_mass = torch.tensor([[0.0, 2.0, 1.0], [0.0, 4.0, 1.0]])
    assert m.body_mass.shape == (2, 3)
