"""CollisionPipeline: the contacts of a state, for solvers that do not find their own.

The pairs, geometry and order are those of the solver's own collision: shapes are converted as for a simulation, and the same
kernels find the contacts of primitives, convex hulls and heightfields. What MuJoCo has no shape for, triangle meshes that are
not convex, is found by mesh queries behind them.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import warp as wp

from newtonish import mjw
from newtonish.collide.meshes import WarpMeshes, bent_geoms, split_pairs
from newtonish.convert import convert
from newtonish.convert.geoms import COLLIDE_SHAPES, GEOM_TYPE, SITE
from newtonish.errors import ModelError, NewtonishWarning, UnsupportedError, problem, raise_all
from newtonish.kernels.bridge import contacts as contact_kernels
from newtonish.kernels.bridge import poses
from newtonish.kernels.bridge.poses import poses_kernel
from newtonish.kernels.collision.stage import collision
from newtonish.kernels.collision.trimesh import trimesh
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.runtime.modules import builds_of, load_modules, planned_modules
from newtonish.mjw.capacity import estimate
from newtonish.model.fields import field_of
from newtonish.model.model import Model
from newtonish.model.state import Contacts
from newtonish.solver.contacts import ContactExport

__all__ = ["CollisionPipeline"]

_MESH_CONTACTS = 8  # of a pair with a mesh that is not convex, as in the kernel
_HYDROELASTIC = 16


class CollisionPipeline:
    """Finds the contacts between the shapes of a model, in every world.

    Contacts stand world by world, in the order of the pairs; equal states give equal bits. Shapes are near if they are closer than
    the sum of their ``shape_margin`` and ``shape_gap``. Which pairs may touch is decided as in a solver: collision groups, filter
    pairs, masks, and never two shapes that cannot move against each other.

    Args:
        model: Our Model or Newton's.
        rigid_contact_max: Room for contacts, of all worlds together and the same for each; None: estimated.
        **unsupported: Newton's further arguments; only their defaults are allowed, and ``soft_contact_max=0``: there are no soft bodies.

    Raises:
        UnsupportedError: A colliding shape is of another kind, has a signed distance field or is hydroelastic; all are named.
    """

    def __init__(self, model: Any, *, rigid_contact_max: int | None = None, **unsupported: Any) -> None:
        self.model = model
        _refuse(model, unsupported)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NewtonishWarning)  # hulls and actuators are no matter here
            compiled = convert(model, options={"skip_visual_only_geoms": True, "include_sites": False, "enable_sleeping": False})
            compiled.npair = 0  # explicit pairs are for the solver
            bent = bent_geoms(compiled, model.shape_type.numpy())
            geom1, geom2 = split_pairs(compiled, bent)
            m = mjw.put_model(compiled, device=model.device, strict=False)
        m.geom_gap = _gaps(model.shape_gap.numpy(), np.asarray(compiled.maps.mjc_geom))
        self._m, self._meshes = m, None
        if len(geom1):
            self._meshes = WarpMeshes(compiled, bent, geom1, geom2, model.device)
        worlds = max(1, int(model.world_count))
        each = estimate(m, None, None)[0] + _MESH_CONTACTS * len(geom1)
        if rigid_contact_max is not None:
            each = int(rigid_contact_max) // worlds
        self._d = mjw.make_data(m, nworld=worlds, nconmax=max(1, each), njmax=1)
        self._d.room.told = True  # here, by what the pipeline was given
        self._bodies: wp.array = wp.array(np.asarray(compiled.maps.mjc_body, dtype=np.int32), dtype=wp.int32, ndim=2, device=model.device)
        self._export = ContactExport(compiled.maps, model)
        self._reported = False
        bridge = [build for kernels in (poses, contact_kernels) for build in builds_of(kernels, self._d)]
        load_modules(self._d.device, [*planned_modules(self._find, m, self._d), *bridge])

    @property
    def rigid_contact_max(self) -> int:
        """Room for contacts of all worlds together."""
        return self._d.nworld * self._d.nconmax

    @property
    def overflow(self) -> wp.array:
        """Nonzero for worlds that once had more contacts than room, (worlds,) int32."""
        return self._d.overflow

    def contacts(self) -> Contacts:
        """An empty container of the right size."""
        if isinstance(self.model, Model):
            return self.model.contacts(self)
        requested = set(self.model.get_requested_contact_attributes())
        return Contacts(self.rigid_contact_max, 0, device=self.model.device, requested_attributes=requested)

    def collide(self, state: Any, contacts: Any = None) -> Any:
        """Find the contacts of a state; allocates nothing if ``contacts`` is given, and can be captured.

        Args:
            state: Its ``body_q``; after changes of ``joint_q`` call ``eval_fk`` first.
            contacts: Container to fill; None: a new one.

        Returns:
            The container. A warning says once if contacts did not fit, on a GPU at a later call, as this one does not wait for it.
        """
        contacts = self.contacts() if contacts is None else contacts
        m, d = self._m, self._d
        body_q = state.body_q
        if body_q is None:
            if self.model.body_count:
                raise ModelError(problem("collide: state.body_q", "None", "poses of the bodies", "make the state by model.state()"))
            body_q = wp.empty(0, dtype=wp.transform, device=d.device)
        contacts.clear()
        launch(poses_kernel, d, [m.size, m.geom, d.kin, body_q, self._bodies])
        self._find(m, d)
        self._export.write(m, d, contacts)
        if d.room.is_raised() and not d.device.is_capturing:
            self._report()
        return contacts

    def _find(self, m: Any, d: Any) -> None:
        """Contacts of the poses in ``d``."""
        collision(m, d)
        if self._meshes is not None:
            trimesh(m, d, self._meshes.pairs)

    def _report(self) -> None:
        needed = int(self._d.ncon_needed.numpy().max(initial=0))
        if needed > self._d.nconmax and not self._reported:
            self._reported = True
            given = f"a world with {needed} contacts"
            remedy = f"pass rigid_contact_max={needed * self._d.nworld} or more"
            text = problem("CollisionPipeline", given, f"{self._d.nconmax} a world; the rest was left out", remedy)
            warnings.warn(text, NewtonishWarning, stacklevel=3)


def _gaps(gap: np.ndarray, shapes: np.ndarray) -> np.ndarray:
    """Newton's detection gaps of the geoms, for all worlds or one for each."""
    table = gap[shapes].astype(np.float32)
    return table[:1] if np.all(table == table[:1]) else table


