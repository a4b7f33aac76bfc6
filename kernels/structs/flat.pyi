"""Arrays of mjw.Model and mjw.Data. Written by tests/support/stubs.py from the tables; do not edit."""

from typing import Any, overload

import warp as wp
from numpy.typing import ArrayLike

from newtonish.mjw.by_name import Named

class Array:
    """An array on the device; what NumPy understands may be assigned."""

    @overload
    def __get__(self, owner: None, kind: type) -> Array: ...
    @overload
    def __get__(self, owner: object, kind: type | None = None) -> wp.array: ...
    def __set__(self, owner: object, value: wp.array | ArrayLike) -> None: ...

class ModelSize:
    nq: int
    """generalized coordinates"""
    nv: int
    """degrees of freedom"""
    nv_pad: int
    """nv rounded up to a multiple of 8: row length of dense matrices"""
    nu: int
    """controls"""
    na: int
    """activations"""
    nactuator: int
    """actuators"""
    nout: int
    """force outputs of actuators"""
    nbody: int
    """bodies, the world included"""
    njnt: int
    """joints"""
    ngeom: int
    """geoms"""
    nsite: int
    """sites"""
    nmocap: int
    """mocap bodies"""
    ntree: int
    """kinematic trees"""
    nC: int
    """non-zeros of the sparse mass matrix"""
    nlevel: int
    """levels of the body tree; level 0 is the world"""
    npair: int
    """explicit contact pairs"""
    ncollide: int
    """geom pairs that may collide"""
    ntendon: int
    """tendons"""
    nJten: int
    """non-zeros of the tendon Jacobian"""
    nJmom: int
    """non-zeros of the actuator moments"""
    nwrap2: int
    """points that spatial tendons can go through: twice the wraps"""
    ntenarmature: int
    """tendons with armature"""
    ntenfrc: int
    """tendons that limit the force of their actuators"""
    nadhesion: int
    """actuators that act on a body's contacts"""
    nlaw: int
    """actuators with a force law of their own, see actuator_law"""
    nso3: int
    """actuators that turn an orientation, with three force outputs"""
    neq: int
    """equality constraints"""
    nsensor: int
    """sensors"""
    nsensordata: int
    """numbers of all sensors"""
    nfluid: int
    """bodies on which the medium acts; 0: no medium"""
    nmaxcondim: int
    """largest contact dimension that can occur"""
    flg_adhesion: int
    """1: contacts of some geom or pair can pull"""
    flg_surfacevel: int
    """1: the surface of some geom moves"""
    flg_spring: int
    """1: constraints hold their gains in motion too"""
    njrow: int
    """room of a sparse row of the Jacobian"""
    nwrow: int
    """room of a sparse row of M^-1 J'"""
    npos: int
    """places for dofs when each tree's are rounded up to a multiple of 8"""
    ntreerow: int
    """most kinematic trees that a row can couple"""

class ModelOpt:
    timestep: Array
    """(nworld) of float32: time step [s]"""
    tolerance: Array
    """(nworld) of float32: solver stops below this scaled improvement or gradient"""
    ls_tolerance: Array
    """(nworld) of float32: line search stops below this fraction of the gradient"""
    impratio_invsqrt: Array
    """(nworld) of float32: 1/sqrt(impratio)"""
    gravity: Array
    """(nworld) of vec3f: [m/s^2], world frame"""
    magnetic: Array
    """(nworld) of vec3f: magnetic flux, world frame"""
    noslip_tolerance: Array
    """(nworld) of float32: slip suppression stops below this scaled improvement"""
    density: Array
    """(nworld) of float32: of the medium [kg/m^3]"""
    viscosity: Array
    """(nworld) of float32: of the medium [Pa s]"""
    wind: Array
    """(nworld) of vec3f: velocity of the medium [m/s], world frame"""
    o_margin: Array
    """(nworld) of float32: contact override: margin [m]"""
    o_solref: Array
    """(nworld) of vec2f: contact override: solref"""
    o_solimp: Array
    """(nworld) of vec5: contact override: solimp"""
    o_friction: Array
    """(nworld) of vec5: contact override: friction"""
    meaninertia: Array
    """(nworld) of float32: mean diagonal of the mass matrix at qpos0 (mjModel.stat.meaninertia)"""
    integrator: int
    """IntegratorType"""
    cone: int
    """ConeType"""
    solver: int
    """SolverType"""
    jacobian: int
    """JacobianType: which rows of the Jacobian and which solver"""
    iterations: int
    """largest number of solver iterations"""
    ls_iterations: int
    """largest number of line-search iterations"""
    noslip_iterations: int
    """largest number of sweeps of the slip suppression"""
    disableflags: int
    """DisableBit"""
    enableflags: int
    """EnableBit"""
    broadphase: int
    """BroadphaseType"""
    disableactuator: int
    """bit i disables actuators of group i"""
    symmetric_contacts: int
    """1: contacts of two geoms of one type do not depend on which is named first; 0: as in MuJoCo"""
    ccd_tolerance: float
    broadphase_filter: int
    contact_sensor_maxmatch: int
    deterministic: int
    graph_conditional: bool
    run_qacc_smooth: bool
    warn_overflow: int
    sdf_initpoints: int
    sdf_iterations: int
    ccd_iterations: int
    sleep_tolerance: float
    run_collision_detection: bool
    run_rne_postconstraint: bool

class ModelTree:
    level_adr: wp.array
    """(nlevel+1) of int32: first entry of each level in level_bodyid"""
    level_bodyid: wp.array
    """(nbody) of int32: bodies sorted by depth in the tree"""
    child_adr: wp.array
    """(nbody+1) of int32: first entry of each body in child_bodyid"""
    child_bodyid: wp.array
    """(nbody) of int32: children of each body, ascending"""
    dofadr: wp.array
    """(ntree) of int32: first dof of each kinematic tree"""
    dofnum: wp.array
    """(ntree) of int32: number of its dofs"""
    chain_adr: wp.array
    """(nbody+1) of int32: first entry of each body in chain_dofid"""
    chain_dofid: wp.array
    """(nchain) of int32: dofs that move a body, ascending (the body's own and its ancestors')"""

class ModelBody:
    parentid: wp.array
    """(nbody) of int32: parent body"""
    rootid: wp.array
    """(nbody) of int32: ancestor that is a child of the world"""
    weldid: wp.array
    """(nbody) of int32: topmost ancestor without dofs in between"""
    mocapid: wp.array
    """(nbody) of int32: row in mocap_pos; -1: none"""
    jntnum: wp.array
    """(nbody) of int32: number of joints"""
    jntadr: wp.array
    """(nbody) of int32: first joint; -1: none"""
    dofnum: wp.array
    """(nbody) of int32: number of dofs"""
    dofadr: wp.array
    """(nbody) of int32: first dof; -1: none"""
    treeid: wp.array
    """(nbody) of int32: kinematic tree; -1: static"""
    geomnum: wp.array
    """(nbody) of int32: number of geoms"""
    geomadr: wp.array
    """(nbody) of int32: first geom; -1: none"""
    simple: wp.array
    """(nbody) of int32: 1: diagonal inertia; 2: sliders only"""
    fluid: wp.array
    """(nbody) of int32: model of fluid forces: 0 none, 1 inertia box, 2 ellipsoids of geoms"""
    pos: wp.array
    """(nworld, nbody) of vec3f: position in the parent [m]"""
    quat: wp.array
    """(nworld, nbody) of vec4f: orientation in the parent"""
    ipos: wp.array
    """(nworld, nbody) of vec3f: centre of mass in the body frame [m]"""
    iquat: wp.array
    """(nworld, nbody) of vec4f: principal axes of inertia in the body frame"""
    mass: wp.array
    """(nworld, nbody) of float32: [kg]"""
    subtreemass: wp.array
    """(nworld, nbody) of float32: mass of the subtree that starts here [kg]"""
    inertia: wp.array
    """(nworld, nbody) of vec3f: principal inertia [kg m^2]"""
    invweight0: wp.array
    """(nworld, nbody) of vec2f: mean inverse inertia at qpos0, translation and rotation"""
    gravcomp: wp.array
    """(nworld, nbody) of float32: gravity compensation, in units of the weight"""
    def __call__(self, key: int | str) -> Named: ...

class ModelJnt:
    type: wp.array
    """(njnt) of int32: JointType"""
    qposadr: wp.array
    """(njnt) of int32: first entry in qpos"""
    dofadr: wp.array
    """(njnt) of int32: first entry in qvel"""
    bodyid: wp.array
    """(njnt) of int32: body that the joint moves"""
    limited: wp.array
    """(njnt) of int32: has a range"""
    actfrclimited: wp.array
    """(njnt) of int32: limits the total actuator force"""
    actgravcomp: wp.array
    """(njnt) of int32: gravity compensation counts as actuator force"""
    qpos0: wp.array
    """(nworld, nq) of float32: coordinates of the reference pose"""
    qpos_spring: wp.array
    """(nworld, nq) of float32: coordinates at which springs rest"""
    eq_active0: wp.array
    """(nworld, neq) of int32: equality constraints that hold after a reset, with qpos0"""
    solref: wp.array
    """(nworld, njnt) of vec2f: limit: reference"""
    solimp: wp.array
    """(nworld, njnt) of vec5: limit: impedance"""
    pos: wp.array
    """(nworld, njnt) of vec3f: anchor in the body frame [m]"""
    axis: wp.array
    """(nworld, njnt) of vec3f: axis in the body frame"""
    stiffness: wp.array
    """(nworld, njnt) of float32: spring [N/m or N m/rad]"""
    stiffnesspoly: wp.array
    """(nworld, njnt) of vec2f: higher coefficients of the spring"""
    range: wp.array
    """(nworld, njnt) of vec2f: limits [m or rad]"""
    actfrcrange: wp.array
    """(nworld, njnt) of vec2f: limits of the total actuator force [N or N m]"""
    margin: wp.array
    """(nworld, njnt) of float32: distance at which the limit becomes a row [m or rad]"""
    def __call__(self, key: int | str) -> Named: ...

class ModelDof:
    bodyid: wp.array
    """(nv) of int32: body that the dof moves"""
    jntid: wp.array
    """(nv) of int32: joint of the dof"""
    parentid: wp.array
    """(nv) of int32: previous dof on the way to the root; -1: none"""
    treeid: wp.array
    """(nv) of int32: kinematic tree"""
    lastid: wp.array
    """(nv) of int32: last dof of the bodies that the dof moves"""
    simplenum: wp.array
    """(nv) of int32: number of consecutive simple dofs that start here"""
    M_rownnz: wp.array
    """(nv) of int32: non-zeros in the row of M"""
    M_rowadr: wp.array
    """(nv) of int32: first entry of the row of M"""
    M_colind: wp.array
    """(nC) of int32: columns of M, ascending, the diagonal last"""
    solref: wp.array
    """(nworld, nv) of vec2f: friction loss: reference"""
    solimp: wp.array
    """(nworld, nv) of vec5: friction loss: impedance"""
    frictionloss: wp.array
    """(nworld, nv) of float32: [N or N m]"""
    armature: wp.array
    """(nworld, nv) of float32: [kg or kg m^2]"""
    damping: wp.array
    """(nworld, nv) of float32: [N s/m or N m s/rad]"""
    dampingpoly: wp.array
    """(nworld, nv) of vec2f: higher coefficients of the damping"""
    invweight0: wp.array
    """(nworld, nv) of float32: inverse inertia at qpos0"""

class ModelGeom:
    type: wp.array
    """(ngeom) of int32: GeomType"""
    contype: wp.array
    """(ngeom) of int32: contact type bits"""
    conaffinity: wp.array
    """(ngeom) of int32: contact affinity bits"""
    condim: wp.array
    """(ngeom) of int32: contact dimension: 1, 3, 4 or 6"""
    bodyid: wp.array
    """(ngeom) of int32: body that carries the geom"""
    group: wp.array
    """(ngeom) of int32: group"""
    opaque: wp.array
    """(ngeom) of int32: rays of sensors hit it: it is drawn with some opacity"""
    priority: wp.array
    """(ngeom) of int32: the higher one decides the contact parameters"""
    dataid: wp.array
    """(nworld, ngeom) of int32: mesh or heightfield; -1: none"""
    solmix: wp.array
    """(nworld, ngeom) of float32: weight when contact parameters are mixed"""
    solref: wp.array
    """(nworld, ngeom) of vec2f: contact reference"""
    solimp: wp.array
    """(nworld, ngeom) of vec5: contact impedance"""
    size: wp.array
    """(nworld, ngeom) of vec3f: sizes of the type [m]"""
    rbound: wp.array
    """(nworld, ngeom) of float32: radius of the bounding sphere; 0: plane [m]"""
    pos: wp.array
    """(nworld, ngeom) of vec3f: position in the body frame [m]"""
    quat: wp.array
    """(nworld, ngeom) of vec4f: orientation in the body frame"""
    friction: wp.array
    """(nworld, ngeom) of vec3f: slide, spin [m], roll [m]"""
    margin: wp.array
    """(nworld, ngeom) of float32: [m]"""
    gap: wp.array
    """(nworld, ngeom) of float32: [m]"""
    adhesion: wp.array
    """(nworld, ngeom) of float32: force with which each contact can pull [N]"""
    surfacevel: wp.array
    """(nworld, ngeom) of vec6: motion of the surface, geom frame: linear [m/s], angular about the origin [rad/s]"""
    fluid: wp.array
    """(nworld, ngeom) of vec12: on, 5 coefficients, virtual mass and inertia of the ellipsoid model"""
    def __call__(self, key: int | str) -> Named: ...

class ModelSite:
    type: wp.array
    """(nsite) of int32: GeomType, for drawing"""
    bodyid: wp.array
    """(nsite) of int32: body that carries the site"""
    size: wp.array
    """(nworld, nsite) of vec3f: [m]"""
    pos: wp.array
    """(nworld, nsite) of vec3f: position in the body frame [m]"""
    quat: wp.array
    """(nworld, nsite) of vec4f: orientation in the body frame"""
    def __call__(self, key: int | str) -> Named: ...

class ModelPair:
    dim: wp.array
    """(npair) of int32: contact dimension"""
    geom1: wp.array
    """(npair) of int32: first geom"""
    geom2: wp.array
    """(npair) of int32: second geom"""
    solref: wp.array
    """(nworld, npair) of vec2f: normal reference"""
    solreffriction: wp.array
    """(nworld, npair) of vec2f: friction reference; 0 0: as the normal's"""
    solimp: wp.array
    """(nworld, npair) of vec5: impedance"""
    margin: wp.array
    """(nworld, npair) of float32: [m]"""
    gap: wp.array
    """(nworld, npair) of float32: [m]"""
    adhesion: wp.array
    """(nworld, npair) of float32: force with which each contact can pull [N]"""
    friction: wp.array
    """(nworld, npair) of vec5: tangent1, tangent2, spin, roll1, roll2"""

class ModelCollide:
    geom1: wp.array
    """(ncollide) of int32: geom of the lower type"""
    geom2: wp.array
    """(ncollide) of int32: geom of the higher type"""
    pairid: wp.array
    """(ncollide) of int32: explicit pair that overrides the parameters; -1: none"""

class ModelSweep:
    exclude_adr: wp.array
    """(nbody1) of int32: first entry of each body in exclude, and the end"""
    exclude: wp.array
    """(nexcluded) of int32: bodies of higher number that a body does not collide with"""
    drop_adr: wp.array
    """(ngeom1) of int32: first entry of each geom in drop, and the end"""
    drop: wp.array
    """(ndropped) of int32: geoms of higher number that a geom does not collide with by itself: explicit pairs, filters"""

