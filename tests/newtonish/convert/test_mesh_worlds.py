"""Worlds with other meshes, and meshes at other scales: each equals a model of MuJoCo's of its own."""

import mujoco
import newton
import numpy as np
import oracle
import pytest
from scipy.spatial import ConvexHull

import newtonish
from newtonish import mjw
from newtonish.convert import convert
from newtonish.errors import ModelError
from newtonish.exporters import save_to_mjcf

FIELDS = (
    "body_ipos", "body_iquat", "body_mass", "body_inertia", "body_subtreemass", "body_invweight0", "dof_invweight0", "geom_size",
    "geom_rbound", "geom_pos", "geom_quat",
)  # fmt: skip


def stone(seed: int, size: float = 0.1) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and outward triangles of a convex stone of about ``size``; every seed has another number of vertices."""
    rng = np.random.default_rng(seed)
    points = rng.standard_normal((10 + 3 * seed, 3))
    points *= size * np.array([1.0, 0.8, 0.6]) / np.linalg.norm(points, axis=1, keepdims=True)
    points = points.astype(np.float32)
    hull = ConvexHull(points)
    faces = hull.simplices.copy()
    inward = np.einsum("ni,ni->n", np.cross(*(points[faces[:, k]] - points[faces[:, 0]] for k in (1, 2))), hull.equations[:, :3]) < 0
    faces[inward] = faces[inward][:, ::-1]
    return points, faces


def scene(upper: int, lower: int, scale: float = 1.0, spare: tuple[int, ...] = (), aside: float = 0.4) -> str:
    """Two stones beside (0: above) each other on the ground and a ball, with a ray and a distance sensor; ``spare``: further meshes."""

    def mesh(seed: int) -> str:
        points, faces = stone(seed)
        numbers = " ".join(f"{x:.9g}" for x in points.ravel())
        return f'<mesh name="stone{seed}" vertex="{numbers}" face="{" ".join(map(str, faces.ravel()))}" scale="{scale} {scale} 1"/>'

    assets = "".join(mesh(seed) for seed in dict.fromkeys([upper, lower, *spare]))
    return f"""<mujoco><option timestep="0.002"/><asset>{assets}</asset><worldbody>
      <geom name="ground" type="plane" size="0 0 1"/>
      <site name="eye" pos="0.01 0.02 1" zaxis="0 0 -1"/>
      <body name="lower" pos="0 0 0.1"><freejoint/><geom name="lower" type="mesh" mesh="stone{lower}"/></body>
      <body name="upper" pos="{0.02 + aside} 0.01 {0.22 if aside == 0 else 0.1}" quat="0.9 0.2 -0.3 0.1"><freejoint/><geom name="upper" type="mesh" mesh="stone{upper}"/></body>
      <body name="ball" pos="-0.01 0.02 0.24"><freejoint/><geom name="ball" type="sphere" size="0.04"/></body>
    </worldbody><sensor><rangefinder site="eye"/><distance geom1="ball" geom2="upper" cutoff="1"/></sensor></mujoco>"""


SCENES = (dict(upper=1, lower=2), dict(upper=3, lower=1), dict(upper=2, lower=4, scale=0.7))


def ours(**changes) -> newtonish.Model:
    main = newtonish.ModelBuilder()
    for arguments in SCENES:
        world = newtonish.ModelBuilder()
        world.add_mjcf(scene(**arguments, **changes))
        main.add_world(world)
    return main.finalize()


def models(**changes) -> list[mujoco.MjModel]:
    return [mujoco.MjModel.from_xml_string(scene(**arguments, **changes)) for arguments in SCENES]


def through_builder() -> mjw.Model:
    return mjw.put_model(convert(ours()))


def through_put_model() -> mjw.Model:
    """One model with all meshes; what differs is set by name, world by world."""
    text = scene(1, 2, spare=(3, 4)).replace("<asset>", "<asset>" + "".join(
        part.replace('name="', 'name="small').split("/>")[0] + "/>" for part in scene(2, 4, 0.7).split("<asset>")[1].split("</asset>")[0].split("/>")[:-1]
    ))  # fmt: skip
    all_meshes = mujoco.MjModel.from_xml_string(text)
    m = mjw.put_model(all_meshes, {name: 3 for name in (*FIELDS, "geom_dataid")})
    ids = []
    for world, mjm in enumerate(models()):
        prefix = "small" if world == 2 else ""
        names = [mjm.mesh(i).name if i >= 0 else "" for i in mjm.geom_dataid]
        ids.append([all_meshes.mesh(prefix + name).id if name else -1 for name in names])
    m.geom_dataid = np.array(ids, dtype=np.int32)
    for name in FIELDS:
        setattr(m, name, np.stack([getattr(mjm, name) for mjm in models()]).reshape(getattr(m, name).numpy().shape))
    m.opt.meaninertia = np.array([mjm.stat.meaninertia for mjm in models()], dtype=np.float32)
    return m


@pytest.mark.parametrize("entrance", [through_builder, through_put_model])
def test_each_world_is_a_model_of_its_own(entrance):
    """Constants, poses, contacts, rows, accelerations and sensors, while the stones fall onto each other and the ground."""
    mjms, m = models(), entrance()
    # a model of MuJoCo's for each world; the first one stands for what all have in common
    pair = oracle.Pair(mjms[0], [mujoco.MjData(mjm) for mjm in mjms], m, mjw.make_data(m, 3))
    for name in FIELDS:
        if name in ("geom_quat", "geom_pos", "body_iquat", "body_inertia"):
            continue  # up to the order of principal axes: the poses below say the same
        values = getattr(pair.m, name).numpy()
        for world, mjm in enumerate(mjms):
            np.testing.assert_allclose(values[world].ravel(), getattr(mjm, name).ravel(), rtol=2e-5, atol=2e-6, err_msg=name)
    touched = np.zeros(3, dtype=int)
    for _ in range(10):
        for mjm, mjd in zip(mjms, pair.mjds, strict=True):
            for _ in range(20):
                mujoco.mj_step(mjm, mjd)
            mujoco.mj_forward(mjm, mjd)
        oracle.push(pair)
        mjw.forward(pair.m, pair.d)
        mjw.sensor_pos(pair.m, pair.d)
        oracle.compare_arrays(pair, ("xpos", "xipos", "geom_xpos", "qfrc_bias"), oracle.SMOOTH)
        oracle.compare_contacts(pair)
        oracle.compare_rows(pair)
        oracle.compare_solution(pair)
        oracle.compare_arrays(pair, ("sensordata",), oracle.ROWS)
        touched = np.maximum(touched, pair.d.ncon.numpy())
    assert (touched >= 3).all()


def test_fifty_steps_follow_mujocos():
    """Stones and balls that land on the ground and on each other."""
    m = through_builder()
    d = mjw.make_data(m, 3, nconmax=40, njmax=200)
    mjms = models()
    mjds = [mujoco.MjData(mjm) for mjm in mjms]
    for step in range(50):
        mjw.step(m, d)
        for w, (mjm, mjd) in enumerate(zip(mjms, mjds, strict=True)):
            mujoco.mj_step(mjm, mjd)
            np.testing.assert_allclose(d.qpos.numpy()[w], mjd.qpos, atol=1e-4, err_msg=f"step {step}, world {w}")
    assert (d.ncon.numpy() > 0).all()


def test_stones_on_stones_move_as_in_models_of_their_own():
    """150 steps of stones that hit each other have the same bits as three models of one world."""
    m = mjw.put_model(convert(ours(aside=0.0)))
    d = mjw.make_data(m, 3, nconmax=40, njmax=200)
    alone = [mjw.put_model(convert(single)) for single in singles()]
    datas = [mjw.make_data(single, 1, nconmax=40, njmax=200) for single in alone]
    met = np.zeros(3, dtype=int)
    for step in range(150):
        mjw.step(m, d)
        for w in range(3):
            mjw.step(alone[w], datas[w])
            np.testing.assert_array_equal(d.qpos.numpy()[w], datas[w].qpos.numpy()[0], err_msg=f"step {step}, world {w}")
            contact = d.contact.geom.numpy()[w, : d.ncon.numpy()[w]]
            met[w] += bool(((contact == 1).any(axis=1) & (contact == 2).any(axis=1)).any())
    assert (met > 0).all()


def singles() -> list[newtonish.Model]:
    builders = [newtonish.ModelBuilder() for _ in SCENES]
    for builder, arguments in zip(builders, SCENES, strict=True):
        builder.add_mjcf(scene(**arguments, aside=0.0))
    return [builder.finalize() for builder in builders]


def test_each_world_is_written_with_its_own_meshes(tmp_path):
    """A saved world loads with the arrays it has, and without the meshes of others."""
    compiled = convert(ours())
    for w, mjm in enumerate(models()):
        save_to_mjcf(compiled, tmp_path / f"{w}.xml", world=w)
        again = mujoco.MjModel.from_xml_path(str(tmp_path / f"{w}.xml"))
        assert again.nmesh == mjm.nmesh == 2
        for name in ("body_mass", "body_inertia", "geom_rbound", "dof_invweight0"):
            np.testing.assert_allclose(getattr(again, name), compiled.world(name, w), rtol=1e-4, atol=1e-6, err_msg=name)


def newtons_worlds(seeds: tuple[int, ...]) -> newton.Model:
    """Newton's own builder: a stone in each world, on the ground."""
    main = newton.ModelBuilder()
    newton.solvers.SolverMuJoCo.register_custom_attributes(main)
    main.add_ground_plane()
    for seed in seeds:
        world = newton.ModelBuilder()
        points, faces = stone(seed)
        body = world.add_body(xform=((0.0, 0.0, 0.15), (0.0, 0.0, 0.0, 1.0)), label="stone")
        world.add_shape_mesh(body, mesh=newton.Mesh(points, faces.ravel()), label="stone")
        main.add_world(world)
    return main.finalize(device="cpu")


