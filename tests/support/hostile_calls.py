"""Public calls with one wrong argument, each tried in a process that may die: ``python hostile_calls.py COUNT [SEED]``.

A call is a function of ``newtonish.mjw``, ``newtonish.ModelBuilder``, ``newtonish.SolverMuJoCo``, ``newtonish.envs`` or ``newtonish.mjcf`` with
arguments that fit, of which one is replaced by something of another type, shape, dtype, sign or size; or a number of a model or a state is set to such a
value and a step is taken. Prints one line: how many were tried, refused (by an error of newtonish's own), ran on, ended in another exception, and killed the process; the
exceptions and the calls go to standard error.
"""

from __future__ import annotations

import functools
import inspect
import os
import re
import resource
import sys
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from tried import MARK, run_trials

FOUR_PARTS = re.compile(r": got .+; allowed: .+; .+", re.DOTALL)
MEMORY = 12 << 30
"""Address space of a process that tries calls [bytes]: what is refused only by the machine shall not take the machine along."""
TEXT = """<mujoco><option timestep=".002"/><worldbody><geom name="floor" type="plane" size="1 1 .1"/><site name="s"/>
  <body name="a" pos="0 0 1"><freejoint name="free"/><geom name="ball" size=".1"/><body name="b" pos=".2 0 0"><joint name="hinge" axis="0 1 0"/>
  <geom name="box" type="box" size=".1 .1 .1"/><site name="t"/><camera name="c"/></body></body><body name="m" mocap="true" pos="0 0 3"/></worldbody>
  <actuator><motor name="motor" joint="hinge" nsample="4" delay=".004"/></actuator>
  <sensor><jointpos name="jp" joint="hinge" nsample="4" delay=".004" interval=".004"/></sensor><keyframe><key name="home"/></keyframe></mujoco>"""
WORLDS = 2
# other programs' windows, machines without a file system of their own, and what says of itself that it never returns
LEFT_OUT = {
    "mjw": {"install_as", "get_depth", "get_rgb", "get_segmentation", "render", "refit_bvh", "refit_splat_bvh", "put_model", "put_data", "get_data_into", "create_render_context"},
    "builder": {"add_mjcf", "add_usd", "add_urdf", "color"},
    "solver": {"close_mujoco_viewer", "render_mujoco_viewer", "import_mujoco", "coupling_eval_effective_mass", "coupling_eval_effective_mass_block", "coupling_eval_gravity_acceleration"},
}  # fmt: skip


def wrong_values(rng: np.random.Generator) -> list[Any]:
    import warp as wp

    return [
        None, "text", "", b"bytes", -1, -7, 3, 10**6, 2**31, 10**40, 1.5, -1.0, 0, 0.0, float("nan"), float("inf"), -float("inf"), 1e39, True, [], [1], [1.0, 2.0], [None],
        ["x", "y"], (), (1, 2, 3), {}, {"x": 1}, {1: 2}, set(), object(), object, lambda: 0, 1j, range(3), slice(2), Ellipsis, np.float32(-2.0), np.int64(-3),
        np.zeros(0), np.zeros(3), np.zeros((2, 3)), np.zeros((2, 0)), np.full(7, np.nan), np.zeros(2, dtype=np.int32), np.array(["a", "b"]), np.array([None, None]), np.array(1.0),
        np.zeros((2, 2, 2, 2)), wp.zeros(2, dtype=wp.float32), wp.zeros((2, 3), dtype=wp.float32), wp.zeros(2, dtype=wp.vec3), wp.zeros(2, dtype=wp.float64),
        wp.zeros((2, 9), dtype=wp.int32), wp.zeros(0, dtype=wp.float32), wp.vec3(float("nan"), 0.0, 0.0), Path("/nowhere"), "\x00", "é" * 300,
    ]  # fmt: skip


# -- arguments that fit, by name ------------------------------------------------------------------------------------------


