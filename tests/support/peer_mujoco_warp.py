"""As a plug-in of pytest (``-p peer_mujoco_warp``): the test files of mujoco_warp's wheel with newtonish.mjw in its place.

Public names of mujoco_warp are replaced before its tests are collected; its private functions, which some tests call, stay and get
our arrays. A compiled model tells the number of a plugin's slot only; which signed distance field that is, MuJoCo is asked here, as mujoco_warp's
tests do for their own. Where a test file reads ``d.contact``, it sees the contacts of all worlds one after another (``mjw.contact_list``), in ``d.efc``
``Ma``, islands of rows and columns with mujoco_warp's further axis, and paths of tendons without room between them: the layout that it is written for. Where
the tests of islands do not say how a Jacobian is stored, it is sparse, since ours are of sparse ones. Of errors of ours the class is compared (``peer_messages.py``). Everything else is as a user's script would find it.
"""

from __future__ import annotations

import functools
import inspect
import sys

from peer_messages import compare_classes


def pytest_configure(config) -> None:
    import mujoco_warp
    from mujoco_warp import test_data

    from newtonish import mjw
    from newtonish.kernels.structs.container import Data

    compare_classes()
    put_model = mjw.put_model
    mjw.put_model = functools.wraps(put_model)(lambda mjm, *arguments, **options: put_model(mjm, *arguments, **_fields_of(mjm) | options))
    theirs = {name: getattr(mujoco_warp, name) for name in mjw.__all__ if hasattr(mujoco_warp, name)}
    for name in theirs:
        setattr(mujoco_warp, name, getattr(mjw, name))
    for path, module in list(sys.modules.items()):  # a public function is public where it is defined, too
        for name, function in theirs.items() if path.startswith("mujoco_warp._src.") else ():
            if inspect.isfunction(function) and getattr(module, name, None) is function and name not in OTHER_ARGUMENTS:
                setattr(module, name, getattr(mjw, name))

    test_data.fixture = _with_islands(test_data.fixture)
    Data.contact = property(lambda d: mjw.contact_list(d) if _is_read_by_a_test() else d.__dict__["contact"])
    Data.efc = property(lambda d: Rows(d) if _is_read_by_a_test() else d.__dict__["efc"])
    for name in PATHS:
        setattr(Data, name, property(lambda d, name=name: _paths(d)[name] if _is_read_by_a_test() else getattr(d.ten, name.removeprefix("ten_"))))


def _with_islands(fixture):
    """The maker of the tests' models, with sparse Jacobians for the tests of islands."""

    def made(*arguments, **options):
        if sys._getframe(1).f_code.co_filename.endswith("island_test.py"):
            options["overrides"] = {"opt.jacobian": 1} | options.get("overrides", {})
        return fixture(*arguments, **options)

    return made


def _is_read_by_a_test() -> bool:
    """Whether the attribute that is being read is read in a test file, not in the library."""
    return sys._getframe(2).f_code.co_filename.endswith("_test.py")


FIELDS = tuple(f"mujoco.sdf.{name}" for name in ("nut", "bolt", "torus", "bowl", "gear"))


def _fields_of(mjm) -> dict:
    """``sdf`` for put_model: the field of each plugin's instance of a compiled model."""
    if not getattr(mjm, "nplugin", 0):
        return {}
    names = _slots()
    return {"sdf": {i: names[slot] for i, slot in enumerate(mjm.plugin.tolist()) if slot in names}}


@functools.cache
def _slots() -> dict[int, str]:
    """Names of the signed distance fields by the slot that MuJoCo registered their plugins under in this process."""
    import mujoco

    plugins = "".join(f'<plugin plugin="{name}"><instance name="{name}"/></plugin>' for name in FIELDS)
    meshes = "".join(f'<mesh name="{name}"><plugin instance="{name}"/></mesh>' for name in FIELDS)
    geoms = "".join(f'<geom type="sdf" mesh="{name}"><plugin instance="{name}"/></geom>' for name in FIELDS)
    xml = f"<mujoco><extension>{plugins}</extension><asset>{meshes}</asset><worldbody>{geoms}</worldbody></mujoco>"
    mjm = mujoco.MjModel.from_xml_string(xml)
    return {int(mjm.plugin[mjm.geom_plugin[i]]): name for i, name in enumerate(FIELDS)}


OTHER_ARGUMENTS = ("set_length_range",)
PATHS = ("wrap_xpos", "wrap_obj", "ten_wrapadr", "ten_wrapnum")


def _paths(d) -> dict:
    """Paths of tendons as mujoco_warp keeps them: one right behind the other, two points to an entry."""
    import numpy as np
    import warp as wp

    points, objects, begin, number = (getattr(d.ten, name.removeprefix("ten_")).numpy() for name in PATHS)
    packed, whose, adr = np.zeros_like(points), np.zeros_like(objects), np.zeros_like(begin)
    for w in range(d.nworld):
        at = 0
        for t, (first, count) in enumerate(zip(begin[w], number[w])):
            adr[w, t] = at
            packed[w, at : at + count], whose[w, at : at + count] = points[w, first : first + count], objects[w, first : first + count]
            at += count
    shape = (d.nworld, points.shape[1] // 2)
    found = dict(zip(PATHS, (packed.reshape(*shape, 6), whose.reshape(*shape, 2), adr, number)))
    return {name: wp.array(host, device=d.device) for name, host in found.items()}


ELSEWHERE = {"Ma": "efc_Ma", "island": "efc_island"}
"""Arrays that mujoco_warp has among its rows, by their flat names here."""


class Rows:
    """Constraint rows of a Data as mujoco_warp groups them."""

    def __init__(self, d) -> None:
        self.__dict__["_d"], self.__dict__["_efc"] = d, d.__dict__["efc"]

    def __getattr__(self, name: str):
        if name in ELSEWHERE:
            return getattr(self._d, ELSEWHERE[name])
        array = getattr(self._efc, name)
        return array.reshape((array.shape[0], 1, array.shape[1])) if name == "J_colind" else array

    def __setattr__(self, name: str, value) -> None:
        if name in ELSEWHERE:
            setattr(self._d, ELSEWHERE[name], value)
        else:
            setattr(self._efc, name, value)
