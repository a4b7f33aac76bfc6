"""Fields of a Model that no kernel reads, but scripts do: colours, meshes, keyframes. ``newtonish.mjw.tables.host_fields`` holds them."""

from __future__ import annotations

# name, components of an entry, whether there is a world axis in front; integers and truth values keep their kind
_ARRAYS = {
    True: "geom_rgba:4 geom_matid geom_aabb:3 site_rgba:4 mat_rgba:4 mat_texid mat_texuniform mat_texrepeat:2 mat_emission mat_specular mat_shininess "
    "tendon_rgba:4 light_type light_castshadow light_active light_attenuation:3 light_cutoff light_exponent light_ambient:3 "
    "light_diffuse:3 light_specular:3 actuator_armature actuator_damping actuator_dampingpoly:2",
    False: "body_contype body_conaffinity jnt_actuatorid dof_Madr dof_length tree_bodynum exclude_signature wrap_prm tendon_actuatorid "
    "mesh_vertadr mesh_vertnum mesh_faceadr mesh_facenum mesh_normaladr mesh_normalnum mesh_graphadr mesh_vert:3 mesh_normal:3 "
    "mesh_face:3 mesh_graph mesh_pos:3 mesh_quat:4 mesh_polynum mesh_polyadr mesh_polynormal:3 mesh_polyvertadr mesh_polyvertnum "
    "mesh_polyvert mesh_polymapadr mesh_polymapnum mesh_polymap key_time key_qpos key_qvel key_act key_mpos:3 key_mquat:4 key_ctrl "
    "key_plastic",
}
HOST_FIELD_ENTRIES = [
    (name, int(width or 1), per_world) for per_world, names in _ARRAYS.items() for name, _, width in (entry.partition(":") for entry in names.split())
]
"""Name, components of an entry, whether there is a world axis in front."""
HOST_FIELDS = tuple(name for name, _, _ in HOST_FIELD_ENTRIES)
"""Their names."""
