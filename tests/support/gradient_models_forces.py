"""Models whose forces have an analytic derivative: transmissions that turn, spatial tendons, muscles, a medium."""

import re

ARM = """
  <default><geom contype="0" conaffinity="0"/></default>
  <worldbody>
    <site name="ground" pos=".1 .3 .2" euler="20 30 40"/>
    <body name="upper" pos="0 0 1"><joint name="a" axis="0 1 0" damping=".1"/><joint name="s" type="slide" axis="1 .3 0" stiffness="3"/>
      <geom name="drum" type="capsule" size=".05" fromto="0 0 0 .4 0 0"/><site name="u" pos=".1 .1 .05" euler="10 20 30"/>
      <body name="middle" pos=".4 0 0"><joint name="b" type="ball" damping=".05"/><geom type="box" size=".04 .1 .06" pos=".1 0 .02"/><site name="m" pos=".1 .1 .05" euler="-10 20 50"/>
        <body name="hand" pos=".2 0 .1"><joint name="c" axis="1 0 1" armature=".1"/><geom type="box" size=".04 .1 .06" pos=".1 .1 .02"/><site name="h" pos=".15 .1 .05" euler="40 20 -30"/></body></body></body>
    <body name="ship" pos="0 1 .5" euler="10 20 30"><freejoint name="f"/><geom type="box" size=".1 .15 .2"/><site name="deck" pos=".1 0 .1" euler="50 20 30"/>
      <body pos=".2 0 .1"><joint name="d" axis="1 0 1"/><geom type="box" size=".04 .1 .06" pos=".1 .1 .02"/><site name="fin" pos=".2 .1 .1" euler="10 -20 30"/></body></body>
  </worldbody>
"""

TRANSMISSIONS = (
    '<mujoco><option timestep=".005" integrator="{integrator}"/>'
    + ARM
    + """
  <actuator>
    <general site="h" gear=".1 .2 .3 .4 .5 .6" gainprm="2"/>
    <general site="fin" gear=".1 .2 .3 .04 .05 .06" gainprm="3" biastype="affine" biasprm=".1 0 -.3"/>
    <general site="h" refsite="ground" gear="1 2 3 0 0 0" gainprm="2" biastype="affine" biasprm=".1 -2 -.3"/>
    <general site="m" refsite="u" gear=".1 .2 .3 .4 .5 .6" gainprm="2" biastype="affine" biasprm=".1 -2 -.3"/>
    <position site="deck" refsite="h" gear="0 0 0 .1 .2 .3" kp="2" kv=".1"/>
    <general jointinparent="b" gear=".1 .2 .3" gainprm="2" biastype="affine" biasprm=".1 -1 -.2"/>
    <position joint="b" gear=".3 -.2 .1" kp="3" kv=".2" forcerange="-5 5"/>
    <motor joint="f" gear=".1 .2 .3 .4 .5 .6"/>
    <general jointinparent="f" gear=".1 .2 .3 .4 .5 .6" gainprm="2" biastype="affine" biasprm=".1 0 -.2"/>
    <general cranksite="h" slidersite="u" cranklength=".6" gear="2" gainprm="1" biastype="affine" biasprm=".1 -3 -.2"/>
    <general cranksite="fin" slidersite="ground" cranklength=".1" gear="1" gainprm="1" biastype="affine" biasprm=".1 -3 -.2"/>
  </actuator>
</mujoco>
"""
)

STRINGS = (
    '<mujoco><option timestep=".005" integrator="{integrator}"/>'
    + ARM.replace(
        '<site name="ground"',
        """<geom name="ball" type="sphere" size=".1" pos=".25 .1 .9"/><geom name="orb" type="sphere" size=".1" pos=".38 .25 .65"/>
    <geom name="log" type="cylinder" size=".12 .3" pos=".52 .75 .82" euler="70 80 0"/>
    <geom name="ring" type="sphere" size=".08" pos=".2 .25 .7"/><site name="core" pos=".2 .25 .72"/><site name="round" pos=".25 .1 1.2"/>
    <geom name="pipe" type="cylinder" size=".05 .3" pos=".35 .25 .7" euler="80 20 30"/><site name="bore" pos=".35 .25 .71"/>
    <site name="ground\"""",
    ).replace(
        '<geom type="box" size=".1 .15 .2"/>',
        '<geom type="box" size=".1 .15 .2"/><geom name="mast" type="cylinder" size=".09 .3" pos=".2 0 0" euler="20 30 0"/>',
    )
    + """
  <tendon>
    <spatial name="plain" stiffness="30 5 2" damping=".5 .3 .2"><site site="ground"/><site site="u"/><site site="h"/></spatial>
    <spatial name="pulleys" stiffness="20" springlength=".1 .2"><site site="deck"/><site site="h"/><pulley divisor="2"/><site site="u"/><site site="fin"/>
      <pulley divisor="3"/><site site="m"/><site site="ground"/></spatial>
    <spatial name="over" stiffness="20" damping=".3"><site site="ground"/><geom geom="orb"/><site site="h"/></spatial>
    <spatial name="wound" stiffness="20" damping=".3"><site site="ground"/><geom geom="ball" sidesite="round"/><site site="m"/></spatial>
    <spatial name="log" stiffness="20" damping=".3"><site site="fin"/><geom geom="log"/><site site="h"/></spatial>
    <spatial name="mast" stiffness="20" damping=".3"><site site="ground"/><geom geom="mast"/><site site="fin"/></spatial>
    <spatial name="ring" stiffness="20" damping=".3"><site site="ground"/><geom geom="ring" sidesite="core"/><site site="h"/></spatial>
    <spatial name="pipe" stiffness="20" damping=".3"><site site="ground"/><geom geom="pipe" sidesite="bore"/><site site="h"/></spatial>
  </tendon>
  <actuator>
    <position tendon="pulleys" kp="3" kv=".4"/>
    <general tendon="over" gear="2" gaintype="affine" gainprm="1 .3 -.4" dyntype="filter" dynprm=".05" actearly="true"/>
    <general joint="a" gaintype="affine" gainprm="2 .3 -.8" biastype="affine" biasprm=".1 -.2 -.3"/>
    <muscle tendon="plain" lengthrange=".3 1.4" force="20"/>
    <muscle tendon="log" lengthrange=".8 1.8" force="20" tausmooth=".3"/>
    <muscle joint="d" lengthrange="-1 1" force="5"/>
  </actuator>
</mujoco>
"""
)

