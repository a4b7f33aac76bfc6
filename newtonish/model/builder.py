"""ModelBuilder: collects bodies, joints, shapes and custom data of one or many worlds, and makes a Model of them.

The methods come from one file for each family; here are the storage, the counts, the defaults and the entrances.
Everything is kept in float64 until :meth:`ModelBuilder.finalize`.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import warp as wp

from newtonish.arguments import checked_methods
from newtonish.collector import paused
from newtonish.errors import NewtonishWarning, problem
from newtonish.model.attributes import CustomAttribute, CustomFrequency, Derived
from newtonish.model.bodies import BodyMethods
from newtonish.model.collapse import collapse_fixed_joints
from newtonish.model.columns import BuilderColumns
from newtonish.model.constraints import ConstraintMethods
from newtonish.model.custom import CustomMethods
from newtonish.model.enums import AttributeFrequency, Axis
from newtonish.model.joint_config import JointDofConfig
from newtonish.model.joint_types import JointFamilyMethods
from newtonish.model.joints import JointMethods
from newtonish.model.libraries import Libraries
from newtonish.model.mesh_shapes import MeshShapeMethods
from newtonish.model.model import Model
from newtonish.model.shape_config import ShapeConfig
from newtonish.model.shape_types import ShapeFamilyMethods
from newtonish.model.shapes import FilterPairs, ShapeMethods
from newtonish.model.tables import COLUMNS, COUNTED_BY, ColumnAttribute, new_column
from newtonish.model.topology import Topology
from newtonish.model.transforms import AxisType, Vec3, as_vector
from newtonish.model.worlds import WorldMethods

__all__ = ["ModelBuilder"]


class ModelBuilder(
    BodyMethods,
    JointMethods,
    JointFamilyMethods,
    ShapeMethods,
    ShapeFamilyMethods,
    MeshShapeMethods,
    ConstraintMethods,
    CustomMethods,
    WorldMethods,
    BuilderColumns,
):
    """Collects the description of one or many worlds.

    Every property of :mod:`newtonish.model.tables` is an attribute that behaves like a list (``builder.body_mass``,
    ``builder.joint_q``, ``builder.shape_label``); rows are added by the ``add_*`` methods only.

    Args:
        up_axis: The axis that points up.
        gravity: Gravity [m/s^2]: a vector, or a number along the up axis; -9.81 along it if not given.
        sdf_texture_paired_samples: Newton's, of textures of distance fields, which there are none of here; False warns.
    """

    ShapeConfig = ShapeConfig
    JointDofConfig = JointDofConfig
    CustomAttribute = CustomAttribute
    CustomFrequency = CustomFrequency

    def __init__(self, up_axis: AxisType = Axis.Z, gravity: Vec3 | None = None, sdf_texture_paired_samples: bool = True) -> None:
        self._columns: dict[str, Any] = {name: new_column(spec) for name, spec in COLUMNS.items()}
        self._topology = Topology(self)
        self._filter_pairs = FilterPairs()
        self._current_world = -1
        self._gravity: Any = None
        self._custom_frequency_counts: dict[str, int] = {}
        self.up_axis = Axis.from_any(up_axis)
        self.sdf_texture_paired_samples = sdf_texture_paired_samples
        if not sdf_texture_paired_samples:
            given, allowed = "sdf_texture_paired_samples=False, which has no effect", "True: there are no textures of distance fields"
            warnings.warn(problem("ModelBuilder", given, allowed, "leave it out"), NewtonishWarning, stacklevel=2)
        self.default_shape_cfg = ShapeConfig()
        self.default_joint_cfg = JointDofConfig()
        self.rigid_gap = 0.1
        self.balance_inertia = True
        self.bound_mass: float | None = None
        self.bound_inertia: float | None = None
        self.world_count = 0
        self.world_gravity: list[wp.vec3] = []
        self.world_label: list[str] = []
        self.custom_attributes: dict[str, CustomAttribute] = {}
        self.custom_frequencies: dict[str, CustomFrequency] = {}
        self.libraries = Libraries()
        self.derived_attributes: dict[str, Derived] = {}
        self.shape_facets: dict[str, str] = {}
        self.import_reports: list[Any] = []
        self._requested_state_attributes: set[str] = set()
        self._requested_contact_attributes: set[str] = set()
        if gravity is not None:
            self.gravity = gravity

    # -- counts -------------------------------------------------------------------------------------------------------

    @property
    def body_count(self) -> int:
        """Number of bodies."""
        return len(self._columns["body_mass"])

    @property
    def shape_count(self) -> int:
        """Number of shapes, sites included."""
        return len(self._columns["shape_type"])

    @property
    def joint_count(self) -> int:
        """Number of joints."""
        return len(self._columns["joint_type"])

    @property
    def joint_dof_count(self) -> int:
        """Number of degrees of freedom of all joints."""
        return len(self._columns["joint_qd"])

    @property
    def joint_coord_count(self) -> int:
        """Number of coordinates of all joints; a quaternion counts four."""
        return len(self._columns["joint_q"])

    @property
    def joint_constraint_count(self) -> int:
        """Number of directions of motion that all joints remove."""
        return len(self._columns["joint_cts"])

    @property
    def articulation_count(self) -> int:
        """Number of articulations."""
        return len(self._columns["articulation_start"])

    def entity_counts(self) -> dict[AttributeFrequency, int]:
        """Return the number of entities of each kind that the builder stores."""
        return {kind: len(self._columns[name]) for kind, name in COUNTED_BY.items()}

    # -- surroundings -------------------------------------------------------------------------------------------------

    @property
    def up_vector(self) -> tuple[float, float, float]:
        """Unit vector of the up axis."""
        return self.up_axis.to_vector()

    @property
    def gravity(self) -> wp.vec3:
        """Gravity of worlds that have none of their own [m/s^2]."""
        if self._gravity is None:
            return wp.vec3(*(-9.81 * part for part in self.up_vector))
        return wp.vec3(*self._gravity.tolist())

    @gravity.setter
    def gravity(self, value: Vec3 | float) -> None:
        if isinstance(value, (int, float)):
            value = [value * part for part in self.up_vector]
        self._gravity = as_vector(value, 3, "gravity")

    @property
    def current_world(self) -> int:
        """World that new entities go to, -1 for all worlds; changed by begin_world and end_world."""
        return self._current_world

    @property
    def body_shapes(self) -> dict[int, list[int]]:
        """Shapes of each body; -1 is the world."""
        return self._topology.shapes

    @property
    def joint_parents(self) -> dict[int, list[tuple[int, int]]]:
        """For each body, (parent body, joint) of the joints above it."""
        return self._topology.parents

    @property
    def joint_children(self) -> dict[int, list[tuple[int, int]]]:
        """For each body, (child body, joint) of the joints below it."""
        return self._topology.children

    # -- files --------------------------------------------------------------------------------------------------------

    def add_mjcf(self, source: Any, **kwargs: Any) -> Any:
        """Add what an MJCF file, text or object model describes; arguments are those of ``newtonish.importers.mjcf.add_mjcf``."""
        with paused():
            from newtonish.importers.mjcf import add_mjcf

            return add_mjcf(self, source, **kwargs)

    def add_usd(self, source: Any, **kwargs: Any) -> dict[str, Any]:
        """Add what a USD stage, or the file of one, describes; arguments are those of ``newtonish.importers.usd.add_usd``."""
        with paused():
            from newtonish.importers.usd import add_usd

            return add_usd(self, source, **kwargs)

    def add_urdf(self, source: Any, **kwargs: Any) -> Any:
        """Add the robot of a URDF file or text; arguments are those of ``newtonish.importers.urdf.add_urdf``."""
        with paused():
            from newtonish.importers.urdf import add_urdf

            return add_urdf(self, source, **kwargs)

    # -- requests and result ------------------------------------------------------------------------------------------

    def collapse_fixed_joints(self, verbose: bool = False, joints_to_keep: Sequence[str | int] | None = None) -> dict[str, Any]:
        """Merge bodies that fixed joints of articulations connect, so that there are fewer of them.

        Shapes, mass and joints of a child go to its parent; what is fixed to the world becomes part of the world. Bodies stay
        that are kinematic, that rows of custom frequencies refer to, or whose custom attributes differ from the parent's.

        Args:
            verbose: Print how many bodies went.
            joints_to_keep: Labels or indices of joints that stay.

        Returns:
            ``body_remap`` and ``joint_remap``, new index by old one; ``body_merged_parent`` and ``body_merged_transform``, by
            the index of a body that went the one it went to and its pose in that (indices before merging, -1 the world).
        """
        return collapse_fixed_joints(self, verbose, joints_to_keep)

    def request_state_attributes(self, *attributes: str) -> None:
        """Have ``model.state()`` allocate optional arrays, by name: see ``State.EXTENDED_ATTRIBUTES``."""
        from newtonish.model.state import State

        State.validate_extended_attributes(attributes)
        self._requested_state_attributes.update(attributes)

    def request_contact_attributes(self, *attributes: str) -> None:
        """Have contacts allocate optional arrays, by name: see ``Contacts.EXTENDED_ATTRIBUTES``."""
        from newtonish.model.state import Contacts

        Contacts.validate_extended_attributes(attributes)
        self._requested_contact_attributes.update(attributes)

    def color(self, *args: Any, **kwargs: Any) -> None:
        """Nothing to do: Newton colours bodies and particles for its ``SolverVBD`` alone, and no solver here needs colours."""

    def validate_joint_ordering(self) -> bool:
        """Return whether in every articulation each joint's parent body was placed by an earlier joint."""
        from newtonish.model.validate import joints_in_tree_order

        return joints_in_tree_order(self)

    def finalize(
        self,
        device: Any = None,
        *,
        requires_grad: bool = False,
        skip_all_validations: bool = False,
        skip_validation_worlds: bool = False,
        skip_validation_joints: bool = False,
        skip_validation_shapes: bool = False,
        skip_validation_inertia: bool = False,
        skip_validation_structure: bool = False,
        skip_validation_joint_ordering: bool = True,
    ) -> Model:
        """Check everything and return the model with its arrays on a device.

        Args:
            device: Warp device; the current one if not given.
            requires_grad: Whether float arrays record gradients.
            skip_all_validations: Check nothing.
            skip_validation_worlds: Do not check that entities are ordered by world.
            skip_validation_joints: Do not check that joints belong to articulations.
            skip_validation_shapes: Do not check materials and gaps.
            skip_validation_inertia: Neither check nor correct masses and inertias.
            skip_validation_structure: Do not check indices and start arrays.
            skip_validation_joint_ordering: Do not check that joints come after those above them.

        Raises:
            ModelError: With everything that is wrong.
        """
        from newtonish.model.finalize import finalize
        from newtonish.model.validate import check_builder

        skipped = {
            "worlds": skip_validation_worlds,
            "joints": skip_validation_joints,
            "shapes": skip_validation_shapes,
            "inertia": skip_validation_inertia,
            "structure": skip_validation_structure,
            "joint_ordering": skip_validation_joint_ordering,
        }
        checks = set() if skip_all_validations else {name for name, skip in skipped.items() if not skip}
        check_builder(self, checks)
        return finalize(self, device, requires_grad, correct_inertia="inertia" in checks)

    # -- rows ---------------------------------------------------------------------------------------------------------

    def _append_row(self, **values: Any) -> None:
        """Append one value to each of the named columns."""
        for name, value in values.items():
            self._columns[name].append(value)

    def _row_counts(self) -> dict[str, int]:
        return {name: len(column) for name, column in self._columns.items()}

    def _truncate(self, counts: dict[str, int]) -> None:
        """Cut all columns back to earlier lengths, after an error."""
        for name, count in counts.items():
            column = self._columns[name]
            if len(column) > count:
                self._columns[name] = new_column(COLUMNS[name], column[:count])


for _name, _column_spec in COLUMNS.items():
    setattr(ModelBuilder, _name, ColumnAttribute(_column_spec))
checked_methods(ModelBuilder, inherited=True, but=("add_mjcf", "add_urdf", "add_usd"))
