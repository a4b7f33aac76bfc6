"""The words of MJCF as of MuJoCo 4.0: every element and attribute, with type, arity, default and status. Data only.

An entry describes one kind of element: ``"attributes", "children"``. An attribute reads ``status name:type flags
=default``:

* status: nothing when it is used; ``~`` when it is kept for viewers or for the user and changes no physics; ``-`` when it has no effect
  here (memory, threads, what other writers do); ``!`` when it changes physics that is not simulated yet.
* type: ``f`` real numbers, ``i`` integers, ``b`` true or false, ``s`` text, otherwise the name of a keyword set (``keywords``), with
  ``+`` in front where several keywords may stand. Numbers have an arity: ``f3``, ``f1-5``, ``f*``.
* flags: ``&`` required, ``^`` not allowed inside ``<default>``.

``@name`` stands for a group of attributes (``keywords``). A child reads ``tag`` or ``tag=kind`` where the same tag means another kind
of element elsewhere. A kind's own status is the first character of its attribute text, before ``|``.
"""

from __future__ import annotations

from newtonish.common.sensors import SENSORS

__all__ = ["ELEMENTS"]

_BODY_CHILDREN = "body frame replicate inertial joint freejoint geom attach site camera light plugin=plugin_ref composite flexcomp"
_SHARED = {"pair": "=pairsense", "": "=bare"}  # elements that sensors of some objects have in common
_OWN = {"contact": "=sensor_contact", "user": "=sensor_user"}
_SENSORS = " ".join([*(tag + _OWN.get(tag, _SHARED.get(kind.object, "")) for tag, kind in SENSORS.items()), "plugin=sensor_plugin"])
_ATTACHED = {**{word: f"@sens {word}:s&" for word in ("site", "joint", "tendon", "actuator", "body")}, "*": "@sens @obj @ref"}
_ACTUATORS = "general motor position velocity intvelocity orientation pid damper cylinder muscle adhesion dcmotor"

