"""Decor against MuJoCo's abstract visualizer: the same geoms, by shape, place, axis, size and colour, for every flag."""

import mujoco
import numpy as np
import pytest
from paths import shared_model
from scene_oracle import abstract_scene, free_cameras, pair

import newtonish
from newtonish.errors import ModelError
from newtonish.viewer.scene import (
    Category,
    Frame,
    Kind,
    Label,
    Mouse,
    Perturbation,
    PerturbBit,
    SceneMaker,
    VisualOptions,
)
from newtonish.viewer.scene.library import BUILT_IN

ZOO = """<mujoco><option timestep="0.002"/><size memory="1M"/>
 <default><geom density="500"/></default>
 <worldbody><light name="lamp" pos="1 1 3" dir="-1 -1 -3"/><light name="sun" mode="targetbody" target="pole" pos="0 2 3"/>
  <camera name="room" pos="2 0 1" xyaxes="0 1 0 -.4 0 1"/>
  <geom name="floor" type="plane" size="3 3 .1"/><geom type="box" size=".3 .3 .1" pos="0 0 .1" euler="0 5 0"/>
  <site name="anchor" pos="-1 0 2"/><site name="hook" pos="-1.6 0 2"/><site name="slider" pos="1 1 .5" euler="90 0 0"/>
  <body name="pole" pos="0 0 1"><joint name="hinge" axis="0 1 0" range="-10 10" limited="true" pos=".05 0 0"/>
    <geom type="capsule" size=".05" fromto="0 0 0 .4 0 0"/><site name="tip" pos=".4 0 .1" size=".02"/>
    <site name="eye" pos=".4 0 0" euler="0 150 0" type="box" size=".02 .01 .03"/>
    <camera name="seen" pos="0 -.5 0" euler="90 0 0" resolution="64 48"/>
    <body name="car" pos=".4 0 0"><joint name="slide" type="slide" axis="1 0 0"/><geom type="box" size=".05 .04 .03"/>
      <body name="bob" pos=".1 0 0"><joint name="ball" type="ball"/><geom size=".04" pos="0 0 -.1"/><site name="b" pos="0 0 -.1"/></body></body></body>
  <body name="box" pos=".1 .05 .3" euler="2 3 0"><freejoint/><geom type="box" size=".1 .12 .1"/></body>
  <body name="can" pos="-.2 .6 .14"><freejoint/><geom type="cylinder" size=".1 .15" condim="1"/></body>
  <body name="wheel" pos="1 1.3 .5"><joint axis="1 0 0"/><geom type="cylinder" size=".1 .02" euler="0 90 0"/><site name="pin" pos="0 0 .08"/></body>
  <body name="hung" pos="-1 0 1.4"><joint type="slide" axis="0 0 1"/><geom name="drum" type="cylinder" size=".1 .1" euler="90 0 0"/>
    <site name="h" pos="0 0 -.3"/><site name="side" pos="0 0 0.3"/></body>
  <body name="rope" pos="-1.7 .1 1.5"><joint type="slide" axis="0 0 1"/><geom size=".05"/><site name="r"/></body>
  <body name="stuck" pos="2 2 1"><freejoint/><geom size=".1"/><site name="s2"/></body>
 </worldbody>
 <tendon><spatial name="wrapped" width=".01" rgba=".9 .2 .1 1" range="0 .5" limited="true"><site site="anchor"/><geom geom="drum" sidesite="side"/><site site="h"/>
    <pulley divisor="2"/><site site="anchor"/><site site="hook"/></spatial>
  <spatial name="slack" width=".02" range="0 1.1" limited="true"><site site="hook"/><site site="r"/></spatial>
  <spatial name="pulled" width=".015"><site site="hook"/><site site="tip"/></spatial></tendon>
 <equality><connect name="c" body1="stuck" body2="can" anchor=".1 0 0"/><weld body1="stuck" body2="box"/>
   <weld site1="s2" site2="tip" active="false"/></equality>
 <actuator><motor name="m" joint="hinge" ctrlrange="-2 4" ctrllimited="true"/><motor joint="slide"/><general joint="ball" gear="0 1 0"/>
   <motor site="tip" gear="0 0 1 0 0 0"/><motor site="eye" gear="0 0 1 0 0 0" ctrlrange="1 3" ctrllimited="true"/>
   <motor tendon="pulled" ctrlrange="-4 -1" ctrllimited="true"/><motor tendon="wrapped"/><adhesion body="box" ctrlrange="0 1"/>
   <general cranksite="pin" slidersite="slider" cranklength=".45"/><intvelocity joint="hinge" actrange="-1 1"/></actuator>
 <sensor><rangefinder site="eye"/><fromto geom1="floor" body2="can" cutoff="1"/></sensor>
</mujoco>"""