class ModelHull:
    nconvex: int
    """geom pairs that the kernel for general convex shapes treats"""
    iterations: int
    """largest number of times a polytope grows (mjOption.ccd_iterations)"""
    vertadr: wp.array
    """(nmesh) of int32: first vertex of each mesh's hull"""
    vertnum: wp.array
    """(nmesh) of int32: vertices of each mesh's hull; 0: the mesh does not collide"""
    center: wp.array
    """(nmesh) of vec3f: centre of the box around each mesh's hull in the mesh's frame [m]"""
    half: wp.array
    """(nmesh) of vec3f: its half lengths [m]"""
    vert: wp.array
    """(nhullvert) of vec3f: vertices of the hulls in the frames of the meshes [m]"""
    cells: wp.array
    """(nmesh) of int32: cells along an edge of a cube around each mesh, each for the directions that pass through it"""
    celladr: wp.array
    """(nmesh) of int32: first entry of each mesh in extremeadr"""
    extremeadr: wp.array
    """(nhullcell) of int32: first entry of each cell of the cube's sides, +x, -x, +y, ..., and of parts of them in extreme, and the end"""
    extreme: wp.array
    """(nhullextreme) of int32: vertices that can be the farthest ones, counted from the hull's first; negative: the cell's first part"""
    aroundadr: wp.array
    """(nhullvert) of int32: first entry of each vertex in around"""
    aroundnum: wp.array
    """(nhullvert) of int32: faces around each vertex"""
    around: wp.array
    """(nhullaround) of int32: faces"""
    faceadr: wp.array
    """(nmesh) of int32: first face of each mesh's hull"""
    facenum: wp.array
    """(nmesh) of int32: faces of each mesh's hull"""
    normal: wp.array
    """(nhullface) of vec3f: outward normals of the faces"""
    offset: wp.array
    """(nhullface) of float32: distances of the faces' planes from the mesh's origin, along the normals [m]"""
    corneradr: wp.array
    """(nhullface) of int32: first entry of each face in corner"""
    cornernum: wp.array
    """(nhullface) of int32: corners of each face, at most 24"""
    corner: wp.array
    """(nhullcorner) of int32: corners, counter-clockwise, counted from the hull's first vertex"""

class ModelHfield:
    nhfield: int
    """heightfields"""
    ncollide: int
    """geom pairs with a heightfield"""
    nrow: wp.array
    """(nhfield) of int32: rows of the grid, along y"""
    ncol: wp.array
    """(nhfield) of int32: columns of the grid, along x"""
    adr: wp.array
    """(nhfield) of int32: first entry of each heightfield in data"""
    size: wp.array
    """(nworld, nhfield) of vec4f: half extents along x and y, height of a sample of 1, depth below 0 [m]"""
    data: wp.array
    """(nworld, nhfielddata) of float32: samples from 0 to 1, row by row, the first at -x, -y"""

class ModelSdf:
    ncollide: int
    """geom pairs with a signed distance field"""
    initpoints: int
    """points from which contacts of a pair are searched for (mjOption.sdf_initpoints)"""
    iterations: int
    """most steps from each of them (mjOption.sdf_iterations)"""
    field: wp.array
    """(ngeomfield) of int32: which of the kernel's functions a geom is; -1: the octree of its mesh, or no field"""
    prm: wp.array
    """(ngeomfield) of vec8: parameters of the function"""
    root: wp.array
    """(ngeomfield) of int32: outermost cell of the octree of a geom's mesh; -1: none"""
    pos: wp.array
    """(ngeomfield) of vec3d: origin of the field in the geom's frame [m]"""
    mat: wp.array
    """(ngeomfield) of mat33d: axes of the field in the geom's frame"""
    center: wp.array
    """(ngeomfield) of vec3d: centre of the box around the geom, in its frame [m]"""
    half: wp.array
    """(ngeomfield) of vec3d: its half sides [m]"""
    tri_adr: wp.array
    """(ngeomfield) of int32: first triangle of a geom's mesh, where it meets fields"""
    tri_num: wp.array
    """(ngeomfield) of int32: how many it has"""
    tri: wp.array
    """(nfieldtri, 3) of vec3f: corners of a triangle, in the frame of the mesh's geom [m]"""
    oct_child: wp.array
    """(noct, 8) of int32: cells within a cell, from the mesh's outermost one; -1: none"""
    oct_center: wp.array
    """(noct) of vec3d: centre of a cell, in the frame of the mesh's geom [m]"""
    oct_half: wp.array
    """(noct) of vec3d: its half sides [m]"""
    oct_coeff: wp.array
    """(noct, 8) of float64: signed distances at its corners [m]"""

class ModelActuator:
    trntype: wp.array
    """(nactuator) of int32: TrnType"""
    dyntype: wp.array
    """(nactuator) of int32: DynType"""
    gaintype: wp.array
    """(nactuator) of int32: GainType"""
    biastype: wp.array
    """(nactuator) of int32: BiasType"""
    trnid: wp.array
    """(nactuator) of vec2i: joint, tendon, site ..."""
    ctrladr: wp.array
    """(nactuator) of int32: first control"""
    ctrlnum: wp.array
    """(nactuator) of int32: number of controls"""
    ctrlspec: wp.array
    """(nactuator) of int32: CtrlInput bits of the controls, or chart of an SO3 servo"""
    law: wp.array
    """(nactuator) of int32: ForceLaw; 0: gain times input plus bias"""
    ctrl0: wp.array
    """(nu) of float32: controls after a reset: zero, or the identity quaternion"""
    outadr: wp.array
    """(nactuator) of int32: first force output"""
    outnum: wp.array
    """(nactuator) of int32: number of force outputs"""
    actadr: wp.array
    """(nactuator) of int32: first activation; -1: stateless"""
    actnum: wp.array
    """(nactuator) of int32: number of activations"""
    group: wp.array
    """(nactuator) of int32: group, for disableactuator"""
    actlimited: wp.array
    """(nactuator) of int32: activation is limited"""
    actearly: wp.array
    """(nactuator) of int32: force from the next activation"""
    forcelimited: wp.array
    """(nactuator) of int32: force is limited"""
    ctrllimited: wp.array
    """(nu) of int32: control is limited"""
    moment_rownnz0: wp.array
    """(nout) of int32: non-zeros of each moment row"""
    moment_rowadr0: wp.array
    """(nout) of int32: first entry of each moment row"""
    moment_colind0: wp.array
    """(nJmom) of int32: dofs of the moment rows, ascending in each row"""
    cranklength: wp.array
    """(nworld, nactuator) of float32: length of the crank's rod [m]"""
    acc0: wp.array
    """(nworld, nout) of float32: norm of the acceleration that a unit force gives at qpos0"""
    lengthrange: wp.array
    """(nworld, nout) of vec2f: feasible lengths, for muscles"""
    dynprm: wp.array
    """(nworld, nactuator) of vec10: dynamics parameters"""
    gainprm: wp.array
    """(nworld, nactuator) of vec10: gain parameters"""
    biasprm: wp.array
    """(nworld, nactuator) of vec10: bias parameters"""
    actrange: wp.array
    """(nworld, nactuator) of vec2f: range of the activation"""
    forcerange: wp.array
    """(nworld, nactuator) of vec2f: range of the force"""
    ctrlrange: wp.array
    """(nworld, nu) of vec2f: range of the control"""
    gear: wp.array
    """(nworld, nout) of spatial_vectorf: scale of length and force"""
    def __call__(self, key: int | str) -> Named: ...

class ModelTendon:
    J_rownnz: wp.array
    """(ntendon) of int32: non-zeros of the Jacobian row"""
    J_rowadr: wp.array
    """(ntendon) of int32: first entry of the row"""
    J_colind: wp.array
    """(nJten) of int32: dofs of the row, ascending"""
    J_qposadr: wp.array
    """(nJten) of int32: coordinate that belongs to each dof of the row"""
    type: wp.array
    """(ntendon) of int32: 0: fixed, 1: spatial"""
    adr: wp.array
    """(ntendon) of int32: first wrap"""
    num: wp.array
    """(ntendon) of int32: number of wraps"""
    wrap_type: wp.array
    """(nwrap) of int32: 1 joint, 2 pulley, 3 site, 4 sphere, 5 cylinder"""
    wrap_objid: wp.array
    """(nwrap) of int32: joint, site or geom"""
    wrap_sideid: wp.array
    """(nwrap) of int32: side site of a wrapping geom; -1: none"""
    limited: wp.array
    """(ntendon) of int32: has a range"""
    actfrclimited: wp.array
    """(ntendon) of int32: limits the total force of its actuators"""
    wrap_scale: wp.array
    """(nworld, nwrap) of float32: 1/divisor of the pulley branch"""
    armature: wp.array
    """(nworld, ntendon) of float32: inertia of the length [kg]"""
    actfrcrange: wp.array
    """(nworld, ntendon) of vec2f: limits of the total actuator force [N]"""
    coef: wp.array
    """(nworld, nJten) of float32: weight of each coordinate"""
    solref_lim: wp.array
    """(nworld, ntendon) of vec2f: limit: reference"""
    solimp_lim: wp.array
    """(nworld, ntendon) of vec5: limit: impedance"""
    solref_fri: wp.array
    """(nworld, ntendon) of vec2f: friction loss: reference"""
    solimp_fri: wp.array
    """(nworld, ntendon) of vec5: friction loss: impedance"""
    range: wp.array
    """(nworld, ntendon) of vec2f: limits of the length"""
    margin: wp.array
    """(nworld, ntendon) of float32: distance at which the limit becomes a row"""
    stiffness: wp.array
    """(nworld, ntendon) of float32: spring"""
    stiffnesspoly: wp.array
    """(nworld, ntendon) of vec2f: higher coefficients of the spring"""
    damping: wp.array
    """(nworld, ntendon) of float32: damper"""
    dampingpoly: wp.array
    """(nworld, ntendon) of vec2f: higher coefficients of the damper"""
    frictionloss: wp.array
    """(nworld, ntendon) of float32: friction loss"""
    lengthspring: wp.array
    """(nworld, ntendon) of vec2f: range of lengths in which the spring rests"""
    length0: wp.array
    """(nworld, ntendon) of float32: length at qpos0"""
    invweight0: wp.array
    """(nworld, ntendon) of float32: inverse inertia at qpos0"""
    def __call__(self, key: int | str) -> Named: ...

class ModelSensor:
    type: wp.array
    """(nsensor) of int32: SensorType; -1: not evaluated"""
    datatype: wp.array
    """(nsensor) of int32: DataType"""
    needstage: wp.array
    """(nsensor) of int32: Stage after which it is evaluated"""
    objtype: wp.array
    """(nsensor) of int32: ObjType of the measured object"""
    objid: wp.array
    """(nsensor) of int32: measured object"""
    reftype: wp.array
    """(nsensor) of int32: ObjType of the reference"""
    refid: wp.array
    """(nsensor) of int32: object that carries the frame of reference; -1: world frame"""
    dim: wp.array
    """(nsensor) of int32: numbers"""
    adr: wp.array
    """(nsensor) of int32: first entry in sensordata"""
    intprm: wp.array
    """(nsensor) of vec3i: data bits, reduction, slots (rangefinder and contact)"""
    cutoff: wp.array
    """(nworld, nsensor) of float32: bound of the output; 0: none"""
    noise: wp.array
    """(nworld, nsensor) of float32: standard deviation that the user may add; the step adds none"""
    bodyid: wp.array
    """(nsensor) of int32: body that carries the measured object"""
    refbodyid: wp.array
    """(nsensor) of int32: body that carries the reference"""
    ordinary: int
    """sensors that have no kernel of their own"""
    projections: int
    """sensors of where a site appears in a picture"""
    accelerations: int
    """1: some sensor needs rne_postconstraint"""
    momenta: int
    """1: some sensor needs subtree_vel"""
    energies: int
    """1: some sensor needs the energy"""
    def __call__(self, key: int | str) -> Named: ...

class ModelEq:
    type: wp.array
    """(neq) of int32: EqType"""
    obj1id: wp.array
    """(neq) of int32: body, site, joint or tendon"""
    obj2id: wp.array
    """(neq) of int32: the same of the other side; -1: a constant (joint, tendon)"""
    objtype: wp.array
    """(neq) of int32: ObjType of bodies and sites"""
    solref: wp.array
    """(nworld, neq) of vec2f: reference"""
    solimp: wp.array
    """(nworld, neq) of vec5: impedance"""
    data: wp.array
    """(nworld, neq) of vec12: anchors, relative orientation and torque scale, or the polynomial"""
    def __call__(self, key: int | str) -> Named: ...

class ModelImpl:
    nD: int
    """non-zeros of a matrix that couples all dofs of a chain, both triangles"""
    D_rownnz: wp.array
    """(nv) of int32: non-zeros in the row"""
    D_rowadr: wp.array
    """(nv) of int32: first entry of the row"""
    D_diag: wp.array
    """(nv) of int32: place of the diagonal in the row"""
    D_colind: wp.array
    """(nD) of int32: columns, ascending"""
    mapM2D: wp.array
    """(nD) of int32: entry of M; -1: M has none there"""

class ModelHist:
    nhistory: int
    """numbers of the history buffers"""
    nplastic: int
    """numbers of the plastic state"""
    actuator_history: wp.array
    """(nworld, nactuator) of vec2i: samples of the control and their InterpolationType"""
    actuator_historyadr: wp.array
    """(nworld, nactuator) of int32: first entry in history; -1: none"""
    actuator_turns: wp.array
    """(nactuator) of int32: the control is a quaternion: a reset fills the buffer with identities"""
    sensor_history: wp.array
    """(nworld, nsensor) of vec2i: samples of the sensor and their InterpolationType"""
    sensor_historyadr: wp.array
    """(nworld, nsensor) of int32: first entry in history; -1: none"""
    actuator_delay: wp.array
    """(nworld, nactuator) of float32: delay of the control; 0: none [s]"""
    sensor_delay: wp.array
    """(nworld, nsensor) of float32: delay of the sensor; 0: none [s]"""
    sensor_interval: wp.array
    """(nworld, nsensor) of vec2f: period of evaluation (0: every step), phase [s]"""
    jnt_plasticadr: wp.array
    """(njnt) of int32: first entry in plastic; -1: elastic"""
    tendon_plasticadr: wp.array
    """(ntendon) of int32: first entry in plastic; -1: elastic"""
    jnt_springyield: wp.array
    """(nworld, njnt) of float32: displacement at which the spring yields [m or rad]"""
    tendon_springyield: wp.array
    """(nworld, ntendon) of float32: displacement at which the spring yields [m]"""

class ModelCam:
    number: int
    """cameras"""
    needed: int
    """1: some sensor of a step looks through a camera"""
    mode: wp.array
    """(ncam) of int32: CamLightType: how it follows its body, or aims at another"""
    bodyid: wp.array
    """(ncam) of int32: body that carries the camera"""
    targetbodyid: wp.array
    """(ncam) of int32: body that it is aimed at; -1: none"""
    projection: wp.array
    """(ncam) of int32: 0 perspective, 1 orthographic"""
    resolution: wp.array
    """(ncam) of vec2i: pixels, width and height"""
    sensorsize: wp.array
    """(ncam) of vec2f: size of the picture's plane, width and height; 0: fovy counts [m]"""
    fovy: wp.array
    """(nworld, ncam) of float32: vertical field of view [deg], or height of an orthographic picture [m]"""
    intrinsic: wp.array
    """(nworld, ncam) of vec4f: focal lengths and principal point [m]"""
    pos: wp.array
    """(nworld, ncam) of vec3f: position in the body frame [m]"""
    quat: wp.array
    """(nworld, ncam) of vec4f: orientation in the body frame; it looks along its -z axis"""
    poscom0: wp.array
    """(nworld, ncam) of vec3f: position from the subtree's centre of mass at qpos0, world axes [m]"""
    pos0: wp.array
    """(nworld, ncam) of vec3f: position from the body at qpos0, world axes [m]"""
    mat0: wp.array
    """(nworld, ncam) of mat33f: axes at qpos0, world frame"""
    def __call__(self, key: int | str) -> Named: ...

class ModelLight:
    number: int
    """lights"""
    mode: wp.array
    """(nlight) of int32: CamLightType: how it follows its body, or aims at another"""
    bodyid: wp.array
    """(nlight) of int32: body that carries the light"""
    targetbodyid: wp.array
    """(nlight) of int32: body that it is aimed at; -1: none"""
    pos: wp.array
    """(nworld, nlight) of vec3f: position in the body frame [m]"""
    dir: wp.array
    """(nworld, nlight) of vec3f: direction in the body frame"""
    poscom0: wp.array
    """(nworld, nlight) of vec3f: position from the subtree's centre of mass at qpos0, world axes [m]"""
    pos0: wp.array
    """(nworld, nlight) of vec3f: position from the body at qpos0, world axes [m]"""
    dir0: wp.array
    """(nworld, nlight) of vec3f: direction at qpos0, world frame"""
    def __call__(self, key: int | str) -> Named: ...

