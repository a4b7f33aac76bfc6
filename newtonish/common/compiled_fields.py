"""Sizes and arrays of a compiled model, by mujoco.MjModel's names: the one table from which models are compiled, stored, read and checked.

What type checkers and editors know of them is written from the table into ``compiled_fields.pyi`` (``python tests/support/stubs.py``).
"""

from __future__ import annotations

import numpy as np

__all__ = ["DTYPES", "FIELDS", "MINUS_ONE", "SIZES", "CompiledFields", "extent"]

# name, type (i int32, u uint8, b bool, f float64, s float32), shape: names of sizes or numbers
_FIELDS = """
qpos0 f nq|qpos_spring f nq
body_parentid i nbody|body_rootid i nbody|body_weldid i nbody|body_mocapid i nbody|body_jntnum i nbody
body_jntadr i nbody|body_dofnum i nbody|body_dofadr i nbody|body_treeid i nbody|body_geomnum i nbody
body_geomadr i nbody|body_simple u nbody|body_sameframe u nbody|body_pos f nbody 3|body_quat f nbody 4
body_ipos f nbody 3|body_iquat f nbody 4|body_mass f nbody|body_subtreemass f nbody|body_inertia f nbody 3
body_invweight0 f nbody 2|body_gravcomp f nbody|body_margin f nbody|body_user f nbody nuser_body|body_plugin i nbody
body_contype i nbody|body_conaffinity i nbody|body_bvhadr i nbody|body_bvhnum i nbody
jnt_type i njnt|jnt_qposadr i njnt|jnt_dofadr i njnt|jnt_bodyid i njnt|jnt_actuatorid i njnt|jnt_group i njnt
jnt_plasticadr i njnt|jnt_limited b njnt|jnt_actfrclimited b njnt|jnt_actgravcomp b njnt|jnt_solref f njnt 2
jnt_solimp f njnt 5|jnt_pos f njnt 3|jnt_axis f njnt 3|jnt_stiffness f njnt|jnt_stiffnesspoly f njnt 2
jnt_springyield f njnt|jnt_range f njnt 2|jnt_actfrcrange f njnt 2|jnt_margin f njnt|jnt_user f njnt nuser_jnt
dof_bodyid i nv|dof_jntid i nv|dof_parentid i nv|dof_treeid i nv|dof_Madr i nv|dof_simplenum i nv
dof_solref f nv 2|dof_solimp f nv 5|dof_frictionloss f nv|dof_armature f nv|dof_damping f nv|dof_dampingpoly f nv 2
dof_invweight0 f nv|dof_M0 f nv|dof_length f nv
tree_bodyadr i ntree|tree_bodynum i ntree|tree_dofadr i ntree|tree_dofnum i ntree|tree_sleep_policy i ntree
geom_type i ngeom|geom_contype i ngeom|geom_conaffinity i ngeom|geom_condim i ngeom|geom_bodyid i ngeom
geom_dataid i ngeom|geom_matid i ngeom|geom_group i ngeom|geom_priority i ngeom|geom_plugin i ngeom
geom_sameframe u ngeom|geom_castshadow b ngeom|geom_solmix f ngeom|geom_solref f ngeom 2|geom_solimp f ngeom 5
geom_size f ngeom 3|geom_aabb f ngeom 6|geom_rbound f ngeom|geom_pos f ngeom 3|geom_quat f ngeom 4
geom_friction f ngeom 3|geom_margin f ngeom|geom_gap f ngeom|geom_surfacevel f ngeom 6|geom_adhesion f ngeom
geom_fluid f ngeom 12|geom_user f ngeom nuser_geom|geom_rgba s ngeom 4
site_type i nsite|site_bodyid i nsite|site_dataid i nsite|site_matid i nsite|site_group i nsite
site_sameframe u nsite|site_size f nsite 3|site_pos f nsite 3|site_quat f nsite 4|site_user f nsite nuser_site
site_rgba s nsite 4
cam_mode i ncam|cam_bodyid i ncam|cam_targetbodyid i ncam|cam_pos f ncam 3|cam_quat f ncam 4|cam_poscom0 f ncam 3
cam_pos0 f ncam 3|cam_mat0 f ncam 9|cam_projection i ncam|cam_fovy f ncam|cam_resolution i ncam 2
cam_sensorsize s ncam 2|cam_intrinsic f ncam 4|cam_ipd f ncam|cam_output i ncam|cam_user f ncam nuser_cam
light_mode i nlight|light_bodyid i nlight|light_targetbodyid i nlight|light_pos f nlight 3|light_dir f nlight 3
light_poscom0 f nlight 3|light_pos0 f nlight 3|light_dir0 f nlight 3
light_type i nlight|light_texid i nlight|light_castshadow b nlight|light_active b nlight|light_bulbradius s nlight
light_intensity s nlight|light_range s nlight|light_attenuation s nlight 3|light_cutoff s nlight|light_softness s nlight
light_exponent s nlight|light_ambient s nlight 3|light_diffuse s nlight 3|light_specular s nlight 3
mat_rgba s nmat 4|mat_texid i nmat 10|mat_texrepeat s nmat 2|mat_texuniform b nmat|mat_emission s nmat
mat_specular s nmat|mat_shininess s nmat|mat_reflectance s nmat|mat_metallic s nmat|mat_roughness s nmat
tex_type i ntex|tex_colorspace i ntex|tex_height i ntex|tex_width i ntex|tex_nchannel i ntex|tex_adr i ntex
mesh_vertadr i nmesh|mesh_vertnum i nmesh|mesh_faceadr i nmesh|mesh_facenum i nmesh|mesh_graphadr i nmesh
mesh_vert s nmeshvert 3|mesh_face i nmeshface 3|mesh_graph i nmeshgraph|mesh_scale f nmesh 3|mesh_pos f nmesh 3
mesh_octadr i nmesh|mesh_octnum i nmesh|oct_depth i noct|oct_child i noct 8|oct_aabb f noct 6|oct_coeff f noct 8
mesh_quat f nmesh 4|mesh_normal s nmeshnormal 3|mesh_normaladr i nmesh|mesh_normalnum i nmesh
pair_dim i npair|pair_geom1 i npair|pair_geom2 i npair|pair_signature i npair|pair_solref f npair 2
pair_solreffriction f npair 2|pair_solimp f npair 5|pair_margin f npair|pair_gap f npair|pair_adhesion f npair
pair_friction f npair 5|exclude_signature i nexclude
eq_type i neq|eq_obj1id i neq|eq_obj2id i neq|eq_objtype i neq|eq_active0 b neq|eq_solref f neq 2|eq_solimp f neq 5
eq_data f neq 12
tendon_type i ntendon|tendon_adr i ntendon|tendon_num i ntendon|tendon_matid i ntendon|tendon_actuatorid i ntendon
tendon_group i ntendon|tendon_treenum i ntendon|tendon_treeid i ntendon 2|tendon_limited b ntendon
tendon_actfrclimited b ntendon|tendon_width f ntendon|tendon_solref_lim f ntendon 2|tendon_solimp_lim f ntendon 5
tendon_solref_fri f ntendon 2|tendon_solimp_fri f ntendon 5|tendon_range f ntendon 2|tendon_actfrcrange f ntendon 2
tendon_margin f ntendon|tendon_stiffness f ntendon|tendon_stiffnesspoly f ntendon 2|tendon_damping f ntendon
tendon_dampingpoly f ntendon 2|tendon_armature f ntendon|tendon_frictionloss f ntendon
tendon_lengthspring f ntendon 2|tendon_springyield f ntendon|tendon_plasticadr i ntendon|tendon_length0 f ntendon
tendon_invweight0 f ntendon|tendon_user f ntendon nuser_tendon|tendon_rgba s ntendon 4|wrap_type i nwrap|wrap_objid i nwrap
wrap_prm f nwrap|ten_J_rownnz i ntendon|ten_J_rowadr i ntendon|ten_J_colind i nJten
hfield_size f nhfield 4|hfield_nrow i nhfield|hfield_ncol i nhfield|hfield_adr i nhfield|hfield_data s nhfielddata
actuator_trntype i nactuator|actuator_dyntype i nactuator|actuator_gaintype i nactuator
actuator_biastype i nactuator|actuator_ctrladr i nactuator|actuator_ctrlnum i nactuator
actuator_ctrlspec i nactuator|actuator_outadr i nactuator|actuator_outnum i nactuator|actuator_actadr i nactuator
actuator_actnum i nactuator|actuator_trnid i nactuator 2|actuator_cranklength f nactuator
actuator_dynprm f nactuator 10|actuator_gainprm f nactuator 10|actuator_biasprm f nactuator 10
actuator_actlimited b nactuator|actuator_actrange f nactuator 2|actuator_actearly b nactuator
actuator_history i nactuator 2|actuator_historyadr i nactuator|actuator_delay f nactuator
actuator_damping f nactuator|actuator_dampingpoly f nactuator 2|actuator_armature f nactuator
actuator_group i nactuator|actuator_user f nactuator nuser_actuator|actuator_plugin i nactuator|actuator_forcelimited b nactuator
actuator_forcerange f nactuator 2|actuator_ctrllimited b nu|actuator_ctrlrange f nu 2|actuator_gear f nout 6
actuator_acc0 f nout|actuator_length0 f nout|actuator_lengthrange f nout 2
sensor_type i nsensor|sensor_datatype i nsensor|sensor_needstage i nsensor|sensor_objtype i nsensor
sensor_objid i nsensor|sensor_reftype i nsensor|sensor_refid i nsensor|sensor_intprm i nsensor 3|sensor_dim i nsensor
sensor_adr i nsensor|sensor_cutoff f nsensor|sensor_noise f nsensor|sensor_history i nsensor 2
sensor_historyadr i nsensor|sensor_delay f nsensor|sensor_interval f nsensor 2|sensor_plugin i nsensor
sensor_user f nsensor nuser_sensor
numeric_adr i nnumeric|numeric_size i nnumeric|numeric_data f nnumericdata|text_adr i ntext|text_size i ntext
text_data u ntextdata|tuple_adr i ntuple|tuple_size i ntuple|tuple_objtype i ntupledata|tuple_objid i ntupledata
tuple_objprm f ntupledata
key_time f nkey|key_qpos f nkey nq|key_qvel f nkey nv|key_act f nkey na|key_mpos f nkey 3nmocap
key_mquat f nkey 4nmocap|key_ctrl f nkey nu|key_plastic f nkey nplastic
B_rownnz i nbody|B_rowadr i nbody|B_colind i nB|M_rownnz i nv|M_rowadr i nv|M_colind i nC|mapM2M i nC
D_rownnz i nv|D_rowadr i nv|D_diag i nv|D_colind i nD|mapM2D i nD|mapD2M i nC
"""

