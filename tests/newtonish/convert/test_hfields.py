"""Heightfields of models under Newton's names: MuJoCo's fields, terrain by world, real Newton models."""

import mujoco
import newton
import numpy as np
import pytest
import warp as wp

import newtonish
from newtonish.convert import convert
from newtonish.errors import ModelError
from newtonish.namespaces import mujoco as mujoco_namespace

HEIGHTS = np.random.default_rng(4).normal(size=(4, 5)) * 2 - 1


def field(data=HEIGHTS, **sizes):
    return newtonish.Heightfield(data, *np.shape(data), **{"hx": 3.0, "hy": 2.0, **sizes})


def compile_with_mujoco(data, size, pos, quat) -> mujoco.MjModel:
    spec = mujoco.MjSpec()
    spec.add_hfield(name="h", nrow=data.shape[0], ncol=data.shape[1], size=size, userdata=data.ravel())
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_HFIELD, hfieldname="h", pos=pos, quat=quat)
    return spec.compile()


def test_fields_are_those_of_mujocos_compiler():
    builder = newtonish.ModelBuilder()
    mujoco_namespace.register(builder)
    turn = np.array([0.1, 0.2, 0.3, 0.9])
    turn /= np.linalg.norm(turn)
    builder.add_shape_heightfield(xform=(1, 2, 3, *turn), heightfield=field(), scale=(2, 1, 0.5), custom_attributes={"mujoco:hfield_base": 0.3})
    ours = convert(builder.finalize())
    low, high = HEIGHTS.min(), HEIGHTS.max()
    up = np.zeros(3)
    mujoco.mju_rotVecQuat(up, np.array([0, 0, 0.5 * low]), np.roll(turn, 1))
    theirs = compile_with_mujoco(HEIGHTS, (6, 2, 0.5 * (high - low), 0.15), np.array([1, 2, 3]) + up, np.roll(turn, 1))
    for name in ("nhfield", "nhfielddata"):
        assert getattr(ours, name) == getattr(theirs, name)
    for name in ("type", "dataid", "size", "pos", "quat", "aabb", "rbound"):
        np.testing.assert_allclose(getattr(ours, f"geom_{name}"), getattr(theirs, f"geom_{name}"), atol=2e-6, err_msg=name)
    for name in ("size", "nrow", "ncol", "adr", "data"):
        np.testing.assert_allclose(getattr(ours, f"hfield_{name}"), getattr(theirs, f"hfield_{name}"), atol=2e-6, err_msg=name)


def test_shapes_share_equal_heightfields_and_get_a_thin_base():
    builder, shared = newtonish.ModelBuilder(), field()
    mujoco_namespace.register(builder)
    for scale in ((1, 1, 1), (1, 1, 1), (1, 1, 2)):
        builder.add_shape_heightfield(heightfield=shared, scale=scale)
    builder.add_shape_heightfield(heightfield=field(np.full((2, 2), 7.0)))
    compiled = convert(builder.finalize())
    assert compiled.geom_dataid.tolist() == [0, 0, 1, 2]
    assert compiled.hfield_adr.tolist() == [0, 20, 40]
    np.testing.assert_allclose(compiled.hfield_size[:, 3], 1e-4)
    assert compiled.hfield_size[2, 2] == 1e-4  # a flat one
    assert compiled.geom_pos[3, 2] == 7.0


def worlds(fields):
    builder = newtonish.ModelBuilder()
    for terrain in fields:
        builder.begin_world()
        builder.add_shape_heightfield(heightfield=terrain)
        body = builder.add_body(xform=(0, 0, 5, 0, 0, 0, 1))
        builder.add_shape_sphere(body, radius=0.5)
        builder.end_world()
    return builder.finalize()


def test_terrain_by_world_reaches_the_arrays():
    first, second = field(), field(HEIGHTS[::-1] * 3, hx=4.0)
    model = worlds([first, second, first])
    compiled = convert(model)
    data = compiled.batched["hfield_data"]
    np.testing.assert_array_equal(data[[0, 1, 2]], [first.data.ravel(), second.data.ravel(), first.data.ravel()])
    np.testing.assert_allclose(compiled.batched["hfield_size"][:, 0, 0], [3, 4, 3])
    assert "hfield_data" not in convert(worlds([first, field(), first])).batched
    solver = newtonish.SolverMuJoCo(model)
    assert solver.mjw_model.hfield_data.shape == (3, 20)
    states = model.state(), model.state()
    for _ in range(150):
        solver.step(states[0], states[1], model.control(), None, 0.01)
        states = states[::-1]
    heights = states[0].body_q.numpy()[:, 2]
    assert heights[0] == heights[2] != heights[1]
    assert (solver.mjw_data.ncon_needed.numpy() > 0).all()


