"""Keyword sets and groups of attributes that the vocabulary of MJCF refers to by name; its notation is told there. Data only."""

from __future__ import annotations

from newtonish.common.actuator_laws import words
from newtonish.common.enums import BiasType, DynType, GainType
from newtonish.common.geoms import GEOMS

__all__ = ["GROUPS", "KEYWORDS"]

KEYWORDS: dict[str, str] = {
    "coordinate": "local global",
    "angle": "radian degree",
    "fluidshape": "none ellipsoid",
    "enable": "disable enable",
    "tri": "false true auto",
    "headlight": "false true auto 0 1 2",
    "autofalse": "false auto",
    "sleep": "auto never allowed init",
    "joint": "free ball slide hinge",
    "geom": " ".join([*GEOMS, "sdf"]),
    "projection": "perspective orthographic",
    "track": "fixed track trackcom targetbody targetbodycom",
    "light": "spot directional point image",
    "integrator": "Euler RK4 implicit implicitfast discrete",
    "cone": "pyramidal elliptic",
    "jacobian": "dense sparse auto",
    "solver": "PGS CG Newton",
    "texture": "2d cube skybox",
    "colorspace": "auto linear sRGB",
    "builtin": "none gradient checker flat",
    "mark": "none edge cross random",
    "dyn": " ".join(words(DynType)),
    "gain": " ".join(words(GainType)),
    "bias": " ".join(words(BiasType)),
    "input": "none expmap quat pos vel ff voltage pressure",
    "interp": "zoh linear cubic",
    "stage": "none pos vel acc",
    "data": "real positive axis quaternion",
    "condata": "found force torque dist pos normal tangent linvel angvel",
    "raydata": "dist dir origin point normal depth",
    "camout": "rgb depth distance normal segmentation",
    "reduce": "none mindist maxforce netforce",
    "conflict": "warning merge error",
    "lrmode": "none muscle muscleuser all",
    "comp": "particle grid rope loop cable cloth box cylinder ellipsoid",
    "compjoint": "main twist stretch particle",
    "comptendon": "main shear",
    "cableroot": "none ball free",
    "meshinertia": "convex legacy exact shell",
    "meshbuiltin": "none sphere hemisphere cone supertorus supersphere wedge plate",
    "fcomp": "grid box cylinder ellipsoid square disc circle mesh gmsh direct",
    "fdof": "full radial trilinear quadratic 2d",
    "flexself": "none narrow bvh sap auto",
    "elastic2d": "none bend stretch both",
    "flexeq": "false true vert strain",
}

GROUPS: dict[str, str] = {
    "orient": "quat:f4 axisangle:f4 xyaxes:f6 zaxis:f3 euler:f3",
    "pose": "pos:f3=0,0,0 @orient",
    "act": "name:s class:s group:i nsample:i interp:interp delay:f ctrlrange:f2 ~user:f*",
    "drive": "lengthrange:f2^ gear:f1-6=1,0,0,0,0,0 damping:f1-3 armature:f cranklength:f",
    "trn": "joint:s^ jointinparent:s^ tendon:s^ slidersite:s^ cranksite:s^ site:s^ refsite:s^",
    "force": "ctrllimited:tri=auto forcelimited:tri=auto forcerange:f2",
    "forceonly": "forcelimited:tri=auto forcerange:f2",
    "sens": "name:s nsample:i interp:interp delay:f interval:f1-2 cutoff:f noise:f ~user:f*",
    "obj": "objtype:s& objname:s&",
    "ref": "reftype:s refname:s",
    "sol": "solref:f1-2=0.02,1 solimp:f1-5=0.9,0.95,0.001,0.5,2",
    "sollimit": "solreflimit:f1-2=0.02,1 solimplimit:f1-5=0.9,0.95,0.001,0.5,2",
    "solfriction": "solreffriction:f1-2=0.02,1 solimpfriction:f1-5=0.9,0.95,0.001,0.5,2",
    "eq": "name:s class:s active:b=true @sol",
    "tendon": "name:s^ class:s^ group:i limited:tri=auto actuatorfrclimited:tri=auto range:f2 actuatorfrcrange:f2"
    " @sollimit @solfriction frictionloss:f springlength:f1-2=-1,-1 springyield:f margin:f stiffness:f1-3"
    " damping:f1-3 armature:f"
    " ~user:f*",
    "paint": "~material:s ~rgba:f4",
    "flexcontact": "contype:i conaffinity:i condim:i priority:i friction:f1-3 solmix:f @sol margin:f gap:f internal:b"
    " selfcollide:flexself activelayers:i passive:b",
    "elastic": "young:f poisson:f damping:f thickness:f elastic2d:elastic2d section:s sectionsize:f* shear:f* yield:f*",
}
