"""Small models that together have everything for which a step has a kernel, and options that choose the others.

Nothing is compiled or launched for them: they are there to be planned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import mujoco

from newtonish import mjw
from newtonish.common.enums import BroadphaseType, EnableBit, IntegratorType, SolverType
from newtonish.kernels.runtime.modules import Build
from newtonish.kernels.structs.field import variant
from newtonish.kernels.structs.model import OPTION
from newtonish.mjw.data import new_data
from newtonish.mjw.growth import complete
from newtonish.mjw.replay import modules_of_step

TETRA = '<mesh name="t" vertex="0 0 0  .3 0 0  0 .3 0  0 0 .3"/>'
HILL = '<hfield name="h" nrow="2" ncol="3" elevation="0 1 0 1 .5 1" size="1 .8 .3 .1"/>'
FLOOR = '<geom type="plane" size="5 5 .1"/>'
BALL = '<body pos="0 0 .09"><freejoint/><geom size=".1"/></body>'
ARM = """<body pos="0 0 1"><joint name="a" axis="0 1 0" damping=".1"/><geom type="capsule" size=".04" fromto="0 0 0 .3 0 0"/>
  <body pos=".3 0 0"><joint name="b" type="ball"/><geom type="capsule" size=".04" fromto="0 0 0 .2 0 0"/><site name="tip"/></body></body>"""
CAMERA = '<camera name="c" resolution="4 4" sensorsize=".036 .024" focal=".09 .1"/>'
MODELS = {
    "round": f'<worldbody>{FLOOR}{BALL}{ARM}</worldbody><actuator><motor joint="a"/></actuator>',
    "boxes": f'<worldbody>{FLOOR}<body pos="0 0 .1"><freejoint/><geom type="box" size=".1 .1 .1"/></body></worldbody>',
    "many": f"<worldbody>{FLOOR}{BALL}{BALL}</worldbody>",
    "convex": f'<asset>{TETRA}</asset><worldbody>{FLOOR}{BALL}<body pos="0 0 1"><freejoint/><geom type="mesh" mesh="t"/></body></worldbody>',
    "terrain": f'<asset>{HILL}</asset><worldbody><geom type="hfield" hfield="h"/>{BALL}</worldbody>',
    "fields": f"""<asset>{TETRA}</asset><worldbody>{FLOOR}{BALL}<body pos="0 0 .02"><freejoint/><geom type="sdf" mesh="t"/></body><body pos=".15 .05 .1"><freejoint/><geom type="mesh" mesh="t"/></body></worldbody>""",
    "medium": f'<option density="1.2" viscosity=".1"/><worldbody>{FLOOR}{BALL}</worldbody>',
    "large": f'<worldbody>{FLOOR}<replicate count="22" offset=".19 0 0">{BALL}</replicate></worldbody>',
    "empty": "<worldbody/>",
    "tendons": f"""<worldbody><site name="s" pos="0 0 2"/>{ARM}</worldbody><tendon><spatial name="t"><site site="s"/><site site="tip"/></spatial></tendon>
        <equality><joint joint1="a" polycoef=".1 0 0 0 0"/></equality><actuator><muscle tendon="t" lengthrange="0 2"/></actuator>
        <sensor><accelerometer site="tip"/></sensor>""",
    "past": f"""<worldbody>{ARM.replace('damping', 'stiffness="3" springyield=".1" damping')}</worldbody>
        <actuator><motor joint="a" nsample="3" delay=".01"/></actuator><sensor><jointpos joint="a" nsample="2" delay=".01"/></sensor>""",
    "fixed past": f"""<worldbody>{ARM}</worldbody><tendon><fixed name="t" stiffness="3" springyield=".1"><joint joint="a" coef="1"/></fixed></tendon>""",
    "laws": f"""<worldbody>{ARM}</worldbody><actuator><dcmotor joint="a" motorconst=".5 .6" resistance="2" inductance=".1"/>
        <orientation joint="b" kp="3" kv=".2"/></actuator>""",
    "surfaces": f"""<worldbody><geom type="plane" size="5 5 .1" surfacevel=".5 0 0 0 0 0" adhesion="2"/>{BALL}</worldbody>""",
    "looks": f"""<asset>{TETRA}</asset><worldbody>{FLOOR}<body name="p" pos="0 0 1"><freejoint/>{CAMERA}<geom name="g" type="mesh" mesh="t"/>
        <site name="s" size=".1"/><site name="v" type="mesh" mesh="t"/></body><body name="o"><freejoint/><geom name="o" size=".1"/></body></worldbody>
        <sensor><camprojection site="s" camera="c"/><rangefinder site="s"/><distance geom1="g" geom2="o"/>
        <insidesite objtype="geom" objname="o" site="v"/><tactile geom="g" mesh="t"/></sensor>""",
}  # fmt: skip


SLEEPING = ("boxes", "convex", "terrain", "tendons")
"""Models of which trees may sleep, one for each kernel that this takes."""
OF_LARGE_WORLDS = ("as it is", "CG sparse")
"""Changes of the large model, whose islands are solved side by side."""
BROADPHASES = {name: BroadphaseType.NXN for name in MODELS} | {"many": BroadphaseType.SAP_TILE}


def never_called(m: Any, d: Any) -> None:
    raise AssertionError("a plan called a function of the user's")


def _callbacks(m: mjw.Model) -> None:
    m.opt.integrator, m.watching = int(IntegratorType.RK4), True
    m.callback.control = m.callback.passive = never_called


def _set(**options: int) -> Callable[[mjw.Model], None]:
    def change(m: mjw.Model) -> None:
        for name, value in options.items():
            setattr(m.opt, name, int(value))

    return change


FLAGS = EnableBit.DIAGEXACT | EnableBit.ENERGY | EnableBit.FWDINV
CHANGES: dict[str, Callable[[mjw.Model], None]] = {
    "as it is": lambda m: None,
    **{one.name: _set(integrator=one) for one in IntegratorType},
    **{f"{one.name} slip": _set(solver=one, noslip_iterations=2) for one in SolverType},
    **{f"{one.name} sparse": _set(solver=one, jacobian=1) for one in SolverType},
    **{f"{one.name} slip discrete": _set(solver=one, noslip_iterations=2, integrator=IntegratorType.DISCRETE) for one in SolverType},
    "flags": _set(enableflags=FLAGS),
    "flags discrete": _set(enableflags=FLAGS, integrator=IntegratorType.DISCRETE),
    "sleep": _set(enableflags=EnableBit.SLEEP),
    "speculative": _set(enableflags=EnableBit.SPECULATIVE),
    "callbacks": _callbacks,
    "gains": lambda m: setattr(m, "nforced", 1),
}
"""What is changed of a model's options and switches."""