ELEMENTS: dict[str, tuple[str, str]] = {
    "mujoco": (
        "model:s",
        "compiler option size statistic visual default extension asset worldbody deformable contact tendon=tendons"
        " equality=equalities actuator=actuators sensor=sensors custom keyframe",
    ),
    "compiler": (
        "autolimits:b=true boundmass:f=0 boundinertia:f=0 settotalmass:f=-1 balanceinertia:b=false strippath:b"
        " coordinate:coordinate angle:angle=degree fitaabb:b=false eulerseq:s=xyz meshdir:s texturedir:s"
        " discardvisual:b=false -usethread:b fusestatic:b=false inertiafromgeom:tri=auto inertiagrouprange:i2=0,5"
        " -saveinertial:b assetdir:s alignfree:b=false conflict:conflict -passthrough:s -savecanonical:b"
        " -savecompiled:b",
        "lengthrange",
    ),
    "lengthrange": (
        "mode:lrmode useexisting:b uselimit:b accel:f maxforce:f timeconst:f timestep:f inttotal:f interval:f tolrange:f",
        "",
    ),
    "option": (
        "timestep:f impratio:f tolerance:f ls_tolerance:f noslip_tolerance:f ccd_tolerance:f sleep_tolerance:f"
        " gravity:f3"
        " wind:f3 magnetic:f3 density:f viscosity:f o_margin:f o_solref:f1-2 o_solimp:f1-5 o_friction:f1-5"
        " integrator:integrator cone:cone jacobian:jacobian solver:solver iterations:i ls_iterations:i"
        " noslip_iterations:i"
        " ccd_iterations:i sdf_iterations:i sdf_initpoints:i actuatorgroupdisable:i*",
        "flag",
    ),
    "flag": (
        " ".join(
            f"{name}:enable"
            for name in [
                "constraint",
                "equality",
                "frictionloss",
                "limit",
                "contact",
                "spring",
                "damper",
                "gravity",
                "clampctrl",
                "warmstart",
                "filterparent",
                "actuation",
                "refsafe",
                "sensor",
                "midphase",
                "eulerdamp",
                "autoreset",
                "nativeccd",
                "island",
                "multiccd",
                "override",
                "energy",
                "fwdinv",
                "invdiscrete",
                "sleep",
                "diagexact",
                "ipc",
                "speculative",
            ]
        ),
        "",
    ),
    "size": (
        "-memory:s -njmax:i -nconmax:i -nstack:i nuserdata:i nkey:i ~nuser_body:i ~nuser_jnt:i ~nuser_geom:i"
        " ~nuser_site:i ~nuser_cam:i ~nuser_tendon:i ~nuser_actuator:i ~nuser_sensor:i",
        "",
    ),
    "statistic": ("meaninertia:f meanmass:f meansize:f extent:f center:f3", ""),
    "visual": ("~|", "global quality headlight map scale rgba"),
    "global": (
        "~|cameraid:i orthographic:b fovy:f ipd:f azimuth:f elevation:f linewidth:f glow:f offwidth:i offheight:i realtime:f ellipsoidinertia:b bvactive:b",
        "",
    ),
    "quality": ("~|shadowsize:i offsamples:i numslices:i numstacks:i numquads:i", ""),
    "headlight": ("~|ambient:f3 diffuse:f3 specular:f3 active:headlight", ""),
    "map": (
        "~|stiffness:f stiffnessrot:f force:f torque:f alpha:f fogstart:f fogend:f znear:f zfar:f haze:f shadowclip:f shadowscale:f actuatortendon:f",
        "",
    ),
    "scale": (
        "~|forcewidth:f contactwidth:f contactheight:f connect:f com:f camera:f light:f selectpoint:f jointlength:f"
        " jointwidth:f actuatorlength:f actuatorwidth:f framelength:f framewidth:f constraint:f slidercrank:f"
        " frustum:f",
        "",
    ),
    "rgba": (
        "~|fog:f4 haze:f4 force:f4 inertia:f4 joint:f4 actuator:f4 actuatornegative:f4 actuatorpositive:f4 com:f4"
        " camera:f4 light:f4 selectpoint:f4 connect:f4 contactpoint:f4 contactforce:f4 contactfriction:f4"
        " contacttorque:f4"
        " contactgap:f4 rangefinder:f4 constraint:f4 slidercrank:f4 crankbroken:f4 frustum:f4 bv:f4 bvactive:f4",
        "",
    ),
    "default": (
        "class:s",
        f"default mesh texture material joint geom site camera light pair equality=default_equality tendon=default_tendon {_ACTUATORS}",
    ),
    "default_equality": ("active:b @sol", ""),
    "default_tendon": ("@tendon width:f ~material:s rgba:f4", ""),
    "extension": ("", "plugin=extension_plugin"),
    "extension_plugin": ("plugin:s", "instance"),
    "instance": ("name:s&", "config"),
    "config": ("key:s& value:s", ""),
    "plugin_ref": ("plugin:s instance:s", "config"),
    "asset": ("", "mesh hfield skin texture material model"),
    "mesh": (
        "name:s class:s content_type:s^ file:s^ vertex:f*^ -normal:f*^ ~texcoord:f*^ face:i*^ refpos:f3^ refquat:f4^"
        " scale:f3=1,1,1 -smoothnormal:b^ maxhullvert:i inertia:meshinertia=legacy builtin:meshbuiltin^ params:f*^"
        " ~material:s^",
        "plugin=plugin_ref",
    ),
    "hfield": ("name:s content_type:s file:s nrow:i ncol:i size:f4& elevation:f*", ""),
    "skin": ("~|name:s file:s material:s rgba:f4 inflate:f vertex:f* texcoord:f* face:i* group:i", "bone"),
    "bone": ("~|body:s& bindpos:f3& bindquat:f4& vertid:i*& vertweight:f*&", ""),
    "texture": (
        "~|name:s^ class:s type:texture=cube colorspace:colorspace=auto content_type:s^ file:s^ gridsize:i2=1,1 gridlayout:s"
        " fileright:s^ fileleft:s^ fileup:s^ filedown:s^ filefront:s^ fileback:s^ builtin:builtin=none rgb1:f3=0.8,0.8,0.8"
        " rgb2:f3=0.5,0.5,0.5 mark:mark=none markrgb:f3=0,0,0 random:f=0.01 width:i=0 height:i=0 hflip:b=false vflip:b=false"
        " nchannel:i=3 embed:tri",
        "",
    ),
    "material": (
        "name:s class:s ~texture:s ~texrepeat:f2 ~texuniform:b ~emission:f ~specular:f ~shininess:f ~reflectance:f ~metallic:f ~roughness:f rgba:f4",
        "layer",
    ),
    "layer": ("~|texture:s& role:s&", ""),
    "model": ("name:s file:s& -content_type:s", ""),
    "worldbody": ("", _BODY_CHILDREN),
    "body": (
        "name:s childclass:s @pose mocap:b gravcomp:f sleep:sleep -simple:autofalse ~user:f* fuse:autofalse",
        _BODY_CHILDREN,
    ),
    "frame": ("name:s childclass:s @pose", _BODY_CHILDREN),
    "replicate": ("count:i& offset:f3 euler:f3 sep:s childclass:s", _BODY_CHILDREN),
    "attach": ("model:s body:s frame:s prefix:s&", ""),
    "inertial": ("pos:f3& mass:f& diaginertia:f3 fullinertia:f6 @orient", ""),
    "joint": (
        "name:s class:s type:joint=hinge group:i pos:f3 axis:f3=0,0,1 springdamper:f2 limited:tri=auto"
        " actuatorfrclimited:tri=auto @sollimit @solfriction stiffness:f1-3 range:f2 actuatorfrcrange:f2"
        " actuatorgravcomp:b"
        " margin:f ref:f springref:f springyield:f armature:f damping:f1-3 frictionloss:f ~user:f*",
        "",
    ),
    "freejoint": ("name:s group:i align:tri", ""),
    "geom": (
        "name:s class:s type:geom=sphere contype:i=1 conaffinity:i=1 condim:i=3 group:i=0 priority:i=0 size:f1-3"
        " material:s"
        " friction:f1-3=1,0.005,0.0001 mass:f density:f=1000 shellinertia:b solmix:f=1 @sol margin:f gap:f"
        " surfacevel:f1-6"
        " adhesion:f fromto:f6 @pose hfield:s mesh:s fitscale:f=1 rgba:f4=0.5,0.5,0.5,1 fluidshape:fluidshape"
        " fluidcoef:f1-5 ~castshadow:b ~user:f*",
        "plugin=plugin_ref",
    ),
    "site": (
        "name:s class:s type:geom=sphere group:i=0 @pose ~material:s size:f1-3=0.005,0.005,0.005 fromto:f6 mesh:s rgba:f4=0.5,0.5,0.5,1 ~user:f*",
        "",
    ),
    "camera": (
        "name:s class:s projection:projection fovy:f ~ipd:f resolution:i2 ~output:+camout @pose mode:track target:s^"
        " focal:f2 focalpixel:f2 principal:f2 principalpixel:f2 sensorsize:f2 ~user:f*",
        "",
    ),
    "light": (
        "name:s class:s pos:f3=0,0,0 dir:f3=0,0,-1 mode:track target:s^ ~directional:b ~type:light ~castshadow:b ~active:b"
        " ~bulbradius:f ~intensity:f ~range:f ~attenuation:f3 ~cutoff:f ~softness:f ~exponent:f ~ambient:f3 ~diffuse:f3"
        " ~specular:f3 ~texture:s^",
        "",
    ),
    # Dropped by MuJoCo 4.0; as it was up to 2.3.
    "composite": (
        "prefix:s type:comp& count:i1-3 spacing:f offset:f3 vertex:f* initial:cableroot curve:s size:f1-3 solrefsmooth:f1-2 solimpsmooth:f1-5 flatinertia:f",
        "joint=composite_joint tendon=composite_tendon skin=composite_skin geom=composite_geom site=composite_site pin=composite_pin plugin=plugin_ref",
    ),
    "composite_joint": (
        "kind:compjoint& group:i stiffness:f1-3 damping:f1-3 armature:f solreffix:f1-2 solimpfix:f1-5 type:joint axis:f3"
        " limited:tri range:f2 margin:f @sollimit frictionloss:f @solfriction",
        "",
    ),
    "composite_tendon": (
        "kind:comptendon& group:i stiffness:f1-3 damping:f1-3 solreffix:f1-2 solimpfix:f1-5 limited:tri range:f2 margin:f @sollimit"
        " frictionloss:f @solfriction ~material:s ~rgba:f4 width:f",
        "",
    ),
    "composite_skin": ("-|texcoord:b material:s group:i rgba:f4 inflate:f subgrid:i", ""),
    "composite_geom": (
        "type:geom contype:i conaffinity:i condim:i group:i priority:i size:f1-3 material:s rgba:f4 friction:f1-3 mass:f"
        " density:f solmix:f @sol margin:f gap:f surfacevel:f1-6 adhesion:f",
        "",
    ),
    "composite_site": ("group:i size:f1-3 material:s rgba:f4", ""),
    "composite_pin": ("coord:i1-2&", ""),
    "flexcomp": (
        "!|name:s& type:fcomp group:i dim:i dof:fdof count:i3 cellcount:i3 spacing:f3 radius:f rigid:b mass:f"
        " inertiabox:f"
        " scale:f3 file:s mesh:s point:f* element:f* texcoord:f* material:s rgba:f4 flatskin:b pos:f3 @orient"
        " origin:f3",
        "edge=flexcomp_edge elasticity contact=flex_contact pin plugin=plugin_ref",
    ),
    "flexcomp_edge": ("!|equality:flexeq @sol stiffness:f damping:f", ""),
    "elasticity": ("!|@elastic", ""),
    "flex_contact": ("!|@flexcontact", ""),
    "pin": ("!|id:f* range:f* grid:f* gridrange:f*", ""),
    "deformable": ("!|", "flex skin"),
    "flex": (
        "!|name:s group:i dim:i radius:f material:s rgba:f4 flatskin:b body:s& vertex:f* element:i*& texcoord:f*"
        " elemtexcoord:i* node:s nodecoord:f* cellcount:i3 dof:fdof",
        "contact=flex_contact edge=flex_edge elasticity",
    ),
    "flex_edge": ("!|stiffness:f damping:f", ""),
    "contact": ("", "pair exclude"),
    "pair": (
        "name:s class:s geom1:s^ geom2:s^ condim:i friction:f1-5 solref:f1-2 solreffriction:f1-2 solimp:f1-5 gap:f margin:f adhesion:f",
        "",
    ),
    "exclude": ("name:s body1:s& body2:s&", ""),
    "tendons": ("", "spatial fixed"),
    "spatial": ("@tendon width:f @paint", "site=wrap_site geom=wrap_geom pulley"),
    "wrap_site": ("site:s&", ""),
    "wrap_geom": ("geom:s& sidesite:s", ""),
    "pulley": ("divisor:f&", ""),
    "fixed": ("@tendon", "joint=wrap_joint"),
    "wrap_joint": ("joint:s& coef:f&", ""),
    "equalities": ("", "connect weld joint=eq_joint tendon=eq_tendon flex=eq_flex flexstrain"),
    "connect": ("@eq body1:s body2:s anchor:f3 site1:s site2:s", ""),
    "weld": ("@eq body1:s body2:s relpose:f7 anchor:f3 site1:s site2:s torquescale:f=1", ""),
    "eq_joint": ("@eq joint1:s& joint2:s polycoef:f1-5=0,1,0,0,0", ""),
    "eq_tendon": ("@eq tendon1:s& tendon2:s polycoef:f1-5=0,1,0,0,0", ""),
    "eq_flex": ("!|@eq flex:s&", ""),
    "flexstrain": ("!|@eq flex:s& cell:f3", ""),
    "actuators": ("", f"{_ACTUATORS} plugin=actuator_plugin"),
    "general": (
        "@act @force actlimited:tri=auto actrange:f2 @drive @trn body:s^ actdim:i=-1 input:+input velrange:f2"
        " ffrange:f2"
        " dyntype:dyn gaintype:gain biastype:bias dynprm:f1-10 gainprm:f1-10 biasprm:f1-10 actearly:b inheritrange:f",
        "",
    ),
    "motor": ("@act @force @drive @trn", ""),
    "position": ("@act @force inheritrange:f @drive @trn kp:f kv:f dampratio:f timeconst:f", ""),
    "velocity": ("@act @force @drive @trn kv:f", ""),
    "intvelocity": ("@act @force actlimited:tri=auto actrange:f2 inheritrange:f @drive @trn kp:f kv:f dampratio:f", ""),
    "orientation": ("@act @forceonly joint:s^ site:s^ refsite:s^ kp:f kv:f dampratio:f input:+input", ""),
    "pid": (
        "@act @force posrange:f2 velrange:f2 ffrange:f2 inheritrange:f @drive @trn kp:f kv:f dampratio:f ki:f imax:f slewmax:f input:+input",
        "",
    ),
    "damper": ("@act @forceonly @drive @trn kv:f", ""),
    "cylinder": ("@act @force @drive @trn timeconst:f area:f diameter:f bias:f3", ""),
    "muscle": (
        "@act @force @drive @trn timeconst:f2 tausmooth:f^ range:f2 force:f scale:f lmin:f lmax:f vmax:f fpmax:f fvmax:f",
        "",
    ),
    "adhesion": ("@act @forceonly body:s^ gain:f", ""),
    "dcmotor": (
        "@act ctrllimited:tri=auto @drive @trn motorconst:f1-2 resistance:f nominal:f1-3 saturation:f1-3"
        " inductance:f1-2"
        " cogging:f1-3 controller:f1-6 thermal:f1-6 lugre:f1-5 input:+input",
        "",
    ),
    "actuator_plugin": (
        "!|@act plugin:s instance:s @force actlimited:tri actrange:f2 @drive @trn actdim:i dyntype:dyn dynprm:f1-10 actearly:b",
        "config",
    ),
    "sensors": ("", _SENSORS),
    **{tag: (_ATTACHED[kind.object], "") for tag, kind in SENSORS.items() if kind.object in _ATTACHED and tag not in _OWN},
    "camprojection": ("@sens site:s& camera:s&", ""),
    "rangefinder": ("@sens site:s camera:s data:+raydata", ""),
    "insidesite": ("@sens site:s& objtype:s& objname:s& enclosed:b", ""),
    "pairsense": ("@sens geom1:s geom2:s body1:s body2:s", ""),
    "sensor_contact": (
        "@sens geom1:s geom2:s body1:s body2:s subtree1:s subtree2:s site:s num:i data:+condata reduce:reduce",
        "",
    ),
    "bare": ("@sens", ""),
    "tactile": ("name:s geom:s& mesh:s& nsample:i interp:interp delay:f interval:f1-2 cutoff:f ~user:f*", ""),
    "sensor_user": (
        "name:s objtype:s objname:s datatype:data needstage:stage dim:i cutoff:f noise:f ~user:f*",
        "",
    ),
    "sensor_plugin": (
        "!|name:s plugin:s instance:s cutoff:f objtype:s objname:s reftype:s refname:s ~user:f*",
        "config",
    ),
    "custom": ("", "numeric text tuple"),
    "numeric": ("name:s& size:i data:f*", ""),
    "text": ("name:s& data:s&", ""),
    "tuple": ("name:s&", "element=tuple_element"),
    "tuple_element": ("objtype:s& objname:s& prm:f", ""),
    "keyframe": ("", "key"),
    "key": ("name:s time:f qpos:f* qvel:f* act:f* mpos:f* mquat:f* ctrl:f* plastic:f*", ""),
}
"""Kind of element -> (attributes, children)."""