def test_new_heights_reach_a_solver():
    """The terrain sinks below a resting ball, in one world of two."""
    fields = field(np.zeros((4, 5)), min_z=0.0, max_z=1.0), field(np.zeros((4, 5)), min_z=0.0, max_z=1.0)
    model = worlds(fields)
    solver = newtonish.SolverMuJoCo(model)
    fields[1].data = np.arange(20).reshape(4, 5) * 0.1 - 3.0
    solver.notify_model_changed(newtonish.ModelFlags.SHAPE_TYPE_AND_SOURCE)
    assert solver.mjw_model.hfield_data.shape == (2, 20)
    np.testing.assert_array_equal(solver.mjw_model.hfield_data.numpy(), [f.data.ravel() for f in fields])
    np.testing.assert_allclose(solver.mjw_model.geom_pos.numpy()[:, 0, 2], [0, -3])


def test_grids_of_other_shape_stand_in_worlds_of_their_own():
    """Each world equals a model of its own: fields, and the heights at which balls come to rest."""
    plateau = np.ones((4, 5))
    plateau[0, 0] = 0.0
    terrains = [field(plateau, min_z=0.0, max_z=1.0), field(np.zeros((3, 3)), min_z=0.0, max_z=1.0, hx=4.0), field()]
    compiled = convert(worlds(terrains))
    assert compiled.nhfield == 2
    assert compiled.batched["geom_dataid"][:, 0].tolist() == [0, 1, 0]
    for w, terrain in enumerate(terrains):
        alone = convert(worlds([terrain]))
        for name in ("pos", "size", "rbound", "aabb"):
            np.testing.assert_array_equal(compiled.world(f"geom_{name}", w)[0], getattr(alone, f"geom_{name}")[0])
        i = int(compiled.world("geom_dataid", w)[0])
        assert (compiled.hfield_nrow[i], compiled.hfield_ncol[i]) == (alone.hfield_nrow[0], alone.hfield_ncol[0])
        first, count = int(compiled.hfield_adr[i]), int(alone.nhfielddata)
        np.testing.assert_array_equal(compiled.world("hfield_data", w)[first : first + count], alone.hfield_data)
        np.testing.assert_array_equal(compiled.world("hfield_size", w)[i], alone.hfield_size[0])
    together, apart = rest(terrains), np.concatenate([rest([terrain]) for terrain in terrains])
    np.testing.assert_allclose(together, apart, atol=1e-6)
    np.testing.assert_allclose(together[:2, 2], [1.5, 0.5], atol=2e-3)


def rest(terrains):
    """Poses of the balls after a second and a half."""
    model = worlds(terrains)
    solver = newtonish.SolverMuJoCo(model)
    states = model.state(), model.state()
    for _ in range(150):
        solver.step(states[0], states[1], model.control(), None, 0.01)
        states = states[::-1]
    return states[0].body_q.numpy()


def test_a_real_newton_model():
    """The same calls on Newton's builder give the same fields, but for its own thin base."""
    compiled = []
    for module in (newton, newtonish):
        builder = module.ModelBuilder()
        terrain = module.Heightfield(HEIGHTS, 4, 5, hx=3.0, hy=2.0)
        builder.add_shape_heightfield(heightfield=terrain, xform=wp.transform((1.0, 2.0, 3.0), wp.quat_identity()))
        body = builder.add_body()
        builder.add_shape_sphere(body)
        compiled.append(convert(builder.finalize()))
    for name in ("size", "nrow", "ncol", "data"):
        np.testing.assert_array_equal(*(getattr(c, f"hfield_{name}") for c in compiled))
    np.testing.assert_allclose(*(c.geom_pos for c in compiled), atol=1e-6)


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ({"nrow": 1}, "at least 2 rows"),
        ({"hx": 0.0}, "positive half extents"),
        ({"min_z": 1.0}, "both or none"),
        ({"data": np.zeros(7)}, "20 finite numbers"),
        ({"data": np.full((4, 5), np.nan)}, "not finite"),
        ({"min_z": 2.0, "max_z": 1.0}, "not above"),
    ],
)
def test_bad_heightfields(arguments, word):
    with pytest.raises(ModelError, match=word):
        newtonish.Heightfield(**{"data": HEIGHTS, "nrow": 4, "ncol": 5, **arguments})


def test_a_heightfield_like_newtons():
    ours, theirs = (m.Heightfield(HEIGHTS, 4, 5) for m in (newtonish, newton))
    np.testing.assert_array_equal(ours.data, theirs.data)
    assert (ours.min_z, ours.max_z) == (theirs.min_z, theirs.max_z)
    for one in (ours, theirs):
        one.data = HEIGHTS * 2
    np.testing.assert_array_equal(ours.data, theirs.data)
    assert (ours.min_z, ours.max_z) == (theirs.min_z, theirs.max_z)


def test_a_scale_that_turns_it_over_is_an_error():
    with pytest.raises(ModelError, match="positive numbers"):
        newtonish.ModelBuilder().add_shape_heightfield(heightfield=field(), scale=(1, 1, -1))
