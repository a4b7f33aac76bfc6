"""Scripts written for Newton run with our solver's class in place of Newton's: those of its own package, with the checks at their end.

Nothing in them is changed: the class is exchanged by an assignment to ``newton.solvers.SolverMuJoCo``.
"""

import importlib
import warnings

import numpy as np
import pytest
import warp as wp

from newtonish.solvers import SolverMuJoCo

newton = pytest.importorskip("newton")

from newton import examples, viewer  # noqa: E402

# script -> frames that its own check needs, its arguments
SCRIPTS = {
    "sensors.example_sensor_imu": (200, {}),
    "basic.example_basic_plotting": (100, {"world_count": 3}),
    "robot.example_robot_omniwheel": (300, {}),
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_of_newtons_passes_its_own_check(name: str, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)  # one of them draws a picture
    monkeypatch.setattr(newton.solvers, "SolverMuJoCo", SolverMuJoCo)
    frames, given = SCRIPTS[name]
    module = importlib.import_module(f"newton.examples.{name}")
    parser = getattr(module.Example, "create_parser", examples.create_parser)()
    arguments = examples.default_args(parser)
    for key, value in given.items():
        setattr(arguments, key, value)
    with warnings.catch_warnings(), wp.ScopedDevice("cpu"):
        warnings.simplefilter("ignore")
        example = module.Example(viewer.ViewerNull(num_frames=frames), arguments)
        assert isinstance(example.solver, SolverMuJoCo)  # a subclass once the coupling of solvers was imported
        for _ in range(frames):
            example.step()
            example.render()
            if hasattr(example, "test_post_step"):
                example.test_post_step()
        example.test_final()


@pytest.mark.parametrize("exchanged", (False, True))
def test_the_namespace_is_declared_on_newtons_builder(exchanged: bool, monkeypatch):
    """By Newton's own declarations, which its importers need, once; late calls are refused as on a builder of ours."""
    ours, theirs, late = (newton.ModelBuilder() for _ in range(3))
    newton.solvers.SolverMuJoCo.register_custom_attributes(theirs)
    if exchanged:
        monkeypatch.setattr(newton.solvers, "SolverMuJoCo", SolverMuJoCo)
    SolverMuJoCo.register_custom_attributes(ours)
    SolverMuJoCo.register_custom_attributes(ours)
    for builder in (ours, theirs):
        builder.add_mjcf(str(examples.get_asset("nv_ant.xml")))
        SolverMuJoCo.register_custom_attributes(builder)
    models = [builder.finalize(device="cpu") for builder in (ours, theirs)]
    names = [name for name in vars(models[1].mujoco) if isinstance(getattr(models[1].mujoco, name), wp.array)]
    assert len(names) > 100
    for name in names:
        np.testing.assert_array_equal(*(getattr(model.mujoco, name).numpy() for model in models), err_msg=name)
    assert newton.solvers.SolverMuJoCo.__module__.startswith("newtonish") == exchanged
    late.add_body(mass=1.0)
    with pytest.raises(ValueError, match="register_custom_attributes"):
        SolverMuJoCo.register_custom_attributes(late)
