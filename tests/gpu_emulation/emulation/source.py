"""The CUDA text of a Warp module, made fit for a C++ compiler."""

from __future__ import annotations

import re

import warp as wp

from newtonish.kernels.runtime.loops import CPU_LOOPS

from . import tiles

# `extern "C" __launch_bounds__(64) __global__ void WP_MAXNREG(96) name_1a2b3c4d_cuda_kernel_forward(` up to the brace
_ENTRY = re.compile(r'extern "C" [^\n]*?__global__ void (?:WP_MAXNREG\(\d+\) )?(\w+)\(\s*(.*?)\)\s*\{', re.S)
_TILES = ("wp::tile_shared_storage_t tile_mem;", "wp::tile_shared_storage_t::init();")
# the other way round, which no kernel of ours goes
_BACKWARDS = """
namespace wp {
inline loop_t iter_reverse(const loop_t& r) {
    const int turns = r.step > 0 ? (r.end - r.i + r.step - 1) / r.step : (r.end - r.i + r.step + 1) / r.step;
    return loop(r.i + (turns - 1) * r.step, r.i - r.step, -r.step);
}
}
"""
_REGISTER_SHARED = """
#undef float
#undef int
extern "C" {
extern char __start_emu_shared[] __attribute__((weak, visibility("hidden")));
extern char __stop_emu_shared[] __attribute__((weak, visibility("hidden")));
char* emu_shared_begin() { return __start_emu_shared; }
char* emu_shared_end() { return __stop_emu_shared; }
"""


def cuda_text(module: wp.Module, block_dim: int) -> str:
    """What NVIDIA's compiler would be given for ``module`` in blocks of ``block_dim`` threads."""
    options = module.resolve_options(wp.config) | {"output_arch": 90, "block_dim": block_dim}
    with tiles.without_library():
        return wp._src.context.ModuleBuilder(module, options, target="cuda").codegen("cuda")


def as_cpp(text: str, *, sized: bool = False) -> str:
    """The same with CUDA's names defined, and for each kernel ``emu_<name>(void** arguments)``, as a driver would enter it.

    Args:
        text: a module's CUDA text.
        sized: also have ``emu_sizes_<name>`` for each kernel, the bytes of each of its arguments, and 0 behind them.
    """
    on_tiles = tiles.on_tiles(text)
    loops = CPU_LOOPS + (_BACKWARDS if "iter_reverse" in text else "")
    text = text.replace('#include "deterministic.h"', '#include "deterministic.h"\n#include "atomic_names.h"' + loops, 1)
    for tile in () if on_tiles else _TILES:
        text = text.replace(tile, "")
    kernels = [(name, _types(arguments)) for name, arguments in _ENTRY.findall(text)]
    functions = [_entry(name, types) for name, types in kernels] + [_sizes(name, types) for name, types in kernels if sized]
    return "\n".join([text, *([tiles.stand_ins(text)] if on_tiles else []), _REGISTER_SHARED, *functions, "}", ""])


def key_of(name: str) -> str:
    """Key of the kernel that has this name in a module's text or machine code, where a hash follows the key."""
    return re.sub(r"_[0-9a-f]{8}_cuda_kernel_forward$", "", name)


def kernels(text: str) -> dict[str, str]:
    """Names of a text's kernels, by key."""
    return {key_of(name): name for name, _ in _ENTRY.findall(text)}


def _types(parameters: str) -> list[str]:
    return [parameter.strip().rsplit(" ", 1)[0] for parameter in _split(parameters)]


def _sizes(name: str, types: list[str]) -> str:
    return f"extern const unsigned long emu_sizes_{name}[] = {{{', '.join(f'sizeof({kind})' for kind in types)}, 0}};"


def _entry(name: str, types: list[str]) -> str:
    arguments = ", ".join(f"*({kind}*)a[{i}]" for i, kind in enumerate(types))
    return f"void emu_{name}(void** a) {{ {name}({arguments}); }}"


def _split(parameters: str) -> list[str]:
    """At the commas outside of angle brackets."""
    depth, parts = 0, [""]
    for character in parameters:
        depth += {"<": 1, ">": -1}.get(character, 0)
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return parts