class ModelSurface:
    mesh: wp.array
    """(nmesh) of uint64: wp.Mesh of each mesh, in the mesh's frame; 0: not made yet, no ray hits it"""

class ModelRanging:
    nray: int
    """rays of all rangefinders"""
    sensor: wp.array
    """(nray) of int32: sensor of each ray"""
    pixel: wp.array
    """(nray) of int32: place of each ray in its sensor, row by row; 0 for sites"""
    offset: wp.array
    """(nray) of int32: first number of each ray in its sensor's output"""

class ModelMeasure:
    number: int
    """distances: sensors of the same objects and cutoff share one"""
    adr: wp.array
    """(nmeasure) of int32: first entry of each distance in sensor"""
    num: wp.array
    """(nmeasure) of int32: sensors of each distance"""
    sensor: wp.array
    """(nmeasuresensor) of int32: sensors that show the distance, its normal or its end points"""

class ModelInside:
    number: int
    """sensors of what lies in a site that look at meshes or whole geoms"""
    sensor: wp.array
    """(ninside) of int32: these sensors"""
    mesh: wp.array
    """(nsite) of int32: mesh of each site; -1: none"""
    pos: wp.array
    """(nsite) of vec3f: origin of the mesh's frame in the site's [m]"""
    quat: wp.array
    """(nsite) of vec4f: axes of the mesh's frame in the site's"""

class ModelTactile:
    number: int
    """taxels of all tactile sensors"""
    sensor: wp.array
    """(ntaxel) of int32: sensor of each taxel"""
    vertex: wp.array
    """(ntaxel) of int32: number of each taxel in its sensor's mesh"""
    count: wp.array
    """(ntaxel) of int32: taxels of the sensor"""
    pos: wp.array
    """(ntaxel) of vec3f: place in the geom's frame [m]"""
    tangent1: wp.array
    """(ntaxel) of vec3f: unit vector along which sliding is measured, geom's frame; 0: not measured"""
    tangent2: wp.array
    """(ntaxel) of vec3f: the second of these"""

class ModelGain:
    gain: wp.array
    """(nworld, ngeom) of vec2f: stiffness [N/m] and damping [N s/m] of its contacts; zero: solref says them"""
    impedance: wp.array
    """(nworld, ngeom) of float32: flat impedance under which the gains hold in motion as well; zero: solimp says it"""
    kf: wp.array
    """(nworld, ngeom) of float32: friction stiffness of contacts from outside [N s/m]; negative: none given"""

class ModelSleep:
    tolerance: wp.array
    """(nworld) of float32: a tree whose dofs all move slower than this may sleep [m/s]"""
    dof_length: wp.array
    """(nworld, nv) of float32: distance that a unit of each dof moves: 1 for slides, a length for rotations [m]"""
    tree_bodyadr: wp.array
    """(ntree) of int32: first body of each kinematic tree"""
    tree_bodynum: wp.array
    """(ntree) of int32: number of its bodies"""
    tree_sleep_policy: wp.array
    """(ntree) of int32: SleepPolicy"""
    eq_tree1: wp.array
    """(neq) of int32: kinematic tree of an equality's first object; -1: static, -2: moved by the user"""
    eq_tree2: wp.array
    """(neq) of int32: the same of the second"""
    actuator_treeadr: wp.array
    """(nactuator+1) of int32: first entry of each actuator in actuator_treeid"""
    actuator_treeid: wp.array
    """(nactuatortree) of int32: trees that an actuator moves"""
    sensor_treeadr: wp.array
    """(nsensor+1) of int32: first entry of each sensor in sensor_treeid"""
    sensor_treeid: wp.array
    """(nsensortree) of int32: trees that a sensor's value follows; a sensor without any is always evaluated"""

class ModelThickness:
    least: wp.array
    """(nworld, ngeom) of float32: smallest half extent of the box around a geom [m]"""

