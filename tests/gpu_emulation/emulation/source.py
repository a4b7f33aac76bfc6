"""The CUDA text of a Warp module, made fit for a C++ compiler."""

from __future__ import annotations

import re

import warp as wp

from newtonish.kernels.runtime.loops import CPU_LOOPS

# `extern "C" __launch_bounds__(64) __global__ void WP_MAXNREG(96) name_1a2b3c4d_cuda_kernel_forward(` up to the brace
_ENTRY = re.compile(r'extern "C" [^\n]*?__global__ void (?:WP_MAXNREG\(\d+\) )?(\w+)\(\s*(.*?)\)\s*\{', re.S)
_TILES = ("wp::tile_shared_storage_t tile_mem;", "wp::tile_shared_storage_t::init();")
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
    context = wp._src.context
    options = module.resolve_options(wp.config) | {"output_arch": 90, "block_dim": block_dim}
    return context.ModuleBuilder(module, options, target="cuda").codegen("cuda")


def as_cpp(text: str) -> str:
    """The same with CUDA's names defined, and for each kernel ``emu_<name>(void** arguments)``, as a driver would enter it."""
    text = text.replace('#include "deterministic.h"', '#include "deterministic.h"\n#include "cuda_names.h"' + CPU_LOOPS, 1)
    for tile in _TILES:
        text = text.replace(tile, "")
    functions = [_entry(name, _split(arguments)) for name, arguments in _ENTRY.findall(text)]
    return "\n".join([text, _REGISTER_SHARED, *functions, "}", ""])


def key_of(name: str) -> str:
    """Key of the kernel that has this name in a module's text or machine code, where a hash follows the key."""
    return re.sub(r"_[0-9a-f]{8}_cuda_kernel_forward$", "", name)


def entries(text: str) -> dict[str, str]:
    """Names of the functions that enter the kernels of ``as_cpp``'s text, by key."""
    return {key_of(name): f"emu_{name}" for name, _ in _ENTRY.findall(text)}


def _entry(name: str, parameters: list[str]) -> str:
    types = [parameter.strip().rsplit(" ", 1)[0] for parameter in parameters]
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
