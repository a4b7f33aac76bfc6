"""Sizes and arrays of a compiled model. Written by tests/support/stubs.py from the tables; do not edit."""

import numpy as np

DTYPES: dict[str, type]
MINUS_ONE: frozenset[str]
SIZES: tuple[str, ...]
FIELDS: dict[str, tuple[str, tuple[str, ...]]]

def extent(size: str, sizes: object) -> int: ...

class CompiledFields:
    nq: int
    nv: int
    nu: int
    nactuator: int
    nout: int
    na: int
    nbody: int
    nbvh: int
    njnt: int
    ntree: int
    nM: int
    nB: int
    nC: int
    nD: int
    ngeom: int
    nsite: int
    ncam: int
    nlight: int
    nflex: int
    nflexnode: int
    nflexvert: int
    nflexedge: int
    nflexelem: int
    nmesh: int
    nmeshvert: int
    nmeshnormal: int
    nmeshtexcoord: int
    nmeshface: int
    nmeshgraph: int
    nmeshpoly: int
    noct: int
    nskin: int
    nhfield: int
    nhfielddata: int
    ntex: int
    nmat: int
    npair: int
    nexclude: int
    neq: int
    ntendon: int
    nJten: int
    nwrap: int
    nsensor: int
    nnumeric: int
    nnumericdata: int
    ntext: int
    ntextdata: int
    ntuple: int
    ntupledata: int
    nkey: int
    nmocap: int
    nplugin: int
    nplastic: int
    nJmom: int
    ngravcomp: int
    nemax: int
    njmax: int
    nconmax: int
    nuserdata: int
    nsensordata: int
    npluginstate: int
    nhistory: int
    nuser_body: int
    nuser_jnt: int
    nuser_geom: int
    nuser_site: int
    nuser_cam: int
    nuser_tendon: int
    nuser_actuator: int
    nuser_sensor: int
    qpos0: np.ndarray
    """(nq) of float64"""
    qpos_spring: np.ndarray
    """(nq) of float64"""
    body_parentid: np.ndarray
    """(nbody) of int32"""
    body_rootid: np.ndarray
    """(nbody) of int32"""
    body_weldid: np.ndarray
    """(nbody) of int32"""
    body_mocapid: np.ndarray
    """(nbody) of int32"""
    body_jntnum: np.ndarray
    """(nbody) of int32"""
    body_jntadr: np.ndarray
    """(nbody) of int32"""
    body_dofnum: np.ndarray
    """(nbody) of int32"""
    body_dofadr: np.ndarray
    """(nbody) of int32"""
    body_treeid: np.ndarray
    """(nbody) of int32"""
    body_geomnum: np.ndarray
    """(nbody) of int32"""
    body_geomadr: np.ndarray
    """(nbody) of int32"""
    body_simple: np.ndarray
    """(nbody) of uint8"""
    body_sameframe: np.ndarray
    """(nbody) of uint8"""
    body_pos: np.ndarray
    """(nbody, 3) of float64"""
    body_quat: np.ndarray
    """(nbody, 4) of float64"""
    body_ipos: np.ndarray
    """(nbody, 3) of float64"""
    body_iquat: np.ndarray
    """(nbody, 4) of float64"""
    body_mass: np.ndarray
    """(nbody) of float64"""
    body_subtreemass: np.ndarray
    """(nbody) of float64"""
    body_inertia: np.ndarray
    """(nbody, 3) of float64"""
    body_invweight0: np.ndarray
    """(nbody, 2) of float64"""
    body_gravcomp: np.ndarray
    """(nbody) of float64"""
    body_margin: np.ndarray
    """(nbody) of float64"""
    body_user: np.ndarray
    """(nbody, nuser_body) of float64"""
    body_plugin: np.ndarray
    """(nbody) of int32"""
    body_contype: np.ndarray
    """(nbody) of int32"""
    body_conaffinity: np.ndarray
    """(nbody) of int32"""
    body_bvhadr: np.ndarray
    """(nbody) of int32"""
    body_bvhnum: np.ndarray
    """(nbody) of int32"""
    jnt_type: np.ndarray
    """(njnt) of int32"""
    jnt_qposadr: np.ndarray
    """(njnt) of int32"""
    jnt_dofadr: np.ndarray
    """(njnt) of int32"""
    jnt_bodyid: np.ndarray
    """(njnt) of int32"""
    jnt_actuatorid: np.ndarray
    """(njnt) of int32"""
    jnt_group: np.ndarray
    """(njnt) of int32"""
    jnt_plasticadr: np.ndarray
    """(njnt) of int32"""
    jnt_limited: np.ndarray
    """(njnt) of bool"""
    jnt_actfrclimited: np.ndarray
    """(njnt) of bool"""
    jnt_actgravcomp: np.ndarray
    """(njnt) of bool"""
    jnt_solref: np.ndarray
    """(njnt, 2) of float64"""
    jnt_solimp: np.ndarray
    """(njnt, 5) of float64"""
    jnt_pos: np.ndarray
    """(njnt, 3) of float64"""
    jnt_axis: np.ndarray
    """(njnt, 3) of float64"""
    jnt_stiffness: np.ndarray
    """(njnt) of float64"""
    jnt_stiffnesspoly: np.ndarray
    """(njnt, 2) of float64"""
    jnt_springyield: np.ndarray
    """(njnt) of float64"""
    jnt_range: np.ndarray
    """(njnt, 2) of float64"""
    jnt_actfrcrange: np.ndarray
    """(njnt, 2) of float64"""
    jnt_margin: np.ndarray
    """(njnt) of float64"""
    jnt_user: np.ndarray
    """(njnt, nuser_jnt) of float64"""
    dof_bodyid: np.ndarray
    """(nv) of int32"""
    dof_jntid: np.ndarray
    """(nv) of int32"""
    dof_parentid: np.ndarray
    """(nv) of int32"""
    dof_treeid: np.ndarray
    """(nv) of int32"""
    dof_Madr: np.ndarray
    """(nv) of int32"""
    dof_simplenum: np.ndarray
    """(nv) of int32"""
    dof_solref: np.ndarray
    """(nv, 2) of float64"""
    dof_solimp: np.ndarray
    """(nv, 5) of float64"""
    dof_frictionloss: np.ndarray
    """(nv) of float64"""
    dof_armature: np.ndarray
    """(nv) of float64"""
    dof_damping: np.ndarray
    """(nv) of float64"""
    dof_dampingpoly: np.ndarray
    """(nv, 2) of float64"""
    dof_invweight0: np.ndarray
    """(nv) of float64"""
    dof_M0: np.ndarray
    """(nv) of float64"""
    dof_length: np.ndarray
    """(nv) of float64"""
    tree_bodyadr: np.ndarray
    """(ntree) of int32"""
    tree_bodynum: np.ndarray
    """(ntree) of int32"""
    tree_dofadr: np.ndarray
    """(ntree) of int32"""
    tree_dofnum: np.ndarray
    """(ntree) of int32"""
    tree_sleep_policy: np.ndarray
    """(ntree) of int32"""
    geom_type: np.ndarray
    """(ngeom) of int32"""
    geom_contype: np.ndarray
    """(ngeom) of int32"""
    geom_conaffinity: np.ndarray
    """(ngeom) of int32"""
    geom_condim: np.ndarray
    """(ngeom) of int32"""
    geom_bodyid: np.ndarray
    """(ngeom) of int32"""
    geom_dataid: np.ndarray
    """(ngeom) of int32"""
    geom_matid: np.ndarray
    """(ngeom) of int32"""
    geom_group: np.ndarray
    """(ngeom) of int32"""
    geom_priority: np.ndarray
    """(ngeom) of int32"""
    geom_plugin: np.ndarray
    """(ngeom) of int32"""
    geom_sameframe: np.ndarray
    """(ngeom) of uint8"""
    geom_castshadow: np.ndarray
    """(ngeom) of bool"""
    geom_solmix: np.ndarray
    """(ngeom) of float64"""
    geom_solref: np.ndarray
    """(ngeom, 2) of float64"""
    geom_solimp: np.ndarray
    """(ngeom, 5) of float64"""
    geom_size: np.ndarray
    """(ngeom, 3) of float64"""
    geom_aabb: np.ndarray
    """(ngeom, 6) of float64"""
    geom_rbound: np.ndarray
    """(ngeom) of float64"""
    geom_pos: np.ndarray
    """(ngeom, 3) of float64"""
    geom_quat: np.ndarray
    """(ngeom, 4) of float64"""
    geom_friction: np.ndarray
    """(ngeom, 3) of float64"""
    geom_margin: np.ndarray
    """(ngeom) of float64"""
    geom_gap: np.ndarray
    """(ngeom) of float64"""
    geom_surfacevel: np.ndarray
    """(ngeom, 6) of float64"""
    geom_adhesion: np.ndarray
    """(ngeom) of float64"""
    geom_fluid: np.ndarray
    """(ngeom, 12) of float64"""
    geom_user: np.ndarray
    """(ngeom, nuser_geom) of float64"""
    geom_rgba: np.ndarray
    """(ngeom, 4) of float32"""
    site_type: np.ndarray
    """(nsite) of int32"""
    site_bodyid: np.ndarray
    """(nsite) of int32"""
    site_dataid: np.ndarray
    """(nsite) of int32"""
    site_matid: np.ndarray
    """(nsite) of int32"""
    site_group: np.ndarray
    """(nsite) of int32"""
    site_sameframe: np.ndarray
    """(nsite) of uint8"""
    site_size: np.ndarray
    """(nsite, 3) of float64"""
    site_pos: np.ndarray
    """(nsite, 3) of float64"""
    site_quat: np.ndarray
    """(nsite, 4) of float64"""
    site_user: np.ndarray
    """(nsite, nuser_site) of float64"""
    site_rgba: np.ndarray
    """(nsite, 4) of float32"""
    cam_mode: np.ndarray
    """(ncam) of int32"""
    cam_bodyid: np.ndarray
    """(ncam) of int32"""
    cam_targetbodyid: np.ndarray
    """(ncam) of int32"""
    cam_pos: np.ndarray
    """(ncam, 3) of float64"""
    cam_quat: np.ndarray
    """(ncam, 4) of float64"""
    cam_poscom0: np.ndarray
    """(ncam, 3) of float64"""
    cam_pos0: np.ndarray
    """(ncam, 3) of float64"""
    cam_mat0: np.ndarray
    """(ncam, 9) of float64"""
    cam_projection: np.ndarray
    """(ncam) of int32"""
    cam_fovy: np.ndarray
    """(ncam) of float64"""
    cam_resolution: np.ndarray
    """(ncam, 2) of int32"""
    cam_sensorsize: np.ndarray
    """(ncam, 2) of float32"""
    cam_intrinsic: np.ndarray
    """(ncam, 4) of float64"""
    cam_ipd: np.ndarray
    """(ncam) of float64"""
    cam_output: np.ndarray
    """(ncam) of int32"""
    cam_user: np.ndarray
    """(ncam, nuser_cam) of float64"""
    light_mode: np.ndarray
    """(nlight) of int32"""
    light_bodyid: np.ndarray
    """(nlight) of int32"""
    light_targetbodyid: np.ndarray
    """(nlight) of int32"""
    light_pos: np.ndarray
    """(nlight, 3) of float64"""
    light_dir: np.ndarray
    """(nlight, 3) of float64"""
    light_poscom0: np.ndarray
    """(nlight, 3) of float64"""
    light_pos0: np.ndarray
    """(nlight, 3) of float64"""
    light_dir0: np.ndarray
    """(nlight, 3) of float64"""
    light_type: np.ndarray
    """(nlight) of int32"""
    light_texid: np.ndarray
    """(nlight) of int32"""
    light_castshadow: np.ndarray
    """(nlight) of bool"""
    light_active: np.ndarray
    """(nlight) of bool"""
    light_bulbradius: np.ndarray
    """(nlight) of float32"""
    light_intensity: np.ndarray
    """(nlight) of float32"""
    light_range: np.ndarray
    """(nlight) of float32"""
    light_attenuation: np.ndarray
    """(nlight, 3) of float32"""
    light_cutoff: np.ndarray
    """(nlight) of float32"""
    light_softness: np.ndarray
    """(nlight) of float32"""
    light_exponent: np.ndarray
    """(nlight) of float32"""
    light_ambient: np.ndarray
    """(nlight, 3) of float32"""
    light_diffuse: np.ndarray
    """(nlight, 3) of float32"""
    light_specular: np.ndarray
    """(nlight, 3) of float32"""
    mat_rgba: np.ndarray
    """(nmat, 4) of float32"""
    mat_texid: np.ndarray
    """(nmat, 10) of int32"""
    mat_texrepeat: np.ndarray
    """(nmat, 2) of float32"""
    mat_texuniform: np.ndarray
    """(nmat) of bool"""
    mat_emission: np.ndarray
    """(nmat) of float32"""
    mat_specular: np.ndarray
    """(nmat) of float32"""
    mat_shininess: np.ndarray
    """(nmat) of float32"""
    mat_reflectance: np.ndarray
    """(nmat) of float32"""
    mat_metallic: np.ndarray
    """(nmat) of float32"""
    mat_roughness: np.ndarray
    """(nmat) of float32"""
    tex_type: np.ndarray
    """(ntex) of int32"""
    tex_colorspace: np.ndarray
    """(ntex) of int32"""
    tex_height: np.ndarray
    """(ntex) of int32"""
    tex_width: np.ndarray
    """(ntex) of int32"""
    tex_nchannel: np.ndarray
    """(ntex) of int32"""
    tex_adr: np.ndarray
    """(ntex) of int32"""
    mesh_vertadr: np.ndarray
    """(nmesh) of int32"""
    mesh_vertnum: np.ndarray
    """(nmesh) of int32"""
    mesh_faceadr: np.ndarray
    """(nmesh) of int32"""
    mesh_facenum: np.ndarray
    """(nmesh) of int32"""
    mesh_graphadr: np.ndarray
    """(nmesh) of int32"""
    mesh_vert: np.ndarray
    """(nmeshvert, 3) of float32"""
    mesh_face: np.ndarray
    """(nmeshface, 3) of int32"""
    mesh_graph: np.ndarray
    """(nmeshgraph) of int32"""
    mesh_scale: np.ndarray
    """(nmesh, 3) of float64"""
    mesh_pos: np.ndarray
    """(nmesh, 3) of float64"""
    mesh_octadr: np.ndarray
    """(nmesh) of int32"""
    mesh_octnum: np.ndarray
    """(nmesh) of int32"""
    oct_depth: np.ndarray
    """(noct) of int32"""
    oct_child: np.ndarray
    """(noct, 8) of int32"""
    oct_aabb: np.ndarray
    """(noct, 6) of float64"""
    oct_coeff: np.ndarray
    """(noct, 8) of float64"""
    mesh_quat: np.ndarray
    """(nmesh, 4) of float64"""
    mesh_normal: np.ndarray
    """(nmeshnormal, 3) of float32"""
    mesh_normaladr: np.ndarray
    """(nmesh) of int32"""
    mesh_normalnum: np.ndarray
    """(nmesh) of int32"""
    pair_dim: np.ndarray
    """(npair) of int32"""
    pair_geom1: np.ndarray
    """(npair) of int32"""
    pair_geom2: np.ndarray
    """(npair) of int32"""
    pair_signature: np.ndarray
    """(npair) of int32"""
    pair_solref: np.ndarray
    """(npair, 2) of float64"""
    pair_solreffriction: np.ndarray
    """(npair, 2) of float64"""
    pair_solimp: np.ndarray
    """(npair, 5) of float64"""
    pair_margin: np.ndarray
    """(npair) of float64"""
    pair_gap: np.ndarray
    """(npair) of float64"""
    pair_adhesion: np.ndarray
    """(npair) of float64"""
    pair_friction: np.ndarray
    """(npair, 5) of float64"""
    exclude_signature: np.ndarray
    """(nexclude) of int32"""
    eq_type: np.ndarray
    """(neq) of int32"""
    eq_obj1id: np.ndarray
    """(neq) of int32"""
    eq_obj2id: np.ndarray
    """(neq) of int32"""
    eq_objtype: np.ndarray
    """(neq) of int32"""
    eq_active0: np.ndarray
    """(neq) of bool"""
    eq_solref: np.ndarray
    """(neq, 2) of float64"""
    eq_solimp: np.ndarray
    """(neq, 5) of float64"""
    eq_data: np.ndarray
    """(neq, 12) of float64"""
    tendon_type: np.ndarray
    """(ntendon) of int32"""
    tendon_adr: np.ndarray
    """(ntendon) of int32"""
    tendon_num: np.ndarray
    """(ntendon) of int32"""
    tendon_matid: np.ndarray
    """(ntendon) of int32"""
    tendon_actuatorid: np.ndarray
    """(ntendon) of int32"""
    tendon_group: np.ndarray
    """(ntendon) of int32"""
    tendon_treenum: np.ndarray
    """(ntendon) of int32"""
    tendon_treeid: np.ndarray
    """(ntendon, 2) of int32"""
    tendon_limited: np.ndarray
    """(ntendon) of bool"""
    tendon_actfrclimited: np.ndarray
    """(ntendon) of bool"""
    tendon_width: np.ndarray
    """(ntendon) of float64"""
    tendon_solref_lim: np.ndarray
    """(ntendon, 2) of float64"""
    tendon_solimp_lim: np.ndarray
    """(ntendon, 5) of float64"""
    tendon_solref_fri: np.ndarray
    """(ntendon, 2) of float64"""
    tendon_solimp_fri: np.ndarray
    """(ntendon, 5) of float64"""
    tendon_range: np.ndarray
    """(ntendon, 2) of float64"""
    tendon_actfrcrange: np.ndarray
    """(ntendon, 2) of float64"""
    tendon_margin: np.ndarray
    """(ntendon) of float64"""
    tendon_stiffness: np.ndarray
    """(ntendon) of float64"""
    tendon_stiffnesspoly: np.ndarray
    """(ntendon, 2) of float64"""
    tendon_damping: np.ndarray
    """(ntendon) of float64"""
    tendon_dampingpoly: np.ndarray
    """(ntendon, 2) of float64"""
    tendon_armature: np.ndarray
    """(ntendon) of float64"""
    tendon_frictionloss: np.ndarray
    """(ntendon) of float64"""
    tendon_lengthspring: np.ndarray
    """(ntendon, 2) of float64"""
    tendon_springyield: np.ndarray
    """(ntendon) of float64"""
    tendon_plasticadr: np.ndarray
    """(ntendon) of int32"""
    tendon_length0: np.ndarray
    """(ntendon) of float64"""
    tendon_invweight0: np.ndarray
    """(ntendon) of float64"""
    tendon_user: np.ndarray
    """(ntendon, nuser_tendon) of float64"""
    tendon_rgba: np.ndarray
    """(ntendon, 4) of float32"""
    wrap_type: np.ndarray
    """(nwrap) of int32"""
    wrap_objid: np.ndarray
    """(nwrap) of int32"""
    wrap_prm: np.ndarray
    """(nwrap) of float64"""
    ten_J_rownnz: np.ndarray
    """(ntendon) of int32"""
    ten_J_rowadr: np.ndarray
    """(ntendon) of int32"""
    ten_J_colind: np.ndarray
    """(nJten) of int32"""
    hfield_size: np.ndarray
    """(nhfield, 4) of float64"""
    hfield_nrow: np.ndarray
    """(nhfield) of int32"""
    hfield_ncol: np.ndarray
    """(nhfield) of int32"""
    hfield_adr: np.ndarray
    """(nhfield) of int32"""
    hfield_data: np.ndarray
    """(nhfielddata) of float32"""
    actuator_trntype: np.ndarray
    """(nactuator) of int32"""
    actuator_dyntype: np.ndarray
    """(nactuator) of int32"""
    actuator_gaintype: np.ndarray
    """(nactuator) of int32"""
    actuator_biastype: np.ndarray
    """(nactuator) of int32"""
    actuator_ctrladr: np.ndarray
    """(nactuator) of int32"""
    actuator_ctrlnum: np.ndarray
    """(nactuator) of int32"""
    actuator_ctrlspec: np.ndarray
    """(nactuator) of int32"""
    actuator_outadr: np.ndarray
    """(nactuator) of int32"""
    actuator_outnum: np.ndarray
    """(nactuator) of int32"""
    actuator_actadr: np.ndarray
    """(nactuator) of int32"""
    actuator_actnum: np.ndarray
    """(nactuator) of int32"""
    actuator_trnid: np.ndarray
    """(nactuator, 2) of int32"""
    actuator_cranklength: np.ndarray
    """(nactuator) of float64"""
    actuator_dynprm: np.ndarray
    """(nactuator, 10) of float64"""
    actuator_gainprm: np.ndarray
    """(nactuator, 10) of float64"""
    actuator_biasprm: np.ndarray
    """(nactuator, 10) of float64"""
    actuator_actlimited: np.ndarray
    """(nactuator) of bool"""
    actuator_actrange: np.ndarray
    """(nactuator, 2) of float64"""
    actuator_actearly: np.ndarray
    """(nactuator) of bool"""
    actuator_history: np.ndarray
    """(nactuator, 2) of int32"""
    actuator_historyadr: np.ndarray
    """(nactuator) of int32"""
    actuator_delay: np.ndarray
    """(nactuator) of float64"""
    actuator_damping: np.ndarray
    """(nactuator) of float64"""
    actuator_dampingpoly: np.ndarray
    """(nactuator, 2) of float64"""
    actuator_armature: np.ndarray
    """(nactuator) of float64"""
    actuator_group: np.ndarray
    """(nactuator) of int32"""
    actuator_user: np.ndarray
    """(nactuator, nuser_actuator) of float64"""
    actuator_plugin: np.ndarray
    """(nactuator) of int32"""
    actuator_forcelimited: np.ndarray
    """(nactuator) of bool"""
    actuator_forcerange: np.ndarray
    """(nactuator, 2) of float64"""
    actuator_ctrllimited: np.ndarray
    """(nu) of bool"""
    actuator_ctrlrange: np.ndarray
    """(nu, 2) of float64"""
    actuator_gear: np.ndarray
    """(nout, 6) of float64"""
    actuator_acc0: np.ndarray
    """(nout) of float64"""
    actuator_length0: np.ndarray
    """(nout) of float64"""
    actuator_lengthrange: np.ndarray
    """(nout, 2) of float64"""
    sensor_type: np.ndarray
    """(nsensor) of int32"""
    sensor_datatype: np.ndarray
    """(nsensor) of int32"""
    sensor_needstage: np.ndarray
    """(nsensor) of int32"""
    sensor_objtype: np.ndarray
    """(nsensor) of int32"""
    sensor_objid: np.ndarray
    """(nsensor) of int32"""
    sensor_reftype: np.ndarray
    """(nsensor) of int32"""
    sensor_refid: np.ndarray
    """(nsensor) of int32"""
    sensor_intprm: np.ndarray
    """(nsensor, 3) of int32"""
    sensor_dim: np.ndarray
    """(nsensor) of int32"""
    sensor_adr: np.ndarray
    """(nsensor) of int32"""
    sensor_cutoff: np.ndarray
    """(nsensor) of float64"""
    sensor_noise: np.ndarray
    """(nsensor) of float64"""
    sensor_history: np.ndarray
    """(nsensor, 2) of int32"""
    sensor_historyadr: np.ndarray
    """(nsensor) of int32"""
    sensor_delay: np.ndarray
    """(nsensor) of float64"""
    sensor_interval: np.ndarray
    """(nsensor, 2) of float64"""
    sensor_plugin: np.ndarray
    """(nsensor) of int32"""
    sensor_user: np.ndarray
    """(nsensor, nuser_sensor) of float64"""
    numeric_adr: np.ndarray
    """(nnumeric) of int32"""
    numeric_size: np.ndarray
    """(nnumeric) of int32"""
    numeric_data: np.ndarray
    """(nnumericdata) of float64"""
    text_adr: np.ndarray
    """(ntext) of int32"""
    text_size: np.ndarray
    """(ntext) of int32"""
    text_data: np.ndarray
    """(ntextdata) of uint8"""
    tuple_adr: np.ndarray
    """(ntuple) of int32"""
    tuple_size: np.ndarray
    """(ntuple) of int32"""
    tuple_objtype: np.ndarray
    """(ntupledata) of int32"""
    tuple_objid: np.ndarray
    """(ntupledata) of int32"""
    tuple_objprm: np.ndarray
    """(ntupledata) of float64"""
    key_time: np.ndarray
    """(nkey) of float64"""
    key_qpos: np.ndarray
    """(nkey, nq) of float64"""
    key_qvel: np.ndarray
    """(nkey, nv) of float64"""
    key_act: np.ndarray
    """(nkey, na) of float64"""
    key_mpos: np.ndarray
    """(nkey, 3nmocap) of float64"""
    key_mquat: np.ndarray
    """(nkey, 4nmocap) of float64"""
    key_ctrl: np.ndarray
    """(nkey, nu) of float64"""
    key_plastic: np.ndarray
    """(nkey, nplastic) of float64"""
    B_rownnz: np.ndarray
    """(nbody) of int32"""
    B_rowadr: np.ndarray
    """(nbody) of int32"""
    B_colind: np.ndarray
    """(nB) of int32"""
    M_rownnz: np.ndarray
    """(nv) of int32"""
    M_rowadr: np.ndarray
    """(nv) of int32"""
    M_colind: np.ndarray
    """(nC) of int32"""
    mapM2M: np.ndarray
    """(nC) of int32"""
    D_rownnz: np.ndarray
    """(nv) of int32"""
    D_rowadr: np.ndarray
    """(nv) of int32"""
    D_diag: np.ndarray
    """(nv) of int32"""
    D_colind: np.ndarray
    """(nD) of int32"""
    mapM2D: np.ndarray
    """(nD) of int32"""
    mapD2M: np.ndarray
    """(nC) of int32"""
