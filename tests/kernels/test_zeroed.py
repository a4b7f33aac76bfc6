"""Variables of the CUDA text that is made for us begin as zero; nobody else's text is changed."""

import re

import warp as wp
from step_models import MODELS

from newtonish import mjw
from newtonish.kernels.forward import step
from newtonish.kernels.runtime.modules import planned_modules
from newtonish.kernels.runtime.zeroed import zeroed


@wp.kernel
def _halve_above_one(x: wp.array(dtype=float)):
    i = wp.tid()
    value = x[i]
    if value > 1.0:
        value = 0.5 * value
    x[i] = value


def _text(module: wp.Module, device: str) -> str:
    options = module.resolve_options(wp.config) | {"output_arch": 90, "block_dim": 64}
    return wp._src.context.ModuleBuilder(module, options, target=device).codegen(device)


def test_numbers_of_variants_have_values():
    m, d = mjw.load(f"<mujoco>{MODELS['past']}</mujoco>", 2, device="cpu")
    module = planned_modules(step, m, d, for_cuda=True)[0].module
    text = _text(module, "cuda")
    assert re.search(r"wp::float32 var_\d+ = 0;", text)
    assert not re.search(r"wp::(float|u?int)\d+ var_\d+;|bool var_\d+;", text)


def test_the_text_of_others_is_as_warp_has_it():
    module = _halve_above_one.module
    for device in ("cuda", "cpu"):
        text = _text(module, device)
        assert re.search(r"wp::float32 var_\d+;", text)
        assert "var_0 = 0;" not in text
    assert zeroed(text) != text


def test_only_numbers_without_a_value_are_given_one():
    text = "        wp::int32 var_1;\n        wp::vec_t<3,wp::float32> var_2;\n        const wp::int32 var_3 = 4;\n        bool var_5;\n        wp::int32* var_6;\n"
    changed = text.replace("wp::int32 var_1;", "wp::int32 var_1 = 0;").replace("bool var_5;", "bool var_5 = 0;")
    assert zeroed(text) == changed