def test_a_model_of_newtons_with_other_meshes_in_each_world():
    """Its worlds move as Newton's own solver moves each alone, and come to rest at the same heights."""
    seeds = (1, 3, 4)
    model = newtons_worlds(seeds)
    mine = simulate(model, newtonish.SolverMuJoCo(model, njmax=80, nconmax=20))
    for w, seed in enumerate(seeds):
        alone = newtons_worlds((seed,))
        theirs = simulate(alone, newton.solvers.SolverMuJoCo(alone, use_mujoco_cpu=True))
        np.testing.assert_allclose(mine[0][w], theirs[0][0], atol=1e-4, err_msg=f"{w}, before the ground")
        assert abs(mine[1][w, 2] - theirs[1][0, 2]) < 1e-3, w


def simulate(model, solver) -> tuple[np.ndarray, np.ndarray]:
    """Poses after 40 steps of 2 ms, still in the air, and after 1.2 s."""
    states, control = [model.state(), model.state()], model.control()
    for step in range(600):
        solver.step(states[0], states[1], control, None, 0.002)
        states.reverse()
        if step == 39:
            before = states[0].body_q.numpy().copy()
    return before, states[0].body_q.numpy()


def test_a_taxel_needs_one_mesh():
    """Vertices of a mesh are places in an output: worlds cannot have other ones."""
    text = scene(1, 2).replace("</sensor>", '<tactile geom="upper" mesh="stone1"/></sensor>')
    main = newtonish.ModelBuilder()
    for arguments in (dict(upper=1, lower=2), dict(upper=3, lower=2)):
        world = newtonish.ModelBuilder()
        text = scene(**arguments).replace("</sensor>", f'<tactile name="skin" geom="upper" mesh="stone{arguments["upper"]}"/></sensor>')
        world.add_mjcf(text)
        main.add_world(world)
    with pytest.raises(ModelError, match=r"sensor"):
        convert(main.finalize())


def test_new_scales_of_meshes_are_refused_while_running():
    """Hulls are made when a solver is."""
    model = ours()
    solver = newtonish.SolverMuJoCo(model)
    scale = model.shape_scale.numpy()
    scale *= 1.5
    model.shape_scale.assign(scale)
    with pytest.raises(newtonish.errors.UnsupportedError, match=r"hull_vert.*make a new solver"):
        solver.notify_model_changed(newtonish.ModelFlags.SHAPE_PROPERTIES)