class ModelFields:
    version: int
    nworld: int
    copies: int
    first_world: int
    device: Any
    size: ModelSize
    opt: ModelOpt
    tree: ModelTree
    body: ModelBody
    jnt: ModelJnt
    dof: ModelDof
    geom: ModelGeom
    site: ModelSite
    pair: ModelPair
    collide: ModelCollide
    sweep: ModelSweep
    hull: ModelHull
    hfield: ModelHfield
    sdf: ModelSdf
    actuator: ModelActuator
    tendon: ModelTendon
    sensor: ModelSensor
    eq: ModelEq
    impl: ModelImpl
    hist: ModelHist
    cam: ModelCam
    light: ModelLight
    surface: ModelSurface
    ranging: ModelRanging
    measure: ModelMeasure
    inside: ModelInside
    tactile: ModelTactile
    gain: ModelGain
    sleep: ModelSleep
    thickness: ModelThickness
    nq: int
    """generalized coordinates"""
    nv: int
    """degrees of freedom"""
    nv_pad: int
    """nv rounded up to a multiple of 8: row length of dense matrices"""
    nu: int
    """controls"""
    na: int
    """activations"""
    nactuator: int
    """actuators"""
    nout: int
    """force outputs of actuators"""
    nbody: int
    """bodies, the world included"""
    njnt: int
    """joints"""
    ngeom: int
    """geoms"""
    nsite: int
    """sites"""
    nmocap: int
    """mocap bodies"""
    ntree: int
    """kinematic trees"""
    nC: int
    """non-zeros of the sparse mass matrix"""
    nlevel: int
    """levels of the body tree; level 0 is the world"""
    npair: int
    """explicit contact pairs"""
    ncollide: int
    """geom pairs that may collide"""
    ntendon: int
    """tendons"""
    nJten: int
    """non-zeros of the tendon Jacobian"""
    nJmom: int
    """non-zeros of the actuator moments"""
    nwrap2: int
    """points that spatial tendons can go through: twice the wraps"""
    ntenarmature: int
    """tendons with armature"""
    ntenfrc: int
    """tendons that limit the force of their actuators"""
    nadhesion: int
    """actuators that act on a body's contacts"""
    nlaw: int
    """actuators with a force law of their own, see actuator_law"""
    nso3: int
    """actuators that turn an orientation, with three force outputs"""
    neq: int
    """equality constraints"""
    nsensor: int
    """sensors"""
    nsensordata: int
    """numbers of all sensors"""
    nfluid: int
    """bodies on which the medium acts; 0: no medium"""
    nmaxcondim: int
    """largest contact dimension that can occur"""
    flg_adhesion: int
    """1: contacts of some geom or pair can pull"""
    flg_surfacevel: int
    """1: the surface of some geom moves"""
    flg_spring: int
    """1: constraints hold their gains in motion too"""
    njrow: int
    """room of a sparse row of the Jacobian"""
    nwrow: int
    """room of a sparse row of M^-1 J'"""
    npos: int
    """places for dofs when each tree's are rounded up to a multiple of 8"""
    ntreerow: int
    """most kinematic trees that a row can couple"""
    tree_level_adr: Array
    """(nlevel+1) of int32: first entry of each level in level_bodyid"""
    tree_level_bodyid: Array
    """(nbody) of int32: bodies sorted by depth in the tree"""
    tree_child_adr: Array
    """(nbody+1) of int32: first entry of each body in child_bodyid"""
    tree_child_bodyid: Array
    """(nbody) of int32: children of each body, ascending"""
    tree_dofadr: Array
    """(ntree) of int32: first dof of each kinematic tree"""
    tree_dofnum: Array
    """(ntree) of int32: number of its dofs"""
    tree_chain_adr: Array
    """(nbody+1) of int32: first entry of each body in chain_dofid"""
    tree_chain_dofid: Array
    """(nchain) of int32: dofs that move a body, ascending (the body's own and its ancestors')"""
    body_parentid: Array
    """(nbody) of int32: parent body"""
    body_rootid: Array
    """(nbody) of int32: ancestor that is a child of the world"""
    body_weldid: Array
    """(nbody) of int32: topmost ancestor without dofs in between"""
    body_mocapid: Array
    """(nbody) of int32: row in mocap_pos; -1: none"""
    body_jntnum: Array
    """(nbody) of int32: number of joints"""
    body_jntadr: Array
    """(nbody) of int32: first joint; -1: none"""
    body_dofnum: Array
    """(nbody) of int32: number of dofs"""
    body_dofadr: Array
    """(nbody) of int32: first dof; -1: none"""
    body_treeid: Array
    """(nbody) of int32: kinematic tree; -1: static"""
    body_geomnum: Array
    """(nbody) of int32: number of geoms"""
    body_geomadr: Array
    """(nbody) of int32: first geom; -1: none"""
    body_simple: Array
    """(nbody) of int32: 1: diagonal inertia; 2: sliders only"""
    body_fluid: Array
    """(nbody) of int32: model of fluid forces: 0 none, 1 inertia box, 2 ellipsoids of geoms"""
    body_pos: Array
    """(nworld, nbody) of vec3f: position in the parent [m]"""
    body_quat: Array
    """(nworld, nbody) of vec4f: orientation in the parent"""
    body_ipos: Array
    """(nworld, nbody) of vec3f: centre of mass in the body frame [m]"""
    body_iquat: Array
    """(nworld, nbody) of vec4f: principal axes of inertia in the body frame"""
    body_mass: Array
    """(nworld, nbody) of float32: [kg]"""
    body_subtreemass: Array
    """(nworld, nbody) of float32: mass of the subtree that starts here [kg]"""
    body_inertia: Array
    """(nworld, nbody) of vec3f: principal inertia [kg m^2]"""
    body_invweight0: Array
    """(nworld, nbody) of vec2f: mean inverse inertia at qpos0, translation and rotation"""
    body_gravcomp: Array
    """(nworld, nbody) of float32: gravity compensation, in units of the weight"""
    jnt_type: Array
    """(njnt) of int32: JointType"""
    jnt_qposadr: Array
    """(njnt) of int32: first entry in qpos"""
    jnt_dofadr: Array
    """(njnt) of int32: first entry in qvel"""
    jnt_bodyid: Array
    """(njnt) of int32: body that the joint moves"""
    jnt_limited: Array
    """(njnt) of int32: has a range"""
    jnt_actfrclimited: Array
    """(njnt) of int32: limits the total actuator force"""
    jnt_actgravcomp: Array
    """(njnt) of int32: gravity compensation counts as actuator force"""
    qpos0: Array
    """(nworld, nq) of float32: coordinates of the reference pose"""
    qpos_spring: Array
    """(nworld, nq) of float32: coordinates at which springs rest"""
    eq_active0: Array
    """(nworld, neq) of int32: equality constraints that hold after a reset, with qpos0"""
    jnt_solref: Array
    """(nworld, njnt) of vec2f: limit: reference"""
    jnt_solimp: Array
    """(nworld, njnt) of vec5: limit: impedance"""
    jnt_pos: Array
    """(nworld, njnt) of vec3f: anchor in the body frame [m]"""
    jnt_axis: Array
    """(nworld, njnt) of vec3f: axis in the body frame"""
    jnt_stiffness: Array
    """(nworld, njnt) of float32: spring [N/m or N m/rad]"""
    jnt_stiffnesspoly: Array
    """(nworld, njnt) of vec2f: higher coefficients of the spring"""
    jnt_range: Array
    """(nworld, njnt) of vec2f: limits [m or rad]"""
    jnt_actfrcrange: Array
    """(nworld, njnt) of vec2f: limits of the total actuator force [N or N m]"""
    jnt_margin: Array
    """(nworld, njnt) of float32: distance at which the limit becomes a row [m or rad]"""
    dof_bodyid: Array
    """(nv) of int32: body that the dof moves"""
    dof_jntid: Array
    """(nv) of int32: joint of the dof"""
    dof_parentid: Array
    """(nv) of int32: previous dof on the way to the root; -1: none"""
    dof_treeid: Array
    """(nv) of int32: kinematic tree"""
    dof_lastid: Array
    """(nv) of int32: last dof of the bodies that the dof moves"""
    dof_simplenum: Array
    """(nv) of int32: number of consecutive simple dofs that start here"""
    M_rownnz: Array
    """(nv) of int32: non-zeros in the row of M"""
    M_rowadr: Array
    """(nv) of int32: first entry of the row of M"""
    M_colind: Array
    """(nC) of int32: columns of M, ascending, the diagonal last"""
    dof_solref: Array
    """(nworld, nv) of vec2f: friction loss: reference"""
    dof_solimp: Array
    """(nworld, nv) of vec5: friction loss: impedance"""
    dof_frictionloss: Array
    """(nworld, nv) of float32: [N or N m]"""
    dof_armature: Array
    """(nworld, nv) of float32: [kg or kg m^2]"""
    dof_damping: Array
    """(nworld, nv) of float32: [N s/m or N m s/rad]"""
    dof_dampingpoly: Array
    """(nworld, nv) of vec2f: higher coefficients of the damping"""
    dof_invweight0: Array
    """(nworld, nv) of float32: inverse inertia at qpos0"""
    geom_type: Array
    """(ngeom) of int32: GeomType"""
    geom_contype: Array
    """(ngeom) of int32: contact type bits"""
    geom_conaffinity: Array
    """(ngeom) of int32: contact affinity bits"""
    geom_condim: Array
    """(ngeom) of int32: contact dimension: 1, 3, 4 or 6"""
    geom_bodyid: Array
    """(ngeom) of int32: body that carries the geom"""
    geom_group: Array
    """(ngeom) of int32: group"""
    geom_opaque: Array
    """(ngeom) of int32: rays of sensors hit it: it is drawn with some opacity"""
    geom_priority: Array
    """(ngeom) of int32: the higher one decides the contact parameters"""
    geom_dataid: Array
    """(nworld, ngeom) of int32: mesh or heightfield; -1: none"""
    geom_solmix: Array
    """(nworld, ngeom) of float32: weight when contact parameters are mixed"""
    geom_solref: Array
    """(nworld, ngeom) of vec2f: contact reference"""
    geom_solimp: Array
    """(nworld, ngeom) of vec5: contact impedance"""
    geom_size: Array
    """(nworld, ngeom) of vec3f: sizes of the type [m]"""
    geom_rbound: Array
    """(nworld, ngeom) of float32: radius of the bounding sphere; 0: plane [m]"""
    geom_pos: Array
    """(nworld, ngeom) of vec3f: position in the body frame [m]"""
    geom_quat: Array
    """(nworld, ngeom) of vec4f: orientation in the body frame"""
    geom_friction: Array
    """(nworld, ngeom) of vec3f: slide, spin [m], roll [m]"""
    geom_margin: Array
    """(nworld, ngeom) of float32: [m]"""
    geom_gap: Array
    """(nworld, ngeom) of float32: [m]"""
    geom_adhesion: Array
    """(nworld, ngeom) of float32: force with which each contact can pull [N]"""
    geom_surfacevel: Array
    """(nworld, ngeom) of vec6: motion of the surface, geom frame: linear [m/s], angular about the origin [rad/s]"""
    geom_fluid: Array
    """(nworld, ngeom) of vec12: on, 5 coefficients, virtual mass and inertia of the ellipsoid model"""
    site_type: Array
    """(nsite) of int32: GeomType, for drawing"""
    site_bodyid: Array
    """(nsite) of int32: body that carries the site"""
    site_size: Array
    """(nworld, nsite) of vec3f: [m]"""
    site_pos: Array
    """(nworld, nsite) of vec3f: position in the body frame [m]"""
    site_quat: Array
    """(nworld, nsite) of vec4f: orientation in the body frame"""
    pair_dim: Array
    """(npair) of int32: contact dimension"""
    pair_geom1: Array
    """(npair) of int32: first geom"""
    pair_geom2: Array
    """(npair) of int32: second geom"""
    pair_solref: Array
    """(nworld, npair) of vec2f: normal reference"""
    pair_solreffriction: Array
    """(nworld, npair) of vec2f: friction reference; 0 0: as the normal's"""
    pair_solimp: Array
    """(nworld, npair) of vec5: impedance"""
    pair_margin: Array
    """(nworld, npair) of float32: [m]"""
    pair_gap: Array
    """(nworld, npair) of float32: [m]"""
    pair_adhesion: Array
    """(nworld, npair) of float32: force with which each contact can pull [N]"""
    pair_friction: Array
    """(nworld, npair) of vec5: tangent1, tangent2, spin, roll1, roll2"""
    collide_geom1: Array
    """(ncollide) of int32: geom of the lower type"""
    collide_geom2: Array
    """(ncollide) of int32: geom of the higher type"""
    collide_pairid: Array
    """(ncollide) of int32: explicit pair that overrides the parameters; -1: none"""
    sweep_exclude_adr: Array
    """(nbody1) of int32: first entry of each body in exclude, and the end"""
    sweep_exclude: Array
    """(nexcluded) of int32: bodies of higher number that a body does not collide with"""
    sweep_drop_adr: Array
    """(ngeom1) of int32: first entry of each geom in drop, and the end"""
    sweep_drop: Array
    """(ndropped) of int32: geoms of higher number that a geom does not collide with by itself: explicit pairs, filters"""
    hull_nconvex: int
    """geom pairs that the kernel for general convex shapes treats"""
    hull_iterations: int
    """largest number of times a polytope grows (mjOption.ccd_iterations)"""
    hull_vertadr: Array
    """(nmesh) of int32: first vertex of each mesh's hull"""
    hull_vertnum: Array
    """(nmesh) of int32: vertices of each mesh's hull; 0: the mesh does not collide"""
    hull_center: Array
    """(nmesh) of vec3f: centre of the box around each mesh's hull in the mesh's frame [m]"""
    hull_half: Array
    """(nmesh) of vec3f: its half lengths [m]"""
    hull_vert: Array
    """(nhullvert) of vec3f: vertices of the hulls in the frames of the meshes [m]"""
    hull_cells: Array
    """(nmesh) of int32: cells along an edge of a cube around each mesh, each for the directions that pass through it"""
    hull_celladr: Array
    """(nmesh) of int32: first entry of each mesh in extremeadr"""
    hull_extremeadr: Array
    """(nhullcell) of int32: first entry of each cell of the cube's sides, +x, -x, +y, ..., and of parts of them in extreme, and the end"""
    hull_extreme: Array
    """(nhullextreme) of int32: vertices that can be the farthest ones, counted from the hull's first; negative: the cell's first part"""
    hull_aroundadr: Array
    """(nhullvert) of int32: first entry of each vertex in around"""
    hull_aroundnum: Array
    """(nhullvert) of int32: faces around each vertex"""
    hull_around: Array
    """(nhullaround) of int32: faces"""
    hull_faceadr: Array
    """(nmesh) of int32: first face of each mesh's hull"""
    hull_facenum: Array
    """(nmesh) of int32: faces of each mesh's hull"""
    hull_normal: Array
    """(nhullface) of vec3f: outward normals of the faces"""
    hull_offset: Array
    """(nhullface) of float32: distances of the faces' planes from the mesh's origin, along the normals [m]"""
    hull_corneradr: Array
    """(nhullface) of int32: first entry of each face in corner"""
    hull_cornernum: Array
    """(nhullface) of int32: corners of each face, at most 24"""
    hull_corner: Array
    """(nhullcorner) of int32: corners, counter-clockwise, counted from the hull's first vertex"""
    nhfield: int
    """heightfields"""
    hfield_ncollide: int
    """geom pairs with a heightfield"""
    hfield_nrow: Array
    """(nhfield) of int32: rows of the grid, along y"""
    hfield_ncol: Array
    """(nhfield) of int32: columns of the grid, along x"""
    hfield_adr: Array
    """(nhfield) of int32: first entry of each heightfield in data"""
    hfield_size: Array
    """(nworld, nhfield) of vec4f: half extents along x and y, height of a sample of 1, depth below 0 [m]"""
    hfield_data: Array
    """(nworld, nhfielddata) of float32: samples from 0 to 1, row by row, the first at -x, -y"""
    sdf_ncollide: int
    """geom pairs with a signed distance field"""
    sdf_initpoints: int
    """points from which contacts of a pair are searched for (mjOption.sdf_initpoints)"""
    sdf_iterations: int
    """most steps from each of them (mjOption.sdf_iterations)"""
    sdf_field: Array
    """(ngeomfield) of int32: which of the kernel's functions a geom is; -1: the octree of its mesh, or no field"""
    sdf_prm: Array
    """(ngeomfield) of vec8: parameters of the function"""
    sdf_root: Array
    """(ngeomfield) of int32: outermost cell of the octree of a geom's mesh; -1: none"""
    sdf_pos: Array
    """(ngeomfield) of vec3d: origin of the field in the geom's frame [m]"""
    sdf_mat: Array
    """(ngeomfield) of mat33d: axes of the field in the geom's frame"""
    sdf_center: Array
    """(ngeomfield) of vec3d: centre of the box around the geom, in its frame [m]"""
    sdf_half: Array
    """(ngeomfield) of vec3d: its half sides [m]"""
    sdf_tri_adr: Array
    """(ngeomfield) of int32: first triangle of a geom's mesh, where it meets fields"""
    sdf_tri_num: Array
    """(ngeomfield) of int32: how many it has"""
    sdf_tri: Array
    """(nfieldtri, 3) of vec3f: corners of a triangle, in the frame of the mesh's geom [m]"""
    sdf_oct_child: Array
    """(noct, 8) of int32: cells within a cell, from the mesh's outermost one; -1: none"""
    sdf_oct_center: Array
    """(noct) of vec3d: centre of a cell, in the frame of the mesh's geom [m]"""
    sdf_oct_half: Array
    """(noct) of vec3d: its half sides [m]"""
    sdf_oct_coeff: Array
    """(noct, 8) of float64: signed distances at its corners [m]"""
    actuator_trntype: Array
    """(nactuator) of int32: TrnType"""
    actuator_dyntype: Array
    """(nactuator) of int32: DynType"""
    actuator_gaintype: Array
    """(nactuator) of int32: GainType"""
    actuator_biastype: Array
    """(nactuator) of int32: BiasType"""
    actuator_trnid: Array
    """(nactuator) of vec2i: joint, tendon, site ..."""
    actuator_ctrladr: Array
    """(nactuator) of int32: first control"""
    actuator_ctrlnum: Array
    """(nactuator) of int32: number of controls"""
    actuator_ctrlspec: Array
    """(nactuator) of int32: CtrlInput bits of the controls, or chart of an SO3 servo"""
    actuator_law: Array
    """(nactuator) of int32: ForceLaw; 0: gain times input plus bias"""
    actuator_ctrl0: Array
    """(nu) of float32: controls after a reset: zero, or the identity quaternion"""
    actuator_outadr: Array
    """(nactuator) of int32: first force output"""
    actuator_outnum: Array
    """(nactuator) of int32: number of force outputs"""
    actuator_actadr: Array
    """(nactuator) of int32: first activation; -1: stateless"""
    actuator_actnum: Array
    """(nactuator) of int32: number of activations"""
    actuator_group: Array
    """(nactuator) of int32: group, for disableactuator"""
    actuator_actlimited: Array
    """(nactuator) of int32: activation is limited"""
    actuator_actearly: Array
    """(nactuator) of int32: force from the next activation"""
    actuator_forcelimited: Array
    """(nactuator) of int32: force is limited"""
    actuator_ctrllimited: Array
    """(nu) of int32: control is limited"""
    actuator_moment_rownnz0: Array
    """(nout) of int32: non-zeros of each moment row"""
    actuator_moment_rowadr0: Array
    """(nout) of int32: first entry of each moment row"""
    actuator_moment_colind0: Array
    """(nJmom) of int32: dofs of the moment rows, ascending in each row"""
    actuator_cranklength: Array
    """(nworld, nactuator) of float32: length of the crank's rod [m]"""
    actuator_acc0: Array
    """(nworld, nout) of float32: norm of the acceleration that a unit force gives at qpos0"""
    actuator_lengthrange: Array
    """(nworld, nout) of vec2f: feasible lengths, for muscles"""
    actuator_dynprm: Array
    """(nworld, nactuator) of vec10: dynamics parameters"""
    actuator_gainprm: Array
    """(nworld, nactuator) of vec10: gain parameters"""
    actuator_biasprm: Array
    """(nworld, nactuator) of vec10: bias parameters"""
    actuator_actrange: Array
    """(nworld, nactuator) of vec2f: range of the activation"""
    actuator_forcerange: Array
    """(nworld, nactuator) of vec2f: range of the force"""
    actuator_ctrlrange: Array
    """(nworld, nu) of vec2f: range of the control"""
    actuator_gear: Array
    """(nworld, nout) of spatial_vectorf: scale of length and force"""
    ten_J_rownnz: Array
    """(ntendon) of int32: non-zeros of the Jacobian row"""
    ten_J_rowadr: Array
    """(ntendon) of int32: first entry of the row"""
    ten_J_colind: Array
    """(nJten) of int32: dofs of the row, ascending"""
    ten_J_qposadr: Array
    """(nJten) of int32: coordinate that belongs to each dof of the row"""
    tendon_type: Array
    """(ntendon) of int32: 0: fixed, 1: spatial"""
    tendon_adr: Array
    """(ntendon) of int32: first wrap"""
    tendon_num: Array
    """(ntendon) of int32: number of wraps"""
    wrap_type: Array
    """(nwrap) of int32: 1 joint, 2 pulley, 3 site, 4 sphere, 5 cylinder"""
    wrap_objid: Array
    """(nwrap) of int32: joint, site or geom"""
    tendon_wrap_sideid: Array
    """(nwrap) of int32: side site of a wrapping geom; -1: none"""
    tendon_limited: Array
    """(ntendon) of int32: has a range"""
    tendon_actfrclimited: Array
    """(ntendon) of int32: limits the total force of its actuators"""
    tendon_wrap_scale: Array
    """(nworld, nwrap) of float32: 1/divisor of the pulley branch"""
    tendon_armature: Array
    """(nworld, ntendon) of float32: inertia of the length [kg]"""
    tendon_actfrcrange: Array
    """(nworld, ntendon) of vec2f: limits of the total actuator force [N]"""
    tendon_coef: Array
    """(nworld, nJten) of float32: weight of each coordinate"""
    tendon_solref_lim: Array
    """(nworld, ntendon) of vec2f: limit: reference"""
    tendon_solimp_lim: Array
    """(nworld, ntendon) of vec5: limit: impedance"""
    tendon_solref_fri: Array
    """(nworld, ntendon) of vec2f: friction loss: reference"""
    tendon_solimp_fri: Array
    """(nworld, ntendon) of vec5: friction loss: impedance"""
    tendon_range: Array
    """(nworld, ntendon) of vec2f: limits of the length"""
    tendon_margin: Array
    """(nworld, ntendon) of float32: distance at which the limit becomes a row"""
    tendon_stiffness: Array
    """(nworld, ntendon) of float32: spring"""
    tendon_stiffnesspoly: Array
    """(nworld, ntendon) of vec2f: higher coefficients of the spring"""
    tendon_damping: Array
    """(nworld, ntendon) of float32: damper"""
    tendon_dampingpoly: Array
    """(nworld, ntendon) of vec2f: higher coefficients of the damper"""
    tendon_frictionloss: Array
    """(nworld, ntendon) of float32: friction loss"""
    tendon_lengthspring: Array
    """(nworld, ntendon) of vec2f: range of lengths in which the spring rests"""
    tendon_length0: Array
    """(nworld, ntendon) of float32: length at qpos0"""
    tendon_invweight0: Array
    """(nworld, ntendon) of float32: inverse inertia at qpos0"""
    sensor_type: Array
    """(nsensor) of int32: SensorType; -1: not evaluated"""
    sensor_datatype: Array
    """(nsensor) of int32: DataType"""
    sensor_needstage: Array
    """(nsensor) of int32: Stage after which it is evaluated"""
    sensor_objtype: Array
    """(nsensor) of int32: ObjType of the measured object"""
    sensor_objid: Array
    """(nsensor) of int32: measured object"""
    sensor_reftype: Array
    """(nsensor) of int32: ObjType of the reference"""
    sensor_refid: Array
    """(nsensor) of int32: object that carries the frame of reference; -1: world frame"""
    sensor_dim: Array
    """(nsensor) of int32: numbers"""
    sensor_adr: Array
    """(nsensor) of int32: first entry in sensordata"""
    sensor_intprm: Array
    """(nsensor) of vec3i: data bits, reduction, slots (rangefinder and contact)"""
    sensor_cutoff: Array
    """(nworld, nsensor) of float32: bound of the output; 0: none"""
    sensor_noise: Array
    """(nworld, nsensor) of float32: standard deviation that the user may add; the step adds none"""
    sensor_bodyid: Array
    """(nsensor) of int32: body that carries the measured object"""
    sensor_refbodyid: Array
    """(nsensor) of int32: body that carries the reference"""
    sensor_ordinary: int
    """sensors that have no kernel of their own"""
    sensor_projections: int
    """sensors of where a site appears in a picture"""
    sensor_accelerations: int
    """1: some sensor needs rne_postconstraint"""
    sensor_momenta: int
    """1: some sensor needs subtree_vel"""
    sensor_energies: int
    """1: some sensor needs the energy"""
    eq_type: Array
    """(neq) of int32: EqType"""
    eq_obj1id: Array
    """(neq) of int32: body, site, joint or tendon"""
    eq_obj2id: Array
    """(neq) of int32: the same of the other side; -1: a constant (joint, tendon)"""
    eq_objtype: Array
    """(neq) of int32: ObjType of bodies and sites"""
    eq_solref: Array
    """(nworld, neq) of vec2f: reference"""
    eq_solimp: Array
    """(nworld, neq) of vec5: impedance"""
    eq_data: Array
    """(nworld, neq) of vec12: anchors, relative orientation and torque scale, or the polynomial"""
    nD: int
    """non-zeros of a matrix that couples all dofs of a chain, both triangles"""
    D_rownnz: Array
    """(nv) of int32: non-zeros in the row"""
    D_rowadr: Array
    """(nv) of int32: first entry of the row"""
    D_diag: Array
    """(nv) of int32: place of the diagonal in the row"""
    D_colind: Array
    """(nD) of int32: columns, ascending"""
    mapM2D: Array
    """(nD) of int32: entry of M; -1: M has none there"""
    nhistory: int
    """numbers of the history buffers"""
    nplastic: int
    """numbers of the plastic state"""
    actuator_history: Array
    """(nworld, nactuator) of vec2i: samples of the control and their InterpolationType"""
    actuator_historyadr: Array
    """(nworld, nactuator) of int32: first entry in history; -1: none"""
    actuator_turns: Array
    """(nactuator) of int32: the control is a quaternion: a reset fills the buffer with identities"""
    sensor_history: Array
    """(nworld, nsensor) of vec2i: samples of the sensor and their InterpolationType"""
    sensor_historyadr: Array
    """(nworld, nsensor) of int32: first entry in history; -1: none"""
    actuator_delay: Array
    """(nworld, nactuator) of float32: delay of the control; 0: none [s]"""
    sensor_delay: Array
    """(nworld, nsensor) of float32: delay of the sensor; 0: none [s]"""
    sensor_interval: Array
    """(nworld, nsensor) of vec2f: period of evaluation (0: every step), phase [s]"""
    jnt_plasticadr: Array
    """(njnt) of int32: first entry in plastic; -1: elastic"""
    tendon_plasticadr: Array
    """(ntendon) of int32: first entry in plastic; -1: elastic"""
    jnt_springyield: Array
    """(nworld, njnt) of float32: displacement at which the spring yields [m or rad]"""
    tendon_springyield: Array
    """(nworld, ntendon) of float32: displacement at which the spring yields [m]"""
    ncam: int
    """cameras"""
    cam_needed: int
    """1: some sensor of a step looks through a camera"""
    cam_mode: Array
    """(ncam) of int32: CamLightType: how it follows its body, or aims at another"""
    cam_bodyid: Array
    """(ncam) of int32: body that carries the camera"""
    cam_targetbodyid: Array
    """(ncam) of int32: body that it is aimed at; -1: none"""
    cam_projection: Array
    """(ncam) of int32: 0 perspective, 1 orthographic"""
    cam_resolution: Array
    """(ncam) of vec2i: pixels, width and height"""
    cam_sensorsize: Array
    """(ncam) of vec2f: size of the picture's plane, width and height; 0: fovy counts [m]"""
    cam_fovy: Array
    """(nworld, ncam) of float32: vertical field of view [deg], or height of an orthographic picture [m]"""
    cam_intrinsic: Array
    """(nworld, ncam) of vec4f: focal lengths and principal point [m]"""
    cam_pos: Array
    """(nworld, ncam) of vec3f: position in the body frame [m]"""
    cam_quat: Array
    """(nworld, ncam) of vec4f: orientation in the body frame; it looks along its -z axis"""
    cam_poscom0: Array
    """(nworld, ncam) of vec3f: position from the subtree's centre of mass at qpos0, world axes [m]"""
    cam_pos0: Array
    """(nworld, ncam) of vec3f: position from the body at qpos0, world axes [m]"""
    cam_mat0: Array
    """(nworld, ncam) of mat33f: axes at qpos0, world frame"""
    nlight: int
    """lights"""
    light_mode: Array
    """(nlight) of int32: CamLightType: how it follows its body, or aims at another"""
    light_bodyid: Array
    """(nlight) of int32: body that carries the light"""
    light_targetbodyid: Array
    """(nlight) of int32: body that it is aimed at; -1: none"""
    light_pos: Array
    """(nworld, nlight) of vec3f: position in the body frame [m]"""
    light_dir: Array
    """(nworld, nlight) of vec3f: direction in the body frame"""
    light_poscom0: Array
    """(nworld, nlight) of vec3f: position from the subtree's centre of mass at qpos0, world axes [m]"""
    light_pos0: Array
    """(nworld, nlight) of vec3f: position from the body at qpos0, world axes [m]"""
    light_dir0: Array
    """(nworld, nlight) of vec3f: direction at qpos0, world frame"""
    surface_mesh: Array
    """(nmesh) of uint64: wp.Mesh of each mesh, in the mesh's frame; 0: not made yet, no ray hits it"""
    ranging_nray: int
    """rays of all rangefinders"""
    ranging_sensor: Array
    """(nray) of int32: sensor of each ray"""
    ranging_pixel: Array
    """(nray) of int32: place of each ray in its sensor, row by row; 0 for sites"""
    ranging_offset: Array
    """(nray) of int32: first number of each ray in its sensor's output"""
    measure_number: int
    """distances: sensors of the same objects and cutoff share one"""
    measure_adr: Array
    """(nmeasure) of int32: first entry of each distance in sensor"""
    measure_num: Array
    """(nmeasure) of int32: sensors of each distance"""
    measure_sensor: Array
    """(nmeasuresensor) of int32: sensors that show the distance, its normal or its end points"""
    inside_number: int
    """sensors of what lies in a site that look at meshes or whole geoms"""
    inside_sensor: Array
    """(ninside) of int32: these sensors"""
    inside_mesh: Array
    """(nsite) of int32: mesh of each site; -1: none"""
    inside_pos: Array
    """(nsite) of vec3f: origin of the mesh's frame in the site's [m]"""
    inside_quat: Array
    """(nsite) of vec4f: axes of the mesh's frame in the site's"""
    tactile_number: int
    """taxels of all tactile sensors"""
    tactile_sensor: Array
    """(ntaxel) of int32: sensor of each taxel"""
    tactile_vertex: Array
    """(ntaxel) of int32: number of each taxel in its sensor's mesh"""
    tactile_count: Array
    """(ntaxel) of int32: taxels of the sensor"""
    tactile_pos: Array
    """(ntaxel) of vec3f: place in the geom's frame [m]"""
    tactile_tangent1: Array
    """(ntaxel) of vec3f: unit vector along which sliding is measured, geom's frame; 0: not measured"""
    tactile_tangent2: Array
    """(ntaxel) of vec3f: the second of these"""
    geom_gain: Array
    """(nworld, ngeom) of vec2f: stiffness [N/m] and damping [N s/m] of its contacts; zero: solref says them"""
    geom_impedance: Array
    """(nworld, ngeom) of float32: flat impedance under which the gains hold in motion as well; zero: solimp says it"""
    geom_kf: Array
    """(nworld, ngeom) of float32: friction stiffness of contacts from outside [N s/m]; negative: none given"""
    sleep_tolerance: Array
    """(nworld) of float32: a tree whose dofs all move slower than this may sleep [m/s]"""
    sleep_dof_length: Array
    """(nworld, nv) of float32: distance that a unit of each dof moves: 1 for slides, a length for rotations [m]"""
    sleep_tree_bodyadr: Array
    """(ntree) of int32: first body of each kinematic tree"""
    sleep_tree_bodynum: Array
    """(ntree) of int32: number of its bodies"""
    tree_sleep_policy: Array
    """(ntree) of int32: SleepPolicy"""
    eq_tree1: Array
    """(neq) of int32: kinematic tree of an equality's first object; -1: static, -2: moved by the user"""
    eq_tree2: Array
    """(neq) of int32: the same of the second"""
    actuator_treeadr: Array
    """(nactuator+1) of int32: first entry of each actuator in actuator_treeid"""
    actuator_treeid: Array
    """(nactuatortree) of int32: trees that an actuator moves"""
    sensor_treeadr: Array
    """(nsensor+1) of int32: first entry of each sensor in sensor_treeid"""
    sensor_treeid: Array
    """(nsensortree) of int32: trees that a sensor's value follows; a sensor without any is always evaluated"""
    thickness_least: Array
    """(nworld, ngeom) of float32: smallest half extent of the box around a geom [m]"""
    contact_bound: Any
    field_kernel: Any
    filterparent: Any
    finds_contacts: Any
    host_fields: Any
    key: Any
    likely_contacts: Any
    likely_heap: Any
    mapping: Any
    maps: Any
    measures_reactions: Any
    names: Any
    nexposed: Any
    nforced: Any
    nkey: Any
    ntenspatial: Any
    nuserdata: Any
    pairs_listed: Any
    reflected: Any
    report: Any
    simple: Any
    structure: Any
    surfaces: Any
    user_actuation: Any
    watching: Any
    geom_rgba: Array
    """(nworld, n) of vec4"""
    geom_matid: Array
    """(nworld, n)"""
    geom_aabb: Array
    """(nworld, n) of vec3"""
    site_rgba: Array
    """(nworld, n) of vec4"""
    mat_rgba: Array
    """(nworld, n) of vec4"""
    mat_texid: Array
    """(nworld, n)"""
    mat_texuniform: Array
    """(nworld, n)"""
    mat_texrepeat: Array
    """(nworld, n) of vec2"""
    mat_emission: Array
    """(nworld, n)"""
    mat_specular: Array
    """(nworld, n)"""
    mat_shininess: Array
    """(nworld, n)"""
    tendon_rgba: Array
    """(nworld, n) of vec4"""
    light_type: Array
    """(nworld, n)"""
    light_castshadow: Array
    """(nworld, n)"""
    light_active: Array
    """(nworld, n)"""
    light_attenuation: Array
    """(nworld, n) of vec3"""
    light_cutoff: Array
    """(nworld, n)"""
    light_exponent: Array
    """(nworld, n)"""
    light_ambient: Array
    """(nworld, n) of vec3"""
    light_diffuse: Array
    """(nworld, n) of vec3"""
    light_specular: Array
    """(nworld, n) of vec3"""
    actuator_armature: Array
    """(nworld, n)"""
    actuator_damping: Array
    """(nworld, n)"""
    actuator_dampingpoly: Array
    """(nworld, n) of vec2"""
    body_contype: Array
    """(n)"""
    body_conaffinity: Array
    """(n)"""
    jnt_actuatorid: Array
    """(n)"""
    dof_Madr: Array
    """(n)"""
    dof_length: Array
    """(n)"""
    tree_bodynum: Array
    """(n)"""
    exclude_signature: Array
    """(n)"""
    wrap_prm: Array
    """(n)"""
    tendon_actuatorid: Array
    """(n)"""
    mesh_vertadr: Array
    """(n)"""
    mesh_vertnum: Array
    """(n)"""
    mesh_faceadr: Array
    """(n)"""
    mesh_facenum: Array
    """(n)"""
    mesh_normaladr: Array
    """(n)"""
    mesh_normalnum: Array
    """(n)"""
    mesh_graphadr: Array
    """(n)"""
    mesh_vert: Array
    """(n) of vec3"""
    mesh_normal: Array
    """(n) of vec3"""
    mesh_face: Array
    """(n) of vec3"""
    mesh_graph: Array
    """(n)"""
    mesh_pos: Array
    """(n) of vec3"""
    mesh_quat: Array
    """(n) of vec4"""
    mesh_polynum: Array
    """(n)"""
    mesh_polyadr: Array
    """(n)"""
    mesh_polynormal: Array
    """(n) of vec3"""
    mesh_polyvertadr: Array
    """(n)"""
    mesh_polyvertnum: Array
    """(n)"""
    mesh_polyvert: Array
    """(n)"""
    mesh_polymapadr: Array
    """(n)"""
    mesh_polymapnum: Array
    """(n)"""
    mesh_polymap: Array
    """(n)"""
    key_time: Array
    """(n)"""
    key_qpos: Array
    """(n)"""
    key_qvel: Array
    """(n)"""
    key_act: Array
    """(n)"""
    key_mpos: Array
    """(n) of vec3"""
    key_mquat: Array
    """(n) of vec4"""
    key_ctrl: Array
    """(n)"""
    key_plastic: Array
    """(n)"""
    nmesh: int
    nmeshvert: int
    nmeshface: int
    nmat: int
    nexclude: int
    nwrap: int
    nhfielddata: int
    nM: int
    callback: Any
    """functions of the caller's that a step calls"""
    is_sparse: bool