SHAPES = {0: "plane", 2: "sphere", 3: "capsule", 4: "sphere", 5: "cylinder", 6: "box", 100: "arrow", 101: "arrow1", 102: "arrow2", 103: "cylinder"}
LINE, LINEBOX, TRIANGLE, LABEL = 103, 104, 108, 107
ROUND = ("sphere", "capsule", "cylinder", "arrow", "arrow1", "arrow2")


def theirs(scene, kinds=(Category.DECOR,)):
    """MuJoCo's geoms as rows: shape, whether a line, middle, z axis, size, colour."""
    rows = []
    for i in range(scene.ngeom):
        geom = scene.geoms[i]
        if geom.category not in kinds or geom.type in (LINEBOX, TRIANGLE, LABEL) or geom.objtype in (5, 6):
            continue
        axis, size, middle = np.array(geom.mat)[:, 2], np.array(geom.size, dtype=float), np.array(geom.pos, dtype=float)
        if geom.type == LINE:
            middle, size = middle + 0.5 * size[2] * axis, size * [0, 0, 0.5]
        rows.append((SHAPES[int(geom.type)], geom.type == LINE, middle, axis, size, np.array(geom.rgba, dtype=float)))
    return rows


def ours(scene, kinds=(Category.DECOR,)):
    """The same of our instances; lines are thin cylinders."""
    names, shown = {at: name for name, at in BUILT_IN.items()}, scene.instances
    rows = []
    for row in np.flatnonzero(np.isin(shown.category, kinds) & ~np.isin(shown.kind, (Kind.GEOM, Kind.SITE))):
        rows.append((names[int(shown.triangles[row])], row, shown.position[row].astype(float), shown.rotation[row][:, 2].astype(float),
                     shown.scale[row].astype(float), shown.color[row].astype(float)))  # fmt: skip
    return rows


def assert_same(mine, wanted, tolerance=5e-5):
    """Every geom of MuJoCo's has one of ours, nothing is left over."""
    left = list(mine)
    for shape, line, middle, axis, size, color in wanted:
        distance = [np.inf if other[0] != shape else
                    np.linalg.norm(other[2] - middle) + np.linalg.norm((other[4] - size)[2 if line else 0 :]) + np.linalg.norm(other[5] - color)
                    + (0 if shape == "sphere" or size[2] < 1e-5 else min(np.linalg.norm(other[3] - axis), 1 if shape[:5] == "arrow" else np.linalg.norm(other[3] + axis)))
                    for other in left]  # fmt: skip
        assert distance, f"{shape} at {middle} is missing"
        best = int(np.argmin(distance))
        assert distance[best] < tolerance * (1 + np.linalg.norm(size)), f"{shape} at {middle}, {axis}, {size}, {color}: nearest {left[best]}"
        left.pop(best)
    assert not left, left


@pytest.fixture(scope="module")
def zoo():
    """In a pose with contacts, an active limit, controls, a slack tendon."""
    both = pair(ZOO, seed=11, solver=True)
    control = both.maker.solver.mjw_data.ctrl.numpy()
    both.mjd.ctrl[:] = np.linspace(-1.5, 2.5, both.mjm.nu)
    control[:] = both.mjd.ctrl
    both.maker.solver.mjw_data.ctrl.assign(control)
    mujoco.mj_forward(both.mjm, both.mjd)
    assert both.mjd.ncon > 2 and both.mjd.nl > 0
    return both