def step_models() -> Iterator[tuple[str, mjw.Model, mjw.Data]]:
    """Each model as it is and with each of the changes, and data for two worlds of it, on the CPU."""
    for name, text in MODELS.items():
        mjm = mujoco.MjModel.from_xml_string(f"<mujoco>{text}</mujoco>")
        m = mjw.put_model(mjm, device="cpu", broadphase=BROADPHASES[name])
        plain = dict(vars(m))
        d = new_data(m, 2, None, None)
        for label, change in CHANGES.items():
            if label in ("sleep", "speculative") and name not in SLEEPING:
                continue
            if name == "large" and label not in OF_LARGE_WORLDS:
                continue
            options = variant(OPTION, m.opt)
            change(m)
            complete(m, d)
            yield f"{name}: {label}", m, d
            for field in OPTION.fields:
                if getattr(m.opt, field.name) is not getattr(options, field.name):  # a density that is set counts as a medium
                    setattr(m.opt, field.name, getattr(options, field.name))
            m.watching, m.nforced = plain["watching"], plain["nforced"]
            m.callback.control = m.callback.passive = None


def builds_of_steps() -> list[Build]:
    """What the steps of all these models and a reset launch on a GPU."""
    found = {build: None for _, m, d in step_models() for build in modules_of_step(m, d, for_cuda=True)}
    return sorted(found, key=lambda build: build.module.name)
