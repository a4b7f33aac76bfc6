"""Groups of arrays of kernels that call functions out of line are constant arguments, whose address needs no copy; other kernels have theirs as Warp has them."""

import re

import warp as wp
from step_models import MODELS

from newtonish import mjw
from newtonish.kernels.forward import step
from newtonish.kernels.runtime.constant_arguments import with_constant_arguments
from newtonish.kernels.runtime.modules import planned_modules

CONVEX = """<mujoco><worldbody><geom type="ellipsoid" size=".1 .2 .3"/>
<body pos="0 0 .5"><freejoint/><geom type="ellipsoid" size=".1 .2 .1"/></body></worldbody></mujoco>"""


def _texts(xml: str) -> dict[str, str]:
    """The CUDA text of the modules of a step, by the names of their files."""
    m, d = mjw.load(xml, 1, device="cpu")
    found = {}
    for build in planned_modules(step, m, d, for_cuda=True):
        options = build.module.resolve_options(wp.config) | {"output_arch": 90, "block_dim": 64}
        found[build.module.name.split(".")[-2]] = wp._src.context.ModuleBuilder(build.module, options, target="cuda").codegen("cuda")
    return found


def test_groups_are_constant_where_functions_are_out_of_line():
    text = _texts(CONVEX)["collision_convex"]
    assert re.search(r"const __grid_constant__ Hull_\w+ held_var_hull,", text)
    assert re.search(r"(Hull_\w+)& var_hull = const_cast<\1&>\(held_var_hull\);", text)
    assert "wp::int32 var_nworld)" in text


def test_other_kernels_have_their_groups_as_warp_has_them():
    texts = _texts(f"<mujoco>{MODELS['past']}</mujoco>")
    assert texts
    assert not any("__grid_constant__" in text for text in texts.values())


def test_only_groups_are_constant():
    text = 'extern "C" __global__ void one(\n    wp::launch_bounds_t<1> dim,\n    Geom_0123abcd var_geom,\n    wp::array_t<int> var_x)\n{\n    body\n}\n'
    changed = text.replace("Geom_0123abcd var_geom", "const __grid_constant__ Geom_0123abcd held_var_geom")
    assert with_constant_arguments(text) == changed.replace("    body", "    Geom_0123abcd& var_geom = const_cast<Geom_0123abcd&>(held_var_geom);\n    body")