ROWS = (
    '<mujoco><option timestep=".004"/>'
    + ARM
    + """
  <tendon>
    <spatial name="rough" frictionloss=".2"><site site="ground"/><site site="u"/><site site="h"/></spatial>
    <spatial name="sticky" frictionloss="50"><site site="u"/><site site="fin"/></spatial>
    <spatial name="tight" range="0 1.0" limited="true"><site site="deck"/><site site="h"/></spatial>
    <spatial name="slack" range="1.1 3" limited="true"><site site="ground"/><site site="m"/></spatial>
    <spatial name="led"><site site="fin"/><site site="u"/></spatial><spatial name="leader"><site site="h"/><site site="ground"/></spatial>
    <spatial name="held"><site site="fin"/><site site="ground"/></spatial>
    <fixed name="first"><joint joint="a" coef="1"/><joint joint="d" coef="-.4"/></fixed><fixed name="second"><joint joint="c" coef="1"/><joint joint="d" coef=".3"/></fixed>
  </tendon>
  <equality><tendon tendon1="led" tendon2="leader" polycoef=".1 .5 .8 -.3 .2"/><tendon tendon1="held"/>
    <tendon tendon1="first" tendon2="second" polycoef=".1 .5 .8 -.3 .2"/></equality>
</mujoco>
"""
)

HELD = (
    re.sub(r'(<spatial name="(rough|tight|held)")', r'\1 stiffness="300 50 20" damping="8 3 1" armature="3"', ROWS)
    .replace("<option ", '<option integrator="discrete" ')
    .replace('<fixed name="first"', '<fixed name="first" damping="3 1 1"')
    .replace(
        "</mujoco>",
        """<actuator>
    <muscle tendon="slack" lengthrange=".8 1.8" force="200" tausmooth=".3"/><muscle joint="d" lengthrange="-1 1" force="50"/>
    <general joint="a" gaintype="affine" gainprm="2 -30 -8" ctrlrange=".1 1"/><general tendon="rough" gear="2" gaintype="affine" gainprm="2 -9 -8" ctrlrange=".1 1"/>
    <general joint="c" gaintype="affine" gainprm="1 -3 -2" dyntype="filter" dynprm=".05" actearly="true" ctrlrange=".1 1"/>
  </actuator></mujoco>""",
    )
)
"""Rows of spatial tendons and others in a metric that changes with everything but contacts."""

CARRIED = """
<mujoco><option timestep=".004" integrator="{integrator}"/>
  <default><geom contype="0" conaffinity="0"/></default>
  <worldbody>
    <body pos="0 0 1" gravcomp=".5"><joint name="a" axis="0 1 0" actuatorgravcomp="true" damping=".2"/><geom type="capsule" size=".05" fromto="0 0 0 .4 0 0"/>
      <body pos=".4 0 0" gravcomp="1"><joint name="b" axis="0 1 .3" actuatorgravcomp="true" actuatorfrcrange="-.3 .3"/><geom type="box" size=".04 .1 .06" pos=".1 .03 .02"/>
        <body pos=".2 0 .1" gravcomp=".8"><joint name="c" type="ball" actuatorgravcomp="true" actuatorfrcrange="-.2 .2"/><geom type="box" size=".04 .1 .06" pos=".1 .1 .02"/>
          <body pos=".2 .1 .1" gravcomp=".4"><joint name="d" axis="1 0 .3"/><geom type="box" size=".04 .1 .06" pos=".1 .1 .02"/></body></body></body></body>
  </worldbody>
  <actuator><position joint="a" kp="2" kv=".1"/><motor joint="c" gear=".3 .2 .1"/></actuator>
</mujoco>
"""