FLAGS = ("joint", "actuator", "camera", "light", "com", "inertia", "autoconnect", "constraint", "contactpoint", "contactforce", "rangefinder")
VIS = {name: int(getattr(mujoco.mjtVisFlag, f"mjVIS_{name.upper()}")) for name in (*FLAGS, "contactsplit", "sclinertia", "activation", "tendon")}


def both_scenes(both, flags, frame=Frame.NONE):
    """MuJoCo's and our scene with the same flags and nothing else."""
    option = mujoco.MjvOption()
    for name, at in VIS.items():
        option.flags[at] = name in flags
    option.frame = int(frame)
    for groups in (option.jointgroup, option.actuatorgroup, option.tendongroup):
        groups[:] = 1
    every = dict(jointgroup=[True] * 6, actuatorgroup=[True] * 6, tendongroup=[True] * 6)
    chosen = dict.fromkeys(VIS, False) | dict.fromkeys(flags, True)
    scene = abstract_scene(both, option)
    return scene, both.maker.make(both.state, VisualOptions(frame=frame, **chosen, **every))


@pytest.mark.parametrize("flags", [(name,) for name in FLAGS] + [("contactforce", "contactsplit"), ("inertia", "sclinertia"),
                                                                 ("actuator", "activation"), FLAGS])  # fmt: skip
def test_every_flag_adds_what_mujoco_adds(zoo, flags):
    """Shapes, places, axes, sizes and colours; forces of contacts are those of another solver, hence their tolerance."""
    wanted, made = both_scenes(zoo, flags)
    assert len(theirs(wanted)) > 0
    assert_same(ours(made), theirs(wanted), 3e-3 if "contactforce" in flags else 1e-4)


@pytest.mark.parametrize("frame", [Frame.BODY, Frame.GEOM, Frame.SITE, Frame.WORLD, Frame.CONTACT])
def test_frames_are_mujocos(zoo, frame):
    """A red, a green and a blue cylinder each."""
    wanted, made = both_scenes(zoo, (), frame)
    assert len(theirs(wanted)) >= 3
    assert_same(ours(made), theirs(wanted), 1e-4)


def test_frames_of_cameras_and_lights(zoo):
    """Beside the cameras and lights themselves."""
    for frame, flag in ((Frame.CAMERA, "camera"), (Frame.LIGHT, "light")):
        wanted, made = both_scenes(zoo, (flag,), frame)
        assert_same(ours(made), theirs(wanted), 1e-4)


def test_tendons_and_cranks_are_where_they_are_wrapped(zoo):
    """Capsules along the path, thinner around the drum; the slack one hangs; slider and crank."""
    wanted, made = both_scenes(zoo, ("tendon",))
    expected, mine = theirs(wanted, (Category.DYNAMIC,)), ours(made, (Category.DYNAMIC,))
    rope, hung = ([row for row in rows if row[4][0] == pytest.approx(0.02)] for rows in (mine, expected))
    assert len(rope) == len(hung) + 1 > 20  # MuJoCo leaves out the point before the last
    assert_same(rope[:-2], hung[:-1], 5e-4)
    assert_same([row for row in mine if row[4][0] < 0.0199], [row for row in expected if row[4][0] < 0.0199], 5e-4)


def test_labels_name_things(zoo):
    """As many labels as MuJoCo's, with the same texts (numbers of forces apart)."""
    pairs = ((Label.JOINT, "joint"), (Label.ACTUATOR, "actuator"), (Label.TENDON, "tendon"), (Label.CAMERA, "camera"), (Label.LIGHT, "light"),
             (Label.CONSTRAINT, "constraint"), (Label.CONTACTPOINT, "contactpoint"), (Label.CONTACTFORCE, "contactforce"))  # fmt: skip
    for label, flag in pairs:
        option = mujoco.MjvOption()
        option.flags[VIS[flag]], option.label = 1, int(label)
        scene = abstract_scene(zoo, option)
        texts = sorted(scene.geoms[i].label for i in range(scene.ngeom) if scene.geoms[i].label)
        made = zoo.maker.make(zoo.state, VisualOptions(label=label, **{flag: True}))
        mine = sorted(one.text for one in made.labels)
        assert len(mine) == len(texts), label
        named = {text for text in texts if not any(part.isdigit() for part in text)}
        assert label == Label.CONTACTFORCE or named <= {text.rsplit("/", 1)[-1] for text in mine} | set(mine), (label, texts, mine)


