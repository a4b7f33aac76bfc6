"""Variables of the CUDA text that is made for us begin as zero, in each turn of a loop; nobody else's text is changed."""

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


@wp.kernel
def _sum_until_small(x: wp.array2d(dtype=float), sums: wp.array(dtype=float)):
    row = wp.tid()
    total = float(0.0)
    left = int(1)
    while left == 1:
        largest = float(0.0)
        for column in range(x.shape[1]):
            if x[row, column] > largest:
                largest = wp.sqrt(x[row, column])  # carried to the next turn, where the root itself is not
        if largest < 1.0:
            break
        if largest > 2.0:
            total += wp.exp(largest)
        left = wp.where(total > 9.0, 0, 1)
    sums[row] = total


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


def test_what_a_loop_sets_under_a_condition_begins_each_turn_as_zero():
    text = zeroed(_text(_sum_until_small.module, "cuda"))
    body = text[text.index("__global__ void _sum_until_small") :]
    body = body[: body.index("\n}")]
    begun = dict(re.findall(r"goto end_(for|while)_\d+;(.*= .*\(\);)", body))
    for loop, called in (("while", "exp"), ("for", "sqrt")):
        name = re.search(rf"(var_\d+) = wp::{called}\(", body)[1]
        assert f" {name} = wp::float32();" in begun[loop]
    for name in re.findall(r"wp::assign\((var_\d+),", body):  # what turns hand on
        assert not any(f" {name} = " in zeros for zeros in begun.values())


def test_nothing_that_is_read_behind_a_loop_is_set_back_within_it():
    text = """{
    wp::float32 var_1;
    wp::float32 var_2;
    start_for_0:;
        if (iter_cmp(var_0) == 0) goto end_for_0;
        if (var_9) {
            goto end_for_0;
        }
        if (var_8) {
            var_1 = wp::load(var_3);
            var_2 = wp::add(var_1, var_1);
        }
        goto start_for_0;
    end_for_0:;
    return var_2;
}
"""
    assert zeroed(text).count("goto end_for_0; var_1 = wp::float32();\n") == 1
    assert "var_2 = wp::float32()" not in zeroed(text)
