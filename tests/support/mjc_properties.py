"""Every property of the mjcPhysics schemas: a value other than its default, and the array that the value changes.

``STAGE`` is one stage with a prim for each schema. A line of ``PROPERTIES`` is: property, type, value, what changes, and what is
authored beside it (``path property type value``, divided by ``;``). What changes is a field of the compiled model, ``opt.<name>``, a table that MuJoCo does not have, ``error`` (the
value makes the stage wrong, or right), or ``report`` (it has no effect here, and the report says so).
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["PROPERTIES", "STAGE", "Property", "properties"]


class Property(NamedTuple):
    """One line of the table."""

    schema: str
    path: str
    name: str
    type: str
    value: str
    changes: str
    beside: tuple[tuple[str, str, str, str], ...]


def _body(name: str, place: str, inside: str = "", apis: str = "", mass: str = "float physics:mass = 2") -> str:
    return f"""
def Xform "{name}" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"{apis}]) {{
    double3 xformOp:translate = {place}
    uniform token[] xformOpOrder = ["xformOp:translate"]
    {mass}
    def Cube "cube" (prepend apiSchemas = ["PhysicsCollisionAPI", "MjcCollisionAPI"]) {{
        double size = 0.2
        uniform int mjc:group = 2
        rel material:binding:physics = </m>
    }}
    {inside}
}}
"""


def _site(name: str, place: str) -> str:
    return f"""
    def Sphere "{name}" (prepend apiSchemas = ["MjcSiteAPI"]) {{
        double radius = 0.01
        double3 xformOp:translate = {place}
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }}
"""


def _joint(kind: str, name: str, first: str, second: str, anchor: str, inside: str = "", apis: str = '"MjcJointAPI"') -> str:
    return f"""
def Physics{kind}Joint "{name}" {apis and f"(prepend apiSchemas = [{apis}])"} {{
    {first and f"rel physics:body0 = <{first}>"}
    rel physics:body1 = <{second}>
    point3f physics:localPos0 = {anchor}
    {inside}
}}
"""


LIMITS = 'float physics:lowerLimit = -1\nfloat physics:upperLimit = 2\nuniform token physics:axis = "Y"'
TETRAHEDRON = """
    def Mesh "mesh" (prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMeshCollisionAPI", "MjcCollisionAPI", "MjcMeshCollisionAPI"]) {
        uniform token physics:approximation = "convexHull"
        point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (0.1, 0.1, 0.1)]
        int[] faceVertexCounts = [3, 3, 3, 3, 3, 3]
        int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 4, 2, 3, 4, 3, 1, 4]
    }
    def Sphere "look" (prepend apiSchemas = ["MjcImageableAPI"]) {
        double radius = 0.05
    }
    def Sphere "shell" (prepend apiSchemas = ["PhysicsCollisionAPI", "MjcCollisionAPI"]) {
        double radius = 0.5
    }