SHARED = (
    '<mujoco><option timestep=".004" integrator="{integrator}"/>'
    + ARM
    + """
  <tendon>
    <spatial name="cord" damping=".3 .1" armature=".3" actuatorfrcrange="-2 2"><site site="h"/><site site="fin"/><pulley divisor="2"/><site site="u"/><site site="deck"/></spatial>
    <spatial name="loose" armature=".2" actuatorfrcrange="-200 200"><site site="ground"/><site site="h"/></spatial>
    <fixed name="sum" armature=".1" actuatorfrcrange="-1 1"><joint joint="a" coef="1"/><joint joint="d" coef="-.4"/></fixed>
  </tendon>
  <actuator>
    <position tendon="cord" kp="4" kv=".4"/><general tendon="cord" gear="2" gainprm="3" dyntype="filter" dynprm=".05" biastype="affine" biasprm=".1 -.5 -.2"/>
    <motor tendon="cord" gear="-1.5" forcerange="-.1 .1"/>
    <position tendon="loose" kp="4" kv=".4"/><motor tendon="loose" gear="2" forcerange="-.1 .1"/>
    <position tendon="sum" kp="8" kv=".4"/><motor tendon="sum" gear="4"/>
  </actuator>
</mujoco>
"""
)

LAWS = (
    '<mujoco><option timestep=".004" integrator="{integrator}"/>'
    + ARM
    + """
  <tendon><fixed name="t"><joint joint="a" coef="1"/><joint joint="d" coef="-.4"/></fixed>
    <spatial name="cord"><site site="u"/><site site="h"/></spatial></tendon>
  <actuator>
    <pid joint="a" kp="3" kv="2" ki="1.3" imax="0.05" slewmax="20" input="pos vel ff" posrange="-1 1" velrange="-2 2" ffrange="-1 1"/>
    <pid joint="b" kp="3" kv="0.4" slewmax="100" ki="2" gear="1 1 0"/>
    <pid site="h" refsite="ground" kp="0.5" kv="0.1" ki=".3" gear="0 0 0 0 0 1" input="pos"/>
    <pid joint="s" kp="30" kv="1" forcerange="-3 3"/>
    <pid tendon="cord" kp="2" kv="1" ki="1" input="pos vel ff" forcerange="-5 5"/>
    <dcmotor joint="d" motorconst=".5 .6" resistance="2" inductance=".1" lugre="5 0.1 0.1 0.2 0.05" cogging="0.2 3 0.5"/>
    <dcmotor joint="b" motorconst=".5 .6" resistance="2" input="vel ff" controller="0 0 1 200 0 2" gear="1 1 0"/>
    <dcmotor joint="c" motorconst=".5 .6" resistance="2" input="pos" controller="5 .3 1 20 .4" {warm}/>
    <dcmotor tendon="t" motorconst=".5 .6" resistance="2" saturation=".5" input="none" lugre="50 1 0.1 0.2 0.05"/>
    <dcmotor tendon="cord" motorconst=".5 .6" resistance="2" inductance=".1" input="pos" controller="5 0 1"/>
    <orientation joint="b" kp="3" kv=".2" ctrlrange="-1 1" {limited}/>
    <orientation joint="b" kp="2" kv=".3" input="quat"/>
    <orientation site="h" refsite="u" kp="2" kv=".2"/>
    <general site="fin" refsite="ground" gaintype="so3" biastype="so3" dyntype="integrator" gainprm="1" biasprm="0 -1 -.1" actrange="-.5 4"/>
    <general joint="b" gaintype="so3" biastype="so3" dyntype="integrator" gainprm="1" biasprm=".05 -1 -.1" actearly="true"/>
  </actuator>
</mujoco>
"""
)

STATELESS = (
    re.sub(r' (ki|imax|slewmax|inductance|lugre|dyntype|actearly|actrange)="[^"]*"', "", LAWS)
    .replace('controller="5 .3 1 20 .4"', 'controller="5 0 1"')
    .replace('controller="0 0 1 200 0 2"', 'controller="0 0 1"')
)
"""The same without activations."""

SHARED_LAWS = SHARED.replace('forcerange="-.1 .1"', "").replace(
    "</actuator>",
    """
    <pid tendon="cord" kp="2" kv="1" ki="1" input="pos vel ff" gear="1.3" {pid}/>
    <dcmotor tendon="cord" motorconst=".5 .6" resistance="2" input="pos" controller="5 .3 1 20 .4" lugre="5 0.1 0.1 0.2 0.05" cogging="0.2 3 0.5"/>
    <dcmotor tendon="cord" motorconst=".5 .6" resistance="2" inductance=".1" gear="-.7" {motor}/>
    <dcmotor tendon="sum" motorconst=".5 .6" resistance="2" inductance=".1" thermal="2 30 0 0.05 25 20"/>
    <pid tendon="sum" kp="2" kv="1" ki="1"/>
    <pid tendon="loose" kp="2" kv="1" forcerange="-.5 .5"/>
    <dcmotor tendon="loose" motorconst=".5 .6" resistance="2" input="pos" controller="5 .3 1 20 .4"/>
  </actuator>""",
)
"""Actuators with a law of their own among those that share a limit."""