class DataState:
    time: wp.array
    """(nworld) of float32: simulation time [s]"""
    time_low: wp.array
    """(nworld) of float32: what float32 leaves of the time: time + time_low is the number of steps times the time step [s]"""
    qpos: wp.array
    """(nworld, nq) of float32: generalized position"""
    qvel: wp.array
    """(nworld, nv) of float32: generalized velocity"""
    act: wp.array
    """(nworld, na) of float32: activation of actuators"""
    qacc_warmstart: wp.array
    """(nworld, nv) of float32: acceleration from which the solver starts"""
    ctrl: wp.array
    """(nworld, nu) of float32: control"""
    qfrc_applied: wp.array
    """(nworld, nv) of float32: applied generalized force"""
    xfrc_applied: wp.array
    """(nworld, nbody) of spatial_vectorf: applied force, torque at the centre of mass, world frame, force first"""
    mocap_pos: wp.array
    """(nworld, nmocap) of vec3f: pose of mocap bodies [m]"""
    mocap_quat: wp.array
    """(nworld, nmocap) of vec4f: pose of mocap bodies"""
    eq_active: wp.array
    """(nworld, neq) of bool: equality constraint holds"""

class DataKin:
    xpos: wp.array
    """(nworld, nbody) of vec3f: body frame [m], world frame"""
    xquat: wp.array
    """(nworld, nbody) of vec4f: body frame, world frame"""
    xmat: wp.array
    """(nworld, nbody) of mat33f: body frame, world frame"""
    xipos: wp.array
    """(nworld, nbody) of vec3f: centre of mass [m]"""
    ximat: wp.array
    """(nworld, nbody) of mat33f: principal axes of inertia"""
    xanchor: wp.array
    """(nworld, njnt) of vec3f: joint anchor [m]"""
    xaxis: wp.array
    """(nworld, njnt) of vec3f: joint axis"""
    geom_xpos: wp.array
    """(nworld, ngeom) of vec3f: [m]"""
    geom_xmat: wp.array
    """(nworld, ngeom) of mat33f: orientation"""
    site_xpos: wp.array
    """(nworld, nsite) of vec3f: [m]"""
    site_xmat: wp.array
    """(nworld, nsite) of mat33f: orientation"""

class DataCom:
    subtree_com: wp.array
    """(nworld, nbody) of vec3f: centre of mass of the subtree [m]"""
    cdof: wp.array
    """(nworld, nv) of spatial_vectorf: motion axis of each dof about the tree's centre of mass (rotation first)"""
    cinert: wp.array
    """(nworld, nbody) of vec10: inertia about the tree's centre of mass: xx yy zz xy xz yz, m*r, m"""

class DataMass:
    crb: wp.array
    """(nworld, nbody) of vec10: composite inertia"""
    M: wp.array
    """(nworld, nC) of float32: mass matrix, sparse rows"""
    qLD: wp.array
    """(nworld, nC) of float32: M = L' D L: rows of L, D on the diagonal"""
    qLDiagInv: wp.array
    """(nworld, nv) of float32: 1/D"""
    qH: wp.array
    """(nworld, nC) of float32: the same of M - h dF/dv (implicit damping, implicitfast)"""
    qHDiagInv: wp.array
    """(nworld, nv) of float32: 1/D of it"""
    qDeriv: wp.array
    """(nworld, nC) of float32: symmetric part of dF/dv in M's sparsity (implicitfast)"""

class DataVel:
    cvel: wp.array
    """(nworld, nbody) of spatial_vectorf: body velocity about the tree's centre of mass (rotation first)"""
    cdof_dot: wp.array
    """(nworld, nv) of spatial_vectorf: time derivative of cdof"""
    cacc: wp.array
    """(nworld, nbody) of spatial_vectorf: body acceleration (bias stage: without qacc)"""
    cfrc: wp.array
    """(nworld, nbody) of spatial_vectorf: body force of the bias stage, accumulated towards the root"""

class DataFrc:
    qfrc_bias: wp.array
    """(nworld, nv) of float32: Coriolis, centrifugal and gravitational force"""
    qfrc_spring: wp.array
    """(nworld, nv) of float32: springs"""
    qfrc_damper: wp.array
    """(nworld, nv) of float32: dampers"""
    qfrc_gravcomp: wp.array
    """(nworld, nv) of float32: gravity compensation"""
    qfrc_fluid: wp.array
    """(nworld, nv) of float32: forces of the medium"""
    qfrc_adhesion: wp.array
    """(nworld, nv) of float32: pull of contacts with adhesion"""
    qfrc_passive: wp.array
    """(nworld, nv) of float32: sum of passive forces"""
    qfrc_actuator: wp.array
    """(nworld, nv) of float32: actuators"""
    qfrc_smooth: wp.array
    """(nworld, nv) of float32: everything but the constraints"""
    qacc_smooth: wp.array
    """(nworld, nv) of float32: acceleration without the constraints"""
    qfrc_inverse: wp.array
    """(nworld, nv) of float32: result of the inverse dynamics"""

class DataDrive:
    actuator_length: wp.array
    """(nworld, nout) of float32: length"""
    actuator_velocity: wp.array
    """(nworld, nout) of float32: velocity"""
    actuator_force: wp.array
    """(nworld, nout) of float32: force"""
    act_dot: wp.array
    """(nworld, na) of float32: time derivative of act"""
    law_slope: wp.array
    """(nworld, nactuator) of float32: derivative by velocity of forces with a law of their own"""
    slope: wp.array
    """(nworld, nactuator) of float32: implicit integrators: derivative of force by velocity"""
    held: wp.array
    """(nworld, nout) of int32: 1: the tendon's forces add up to its force range"""
    moment_rownnz: wp.array
    """(nworld, nout) of int32: non-zeros of a moment row"""
    moment_rowadr: wp.array
    """(nworld, nout) of int32: first entry of a moment row"""
    moment_colind: wp.array
    """(nworld, nJmom) of int32: columns of the moments"""
    actuator_moment: wp.array
    """(nworld, nJmom) of float32: moments"""

class DataTen:
    length: wp.array
    """(nworld, ntendon) of float32: length"""
    velocity: wp.array
    """(nworld, ntendon) of float32: velocity"""
    J: wp.array
    """(nworld, nJten) of float32: Jacobian, sparse rows (m.ten_J_rowadr, m.ten_J_colind)"""
    wrapadr: wp.array
    """(nworld, ntendon) of int32: first point of the path in wrap_xpos"""
    wrapnum: wp.array
    """(nworld, ntendon) of int32: number of points"""
    wrap_xpos: wp.array
    """(nworld, nwrap2) of vec3f: points of the paths [m]"""
    wrap_obj: wp.array
    """(nworld, nwrap2) of int32: geom of each point; -1: site, -2: pulley"""
    def __call__(self, key: int | str) -> Named: ...

