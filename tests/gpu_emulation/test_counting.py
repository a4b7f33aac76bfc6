"""What lines of intermediate code count, and that they are counted where they stand."""

import numpy as np
import pytest
import warp as wp
from emulation.compiler import Form
from emulation.counting import instrument, weight
from emulation.emulator import Emulator
from test_checks import LANES, make_kernel


@pytest.mark.parametrize("line, instructions", [
    ("  %3 = fadd float %1, %2", 1),
    ("  %3 = fdiv float %1, %2", 9),
    ("  %3 = sdiv i32 %1, %2", 18),
    ("  %3 = tail call float @llvm.sin.f32(float %1)", 40),
    ("  %3 = fmul contract <4 x float> %1, %2", 4),
    ("  %3 = load <4 x float>, ptr %1, align 16", 1),
    ("  %3 = phi float [ %1, %2 ]", 0),
    ("  %3 = shufflevector <2 x float> %1, <2 x float> poison, <2 x i32> zeroinitializer", 0),
    ("  %3 = getelementptr i8, ptr %1, i64 64", 0),
    ("  %3 = getelementptr float, ptr %1, i64 %2", 2),
    ("  tail call void @emu_syncwarp(i32 -1)", 0),
])  # fmt: skip
def test_weights(line, instructions):
    assert weight(line) == instructions


def test_a_product_and_its_sum_are_one_instruction():
    text = "define void @f() {\n  %1 = fmul float %a, %b\n  %2 = fadd float %1, %c\n  %3 = fmul float %2, %2\n  ret void\n}"
    counted, table = instrument(text)
    assert table.split()[0] == "2" and counted.count("call void @emu_count(i32 0)") == 1


def test_arguments_of_a_kernel_and_the_entry_of_the_emulation_count_nothing():
    loads = "  %3 = getelementptr inbounds i8, ptr %0, i64 8\n  %4 = load ptr, ptr %3, align 8\n  %5 = load float, ptr %4, align 4\n  ret void\n}}"
    kernel = f'define void @{{}}(ptr noundef byval(%"struct.S") align 8 captures(none) %0, ptr %1) {{{{\n{loads}'
    weights = {name: instrument(kernel.format(name))[1] for name in ("k_12345678_cuda_kernel_forward", "other", "emu_k")}
    assert [table.split(" ")[0] for table in weights.values()] == ["1", "2", ""]


def test_both_sides_of_a_branch_cost_a_warp_and_its_assertions_nothing():
    side = "for (int k = 0; k < y.data[i]; k++) x.data[i] = __fmaf_rn(x.data[i], x.data[i], 1.0f);"
    counts = []
    for name, condition in (("together", "true"), ("apart", "i & 1")):
        emulator = Emulator(Form(counted=True, fused=True), check=False)
        x, y = wp.zeros(LANES, dtype=float, device="cpu"), wp.array(np.full(LANES, 100.0, dtype=np.float32), device="cpu")
        text = f"const int i = threadIdx.x; assert(i < 1000); if ({condition}) {{ {side} }} else {{ {side.replace('1.0f', '2.0f')} }}"
        emulator.launch(make_kernel(f"counted_{name}", text), LANES, [x, y], LANES, LANES)
        counts.append(emulator.figures[f"counted_{name}_kernel"])
        assert "_wp_assert" not in emulator.module(make_kernel(f"counted_{name}", text).module, LANES)[0].files.library.read_bytes().decode("latin-1")
    together, apart = (one["warp_instructions"] for one in counts)
    assert 1.8 * together < apart < 2.2 * together
    assert apart / counts[1]["lane_instructions"] == pytest.approx(2 / 32, rel=0.1)