"""
WRAP = """
    def Sphere "wrap" (prepend apiSchemas = ["PhysicsCollisionAPI"]) {
        double radius = 0.05
        double3 xformOp:translate = (0.25, 0, 0.3)
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }
"""
STAGE = (
    'def PhysicsScene "scene" (prepend apiSchemas = ["MjcSceneAPI"]) {\n}\n'
    + 'def Material "m" (prepend apiSchemas = ["PhysicsMaterialAPI", "MjcMaterialAPI"]) {\n}\n'
    + _body(
        "b1", "(0, 0, 1)", _site("s1", "(0, 0, 0.3)") + _site("side", "(0.25, 0, 0.5)") + WRAP, ', "PhysicsArticulationRootAPI", "NewtonArticulationRootAPI"'
    )
    + _body("b2", "(0.5, 0, 1)", _site("s2", "(0, 0, 0.3)"))
    + _body("b3", "(1, 0, 1)", mass="float physics:mass = 0.5\nfloat3 physics:diagonalInertia = (0.1, 0.1, 0.15)")
    + _body("free", "(0, 3, 1)", TETRAHEDRON, mass="")
    + _body("ball", "(0, 5, 1)")
    + _body("moved", "(0, 7, 1)", "bool physics:kinematicEnabled = 1")
    + _body("stuck", "(0, 0, 1.5)")
    + _joint("Revolute", "j", "", "/b1", "(0, 0, 1)", f"{LIMITS}\nuniform double mjc:ref = 10")
    + _joint("Prismatic", "k", "/b1", "/b2", "(0.5, 0, 0)", LIMITS)
    + _joint("Revolute", "l", "/b2", "/b3", "(0.5, 0, 0)", "rel mjc:target = </j>", '"MjcEqualityJointAPI"')
    + _joint("Spherical", "bj", "", "/ball", "(0, 5, 1)")
    + _joint("Fixed", "hold", "", "/moved", "(0, 7, 1)", apis="")
    + _joint("Fixed", "stick", "/b1", "/stuck", "(0, 0, 0.5)", apis="")
    + _joint("Spherical", "con", "/free", "/ball", "(0, 2, 0)", apis='"MjcEqualityAPI", "MjcEqualityConnectAPI"')
    + _joint("Fixed", "weld", "/free", "/b3", "(1, -3, 0)", apis='"MjcEqualityAPI", "MjcEqualityWeldAPI"')
    + 'def MjcActuator "act" {\nrel mjc:target = </j>\n}\ndef MjcActuator "at" {\nrel mjc:target = </b1/s1>\n}\n'
    + 'def MjcActuator "turn" {\nrel mjc:target = </bj>\n}\n'
    + 'def MjcTendon "fixed" {\nuniform token mjc:type = "fixed"\nrel mjc:path = [</j>, </k>]\nuniform double[] mjc:path:coef = [1, 2]\n}\n'
    + 'def MjcTendon "spatial" {\nrel mjc:path = [</b1/s1>, </b2/s2>]\n}\n'
    + 'def MjcTendon "wrapped" {\nrel mjc:path = [</b1/s1>, </b1/wrap>, </b2/s2>]\n}\n'
    + 'def MjcTendon "pulleys" {\nrel mjc:path = [</b1/s1>, </b2/s2>]\nuniform int[] mjc:path:indices = [0, 1, 0, 1]\n'
    + "uniform int[] mjc:path:segments = [0, 0, 1, 1]\nuniform double[] mjc:path:divisors = [1, 2]\n}\n"
    + 'def MjcKeyframe "key" {\n}\n'
)
QPOS = "[0.1, 0.2, 0.3, 0, 3, 2, 1, 0, 0, 0, 1, 0, 0, 0]"
FILTER = "/act mjc:dynType token filter"
INTEGRATOR = "/act mjc:dynType token integrator; /act mjc:actLimited token auto"
CRANK = "/at mjc:sliderSite rel /b2/s2"
SERVO = "/k mjc:group int 0; /act mjc:gainPrm double[] [5]; /act mjc:biasType token affine; /act mjc:biasPrm double[] [0, -5, 0]"

PROPERTIES = f"""
= MjcSceneAPI /scene
mjc:compiler:alignFree | bool | True | body_pos
mjc:compiler:angle | token | radian | qpos0
mjc:compiler:autoLimits | bool | False | error | /act mjc:ctrlRange:max double 1
mjc:compiler:balanceInertia | bool | True | error | /b3 physics:diagonalInertia float3 (0.1, 0.1, 3)
mjc:compiler:boundInertia | double | 0.05 | body_inertia
mjc:compiler:boundMass | double | 1.0 | body_mass
mjc:compiler:fitAABB | bool | True | report
mjc:compiler:fuseStatic | bool | True | body_mass
mjc:compiler:inertiaFromGeom | token | true | body_mass
mjc:compiler:inertiaGroupRange:max | int | 3 | body_mass | /free/shell mjc:group int 4
mjc:compiler:inertiaGroupRange:min | int | 1 | body_mass
mjc:compiler:saveInertial | bool | True | report
mjc:compiler:setTotalMass | double | 5 | body_mass
mjc:compiler:useThread | bool | False | report
mjc:flag:actuation | bool | False | opt.disableflags
mjc:flag:autoreset | bool | False | opt.disableflags
mjc:flag:clampctrl | bool | False | opt.disableflags
mjc:flag:constraint | bool | False | opt.disableflags
mjc:flag:contact | bool | False | opt.disableflags
mjc:flag:damper | bool | False | opt.disableflags
mjc:flag:energy | bool | True | opt.enableflags
mjc:flag:equality | bool | False | opt.disableflags
mjc:flag:eulerdamp | bool | False | opt.disableflags
mjc:flag:filterparent | bool | False | opt.disableflags
mjc:flag:frictionloss | bool | False | opt.disableflags
mjc:flag:fwdinv | bool | True | opt.enableflags
mjc:flag:gravity | bool | False | opt.disableflags
mjc:flag:invdiscrete | bool | True | opt.enableflags
mjc:flag:island | bool | False | opt.disableflags
mjc:flag:limit | bool | False | opt.disableflags
mjc:flag:midphase | bool | False | opt.disableflags
mjc:flag:multiccd | bool | False | opt.disableflags
mjc:flag:nativeccd | bool | False | opt.disableflags
mjc:flag:override | bool | True | opt.enableflags
mjc:flag:refsafe | bool | False | opt.disableflags
mjc:flag:sensor | bool | False | opt.disableflags
mjc:flag:spring | bool | False | opt.disableflags
mjc:flag:warmstart | bool | False | opt.disableflags
mjc:option:actuatorgroupdisable | int[] | [1, 3] | opt.disableactuator
mjc:option:ccd_iterations | int | 20 | opt.ccd_iterations
mjc:option:ccd_tolerance | double | 1e-4 | opt.ccd_tolerance
mjc:option:cone | token | elliptic | opt.cone
mjc:option:density | double | 1.2 | opt.density
mjc:option:impratio | double | 10 | opt.impratio
mjc:option:integrator | token | rk4 | opt.integrator
mjc:option:iterations | int | 7 | opt.iterations
mjc:option:jacobian | token | sparse | opt.jacobian
mjc:option:ls_iterations | int | 8 | opt.ls_iterations
mjc:option:ls_tolerance | double | 0.1 | opt.ls_tolerance
mjc:option:magnetic | double3 | (1, 2, 3) | opt.magnetic
mjc:option:noslip_iterations | int | 3 | opt.noslip_iterations
mjc:option:noslip_tolerance | double | 0.1 | opt.noslip_tolerance
mjc:option:o_friction | double[] | [2, 2, 0.1, 0.1, 0.1] | opt.o_friction
mjc:option:o_margin | double | 0.2 | opt.o_margin
mjc:option:o_solimp | double[] | [0.8, 0.9, 0.1, 0.4, 3] | opt.o_solimp
mjc:option:o_solref | double[] | [0.1, 2] | opt.o_solref
mjc:option:sdf_initpoints | int | 11 | opt.sdf_initpoints
mjc:option:sdf_iterations | int | 12 | opt.sdf_iterations
mjc:option:solver | token | cg | opt.solver
mjc:option:timestep | double | 0.01 | opt.timestep
mjc:option:tolerance | double | 1e-5 | opt.tolerance
mjc:option:viscosity | double | 0.3 | opt.viscosity
mjc:option:wind | double3 | (1, 2, 3) | opt.wind
mjc:option:sleep_tolerance | double | 0.1 | opt.sleep_tolerance
= MjcSiteAPI /b1/s1
mjc:group | int | 3 | site_group
= MjcImageableAPI /free/look
mjc:group | int | 3 | geom_group
= MjcCollisionAPI /b1/cube
mjc:condim | int | 6 | geom_condim
mjc:gap | double | 0.1 | geom_gap
mjc:group | int | 4 | geom_group
mjc:margin | double | 0.1 | geom_margin
mjc:priority | int | 2 | geom_priority
mjc:solimp | double[] | [0.8, 0.9, 0.1, 0.4, 3] | geom_solimp
mjc:solmix | double | 2 | geom_solmix
mjc:solref | double[] | [0.1, 2] | geom_solref
mjc:contype | int | 6 | geom_contype
mjc:conaffinity | int | 4 | geom_conaffinity
= MjcCollisionAPI /free/shell
mjc:shellinertia | bool | True | body_mass
= MjcMeshCollisionAPI /free/mesh
mjc:inertia | token | exact | body_mass
mjc:maxhullvert | int | 4 | mesh_maxhullvert
= MjcActuator /act
mjc:actDim | int | 2 | actuator_actnum | /act mjc:dynType token user
mjc:actEarly | bool | True | actuator_actearly | {FILTER}
mjc:actLimited | token | true | actuator_actlimited | {FILTER}; /act mjc:actRange:max double 1; /act mjc:actRange:min double -1; /act mjc:actLimited token false
mjc:actRange:max | double | 1 | actuator_actrange | {INTEGRATOR}; /act mjc:actRange:min double -1
mjc:actRange:min | double | -1 | actuator_actrange | {INTEGRATOR}; /act mjc:actRange:max double 1
mjc:biasPrm | double[] | [1, -2, -3] | actuator_biasprm | /act mjc:biasType token affine
mjc:biasType | token | affine | actuator_biastype
mjc:crankLength | double | 0.9 | actuator_cranklength | {CRANK}; /at mjc:crankLength double 0.5
mjc:ctrlLimited | token | true | actuator_ctrllimited | /act mjc:ctrlRange:max double 1; /act mjc:ctrlLimited token false
mjc:ctrlRange:max | double | 1 | actuator_ctrlrange
mjc:ctrlRange:min | double | -1 | actuator_ctrlrange
mjc:dynPrm | double[] | [0.2] | actuator_dynprm | {FILTER}
mjc:dynType | token | integrator | actuator_dyntype
mjc:forceLimited | token | true | actuator_forcelimited | /act mjc:forceRange:max double 1; /act mjc:forceLimited token false
mjc:forceRange:max | double | 1 | actuator_forcerange
mjc:forceRange:min | double | -1 | actuator_forcerange
mjc:gainPrm | double[] | [3] | actuator_gainprm
mjc:gainType | token | affine | actuator_gaintype
mjc:gear | double[] | [4] | actuator_gear
mjc:group | int | 3 | actuator_group
mjc:inheritRange | double | 0.5 | actuator_ctrlrange | {SERVO}
mjc:lengthRange:max | double | 2 | actuator_lengthrange
mjc:lengthRange:min | double | -2 | actuator_lengthrange
mjc:target | rel | /k | actuator_trnid
= MjcActuator /turn
mjc:jointInParent | bool | True | actuator_trntype
= MjcActuator /at
mjc:refSite | rel | /b2/s2 | actuator_trnid
mjc:sliderSite | rel | /b2/s2 | actuator_trntype | /at mjc:crankLength double 0.5
= MjcKeyframe /key
mjc:act | double[] | [0.4] | key_act | {FILTER}; /key mjc:qpos double[] {QPOS}
mjc:ctrl | double[] | [0.1, 0.2, 0.3] | key_ctrl | /key mjc:qpos double[] {QPOS}
mjc:mpos | double[] | [1, 2, 3] | key_mpos | /key mjc:qpos double[] {QPOS}
mjc:mquat | double[] | [0, 1, 0, 0] | key_mquat | /key mjc:qpos double[] {QPOS}
mjc:qpos | double[] | {QPOS} | key_qpos
mjc:qvel | double[] | [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2] | key_qvel | /key mjc:qpos double[] {QPOS}
= MjcJointAPI /j
mjc:actuatorfrclimited | token | true | jnt_actfrclimited | /j mjc:actuatorfrcrange:max double 1; /j mjc:actuatorfrclimited token false
mjc:actuatorfrcrange:max | double | 1 | jnt_actfrcrange
mjc:actuatorfrcrange:min | double | -1 | jnt_actfrcrange
mjc:actuatorgravcomp | bool | True | jnt_actgravcomp
mjc:armature | double | 0.1 | dof_armature
mjc:damping | double | 0.1 | dof_damping
mjc:frictionloss | double | 0.1 | dof_frictionloss
mjc:group | int | 3 | jnt_group
mjc:margin | double | 0.1 | jnt_margin
mjc:ref | double | 20 | qpos0
mjc:solimpfriction | double[] | [0.8, 0.9, 0.1, 0.4, 3] | dof_solimp
mjc:solimplimit | double[] | [0.8, 0.9, 0.1, 0.4, 3] | jnt_solimp
mjc:solreffriction | double[] | [0.1, 2] | dof_solref
mjc:solreflimit | double[] | [0.1, 2] | jnt_solref
mjc:springdamper | double[] | [0.3, 0.5] | jnt_stiffness
mjc:springref | double | 5 | qpos_spring
mjc:stiffness | double | 3 | jnt_stiffness
= MjcMaterialAPI /m
mjc:rollingfriction | double | 0.3 | geom_friction
mjc:torsionalfriction | double | 0.3 | geom_friction
= MjcEqualityAPI /con
mjc:solimp | double[] | [0.8, 0.9, 0.1, 0.4, 3] | eq_solimp
mjc:solref | double[] | [0.1, 2] | eq_solref
mjc:target | rel | /b2 | eq_obj2id | /con physics:body1 rel -
= MjcEqualityWeldAPI /weld
mjc:torqueScale | float | 3 | eq_data
= MjcEqualityJointAPI /l
mjc:coef0 | double | 0.5 | eq_data
mjc:coef1 | double | 0.5 | eq_data
mjc:coef2 | double | 0.5 | eq_data
mjc:coef3 | double | 0.5 | eq_data
mjc:coef4 | double | 0.5 | eq_data
mjc:solimp | double[] | [0.8, 0.9, 0.1, 0.4, 3] | eq_solimp
mjc:solref | double[] | [0.1, 2] | eq_solref
mjc:target | rel | /k | eq_obj2id
= MjcTendon /fixed
mjc:actuatorfrclimited | token | true | tendon_actfrclimited | /fixed mjc:actuatorfrcrange:max double 1; /fixed mjc:actuatorfrclimited token false
mjc:actuatorfrcrange:max | double | 1 | tendon_actfrcrange
mjc:actuatorfrcrange:min | double | -1 | tendon_actfrcrange
mjc:armature | double | 0.1 | tendon_armature
mjc:damping | double | 0.1 | tendon_damping
mjc:frictionloss | double | 0.1 | tendon_frictionloss
mjc:group | int | 3 | tendon_group
mjc:limited | token | true | tendon_limited | /fixed mjc:range:max double 1; /fixed mjc:limited token false
mjc:margin | double | 0.1 | tendon_margin
mjc:path | rel | /j /l | wrap_objid
mjc:path:coef | double[] | [3, 4] | wrap_prm
mjc:path:indices | int[] | [1, 0] | wrap_objid
mjc:range:max | double | 1 | tendon_range
mjc:range:min | double | -1 | tendon_range
mjc:rgba | color4f | (1, 0, 0, 1) | tendon_rgba
mjc:solimpfriction | double[] | [0.8, 0.9, 0.1, 0.4, 3] | tendon_solimp_fri
mjc:solimplimit | double[] | [0.8, 0.9, 0.1, 0.4, 3] | tendon_solimp_lim
mjc:solreffriction | double[] | [0.1, 2] | tendon_solref_fri
mjc:solreflimit | double[] | [0.1, 2] | tendon_solref_lim
mjc:springlength | double[] | [0.1, 0.3] | tendon_lengthspring
mjc:stiffness | double | 2 | tendon_stiffness
mjc:type | token | spatial | error
mjc:width | double | 0.01 | tendon_width
= MjcTendon /wrapped
mjc:sideSites | rel | /b1/side | wrap_prm | /wrapped mjc:sideSites:indices int[] [-1, 0, -1]; /wrapped mjc:sideSites rel /b1/s1
mjc:sideSites:indices | int[] | [-1, 0, -1] | wrap_prm | /wrapped mjc:sideSites rel /b1/side
= MjcTendon /pulleys
mjc:path:divisors | double[] | [1, 4] | wrap_prm
mjc:path:segments | int[] | [0, 0, 0, 0] | wrap_type
= bodies /free
mjc:gravcomp | double | 0.5 | body_gravcomp
mjc:body:gravcomp | double | 0.5 | body_gravcomp
mjc:sleep | token | never | tree_sleep_policy
= NewtonSceneAPI /scene
newton:maxSolverIterations | int | 7 | opt.iterations
newton:timeStepsPerSecond | int | 500 | opt.timestep | /scene newton:timeStepsPerSecond int 100
newton:gravityEnabled | bool | False | opt.disableflags
= NewtonJointAPI /k
newton:armature | float | 0.1 | dof_armature
newton:damping | float | 0.1 | dof_damping
newton:friction | float | 0.1 | dof_frictionloss
newton:velocityLimit | float | 3 | report
newton:limitStiffness | float | 300 | jnt_solref
newton:limitDamping | float | 30 | jnt_solref | /k newton:limitStiffness float 300
= NewtonMassAPI /b1
newton:inertia | double[] | [0.2, 0.3, 0.4, 0.01, 0.02, 0.03] | body_inertia
= NewtonMassAPI /free/shell
newton:massModel | token | shell | body_mass
newton:shellThickness | float | 0.01 | body_mass | /free/shell newton:massModel token shell
= NewtonCollisionAPI /b1/cube
newton:contactMargin | float | 0.1 | geom_margin
newton:contactGap | float | 0.1 | geom_gap
= NewtonMeshCollisionAPI /free/mesh
newton:maxHullVertices | int | 4 | mesh_maxhullvert
= NewtonMaterialAPI /m
newton:torsionalFriction | float | 0.3 | geom_friction
newton:rollingFriction | float | 0.3 | geom_friction
newton:contactStiffness | float | 3000 | geom_solref | /m newton:contactDamping float 30
newton:contactDamping | float | 30 | geom_solref | /m newton:contactStiffness float 3000
newton:contactFrictionGain | float | 30 | geom_kf
newton:contactAdhesion | float | 0.01 | report
= NewtonMimicAPI /l
newton:mimicEnabled | bool | False | eq_active0
newton:mimicJoint | rel | /k | eq_obj2id
newton:mimicCoef0 | float | 20 | eq_data
newton:mimicCoef1 | float | 3 | eq_data
= NewtonArticulationRootAPI /b1
newton:selfCollisionEnabled | bool | False | exclude_signature
"""


def properties() -> list[Property]:
    """The lines of the table."""
    found, schema, path = [], "", ""
    for line in PROPERTIES.strip().splitlines():
        if line.startswith("="):
            _, schema, path = line.split()
            continue
        name, kind, value, changes, *beside = [part.strip() for part in line.split("|")]
        others = tuple(tuple(item.strip().split(" ", 3)) for item in ";".join(beside).split(";") if item.strip())
        found.append(Property(schema, path, name, kind, value, changes, others))
    return found