class DataContact:
    dist: wp.array
    """(nworld, nconmax) of float32: distance; negative: penetration [m]"""
    pos: wp.array
    """(nworld, nconmax) of vec3f: midpoint [m]"""
    frame: wp.array
    """(nworld, nconmax) of mat33f: rows: normal (geom 1 to geom 2), tangent 1, tangent 2"""
    includemargin: wp.array
    """(nworld, nconmax) of float32: a row is made if dist < includemargin [m]"""
    friction: wp.array
    """(nworld, nconmax) of vec5: tangent1, tangent2, spin, roll1, roll2"""
    solref: wp.array
    """(nworld, nconmax) of vec2f: normal reference"""
    solreffriction: wp.array
    """(nworld, nconmax) of vec2f: friction reference"""
    solimp: wp.array
    """(nworld, nconmax) of vec5: impedance"""
    dim: wp.array
    """(nworld, nconmax) of int32: 1, 3, 4 or 6"""
    geom: wp.array
    """(nworld, nconmax) of vec2i: geoms"""
    pairid: wp.array
    """(nworld, nconmax) of int32: explicit pair that the contact comes from; -1: none"""
    adhesion: wp.array
    """(nworld, nconmax) of float32: force with which the contact can pull [N]"""
    surfacevel: wp.array
    """(nworld, nconmax) of vec3f: motion of surface 2 less that of surface 1: tangent 1, tangent 2 [m/s], spin [rad/s]"""
    efc_address: wp.array
    """(nworld, nconmax) of int32: first row; -1: none"""
    mu: wp.array
    """(nworld, nconmax) of float32: friction of the regularized cone (elliptic)"""
    bound: wp.array
    """(nworld, ngeom) of vec4f: centre and radius of a geom's bounding ball, inflated by its margin and gap"""
    bound_axis: wp.array
    """(nworld, ngeom) of vec4f: half axis and inflated radius of its bounding capsule; of a plane the normal"""
    candidate: wp.array
    """(nworld, 256) of int32: near pairs of a batch of 256"""

class DataEfc:
    type: wp.array
    """(nworld, njmax) of int32: ConstraintType"""
    id: wp.array
    """(nworld, njmax) of int32: joint, dof or contact of the row"""
    J: wp.array
    """(nworld, njdense, njcol) of float32: Jacobian: dense with padding of zeros, or one line of the entries of all rows"""
    J_rownnz: wp.array
    """(nworld, njsparse) of int32: non-zeros of a row (sparse Jacobian)"""
    J_rowadr: wp.array
    """(nworld, njsparse) of int32: first entry of a row"""
    J_colind: wp.array
    """(nworld, njnz) of int32: dofs of the entries"""
    pos: wp.array
    """(nworld, njmax_pad) of float32: position"""
    margin: wp.array
    """(nworld, njmax_pad) of float32: margin"""
    D: wp.array
    """(nworld, njmax_pad) of float32: 1/R; zero in the padding"""
    vel: wp.array
    """(nworld, njmax_pad) of float32: J qvel"""
    aref: wp.array
    """(nworld, njmax_pad) of float32: reference acceleration"""
    frictionloss: wp.array
    """(nworld, njmax_pad) of float32: bound of friction rows"""
    force: wp.array
    """(nworld, njmax_pad) of float32: constraint force"""
    state: wp.array
    """(nworld, njmax_pad) of int32: ConstraintState"""

class DataSol:
    qacc: wp.array
    """(nworld, nv) of float32: acceleration"""
    qfrc_constraint: wp.array
    """(nworld, nv) of float32: constraint force"""
    Ma: wp.array
    """(nworld, nv) of float32: M qacc"""
    x: wp.array
    """(nworld, nsol) of float32: padded copy of qacc while iterating"""
    Mx: wp.array
    """(nworld, nsol) of float32: M x"""
    smooth: wp.array
    """(nworld, nsol) of float32: padded copy of qfrc_smooth"""
    JTf: wp.array
    """(nworld, nsol) of float32: J' force"""
    grad: wp.array
    """(nworld, nsol) of float32: gradient of the cost"""
    search: wp.array
    """(nworld, nsol) of float32: search direction"""
    Mv: wp.array
    """(nworld, nsol) of float32: M search"""
    Jaref: wp.array
    """(nworld, nsolrow) of float32: J qacc - aref"""
    Jv: wp.array
    """(nworld, nsolrow) of float32: J search"""
    M: wp.array
    """(nworld, nvdense, nvdense) of float32: dense mass matrix"""
    H: wp.array
    """(nworld, nvdense, nvdense) of float32: Hessian and its L'DL factor, lower triangle by rows"""
    W: wp.array
    """(nworld, njwrow, nwcol) of float32: rows M^-1 J' of the dual solvers, dense or as J is"""
    W_colind: wp.array
    """(nworld, nwcolind) of int32: dofs of the entries of W, if those are sparse"""
    A: wp.array
    """(nworld, njdual, 7) of float32: J M^-1 J': columns of the row's block, then the diagonal"""
    Hdiaginv: wp.array
    """(nworld, nsol) of float32: 1/D of the factor of H; the padding is zero"""

class DataIsl:
    nisland: wp.array
    """(nworld) of int32: groups of kinematic trees that rows couple (sparse Jacobian)"""
    tree_island: wp.array
    """(nworld, nistree) of int32: island of each tree; -1: no rows"""
    dof_island: wp.array
    """(nworld, nisdof) of int32: island of each dof; -1: no rows"""
    efc_island: wp.array
    """(nworld, njsparse) of int32: island of each row"""
    island_ntree: wp.array
    """(nworld, nistree) of int32: trees of an island"""
    island_itreeadr: wp.array
    """(nworld, nistree) of int32: its first tree in map_itree2tree"""
    map_itree2tree: wp.array
    """(nworld, nistree) of int32: trees, those of an island together"""
    island_nv: wp.array
    """(nworld, nistree) of int32: dofs of an island"""
    island_ne: wp.array
    """(nworld, nistree) of int32: its equality rows"""
    island_nf: wp.array
    """(nworld, nistree) of int32: its friction rows"""
    island_nefc: wp.array
    """(nworld, nistree) of int32: its rows"""
    island_iefcadr: wp.array
    """(nworld, nistree) of int32: its first row in map_iefc2efc"""
    island_rounded: wp.array
    """(nworld, nistree) of int32: solver_rounded of an island"""
    map_iefc2efc: wp.array
    """(nworld, njsparse) of int32: rows, those of an island together"""
    map_efc2iefc: wp.array
    """(nworld, njsparse) of int32: the inverse"""
    edge_adr: wp.array
    """(nworld, nistree1) of int32: first entry of each tree in edge"""
    edge: wp.array
    """(nworld, nisedge) of int32: trees that rows couple with each tree"""
    label: wp.array
    """(nworld, nistree1) of int32: marks of the search"""
    tree_pos: wp.array
    """(nworld, nistree) of int32: place of the tree's last dof among those of its island"""
    place: wp.array
    """(nworld, nistree) of int32: where the vectors of an island begin if each has its own, in blocks of eight"""
    mass_place: wp.array
    """(nworld, nistree) of int32: where its M begins"""
    length: wp.array
    """(nworld, nistree) of int32: floats of its Hessian"""
    niter: wp.array
    """(nworld, nistree) of int32: iterations of its solver"""
    dof_at: wp.array
    """(nworld, nispos) of int32: dof at each place; -1: padding"""
    dof_place: wp.array
    """(nworld, nisdof) of int32: place of each dof among those of its island"""
    column: wp.array
    """(nworld, njnz) of int32: places of the entries of J"""
    panel_first: wp.array
    """(nworld, nispos) of int32: first block of columns of each panel of H"""
    panel_adr: wp.array
    """(nworld, nispos) of int32: where column 0 of each panel of H would begin"""
    mass_first: wp.array
    """(nworld, nispos) of int32: first block of columns of each panel of M"""
    mass_adr: wp.array
    """(nworld, nispos) of int32: where column 0 of each panel of M would begin"""
    M: wp.array
    """(nworld, nismass) of float32: M of one island"""
    H: wp.array
    """(nworld, nhessian) of float32: Hessian of one island and its Cholesky factor"""
    D: wp.array
    """(nworld, nisrow) of float32: efc_D of one island"""
    aref: wp.array
    """(nworld, nisrow) of float32: efc_aref of one island"""
    frictionloss: wp.array
    """(nworld, nisrow) of float32: efc_frictionloss of one island"""
    force: wp.array
    """(nworld, nisrow) of float32: efc_force of one island"""
    state: wp.array
    """(nworld, nisrow) of int32: efc_state of one island"""
    bound: wp.array
    """(nworld, nispos) of float32: qLDiagInv of one island"""
    con_address: wp.array
    """(nworld, niscon) of int32: contact_efc_address of one island"""
    con_dim: wp.array
    """(nworld, niscon) of int32: contact_dim of one island"""
    con_friction: wp.array
    """(nworld, niscon) of vec5: contact_friction of one island"""
    con_mu: wp.array
    """(nworld, niscon) of float32: contact_mu of one island"""
    head: wp.array
    """(nworld, nispos) of int32: eight numbers of one island: rows, trees, which one it is"""
    numbers: wp.array
    """(nworld, nispos) of float32: its tolerance of gradient and decrease, and two that conjugate gradients keep"""

class DataStatus:
    ncon: wp.array
    """(nworld) of int32: contacts"""
    ne: wp.array
    """(nworld) of int32: equality rows"""
    ne_needed: wp.array
    """(nworld) of int32: equality rows wanted"""
    nf: wp.array
    """(nworld) of int32: friction rows"""
    nl: wp.array
    """(nworld) of int32: limit rows"""
    nefc: wp.array
    """(nworld) of int32: rows"""
    solver_niter: wp.array
    """(nworld) of int32: iterations of the solver, and sweeps of the slip suppression"""
    rounded: wp.array
    """(nworld) of int32: 1: float32, not tolerance or limit, ended the last iteration on rows"""
    overflow: wp.array
    """(nworld) of int32: OverflowType bits since the last reset"""
    overflow_time: wp.array
    """(nworld, 2) of float32: time at which the first step since the last reset lacked room [s], -1: none; 1: for an island's Hessian"""
    any_overflow: wp.array
    """(1) of int32: 1: some world has lacked room for something; read through ``newtonish.mjw.overflow``"""
    ncon_needed: wp.array
    """(nworld) of int32: largest number of contacts wanted since the last reset"""
    nefc_needed: wp.array
    """(nworld) of int32: largest number of rows wanted since the last reset"""
    nonfinite: wp.array
    """(nworld) of int32: number of automatic resets"""
    nonfinite_met: wp.array
    """(nworld) of int32: what the last evaluation met that is not finite, as ``nonfinite_origin``; 0: nothing"""
    nonfinite_origin: wp.array
    """(nworld) of int32: what the last automatic reset was for: NonfiniteType * 2^24 + number of the entity; 0: none"""
    nhessian_needed: wp.array
    """(nworld) of int32: largest Hessian of an island since the last reset, or of islands that are solved side by side [floats] (sparse Jacobian)"""

class DataScratch:
    qvel: wp.array
    """(nworld, nv) of float32: velocity update of an integrator"""
    wrench: wp.array
    """(nworld, nbody) of spatial_vectorf: applied force on each body, accumulated towards the root"""
    qpos0: wp.array
    """(nworld, nq) of float32: Runge-Kutta: position at the start of the step"""
    qvel0: wp.array
    """(nworld, nv) of float32: Runge-Kutta: velocity at the start of the step"""
    act0: wp.array
    """(nworld, na) of float32: Runge-Kutta: activation at the start of the step"""
    actuator_length0: wp.array
    """(nworld, nout) of float32: Runge-Kutta: actuator lengths at the start of the step"""
    actuator_velocity0: wp.array
    """(nworld, nout) of float32: Runge-Kutta: actuator velocities at the start of the step"""
    dqvel: wp.array
    """(nworld, nv) of float32: Runge-Kutta: weighted sum of velocities"""
    dqacc: wp.array
    """(nworld, nv) of float32: Runge-Kutta: weighted sum of accelerations"""
    dact: wp.array
    """(nworld, na) of float32: Runge-Kutta: weighted sum of act_dot"""

class DataSense:
    sensordata: wp.array
    """(nworld, nsensordata) of float32: outputs of all sensors"""
    energy: wp.array
    """(nworld) of vec2f: potential, kinetic [J]"""
    cfrc_int: wp.array
    """(nworld, nbody) of spatial_vectorf: force of the parent on the body, about the tree's centre of mass"""
    cfrc_ext: wp.array
    """(nworld, nbody) of spatial_vectorf: applied, contact, equality and tendon force on the body, about the same point"""
    cfrc_tendon: wp.array
    """(nworld, nreaction) of spatial_vectorf: force of spatial tendons on the body, about the same point"""
    subtree_linvel: wp.array
    """(nworld, nbody) of vec3f: velocity of the subtree's centre of mass [m/s]"""
    subtree_angmom: wp.array
    """(nworld, nbody) of vec3f: angular momentum of the subtree about its centre of mass"""

class DataImp:
    slope: wp.array
    """(nworld, nslope) of spatial_matrixf: derivative by its velocity of the forces on a rigid subtree"""
    qLU: wp.array
    """(nworld, nLU) of float32: M - h dF/dv with Coriolis terms, and its factors"""

class DataUser:
    userdata: wp.array
    """(nworld, nuserdata) of float32: numbers of the user's, part of the state; no kernel reads them"""
    time0: wp.array
    """(nworld) of float32: time at the start of a step, while a callback is called within it [s]"""

class DataDiag:
    warning: wp.array
    """(nworld, 7) of int32: number of warnings by WarningType since the last reset; counted after watch(m)"""
    solver_fwdinv: wp.array
    """(nworld) of vec2f: forward less inverse dynamics: norms of constraint and of applied force; with flag fwdinv"""

class DataHist:
    history: wp.array
    """(nworld, nhistory) of float32: buffers, each: user slot, cursor, times, values (MuJoCo's layout)"""
    plastic: wp.array
    """(nworld, nplastic) of float32: rest positions of plastic springs"""
    ctrl: wp.array
    """(nworld, nudelay) of float32: controls as the actuators see them, after their delay"""
    fresh: wp.array
    """(nworld, nsensordelay) of float32: sensors without their delay"""
    qpos_spring: wp.array
    """(nworld, nqplastic) of float32: coordinates at which springs rest now"""
    lengthspring: wp.array
    """(nworld, ntenplastic) of vec2f: lengths at which springs rest now"""
    ten_length: wp.array
    """(nworld, ntenplastic) of float32: length at the start of the step"""
    ten_J: wp.array
    """(nworld, nJplastic) of float32: Jacobian at the start of the step"""
    resets: wp.array
    """(nworld) of int32: automatic resets (d.nonfinite) that this memory has followed"""

class DataCamlight:
    cam_xpos: wp.array
    """(nworld, ncam) of vec3f: position of the camera [m]"""
    cam_xmat: wp.array
    """(nworld, ncam) of mat33f: axes of the camera, as columns"""
    light_xpos: wp.array
    """(nworld, nlight) of vec3f: position of the light [m]"""
    light_xdir: wp.array
    """(nworld, nlight) of vec3f: direction of the light"""

class DataEfm:
    M: wp.array
    """(nworld, nC_efm) of float32: M + h D + h^2 K of what fits in M's sparsity: joints and the medium"""
    ts: wp.array
    """(nworld, ntendon_efm) of float32: h^2 stiffness + h damping of each tendon"""
    act: wp.array
    """(nworld, nactuator_efm) of float32: h^2 stiffness + h damping of each actuator"""
    sdiag: wp.array
    """(nworld, nv_efm) of float32: what the metric adds to M's diagonal"""
    force: wp.array
    """(nworld, nv_efm) of float32: qfrc_smooth with springs taken at the end of the step"""
    D: wp.array
    """(nworld, njmax_efm) of float32: 1/R of the implicit rows, seen by the bare mass matrix"""
    aref: wp.array
    """(nworld, njmax_efm) of float32: reference acceleration of the implicit rows, without adhesion"""