def _fit_mjw(m: Any, d: Any) -> dict[str, Any]:
    import warp as wp

    from newtonish import mjw

    nv, size = int(m.nv), mjw.state_size(m, 1)
    floats = functools.partial(wp.zeros, dtype=wp.float32)
    vectors = functools.partial(wp.zeros, dtype=wp.vec3)
    return {
        "m": m, "d": d, "src": d, "dst": mjw.make_data(m, WORLDS), "seed": 1, "sig": 1, "srcsig": 1, "dstsig": 1, "state": floats((WORLDS, size)), "active": None,
        "contact_ids": wp.zeros(2, dtype=wp.int32), "to_world_frame": True, "force": wp.zeros(2, dtype=wp.spatial_vector), "nworld": WORLDS, "skipstage": 0, "skipsensor": False,
        "factorize": True, "ctrlid": 0, "sensorid": 0, "times": np.zeros(4), "values": np.zeros(4), "phase": None, "eps": 1e-3, "flg_actuation": False, "flg_centered": True,
        "jacp": wp.zeros((WORLDS, 3, nv), dtype=wp.float32), "jacr": None, "point": vectors(WORLDS), "body": 1, "geom": 1, "site": 0, "source": TEXT, "nconmax": 8, "njmax": 40,
        "device": None, "strict": True, "headroom": 1.0, "res": floats((WORLDS, nv)), "vec": floats((WORLDS, nv)), "skip": None, "pnt": vectors((WORLDS, 1)), "x": floats((WORLDS, nv)),
        "y": floats((WORLDS, nv)), "time": floats(WORLDS), "interp": 0, "result": floats((WORLDS, 1)), "reset": None, "key": 0, "groups": 7, "restore": True, "mode": "muscle",
        "count": None, "repeats": 1, "nstep": 1, "on": False, "qfrc": floats((WORLDS, nv)), "flg_acc": False, "dist": floats((WORLDS, 1)), "geomid": wp.zeros((WORLDS, 1), dtype=wp.int32),
        "normal": vectors((WORLDS, 1)), "bodyexclude": -1, "flg_static": True, "geomgroup": None, "skip_rne_postconstraint": False, "awake_prev": None, "on_nonfinite": "reset", "path": "state.npz", "steps": 3,
    }  # fmt: skip


