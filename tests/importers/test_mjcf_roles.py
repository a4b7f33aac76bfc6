"""add_mjcf's arguments for classes: the geoms that collide are those of Newton's importer, and masses are too."""

import warnings

import mujoco
import newton
import numpy as np
import pytest

import newtonish
from newtonish.convert import convert

TEXT = """<mujoco><default><default class="visual"><geom contype="0" conaffinity="0"/></default><default class="visual_soft"/>
    <default class="collision"/><default class="other"/></default><worldbody>
  <geom name="floor" type="plane" size="1 1 1"/>
  <body name="b" pos="0 0 1"><freejoint/>
    <geom name="v" class="visual" size="0.1"/><geom name="vs" class="visual_soft" size="0.11"/>
    <geom name="c" class="collision" type="box" size="0.1 0.1 0.1"/><geom name="o" class="other" type="box" size="0.1 0.1 0.1"/>
    <geom name="n" type="box" size="0.1 0.1 0.1"/><geom name="n0" type="box" size="0.1 0.1 0.1" contype="0" conaffinity="0"/>
    <geom name="p" class="visual" size="0.02"/><site name="s"/>
  </body></worldbody>
  <contact><pair geom1="floor" geom2="p"/></contact></mujoco>"""
COLLIDE, VISIBLE = 2, 1


def shapes(module, **arguments):
    builder = module.ModelBuilder()
    module.solvers.SolverMuJoCo.register_custom_attributes(builder)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        builder.add_mjcf(TEXT, **arguments)
    model = builder.finalize(device="cpu")
    flags = {}
    for label, flag in zip(model.shape_label, model.shape_flags.numpy()):
        flags[label.split("/")[-1]] = flags.get(label.split("/")[-1], 0) | int(flag)
    return model, flags


@pytest.mark.parametrize(
    "arguments",
    [
        {"no_class_as_colliders": False},
        {"visual_classes": ["oth"]},
        {"visual_classes": [], "no_class_as_colliders": False},
        {"collider_classes": ["oth"], "no_class_as_colliders": False},
        {"collider_classes": ["vis"]},
        {"parse_visuals_as_colliders": True},
        {"parse_visuals_as_colliders": True, "no_class_as_colliders": False},
        {"visual_classes": ["oth"], "parse_visuals": False},
    ],
    ids=lambda a: "-".join(f"{k}={v}" for k, v in a.items()),
)
def test_classes_decide_as_in_newton(arguments):
    theirs, wanted = shapes(newton, **arguments)
    ours, found = shapes(newtonish, **arguments)
    assert set(found) == set(wanted), "the same geoms are taken"
    # one that is named by a pair keeps its flag here as its masks say, and collides by the pair alone in both
    collide = {name for name, flag in wanted.items() if flag & COLLIDE} - {"p"}
    assert {name for name, flag in found.items() if flag & COLLIDE} - {"p"} == collide
    if "collider_classes" not in arguments or arguments["collider_classes"] != ["vis"]:  # there Newton weighs geoms twice
        np.testing.assert_allclose(ours.body_mass.numpy(), theirs.body_mass.numpy(), rtol=1e-4)
    assert convert(ours).npair == 1


def test_by_default_masks_alone_decide_as_in_mujoco():
    """A class called visual whose geoms collide by their masks is one in MuJoCo that collides."""
    model, flags = shapes(newtonish)
    compiled, mjm = convert(model, options={"skip_visual_only_geoms": False}), mujoco.MjModel.from_xml_string(TEXT)
    names = [mjm.geom(i).name for i in range(mjm.ngeom)]
    ours = {name.split("/")[-1]: (int(a), int(b)) for name, a, b in zip(compiled.geom_names, compiled.geom_contype, compiled.geom_conaffinity)}
    assert ours == {name: (int(a), int(b)) for name, a, b in zip(names, mjm.geom_contype, mjm.geom_conaffinity)}
    assert flags["vs"] & COLLIDE and not shapes(newton)[1]["vs"] & COLLIDE


def test_colliders_are_always_drawn():
    for force in (False, True):
        _, flags = shapes(newtonish, force_show_colliders=force)
        assert all(flag & VISIBLE for name, flag in flags.items() if name != "s")


def test_visuals_that_can_meet_nothing_are_named():
    with pytest.warns(newtonish.NewtonishWarning, match="'v': is to collide but meets nothing"):
        newtonish.ModelBuilder().add_mjcf(TEXT, parse_visuals_as_colliders=True)


def test_geoms_that_pairs_and_tendons_need_are_kept():
    text = TEXT.replace("</mujoco>", '<tendon><spatial><site site="a"/><geom geom="w"/><site site="s"/></spatial></tendon></mujoco>')
    text = text.replace("<site name=", '<geom name="w" class="visual" size="0.02"/><site name="a" pos="0 0 0.2"/><site name=')
    builder = newtonish.ModelBuilder()
    builder.add_mjcf(text, parse_visuals=False)
    compiled = convert(builder.finalize(device="cpu"))
    assert compiled.npair == 1 and compiled.nwrap == 3