class DataNear:
    order: wp.array
    """(nworld, nswept) of int64: geoms by the lower ends of their bounds along the sweep axis"""
    key: wp.array
    """(nworld, nnearmax) of int64: near pairs in the order of contacts: bodies, then geoms within them"""
    geom1: wp.array
    """(nworld, nnearmax) of int32: geom of the lower type"""
    geom2: wp.array
    """(nworld, nnearmax) of int32: geom of the higher type"""
    pairid: wp.array
    """(nworld, nnearmax) of int32: explicit pair; -1: none"""
    needed: wp.array
    """(nworld) of int32: largest number of near pairs since the last time they were given room"""

class DataSleep:
    tree_asleep: wp.array
    """(nworld, ntreesleep) of int32: 0 or more: the next tree of the group that fell asleep together; -1: ready to sleep, less: awake for longer"""
    tree_awake: wp.array
    """(nworld, ntreesleep) of int32: 1: awake, 0: asleep"""
    body_awake: wp.array
    """(nworld, nbodysleep) of int32: SleepState: 1 awake or moved by the user, 0 asleep, -1 static"""
    body_awake_ind: wp.array
    """(nworld, nbodysleep) of int32: bodies that do not sleep"""
    parent_awake_ind: wp.array
    """(nworld, nbodysleep) of int32: bodies whose parent does not sleep"""
    dof_awake_ind: wp.array
    """(nworld, nvsleep) of int32: dofs that do not sleep"""
    ntree_awake: wp.array
    """(nworld) of int32: number of trees awake"""
    nbody_awake: wp.array
    """(nworld) of int32: number of bodies that do not sleep"""
    nparent_awake: wp.array
    """(nworld) of int32: number of bodies whose parent does not sleep"""
    nv_awake: wp.array
    """(nworld) of int32: number of dofs that do not sleep"""
    nmoving: wp.array
    """(nworld) of int32: number of bodies awake, those moved by the user included"""
    asleep0: wp.array
    """(nworld, ntreesleep) of int32: tree_asleep after a reset"""
    qpos: wp.array
    """(nworld, nqsleep) of float32: coordinates with which trees fell asleep"""
    act: wp.array
    """(nworld, nasleep) of float32: activations at the start of the step"""
    sensordata: wp.array
    """(nworld, nsensordatasleep) of float32: outputs of sensors when they were last evaluated"""
    held: wp.array
    """(nworld) of int32: 1: sensordata is there"""
    resets: wp.array
    """(nworld) of int32: automatic resets that were followed"""
    frictionloss: wp.array
    """(nworld, nvsleep) of float32: frictionloss of dofs, 0 of those asleep"""
    margin: wp.array
    """(nworld, njntsleep) of float32: margin of joint limits, which those asleep never reach"""
    tendon_frictionloss: wp.array
    """(nworld, ntendonsleep) of float32: frictionloss of tendons, 0 of those asleep"""
    tendon_margin: wp.array
    """(nworld, ntendonsleep) of float32: margin of limits of tendons, which those asleep never reach"""
    eq_active: wp.array
    """(nworld, neqsleep) of bool: equality constraints that hold, but of trees asleep"""
    woken: wp.array
    """(nworld) of int32: trees woken by the last look"""
    mark: wp.array
    """(nworld, ntreesleep) of int32: trees that were disturbed; parents in the search for groups"""
    first: wp.array
    """(nworld, ntreesleep) of int32: first tree of each group"""
    last: wp.array
    """(nworld, ntreesleep) of int32: last tree of each group so far; -2: one of them is not ready"""

class DataAhead:
    shift: wp.array
    """(nworld, ngeomahead) of vec3f: displacement of a geom's centre within the step, by its velocity [m]"""
    turn: wp.array
    """(nworld, ngeomahead) of vec3f: rotation within the step [rad]"""
    travel: wp.array
    """(nworld, ngeomahead) of float32: how far a point of the geom moves at most [m]"""
    gap: wp.array
    """(nworld, ngeomahead) of float32: the geom's gap and its travel [m]"""
    share: wp.array
    """(nworld, nconahead) of float32: share of the step after which the geoms of a speculative contact meet; 0: not speculative"""
    closing: wp.array
    """(nworld, nconahead) of float32: how much nearer the geoms would come in a whole step at the speed until then [m]"""
    span: wp.array
    """(nworld, nconahead) of vec3f: from the point of geom 1 that is to touch to that of geom 2, at the start of the step [m]"""
    active: wp.array
    """(nworld, nconahead) of float32: not zero: the contact has rows at any distance, being speculative or able to pull"""

class DataOverlap:
    point: wp.array
    """(nworld, nstart) of vec4d: where the searches for contacts of a pair ended, in the frame of the second field, and the distance there [m]"""