def test_shapes_are_named(zoo):
    """Geoms and sites, each at its place."""
    for label, names in ((Label.GEOM, ("floor", "drum")), (Label.SITE, ("anchor", "pin"))):
        made = zoo.maker.make(zoo.state, VisualOptions(label=label))
        texts = {one.text.rsplit("/", 1)[-1]: one.position for one in made.labels}
        for name in names:
            wanted = zoo.mjd.geom(name).xpos if label == Label.GEOM else zoo.mjd.site(name).xpos
            assert np.allclose(texts[name], wanted, atol=1e-5)


def test_forces_from_outside_are_drawn(zoo):
    """At the centre of mass, along the force, scaled by the mean mass."""
    body = zoo.mjm.body("can").id
    force = np.zeros((zoo.model.body_count, 6), dtype=np.float32)
    force[zoo.maker.tables.maps.mjc_body[0, body], :3] = zoo.mjd.xfrc_applied[body, :3] = (3.0, -2.0, 5.0)
    zoo.state.body_f.assign(force)
    option = mujoco.MjvOption()
    option.flags[:] = 0
    option.flags[int(mujoco.mjtVisFlag.mjVIS_PERTFORCE)] = 1
    wanted = theirs(abstract_scene(zoo, option))
    made = ours(zoo.maker.make(zoo.state, VisualOptions(perturbforce=True, tendon=False, rangefinder=False)))
    zoo.mjd.xfrc_applied[:], _ = 0, zoo.state.body_f.zero_()
    assert len(wanted) == 1
    assert_same(made, wanted, 1e-4)


def test_the_perturbation_is_drawn(zoo):
    """String and ball while a body is pulled, the edges of a box while it is turned, the selected point, and the glow."""
    camera, their_camera = free_cameras(zoo)
    scene = abstract_scene(zoo, camera=their_camera)
    body = zoo.mjm.body("box").id
    pert = mujoco.MjvPerturb()
    pert.select, pert.localpos = body, (0.02, 0.03, 0.1)
    mujoco.mjv_initPerturb(zoo.mjm, zoo.mjd, scene, pert)
    hand = Perturbation()
    pose = zoo.maker.camera_pose(camera, zoo.state)
    point = zoo.mjd.xpos[body] + zoo.mjd.xmat[body].reshape(3, 3) @ pert.localpos
    link = int(zoo.maker.tables.maps.mjc_body[0, body])
    hand.select(zoo.maker, zoo.state, link, point)
    hand.start(zoo.maker, zoo.state, pose)
    pert.active = hand.active = int(PerturbBit.TRANSLATE)
    mujoco.mjv_movePerturb(zoo.mjm, zoo.mjd, int(Mouse.MOVE_V), 0.1, 0.2, scene, pert)
    hand.move(zoo.maker, zoo.state, Mouse.MOVE_V, 0.1, 0.2, pose)
    option = mujoco.MjvOption()
    option.flags[int(mujoco.mjtVisFlag.mjVIS_SELECT)] = 1
    option.flags[VIS["rangefinder"]] = option.flags[VIS["tendon"]] = 0
    made = zoo.maker.make(zoo.state, VisualOptions(select=True, rangefinder=False, tendon=False), perturbation=hand)
    wanted = abstract_scene(zoo, option, perturb=pert)
    assert len(theirs(wanted)) == 3
    assert_same(ours(made), theirs(wanted), 1e-4)
    shown = made.instances
    assert np.all((shown.glow > 0) == (shown.body == link) & (shown.category == Category.DYNAMIC))
    pert.active = hand.active = int(PerturbBit.ROTATE)
    wanted = abstract_scene(zoo, option, perturb=pert)
    box = next(wanted.geoms[i] for i in range(wanted.ngeom) if wanted.geoms[i].type == LINEBOX)
    made = zoo.maker.make(zoo.state, VisualOptions(rangefinder=False, tendon=False), perturbation=hand)
    edges = made.instances.take(np.flatnonzero(made.instances.kind == Kind.PERTURBATION))
    assert len(edges) == 12
    assert np.allclose(edges.position.mean(axis=0), box.pos, atol=1e-5)
    assert np.allclose(np.sort(np.unique(np.round(edges.scale[:, 2], 4))), np.sort(np.unique(np.round(box.size, 4))), atol=2e-4)


