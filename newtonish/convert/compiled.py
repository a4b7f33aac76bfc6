"""CompiledModel: what MuJoCo's compiler would make of the model, as numpy arrays under mujoco.MjModel's names.

Shapes, meanings and enumeration numbers are those of MuJoCo 4.0's ``mjModel``; floats are float64. The one object
holds the numbers of the template world; what differs between worlds stands once more in ``batched`` with a leading
world axis (key = the field's name; options under their own names, ``gravity`` for instance, and ``meaninertia`` of
the statistics; ``tendon_coef``, the weights of ``wrap_prm`` by element of the tendons' Jacobian). Entities that the
conversion does not make yet (flexes, skins, ...) have size 0.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from newtonish.common.compiled_fields import DTYPES, FIELDS, MINUS_ONE, SIZES, CompiledFields, extent

__all__ = ["CompiledModel"]


class CompiledModel(CompiledFields):
    """Arrays and sizes of a compiled model; attribute names are mujoco.MjModel's.

    Attributes:
        opt: Solver options under ``mjOption``'s names.
        stat: ``meaninertia, meanmass, meansize, extent, center`` of the template world.
        nworld: Number of worlds of the Newton model.
        batched: Fields that differ between worlds, leading axis ``nworld``.
        maps: :class:`newtonish.convert.maps.IndexMaps` between Newton's indices and MuJoCo's ids.
        geom_filter_pairs: Geom pairs (smaller id first) that must not collide although MuJoCo's own rules would let
            them; shape (n, 2).
        mesh_maxhullvert: Most vertices of each mesh's convex hull, -1 for no bound.
        mesh_plugin: Instance of the field that each mesh is the surface of, -1 for none.
        plugin_names, plugin_kind_names: Name of each instance of a distance field, and of its plugin.
        plugin_attr, plugin_attradr: Parameters of instances as texts, each ended by a zero byte, and where those of an instance begin.
        mesh_points: Rows of ``mesh_vert`` as they are in the file, of which hulls are made (nmeshvert, 3).
        jnt_forced: Whether jnt_solref stands for force-space gains in some world.
        geom_gain, geom_kf: Force-space stiffness and damping of the geoms' contacts (ngeom, 2), and of sliding.
        geom_impedance: Flat impedance of contacts that are springs in motion as well (ngeom,), zero for others.
        body_names, jnt_names, geom_names, site_names, actuator_names, tendon_names, eq_names, key_names, numeric_names, text_names,
            tuple_names, mesh_names, mat_names, tex_names: Names by id.
        listed: What the conversion listed (``newtonish.convert.again``); archives do not hold it.
        kept: The finalized model's libraries and settings of pictures, where it has some; archives do not hold them.
    """

    cam_names: list[str]
    light_names: list[str]

    def __init__(self, **sizes: int) -> None:
        unknown = set(sizes) - set(SIZES)
        if unknown:
            raise KeyError(f"unknown sizes {sorted(unknown)}")
        for name in SIZES:
            setattr(self, name, int(sizes.get(name, 0)))
        self.njmax = sizes.get("njmax", -1)
        self.nconmax = sizes.get("nconmax", -1)
        for name, (code, shape) in FIELDS.items():
            fill = -1 if name in MINUS_ONE else 0
            setattr(self, name, np.full([extent(s, self) for s in shape], fill, dtype=DTYPES[code]))
        self.flg_gravcomp = self.flg_surfacevel = self.flg_adhesion = self.flg_spring = False
        self.opt = SimpleNamespace()
        self.stat = SimpleNamespace(meaninertia=1.0, meanmass=1.0, meansize=1.0, extent=2.0, center=np.zeros(3))
        self.nworld = 1
        self.batched: dict[str, np.ndarray] = {}
        self.maps: Any = None
        self.geom_filter_pairs = np.zeros((0, 2), dtype=np.int32)
        self.mesh_maxhullvert = np.full(self.nmesh, -1, dtype=np.int32)
        self.mesh_points = np.zeros((self.nmeshvert, 3))
        self.mesh_plugin = np.full(self.nmesh, -1, dtype=np.int32)
        self.plugin_names: list[str] = []
        self.plugin_kind_names: list[str] = []
        self.plugin_attr, self.plugin_attradr = np.zeros(0, dtype=np.uint8), np.zeros(self.nplugin, dtype=np.int32)
        self.geom_gain, self.geom_kf = np.zeros((self.ngeom, 2)), np.full(self.ngeom, -1.0)
        self.geom_impedance = np.zeros(self.ngeom)
        self.jnt_forced = np.zeros(self.njnt, dtype=bool)
        self.body_names: list[str] = []
        self.jnt_names: list[str] = []
        self.geom_names: list[str] = []
        self.site_names: list[str] = []
        self.actuator_names: list[str] = []
        self.tendon_names: list[str] = []
        self.sensor_names: list[str] = []
        self.eq_names: list[str] = []
        self.key_names: list[str] = []
        self.numeric_names: list[str] = []
        self.text_names: list[str] = []
        self.tuple_names: list[str] = []
        self.mesh_names: list[str] = []
        self.mat_names: list[str] = []
        self.tex_names: list[str] = []
        self.kept: Any = None
        self.listed: Any = None

    def set(self, name: str, value: np.ndarray) -> None:
        """Store a template-world array after checking its shape against the declared one."""
        code, shape = FIELDS[name]
        expected = tuple(extent(s, self) for s in shape)
        array: np.ndarray = np.asarray(value, dtype=DTYPES[code])
        if array.shape != expected:
            raise ValueError(f"{name}: got shape {array.shape}, expected {expected} = {shape}")
        setattr(self, name, array)

    def world(self, name: str, world: int) -> np.ndarray:
        """A field's values in one world, whether it is batched or not."""
        if name in self.batched:
            return self.batched[name][world]
        return getattr(self, name)

    def __repr__(self) -> str:
        sizes = " ".join(f"{n}={getattr(self, n)}" for n in ("nworld", "nbody", "njnt", "nq", "nv", "nu", "ngeom", "nsite", "npair", "nkey"))
        return f"CompiledModel({sizes}, batched={sorted(self.batched)})"
