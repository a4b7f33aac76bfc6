"""Tables of signed distance fields, as the kernels read them: the field of each geom, its frame and box, and octrees of meshes."""

from __future__ import annotations

from typing import Any

import numpy as np

from newtonish.common import frames
from newtonish.common.enums import GeomType
from newtonish.mjw.distance_fields import DistanceField, GeomFields
from newtonish.mjw.record import ModelRecord
from newtonish.mjw.tables.face_order import face_order


def field_tables(record: ModelRecord, fields: GeomFields, ncollide: int, geom1: np.ndarray, geom2: np.ndarray) -> dict[str, Any]:
    """The ``sdf_*`` fields; arrays are empty in models without pairs of such geoms, of which ``geom1`` and ``geom2`` are among all pairs."""
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
    return (
        tables
        | _triangles(record, ngeom, geom1, geom2)
        | {
        "sdf_field": field, "sdf_prm": prm, "sdf_root": root, "sdf_pos": pos, "sdf_mat": mat, "sdf_center": box[:, :3], "sdf_half": box[:, 3:],
        "sdf_oct_child": record.oct_child.reshape(-1, 8)[: len(cells)], "sdf_oct_center": cells[:, :3], "sdf_oct_half": cells[:, 3:],
        "sdf_oct_coeff": record.oct_coeff.reshape(-1, 8)[: len(cells)],
    })  # fmt: skip


def _triangles(record: ModelRecord, ngeom: int, geom1: np.ndarray, geom2: np.ndarray) -> dict[str, np.ndarray]:
    """Triangles of the meshes that meet fields, each mesh once."""
    number, first = np.zeros(ngeom, dtype=np.int32), np.full(ngeom, -1, dtype=np.int32)
    found: dict[int, np.ndarray] = {}
    begins: dict[int, int] = {}
    pairs = (record.geom_type[geom1] == GeomType.MESH) & (record.geom_type[geom2] == GeomType.SDF) if ngeom else np.zeros(0, dtype=bool)
    for g in np.unique(geom1[pairs]).tolist() if ngeom else ():
        mesh = int(record.geom_dataid[g])
        if mesh not in found:
            begins[mesh] = sum(len(triangles) for triangles in found.values())
            vertices = record.mesh_vert[record.mesh_vertadr[mesh] :]
            faces = record.mesh_face[record.mesh_faceadr[mesh] :][: record.mesh_facenum[mesh]]
            found[mesh] = vertices[faces][face_order(record, mesh)]
        first[g], number[g] = begins[mesh], len(found[mesh])
    return {"sdf_tri_adr": first, "sdf_tri_num": number, "sdf_tri": np.concatenate([*found.values(), np.zeros((0, 3, 3))])}


def field_numbers(fields: GeomFields) -> dict[str | DistanceField, int]:
    """Numbers of fields among the functions of the model's kernel: MuJoCo's first, then the caller's as they come."""
    from newtonish.kernels.sdf.fields import FIELDS

    numbers: dict[str | DistanceField, int] = {name: i for i, name in enumerate(FIELDS)}
    for kind in fields.of_geom.values():
        if isinstance(kind, DistanceField):
            numbers.setdefault(kind, len(numbers))
    return numbers