def _fit_builder(b: Any) -> dict[str, Any]:
    import newtonish
    from newtonish.model.enums import AttributeFrequency

    other = newtonish.ModelBuilder()
    other.add_shape_sphere(other.add_body(), radius=0.1)
    cube = [[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    faces = [0, 1, 2, 1, 3, 2, 4, 6, 5, 5, 6, 7, 0, 4, 1, 1, 4, 5, 2, 3, 6, 3, 7, 6, 0, 2, 4, 2, 6, 4, 1, 5, 3, 3, 5, 7]
    link = b.add_link(mass=1.0)
    axis = newtonish.ModelBuilder.JointDofConfig(axis=(0.0, 0.0, 1.0))
    return {
        "parent": 0, "child": link, "body": 0, "joint_type": newtonish.JointType.REVOLUTE, "angular_axes": [axis], "type": newtonish.GeoType.SPHERE, "joint": 1, "reference_joint": None,
        "joints": [2], "joint0": 1, "joint1": 0, "builder": other, "copy_count": 2, "mesh": newtonish.Mesh(cube, faces), "src": None, "scale": (1.0, 1.0, 1.0), "radius": 0.1,
        "heightfield": newtonish.Heightfield(data=np.zeros((3, 3)), nrow=3, ncol=3, hx=1.0, hy=1.0), "key": "x:y", "frequencies": [AttributeFrequency.BODY],
        "attribute": newtonish.ModelBuilder.CustomAttribute(name="extra", dtype=float, frequency=AttributeFrequency.BODY),
        "frequency": newtonish.ModelBuilder.CustomFrequency(name="row"), "entries": [], "spacing": (0.0, 0.0, 0.0), "label": "name", "axis": (0.0, 1.0, 0.0), "shape_a": 0, "shape_b": 1,
    }  # fmt: skip


def _builder() -> Any:
    import newtonish

    b = newtonish.ModelBuilder()
    first, second = b.add_link(mass=1.0, inertia=np.eye(3)), b.add_link(mass=1.0, inertia=np.eye(3))
    joints = [b.add_joint_revolute(-1, first), b.add_joint_revolute(first, second)]
    b.add_articulation(joints)
    b.add_shape_box(first, hx=0.1, hy=0.1, hz=0.1)
    b.add_shape_sphere(second, radius=0.1)
    return b


# -- calls ---------------------------------------------------------------------------------------------------------------


Call = tuple[str, Callable[..., Any], dict[str, Any]]


def _arguments(function: Callable[..., Any], fits: dict[str, Any]) -> dict[str, Any]:
    """Arguments by name: one that fits for each that has no default, and for those that ``fits`` knows."""
    found = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if name == "self" or parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
            continue
        found[name] = fits.get(name, parameter.default)
    return found


def _pick(rng: np.random.Generator, names: Any) -> Any:
    names = list(names)
    return names[int(rng.integers(len(names)))]


def call_mjw(rng: np.random.Generator, folder: Path) -> Call:
    from newtonish import mjw

    m, d = mjw.load(TEXT, nworld=WORLDS)
    name = _pick(rng, [name for name in mjw.__all__ if inspect.isfunction(getattr(mjw, name)) and name not in LEFT_OUT["mjw"]])
    function = getattr(mjw, name)
    fits = _fit_mjw(m, d)
    if name == "rays":
        import warp as wp

        fits |= {"geomgroup": [1.0] * 6, "bodyexclude": wp.full(1, -1, dtype=wp.int32)}
    if name == "load" and rng.random() < 0.5:
        fits["strict"] = True
    return f"mjw.{name}", function, _arguments(function, fits)


def call_number(rng: np.random.Generator, folder: Path) -> Call:
    """A number of the options, or a field of a model or a state, set by its name."""
    from newtonish import mjw

    m, d = mjw.load(TEXT, nworld=WORLDS)
    owner, label = _pick(rng, [(m.opt, "m.opt"), (m, "m"), (d, "d")])
    if owner is m.opt:
        names = [name for name in dir(owner) if name[0] != "_" and not callable(getattr(owner, name))]
    else:
        names = list(type(owner).FLAT)
    name = _pick(rng, names)

    def assign(value: Any) -> None:
        setattr(owner, name, value)
        mjw.step(m, d)

    return f"{label}.{name} =", assign, {"value": getattr(owner, name)}


def call_builder(rng: np.random.Generator, folder: Path) -> Call:
    import newtonish

    b = _builder()
    cls = newtonish.ModelBuilder
    name = _pick(rng, [name for name in dir(cls) if name[0] != "_" and inspect.isfunction(getattr(cls, name)) and name not in LEFT_OUT["builder"]])
    method = getattr(b, name)
    fits = _fit_builder(b)

    def then_finalize(**arguments: Any) -> None:
        method(**arguments)
        if name != "finalize":
            b.finalize()

    return f"ModelBuilder.{name}", then_finalize, _arguments(method, fits)


def call_config(rng: np.random.Generator, folder: Path) -> Call:
    """Settings of joints and shapes, and what a builder is made of."""
    import newtonish

    b = _builder()

    def shape(**settings: Any) -> None:
        b.add_shape_sphere(0, radius=0.1, cfg=newtonish.ModelBuilder.ShapeConfig(**settings))
        b.finalize()

    def axis(**settings: Any) -> None:
        body = b.add_link(mass=1.0)
        b.add_articulation([b.add_joint_d6(1, body, linear_axes=[newtonish.ModelBuilder.JointDofConfig(**settings)])])
        b.finalize()

    cls = newtonish.ModelBuilder
    choices = [
        ("ShapeConfig", shape, cls.ShapeConfig),
        ("JointDofConfig", axis, cls.JointDofConfig),
        ("ModelBuilder", cls, cls),
        ("Mesh", newtonish.Mesh, newtonish.Mesh),
    ]
    label, function, kind = _pick(rng, choices)
    fits = {"vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], "indices": [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]} if label == "Mesh" else {}
    return label, function, _arguments(kind, fits)


def call_solver(rng: np.random.Generator, folder: Path) -> Call:
    import newtonish

    model = _builder().finalize()
    cls = newtonish.SolverMuJoCo
    name = _pick(
        rng, ["__init__"] * 8 + [name for name in dir(cls) if name[0] != "_" and inspect.isfunction(getattr(cls, name)) and name not in LEFT_OUT["solver"]]
    )
    fits = {
        "model": model,
        "state": model.state(),
        "state_in": model.state(),
        "state_out": model.state(),
        "control": model.control(),
        "contacts": None,
        "dt": 0.002,
        "flags": 1,
        "kinds": (),
    }
    if name == "__init__":
        return "SolverMuJoCo", cls, _arguments(cls, fits)
    method = getattr(cls(model), name)
    if name == "update_contacts":
        fits["contacts"] = newtonish.Contacts(16, 0)
    return f"SolverMuJoCo.{name}", method, _arguments(method, fits)


def call_envs(rng: np.random.Generator, folder: Path) -> Call:
    from newtonish import envs

    task = _pick(rng, envs.TASKS if hasattr(envs, "TASKS") else ["cartpole"])
    label = _pick(rng, ["make_vec", "make", "make_task", "Randomize", "step", "reset", "set_state", "read", "write", "index"])
    if label in ("make_vec", "make"):
        function = getattr(envs, label)
        more = {"max_episode_steps": None, "randomize": None, "device": None, "headroom": 1.0} | (
            {"num_envs": 2, "autoreset_mode": "NextStep"} if label == "make_vec" else {}
        )
        return f"envs.{label}", function, {"task": task} | more
    if label == "make_task":
        return "envs.make_task", envs.make_task, {"name": task}
    if label == "Randomize":

        def randomized(**arguments: Any) -> None:
            envs.make_vec(task, num_envs=2, randomize={"body_mass": envs.Randomize(**arguments)}).reset(seed=1)

        return "envs.Randomize", randomized, {"names": None, "low": 0.9, "high": 1.1, "operation": "scale", "component": None}
    env = envs.make_vec(task, num_envs=2)
    env.reset(seed=1)
    worlds = env.worlds
    qpos, qvel = worlds.read("qpos"), worlds.read("qvel")
    calls: dict[str, Call] = {
        "step": ("WorldVectorEnv.step", env.step, {"actions": np.zeros(env.action_space.shape, dtype=np.float32)}),
        "reset": ("WorldVectorEnv.reset", env.reset, {"seed": 1, "options": None}),
        "set_state": ("WorldVectorEnv.set_state", env.set_state, {"qpos": qpos, "qvel": qvel, "mask": None}),
        "read": ("Worlds.read", worlds.read, {"name": "qpos"}),
        "write": ("Worlds.write", worlds.write, {"name": "qpos", "values": qpos, "mask": None}),
        "index": ("Worlds.index", worlds.index, {"kind": "body", "name": "world"}),
    }
    return calls[label]


def call_mjcf(rng: np.random.Generator, folder: Path) -> Call:
    from newtonish import mjcf

    model = mjcf.from_xml_string(TEXT)
    place = folder / "out"
    path = folder / "model.xml"
    path.write_text(TEXT)
    body = model.worldbody.body["a"]
    choices: list[Call] = [
        ("mjcf." + function.__name__, function, _arguments(function, fits))
        for function, fits in (
            (mjcf.from_xml_string, {"xml_string": TEXT}), (mjcf.from_path, {"path": str(path)}), (mjcf.from_file, {"file_handle": str(path)}), (mjcf.from_zip, {"path": str(path)}),
            (mjcf.commit_defaults, {"element": body.geom["ball"]}), (mjcf.export_with_assets, {"mjcf_model": model, "out_dir": str(place)}),
            (mjcf.export_with_assets_as_zip, {"mjcf_model": model, "out_dir": str(place)}), (mjcf.get_attachment_frame, {"mjcf_model": model}),
            (mjcf.get_frame_freejoint, {"mjcf_model": model}), (mjcf.get_frame_joints, {"mjcf_model": model}), (mjcf.get_freejoint, {"mjcf_model": model}),
            (mjcf.RootElement, {}), (mjcf.Asset, {"contents": b"x", "extension": ".stl"}),
        )
    ]  # fmt: skip
    geom = body.geom["ball"]

    def add(name: Any, **attributes: Any) -> None:
        body.add(name, **attributes)
        model.to_xml_string()

    def assign(name: Any, value: Any) -> None:
        geom.set_attributes(**{name: value})
        model.to_xml_string()

    choices += [
        ("Element.add", add, {"name": "geom", "type": "sphere", "size": [0.1], "pos": [0.0, 0.0, 0.0], "rgba": [1, 1, 1, 1]}),
        ("Element.insert", lambda tag, position, size: body.insert(tag, position, size=size), {"tag": "geom", "position": 0, "size": [0.1]}),
        (
            "Element.set_attributes",
            functools.partial(assign, _pick(rng, ["size", "pos", "quat", "type", "contype", "name", "material", "rgba", "dclass"])),
            {"value": None},
        ),
    ]
    choices += [
        (f"Element.{method}", getattr(model, method), _arguments(getattr(model, method), fits))
        for method, fits in (
            ("find", {"namespace": "body", "identifier": "a"}), ("find_all", {"namespace": "geom"}), ("get_children", {"name": "worldbody"}), ("is_same_as", {"other": model}),
            ("to_xml", {}), ("to_xml_string", {}), ("enter_scope", {"scope_identifier": "a"}), ("attach", {"model": mjcf.RootElement(model="other")}),
            ("include_copy", {"other": mjcf.RootElement(model="other")}), ("prefixed_identifier", {}),
        )
    ]  # fmt: skip
    return _pick(rng, choices)


ROOMS: dict[str, Callable[[np.random.Generator, Path], Call]] = {
    "mjw": call_mjw, "number": call_number, "builder": call_builder, "config": call_config, "solver": call_solver, "envs": call_envs, "mjcf": call_mjcf,
}  # fmt: skip


def trial(rng: np.random.Generator, folder: Path, rooms: list[str]) -> tuple[str, Callable[[], Any]]:
    """A call with one wrong argument, and what it is in words."""
    label, function, arguments = ROOMS[_pick(rng, rooms)](rng, folder)
    text = f"{label}()"
    if arguments:
        name, value = _pick(rng, arguments), _pick(rng, wrong_values(rng))
        arguments[name] = value
        text = f"{label}({name}={type(value).__name__} {str(value)[:40]!r})"
    return text, functools.partial(_called, function, arguments)


def _called(function: Callable[..., Any], arguments: dict[str, Any]) -> None:
    by_position = [
        name
        for name in arguments
        if name in ("name", "identifier", "namespace", "tag", "position") and getattr(function, "__name__", "") in ("find", "insert", "get_children", "add")
    ]
    function(*(arguments[name] for name in by_position), **{name: value for name, value in arguments.items() if name not in by_position})


def child(first: int, count: int, seed: int, folder: Path, rooms: list[str]) -> None:
    """Try some, and print a letter for each when it is over: a process that dies has printed one less than it began."""
    import warp as wp

    from newtonish.errors import NewtonishError

    wp.config.quiet = True
    warnings.simplefilter("ignore")
    os.chdir(folder)  # files that a call writes where it is
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    for i in range(first, first + count):
        text, call = trial(np.random.default_rng((seed, i)), folder, rooms)
        print(f"call {i}: {text}", file=sys.stderr, flush=True)
        try:
            call()
            letter = "o"
        except NewtonishError:
            letter = "r"
        except OSError as caught:  # of the system, with the name of the file
            error = caught
            letter = "r" if caught.filename is not None else "x"
        except Exception as caught:
            error = caught
            letter = "r" if FOUR_PARTS.search(str(caught)) else "x"
        if letter == "x":
            last = traceback.extract_tb(error.__traceback__)[-1]
            own = [frame for frame in traceback.extract_tb(error.__traceback__) if "/newtonish/" in frame.filename]
            place = own[-1] if own else last
            line = str(error).replace("\n", " ")[:160]
            print(f"foreign {i}: {text}: {type(error).__name__}: {line} [{Path(place.filename).name}:{place.lineno}]", file=sys.stderr)
        print(MARK + letter, end="", flush=True)


def run(count: int, seed: int = 0, rooms: list[str] | None = None) -> dict[str, int]:
    """Try ``count`` calls; how many were refused, ran on, ended in another exception, or in a crash."""
    return run_trials(str(Path(__file__).resolve()), count, seed, "foreign", behind=tuple(rooms or ROOMS))


if __name__ == "__main__":
    if sys.argv[1] == "child":
        child(*map(int, sys.argv[2:5]), Path(sys.argv[5]), sys.argv[6:])
    else:
        numbers = [int(word) for word in sys.argv[1:] if word.isdigit()]
        print("calls", run(numbers[0], *numbers[1:2], rooms=[word for word in sys.argv[1:] if word in ROOMS] or None))