class DataFields:
    version: int
    nworld: int
    copies: int
    first_world: int
    device: Any
    state: DataState
    kin: DataKin
    com: DataCom
    mass: DataMass
    vel: DataVel
    frc: DataFrc
    drive: DataDrive
    ten: DataTen
    contact: DataContact
    efc: DataEfc
    sol: DataSol
    isl: DataIsl
    status: DataStatus
    scratch: DataScratch
    sense: DataSense
    imp: DataImp
    user: DataUser
    diag: DataDiag
    hist: DataHist
    camlight: DataCamlight
    efm: DataEfm
    near: DataNear
    sleep: DataSleep
    ahead: DataAhead
    overlap: DataOverlap
    time: Array
    """(nworld) of float32: simulation time [s]"""
    time_low: Array
    """(nworld) of float32: what float32 leaves of the time: time + time_low is the number of steps times the time step [s]"""
    qpos: Array
    """(nworld, nq) of float32: generalized position"""
    qvel: Array
    """(nworld, nv) of float32: generalized velocity"""
    act: Array
    """(nworld, na) of float32: activation of actuators"""
    qacc_warmstart: Array
    """(nworld, nv) of float32: acceleration from which the solver starts"""
    ctrl: Array
    """(nworld, nu) of float32: control"""
    qfrc_applied: Array
    """(nworld, nv) of float32: applied generalized force"""
    xfrc_applied: Array
    """(nworld, nbody) of spatial_vectorf: applied force, torque at the centre of mass, world frame, force first"""
    mocap_pos: Array
    """(nworld, nmocap) of vec3f: pose of mocap bodies [m]"""
    mocap_quat: Array
    """(nworld, nmocap) of vec4f: pose of mocap bodies"""
    eq_active: Array
    """(nworld, neq) of bool: equality constraint holds"""
    xpos: Array
    """(nworld, nbody) of vec3f: body frame [m], world frame"""
    xquat: Array
    """(nworld, nbody) of vec4f: body frame, world frame"""
    xmat: Array
    """(nworld, nbody) of mat33f: body frame, world frame"""
    xipos: Array
    """(nworld, nbody) of vec3f: centre of mass [m]"""
    ximat: Array
    """(nworld, nbody) of mat33f: principal axes of inertia"""
    xanchor: Array
    """(nworld, njnt) of vec3f: joint anchor [m]"""
    xaxis: Array
    """(nworld, njnt) of vec3f: joint axis"""
    geom_xpos: Array
    """(nworld, ngeom) of vec3f: [m]"""
    geom_xmat: Array
    """(nworld, ngeom) of mat33f: orientation"""
    site_xpos: Array
    """(nworld, nsite) of vec3f: [m]"""
    site_xmat: Array
    """(nworld, nsite) of mat33f: orientation"""
    subtree_com: Array
    """(nworld, nbody) of vec3f: centre of mass of the subtree [m]"""
    cdof: Array
    """(nworld, nv) of spatial_vectorf: motion axis of each dof about the tree's centre of mass (rotation first)"""
    cinert: Array
    """(nworld, nbody) of vec10: inertia about the tree's centre of mass: xx yy zz xy xz yz, m*r, m"""
    crb: Array
    """(nworld, nbody) of vec10: composite inertia"""
    M: Array
    """(nworld, nC) of float32: mass matrix, sparse rows"""
    qLD: Array
    """(nworld, nC) of float32: M = L' D L: rows of L, D on the diagonal"""
    qLDiagInv: Array
    """(nworld, nv) of float32: 1/D"""
    qH: Array
    """(nworld, nC) of float32: the same of M - h dF/dv (implicit damping, implicitfast)"""
    qHDiagInv: Array
    """(nworld, nv) of float32: 1/D of it"""
    qDeriv: Array
    """(nworld, nC) of float32: symmetric part of dF/dv in M's sparsity (implicitfast)"""
    cvel: Array
    """(nworld, nbody) of spatial_vectorf: body velocity about the tree's centre of mass (rotation first)"""
    cdof_dot: Array
    """(nworld, nv) of spatial_vectorf: time derivative of cdof"""
    cacc: Array
    """(nworld, nbody) of spatial_vectorf: body acceleration (bias stage: without qacc)"""
    cfrc: Array
    """(nworld, nbody) of spatial_vectorf: body force of the bias stage, accumulated towards the root"""
    qfrc_bias: Array
    """(nworld, nv) of float32: Coriolis, centrifugal and gravitational force"""
    qfrc_spring: Array
    """(nworld, nv) of float32: springs"""
    qfrc_damper: Array
    """(nworld, nv) of float32: dampers"""
    qfrc_gravcomp: Array
    """(nworld, nv) of float32: gravity compensation"""
    qfrc_fluid: Array
    """(nworld, nv) of float32: forces of the medium"""
    qfrc_adhesion: Array
    """(nworld, nv) of float32: pull of contacts with adhesion"""
    qfrc_passive: Array
    """(nworld, nv) of float32: sum of passive forces"""
    qfrc_actuator: Array
    """(nworld, nv) of float32: actuators"""
    qfrc_smooth: Array
    """(nworld, nv) of float32: everything but the constraints"""
    qacc_smooth: Array
    """(nworld, nv) of float32: acceleration without the constraints"""
    qfrc_inverse: Array
    """(nworld, nv) of float32: result of the inverse dynamics"""
    actuator_length: Array
    """(nworld, nout) of float32: length"""
    actuator_velocity: Array
    """(nworld, nout) of float32: velocity"""
    actuator_force: Array
    """(nworld, nout) of float32: force"""
    act_dot: Array
    """(nworld, na) of float32: time derivative of act"""
    actuator_law_slope: Array
    """(nworld, nactuator) of float32: derivative by velocity of forces with a law of their own"""
    actuator_slope: Array
    """(nworld, nactuator) of float32: implicit integrators: derivative of force by velocity"""
    actuator_held: Array
    """(nworld, nout) of int32: 1: the tendon's forces add up to its force range"""
    moment_rownnz: Array
    """(nworld, nout) of int32: non-zeros of a moment row"""
    moment_rowadr: Array
    """(nworld, nout) of int32: first entry of a moment row"""
    moment_colind: Array
    """(nworld, nJmom) of int32: columns of the moments"""
    actuator_moment: Array
    """(nworld, nJmom) of float32: moments"""
    ten_length: Array
    """(nworld, ntendon) of float32: length"""
    ten_velocity: Array
    """(nworld, ntendon) of float32: velocity"""
    ten_J: Array
    """(nworld, nJten) of float32: Jacobian, sparse rows (m.ten_J_rowadr, m.ten_J_colind)"""
    ten_wrapadr: Array
    """(nworld, ntendon) of int32: first point of the path in wrap_xpos"""
    ten_wrapnum: Array
    """(nworld, ntendon) of int32: number of points"""
    wrap_xpos: Array
    """(nworld, nwrap2) of vec3f: points of the paths [m]"""
    wrap_obj: Array
    """(nworld, nwrap2) of int32: geom of each point; -1: site, -2: pulley"""
    contact_dist: Array
    """(nworld, nconmax) of float32: distance; negative: penetration [m]"""
    contact_pos: Array
    """(nworld, nconmax) of vec3f: midpoint [m]"""
    contact_frame: Array
    """(nworld, nconmax) of mat33f: rows: normal (geom 1 to geom 2), tangent 1, tangent 2"""
    contact_includemargin: Array
    """(nworld, nconmax) of float32: a row is made if dist < includemargin [m]"""
    contact_friction: Array
    """(nworld, nconmax) of vec5: tangent1, tangent2, spin, roll1, roll2"""
    contact_solref: Array
    """(nworld, nconmax) of vec2f: normal reference"""
    contact_solreffriction: Array
    """(nworld, nconmax) of vec2f: friction reference"""
    contact_solimp: Array
    """(nworld, nconmax) of vec5: impedance"""
    contact_dim: Array
    """(nworld, nconmax) of int32: 1, 3, 4 or 6"""
    contact_geom: Array
    """(nworld, nconmax) of vec2i: geoms"""
    contact_pairid: Array
    """(nworld, nconmax) of int32: explicit pair that the contact comes from; -1: none"""
    contact_adhesion: Array
    """(nworld, nconmax) of float32: force with which the contact can pull [N]"""
    contact_surfacevel: Array
    """(nworld, nconmax) of vec3f: motion of surface 2 less that of surface 1: tangent 1, tangent 2 [m/s], spin [rad/s]"""
    contact_efc_address: Array
    """(nworld, nconmax) of int32: first row; -1: none"""
    contact_mu: Array
    """(nworld, nconmax) of float32: friction of the regularized cone (elliptic)"""
    contact_bound: Array
    """(nworld, ngeom) of vec4f: centre and radius of a geom's bounding ball, inflated by its margin and gap"""
    contact_bound_axis: Array
    """(nworld, ngeom) of vec4f: half axis and inflated radius of its bounding capsule; of a plane the normal"""
    contact_candidate: Array
    """(nworld, 256) of int32: near pairs of a batch of 256"""
    efc_type: Array
    """(nworld, njmax) of int32: ConstraintType"""
    efc_id: Array
    """(nworld, njmax) of int32: joint, dof or contact of the row"""
    efc_J: Array
    """(nworld, njdense, njcol) of float32: Jacobian: dense with padding of zeros, or one line of the entries of all rows"""
    efc_J_rownnz: Array
    """(nworld, njsparse) of int32: non-zeros of a row (sparse Jacobian)"""
    efc_J_rowadr: Array
    """(nworld, njsparse) of int32: first entry of a row"""
    efc_J_colind: Array
    """(nworld, njnz) of int32: dofs of the entries"""
    efc_pos: Array
    """(nworld, njmax_pad) of float32: position"""
    efc_margin: Array
    """(nworld, njmax_pad) of float32: margin"""
    efc_D: Array
    """(nworld, njmax_pad) of float32: 1/R; zero in the padding"""
    efc_vel: Array
    """(nworld, njmax_pad) of float32: J qvel"""
    efc_aref: Array
    """(nworld, njmax_pad) of float32: reference acceleration"""
    efc_frictionloss: Array
    """(nworld, njmax_pad) of float32: bound of friction rows"""
    efc_force: Array
    """(nworld, njmax_pad) of float32: constraint force"""
    efc_state: Array
    """(nworld, njmax_pad) of int32: ConstraintState"""
    qacc: Array
    """(nworld, nv) of float32: acceleration"""
    qfrc_constraint: Array
    """(nworld, nv) of float32: constraint force"""
    efc_Ma: Array
    """(nworld, nv) of float32: M qacc"""
    solver_x: Array
    """(nworld, nsol) of float32: padded copy of qacc while iterating"""
    solver_Mx: Array
    """(nworld, nsol) of float32: M x"""
    solver_smooth: Array
    """(nworld, nsol) of float32: padded copy of qfrc_smooth"""
    solver_JTf: Array
    """(nworld, nsol) of float32: J' force"""
    solver_grad: Array
    """(nworld, nsol) of float32: gradient of the cost"""
    solver_search: Array
    """(nworld, nsol) of float32: search direction"""
    solver_Mv: Array
    """(nworld, nsol) of float32: M search"""
    solver_Jaref: Array
    """(nworld, nsolrow) of float32: J qacc - aref"""
    solver_Jv: Array
    """(nworld, nsolrow) of float32: J search"""
    solver_M: Array
    """(nworld, nvdense, nvdense) of float32: dense mass matrix"""
    solver_H: Array
    """(nworld, nvdense, nvdense) of float32: Hessian and its L'DL factor, lower triangle by rows"""
    solver_W: Array
    """(nworld, njwrow, nwcol) of float32: rows M^-1 J' of the dual solvers, dense or as J is"""
    solver_W_colind: Array
    """(nworld, nwcolind) of int32: dofs of the entries of W, if those are sparse"""
    solver_A: Array
    """(nworld, njdual, 7) of float32: J M^-1 J': columns of the row's block, then the diagonal"""
    solver_Hdiaginv: Array
    """(nworld, nsol) of float32: 1/D of the factor of H; the padding is zero"""
    nisland: Array
    """(nworld) of int32: groups of kinematic trees that rows couple (sparse Jacobian)"""
    tree_island: Array
    """(nworld, nistree) of int32: island of each tree; -1: no rows"""
    dof_island: Array
    """(nworld, nisdof) of int32: island of each dof; -1: no rows"""
    efc_island: Array
    """(nworld, njsparse) of int32: island of each row"""
    island_ntree: Array
    """(nworld, nistree) of int32: trees of an island"""
    island_itreeadr: Array
    """(nworld, nistree) of int32: its first tree in map_itree2tree"""
    map_itree2tree: Array
    """(nworld, nistree) of int32: trees, those of an island together"""
    island_nv: Array
    """(nworld, nistree) of int32: dofs of an island"""
    island_ne: Array
    """(nworld, nistree) of int32: its equality rows"""
    island_nf: Array
    """(nworld, nistree) of int32: its friction rows"""
    island_nefc: Array
    """(nworld, nistree) of int32: its rows"""
    island_iefcadr: Array
    """(nworld, nistree) of int32: its first row in map_iefc2efc"""
    island_rounded: Array
    """(nworld, nistree) of int32: solver_rounded of an island"""
    map_iefc2efc: Array
    """(nworld, njsparse) of int32: rows, those of an island together"""
    map_efc2iefc: Array
    """(nworld, njsparse) of int32: the inverse"""
    island_edge_adr: Array
    """(nworld, nistree1) of int32: first entry of each tree in edge"""
    island_edge: Array
    """(nworld, nisedge) of int32: trees that rows couple with each tree"""
    island_label: Array
    """(nworld, nistree1) of int32: marks of the search"""
    island_tree_pos: Array
    """(nworld, nistree) of int32: place of the tree's last dof among those of its island"""
    island_place: Array
    """(nworld, nistree) of int32: where the vectors of an island begin if each has its own, in blocks of eight"""
    island_mass_place: Array
    """(nworld, nistree) of int32: where its M begins"""
    island_length: Array
    """(nworld, nistree) of int32: floats of its Hessian"""
    island_niter: Array
    """(nworld, nistree) of int32: iterations of its solver"""
    island_dof_at: Array
    """(nworld, nispos) of int32: dof at each place; -1: padding"""
    island_dof_place: Array
    """(nworld, nisdof) of int32: place of each dof among those of its island"""
    island_column: Array
    """(nworld, njnz) of int32: places of the entries of J"""
    island_panel_first: Array
    """(nworld, nispos) of int32: first block of columns of each panel of H"""
    island_panel_adr: Array
    """(nworld, nispos) of int32: where column 0 of each panel of H would begin"""
    island_mass_first: Array
    """(nworld, nispos) of int32: first block of columns of each panel of M"""
    island_mass_adr: Array
    """(nworld, nispos) of int32: where column 0 of each panel of M would begin"""
    island_M: Array
    """(nworld, nismass) of float32: M of one island"""
    island_H: Array
    """(nworld, nhessian) of float32: Hessian of one island and its Cholesky factor"""
    island_D: Array
    """(nworld, nisrow) of float32: efc_D of one island"""
    island_aref: Array
    """(nworld, nisrow) of float32: efc_aref of one island"""
    island_frictionloss: Array
    """(nworld, nisrow) of float32: efc_frictionloss of one island"""
    island_force: Array
    """(nworld, nisrow) of float32: efc_force of one island"""
    island_state: Array
    """(nworld, nisrow) of int32: efc_state of one island"""
    island_bound: Array
    """(nworld, nispos) of float32: qLDiagInv of one island"""
    island_con_address: Array
    """(nworld, niscon) of int32: contact_efc_address of one island"""
    island_con_dim: Array
    """(nworld, niscon) of int32: contact_dim of one island"""
    island_con_friction: Array
    """(nworld, niscon) of vec5: contact_friction of one island"""
    island_con_mu: Array
    """(nworld, niscon) of float32: contact_mu of one island"""
    island_head: Array
    """(nworld, nispos) of int32: eight numbers of one island: rows, trees, which one it is"""
    island_numbers: Array
    """(nworld, nispos) of float32: its tolerance of gradient and decrease, and two that conjugate gradients keep"""
    ncon: Array
    """(nworld) of int32: contacts"""
    ne: Array
    """(nworld) of int32: equality rows"""
    ne_needed: Array
    """(nworld) of int32: equality rows wanted"""
    nf: Array
    """(nworld) of int32: friction rows"""
    nl: Array
    """(nworld) of int32: limit rows"""
    nefc: Array
    """(nworld) of int32: rows"""
    solver_niter: Array
    """(nworld) of int32: iterations of the solver, and sweeps of the slip suppression"""
    solver_rounded: Array
    """(nworld) of int32: 1: float32, not tolerance or limit, ended the last iteration on rows"""
    overflow: Array
    """(nworld) of int32: OverflowType bits since the last reset"""
    overflow_time: Array
    """(nworld, 2) of float32: time at which the first step since the last reset lacked room [s], -1: none; 1: for an island's Hessian"""
    any_overflow: Array
    """(1) of int32: 1: some world has lacked room for something; read through ``newtonish.mjw.overflow``"""
    ncon_needed: Array
    """(nworld) of int32: largest number of contacts wanted since the last reset"""
    nefc_needed: Array
    """(nworld) of int32: largest number of rows wanted since the last reset"""
    nonfinite: Array
    """(nworld) of int32: number of automatic resets"""
    nonfinite_met: Array
    """(nworld) of int32: what the last evaluation met that is not finite, as ``nonfinite_origin``; 0: nothing"""
    nonfinite_origin: Array
    """(nworld) of int32: what the last automatic reset was for: NonfiniteType * 2^24 + number of the entity; 0: none"""
    nhessian_needed: Array
    """(nworld) of int32: largest Hessian of an island since the last reset, or of islands that are solved side by side [floats] (sparse Jacobian)"""
    scratch_qvel: Array
    """(nworld, nv) of float32: velocity update of an integrator"""
    scratch_wrench: Array
    """(nworld, nbody) of spatial_vectorf: applied force on each body, accumulated towards the root"""
    scratch_qpos0: Array
    """(nworld, nq) of float32: Runge-Kutta: position at the start of the step"""
    scratch_qvel0: Array
    """(nworld, nv) of float32: Runge-Kutta: velocity at the start of the step"""
    scratch_act0: Array
    """(nworld, na) of float32: Runge-Kutta: activation at the start of the step"""
    scratch_actuator_length0: Array
    """(nworld, nout) of float32: Runge-Kutta: actuator lengths at the start of the step"""
    scratch_actuator_velocity0: Array
    """(nworld, nout) of float32: Runge-Kutta: actuator velocities at the start of the step"""
    scratch_dqvel: Array
    """(nworld, nv) of float32: Runge-Kutta: weighted sum of velocities"""
    scratch_dqacc: Array
    """(nworld, nv) of float32: Runge-Kutta: weighted sum of accelerations"""
    scratch_dact: Array
    """(nworld, na) of float32: Runge-Kutta: weighted sum of act_dot"""
    sensordata: Array
    """(nworld, nsensordata) of float32: outputs of all sensors"""
    energy: Array
    """(nworld) of vec2f: potential, kinetic [J]"""
    cfrc_int: Array
    """(nworld, nbody) of spatial_vectorf: force of the parent on the body, about the tree's centre of mass"""
    cfrc_ext: Array
    """(nworld, nbody) of spatial_vectorf: applied, contact, equality and tendon force on the body, about the same point"""
    cfrc_tendon: Array
    """(nworld, nreaction) of spatial_vectorf: force of spatial tendons on the body, about the same point"""
    subtree_linvel: Array
    """(nworld, nbody) of vec3f: velocity of the subtree's centre of mass [m/s]"""
    subtree_angmom: Array
    """(nworld, nbody) of vec3f: angular momentum of the subtree about its centre of mass"""
    imp_slope: Array
    """(nworld, nslope) of spatial_matrixf: derivative by its velocity of the forces on a rigid subtree"""
    qLU: Array
    """(nworld, nLU) of float32: M - h dF/dv with Coriolis terms, and its factors"""
    userdata: Array
    """(nworld, nuserdata) of float32: numbers of the user's, part of the state; no kernel reads them"""
    time0: Array
    """(nworld) of float32: time at the start of a step, while a callback is called within it [s]"""
    warning: Array
    """(nworld, 7) of int32: number of warnings by WarningType since the last reset; counted after watch(m)"""
    solver_fwdinv: Array
    """(nworld) of vec2f: forward less inverse dynamics: norms of constraint and of applied force; with flag fwdinv"""
    history: Array
    """(nworld, nhistory) of float32: buffers, each: user slot, cursor, times, values (MuJoCo's layout)"""
    plastic: Array
    """(nworld, nplastic) of float32: rest positions of plastic springs"""
    ctrl_delayed: Array
    """(nworld, nudelay) of float32: controls as the actuators see them, after their delay"""
    sensordata_fresh: Array
    """(nworld, nsensordelay) of float32: sensors without their delay"""
    plastic_qpos_spring: Array
    """(nworld, nqplastic) of float32: coordinates at which springs rest now"""
    plastic_lengthspring: Array
    """(nworld, ntenplastic) of vec2f: lengths at which springs rest now"""
    plastic_ten_length: Array
    """(nworld, ntenplastic) of float32: length at the start of the step"""
    plastic_ten_J: Array
    """(nworld, nJplastic) of float32: Jacobian at the start of the step"""
    history_resets: Array
    """(nworld) of int32: automatic resets (d.nonfinite) that this memory has followed"""
    cam_xpos: Array
    """(nworld, ncam) of vec3f: position of the camera [m]"""
    cam_xmat: Array
    """(nworld, ncam) of mat33f: axes of the camera, as columns"""
    light_xpos: Array
    """(nworld, nlight) of vec3f: position of the light [m]"""
    light_xdir: Array
    """(nworld, nlight) of vec3f: direction of the light"""
    efm_M: Array
    """(nworld, nC_efm) of float32: M + h D + h^2 K of what fits in M's sparsity: joints and the medium"""
    efm_ts: Array
    """(nworld, ntendon_efm) of float32: h^2 stiffness + h damping of each tendon"""
    efm_as: Array
    """(nworld, nactuator_efm) of float32: h^2 stiffness + h damping of each actuator"""
    efm_sdiag: Array
    """(nworld, nv_efm) of float32: what the metric adds to M's diagonal"""
    efm_force: Array
    """(nworld, nv_efm) of float32: qfrc_smooth with springs taken at the end of the step"""
    efm_D: Array
    """(nworld, njmax_efm) of float32: 1/R of the implicit rows, seen by the bare mass matrix"""
    efm_aref: Array
    """(nworld, njmax_efm) of float32: reference acceleration of the implicit rows, without adhesion"""
    near_order: Array
    """(nworld, nswept) of int64: geoms by the lower ends of their bounds along the sweep axis"""
    near_key: Array
    """(nworld, nnearmax) of int64: near pairs in the order of contacts: bodies, then geoms within them"""
    near_geom1: Array
    """(nworld, nnearmax) of int32: geom of the lower type"""
    near_geom2: Array
    """(nworld, nnearmax) of int32: geom of the higher type"""
    near_pairid: Array
    """(nworld, nnearmax) of int32: explicit pair; -1: none"""
    near_needed: Array
    """(nworld) of int32: largest number of near pairs since the last time they were given room"""
    tree_asleep: Array
    """(nworld, ntreesleep) of int32: 0 or more: the next tree of the group that fell asleep together; -1: ready to sleep, less: awake for longer"""
    tree_awake: Array
    """(nworld, ntreesleep) of int32: 1: awake, 0: asleep"""
    body_awake: Array
    """(nworld, nbodysleep) of int32: SleepState: 1 awake or moved by the user, 0 asleep, -1 static"""
    body_awake_ind: Array
    """(nworld, nbodysleep) of int32: bodies that do not sleep"""
    parent_awake_ind: Array
    """(nworld, nbodysleep) of int32: bodies whose parent does not sleep"""
    dof_awake_ind: Array
    """(nworld, nvsleep) of int32: dofs that do not sleep"""
    ntree_awake: Array
    """(nworld) of int32: number of trees awake"""
    nbody_awake: Array
    """(nworld) of int32: number of bodies that do not sleep"""
    nparent_awake: Array
    """(nworld) of int32: number of bodies whose parent does not sleep"""
    nv_awake: Array
    """(nworld) of int32: number of dofs that do not sleep"""
    sleep_nmoving: Array
    """(nworld) of int32: number of bodies awake, those moved by the user included"""
    sleep_asleep0: Array
    """(nworld, ntreesleep) of int32: tree_asleep after a reset"""
    sleep_qpos: Array
    """(nworld, nqsleep) of float32: coordinates with which trees fell asleep"""
    sleep_act: Array
    """(nworld, nasleep) of float32: activations at the start of the step"""
    sleep_sensordata: Array
    """(nworld, nsensordatasleep) of float32: outputs of sensors when they were last evaluated"""
    sleep_held: Array
    """(nworld) of int32: 1: sensordata is there"""
    sleep_resets: Array
    """(nworld) of int32: automatic resets that were followed"""
    sleep_frictionloss: Array
    """(nworld, nvsleep) of float32: frictionloss of dofs, 0 of those asleep"""
    sleep_margin: Array
    """(nworld, njntsleep) of float32: margin of joint limits, which those asleep never reach"""
    sleep_tendon_frictionloss: Array
    """(nworld, ntendonsleep) of float32: frictionloss of tendons, 0 of those asleep"""
    sleep_tendon_margin: Array
    """(nworld, ntendonsleep) of float32: margin of limits of tendons, which those asleep never reach"""
    sleep_eq_active: Array
    """(nworld, neqsleep) of bool: equality constraints that hold, but of trees asleep"""
    sleep_woken: Array
    """(nworld) of int32: trees woken by the last look"""
    sleep_mark: Array
    """(nworld, ntreesleep) of int32: trees that were disturbed; parents in the search for groups"""
    sleep_first: Array
    """(nworld, ntreesleep) of int32: first tree of each group"""
    sleep_last: Array
    """(nworld, ntreesleep) of int32: last tree of each group so far; -2: one of them is not ready"""
    ahead_shift: Array
    """(nworld, ngeomahead) of vec3f: displacement of a geom's centre within the step, by its velocity [m]"""
    ahead_turn: Array
    """(nworld, ngeomahead) of vec3f: rotation within the step [rad]"""
    ahead_travel: Array
    """(nworld, ngeomahead) of float32: how far a point of the geom moves at most [m]"""
    ahead_gap: Array
    """(nworld, ngeomahead) of float32: the geom's gap and its travel [m]"""
    ahead_share: Array
    """(nworld, nconahead) of float32: share of the step after which the geoms of a speculative contact meet; 0: not speculative"""
    ahead_closing: Array
    """(nworld, nconahead) of float32: how much nearer the geoms would come in a whole step at the speed until then [m]"""
    ahead_span: Array
    """(nworld, nconahead) of vec3f: from the point of geom 1 that is to touch to that of geom 2, at the start of the step [m]"""
    ahead_active: Array
    """(nworld, nconahead) of float32: not zero: the contact has rows at any distance, being speculative or able to pull"""
    overlap_point: Array
    """(nworld, nstart) of vec4d: where the searches for contacts of a pair ended, in the frame of the second field, and the distance there [m]"""
    batches: Any
    ccd_pairs: Any
    everywhere: Any
    gradients: Any
    grow_contacts: Any
    grow_rows: Any
    guard: Any
    mapping: Any
    matched: Any
    outside: Any
    pool: Any
    ready: Any
    recorder: Any
    recordings: Any
    repeat_step: Any
    retired: Any
    rollouts: Any
    room: Any
    sizes: Any