_SIZE_NAMES = """
nq nv nu nactuator nout na nbody nbvh njnt ntree nM nB nC nD ngeom nsite ncam nlight nflex nflexnode nflexvert
nflexedge nflexelem nmesh nmeshvert nmeshnormal nmeshtexcoord nmeshface nmeshgraph nmeshpoly noct nskin nhfield
nhfielddata ntex nmat npair nexclude neq ntendon nJten nwrap nsensor nnumeric nnumericdata ntext ntextdata ntuple ntupledata nkey nmocap nplugin
nplastic nJmom ngravcomp nemax njmax nconmax nuserdata nsensordata npluginstate nhistory
nuser_body nuser_jnt nuser_geom nuser_site nuser_cam nuser_tendon nuser_actuator nuser_sensor
"""

DTYPES = {"i": np.int32, "u": np.uint8, "b": np.bool_, "f": np.float64, "s": np.float32}

MINUS_ONE = frozenset(
    [
        "body_plugin",
        "body_bvhadr",
        "jnt_actuatorid",
        "jnt_plasticadr",
        "geom_matid",
        "geom_plugin",
        "site_matid",
        "site_dataid",
        "mesh_graphadr",
        "mesh_octadr",
        "light_texid",
        "actuator_historyadr",
        "actuator_plugin",
        "tendon_matid",
        "tendon_actuatorid",
        "tendon_plasticadr",
        "sensor_plugin",
        "sensor_historyadr",
    ]
)
"""Arrays in which -1 stands for none."""

SIZES: tuple[str, ...] = tuple(_SIZE_NAMES.split())
"""Names of numbers."""

FIELDS: dict[str, tuple[str, tuple[str, ...]]] = {
    entry.split()[0]: (entry.split()[1], tuple(entry.split()[2:])) for line in _FIELDS.split("\n") for entry in line.split("|") if entry
}
"""Array name -> (type code, shape of size names and numbers)."""


def extent(size: str, sizes: object) -> int:
    """Length of an axis: a number, a size's name, or a digit times a size (``3nmocap``); a size that ``sizes`` lacks is 0."""
    if size.isdigit():
        return int(size)
    return int(size[0]) * int(getattr(sizes, size[1:], 0)) if size[0].isdigit() else int(getattr(sizes, size, 0))


class CompiledFields:
    """Attributes by the names of ``SIZES`` and ``FIELDS``."""