@pytest.mark.parametrize("name", ["dm_humanoid/humanoid.xml", "arm21/arm21.xml", "dmc_manipulator/manipulator.xml", "cassie/scene.xml"])
def test_decor_of_real_models(name):
    """Joints, actuators, centres of mass, inertia and tendons of models as they are."""
    both = pair(shared_model(name), seed=2, solver=True)
    wanted, made = both_scenes(both, ("joint", "actuator", "com", "inertia", "tendon", "autoconnect"))
    kinds = (Category.DECOR, Category.DYNAMIC)
    assert_same(ours(made, kinds), theirs(wanted, kinds), 5e-4)


def test_worlds_have_their_own_decor():
    """Two worlds with other masses: boxes of inertia of their own sizes, contacts where each touches, each in its place on the grid."""

    def one(half):
        builder = newtonish.ModelBuilder()
        body = builder.add_body(xform=(0, 0, half - 0.001, 0, 0, 0, 1))
        builder.add_shape_box(body, hx=half, hy=half, hz=half)
        return builder

    builder = newtonish.ModelBuilder()
    builder.add_ground_plane()
    builder.add_world(one(0.1))
    builder.add_world(one(0.3))
    model = builder.finalize(device="cpu")
    maker = SceneMaker(model, newtonish.solvers.SolverMuJoCo(model))
    shown = maker.make(model.state(), VisualOptions(inertia=True, contactpoint=True, contactforce=True)).instances
    for world, half in enumerate((0.1, 0.3)):
        boxes = shown.take(np.flatnonzero((shown.kind == Kind.BODY) & (shown.world == world)))
        assert np.allclose(boxes.scale, half, atol=1e-5)
        contacts = shown.take(np.flatnonzero((shown.kind == Kind.CONTACT) & (shown.world == world)))
        points = contacts.position[contacts.triangles == BUILT_IN["cylinder"]] - maker.offsets[world]
        assert np.allclose(np.abs(points[:, :2]), half, atol=1e-3) and len(points) == 4


def test_nothing_of_physics_is_drawn_without_a_solver():
    """Frames and inertia follow from poses alone; contacts are left out."""
    model = pair(ZOO).model
    maker = SceneMaker(model)
    shown = maker.make(model.state(), VisualOptions(contactpoint=True, joint=True, inertia=True)).instances
    assert not np.isin(shown.kind, (Kind.CONTACT, Kind.JOINT)).any() and (shown.kind == Kind.BODY).any()


def test_surfaces_that_convey_have_arrows():
    """At contacts, along the motion of the surface."""
    xml = """<mujoco><worldbody><geom type="box" size="1 1 .1" surfacevel=".4 .2 0 0 0 .3"/>
      <body pos=".3 0 .199"><freejoint/><geom type="box" size=".1 .1 .1"/></body></worldbody></mujoco>"""
    both = pair(xml, solver=True)
    assert both.mjd.ncon == 4
    wanted, made = both_scenes(both, ("contactpoint",))
    assert sum(row[0] == "arrow" for row in theirs(wanted)) == 4
    assert_same(ours(made), theirs(wanted), 1e-4)


def test_a_list_says_what_is_shown():
    options = VisualOptions()
    options.show("com, frame=body,label=joint")
    assert (options.com, options.frame, options.label) == (True, Frame.BODY, Label.JOINT)
    for wrong, allowed in {"frame=wheel": "none, body, geom", "tag=body": "frame=KIND", "wheel": "convexhull"}.items():
        with pytest.raises(ModelError, match=f"VisualOptions: got .*allowed: {allowed}"):
            options.show(wrong)
