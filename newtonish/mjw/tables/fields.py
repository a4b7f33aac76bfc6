"""Tables of signed distance fields, as the kernels read them: the field of each geom, its frame and box, and octrees of meshes."""

from __future__ import annotations

from typing import Any

import numpy as np

from newtonish.common import frames
from newtonish.mjw.distance_fields import DistanceField, GeomFields
from newtonish.mjw.record import ModelRecord


def field_tables(record: ModelRecord, fields: GeomFields, ncollide: int) -> dict[str, Any]:
    """The ``sdf_*`` fields; arrays are empty in models without pairs of such geoms."""
    tables: dict[str, Any] = {"sdf_ncollide": ncollide, "sdf_initpoints": record.opt.sdf_initpoints, "sdf_iterations": record.opt.sdf_iterations}
    ngeom = record.ngeom if ncollide else 0
    numbers = field_numbers(fields)
    field, root, prm = np.full(ngeom, -1, dtype=np.int32), np.full(ngeom, -1, dtype=np.int32), np.zeros((ngeom, 8))
    pos, mat = np.zeros((ngeom, 3)), np.broadcast_to(np.eye(3), (ngeom, 3, 3)).copy()
    for g, kind in fields.of_geom.items() if ncollide else ():
        mesh = int(record.geom_dataid[g])
        prm[g] = fields.prm[g]
        if kind is None:
            root[g] = record.mesh_octadr[mesh]
            continue
        field[g] = numbers[kind]
        if mesh >= 0:  # functions are of the mesh's own frame, octrees of the geom's, which is moved to the middle of the mesh
            mat[g] = frames.mat_from_quat(record.mesh_quat[mesh]).T
            pos[g] = -mat[g] @ record.mesh_pos[mesh]
    box = record.geom_aabb.reshape(-1, 6)[:ngeom]
    cells = record.oct_aabb.reshape(-1, 6) if (root >= 0).any() else np.zeros((0, 6))
    return tables | {
        "sdf_field": field, "sdf_prm": prm, "sdf_root": root, "sdf_pos": pos, "sdf_mat": mat, "sdf_center": box[:, :3], "sdf_half": box[:, 3:],
        "sdf_oct_child": record.oct_child.reshape(-1, 8)[: len(cells)], "sdf_oct_center": cells[:, :3], "sdf_oct_half": cells[:, 3:],
        "sdf_oct_coeff": record.oct_coeff.reshape(-1, 8)[: len(cells)],
    }  # fmt: skip


def field_numbers(fields: GeomFields) -> dict[str | DistanceField, int]:
    """Numbers of fields among the functions of the model's kernel: MuJoCo's first, then the caller's as they come."""
    from newtonish.kernels.sdf.fields import FIELDS

    numbers: dict[str | DistanceField, int] = {name: i for i, name in enumerate(FIELDS)}
    for kind in fields.of_geom.values():
        if isinstance(kind, DistanceField):
            numbers.setdefault(kind, len(numbers))
    return numbers