def _refuse(model: Any, unsupported: dict[str, Any]) -> None:
    """Raise once for arguments and shapes that are not supported."""
    allowed = {"reduce_contacts": (True,), "broad_phase": (None, "nxn", "sap", "explicit"), "deterministic": (True, False), "soft_contact_max": (0,)}
    problems = [
        problem(f"CollisionPipeline: {name}", repr(value), "its default", "leave it out")
        for name, value in unsupported.items()
        if value is not None and value is not False and value not in allowed.get(name, ())
    ]
    kinds, flags = model.shape_type.numpy(), model.shape_flags.numpy()
    names = getattr(model, "shape_label", None) or getattr(model, "shape_key", None) or [str(i) for i in range(len(kinds))]
    for i in np.flatnonzero(((flags & COLLIDE_SHAPES) != 0) & ((flags & SITE) == 0)):
        what = None
        if flags[i] & _HYDROELASTIC:
            what = "hydroelastic contacts"
        elif getattr(model.shape_source[i], "sdf", None) is not None or field_of(model.shape_source[i]) is not None:
            what = "a signed distance field"
        elif int(kinds[i]) not in GEOM_TYPE and kinds[i] != 0:
            what = f"shape type {int(kinds[i])}"
        if what is not None:
            given = "planes, primitives, meshes and heightfields"
            problems.append(problem(f"shape '{names[i]}'", what, given, "use its mesh, or turn its collisions off"))
    raise_all(UnsupportedError, "CollisionPipeline", problems)
