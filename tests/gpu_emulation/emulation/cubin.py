"""What a kernel takes of a GPU, read from the file that NVIDIA's compiler writes (an ELF file with one section a kernel)."""

from __future__ import annotations

import dataclasses
import hashlib
import struct
import tempfile
from dataclasses import dataclass
from pathlib import Path

import warp as wp

from . import compiler, source

_INSTRUCTION_BYTES = 16  # of sm_70 and later
# attributes of .nv.info by symbol: bytes of local memory that a function's frame takes, registers
_FRAME_SIZE, _REGISTERS = 0x11, 0x2F
_SIZED = 0x04  # form of an attribute: a number of bytes follows


@dataclass(frozen=True)
class Footprint:
    """Of one kernel.

    Attributes:
        registers: A thread.
        shared: Bytes a block, of fixed size and of tiles.
        local: Bytes of a thread's frame: small arrays that are indexed at run time, and spilled registers.
        instructions: Length of the machine code.
    """

    registers: int
    shared: int
    local: int
    instructions: int


def footprint_of(kernel: wp.Kernel, block_dim: int, arch: int = 90) -> Footprint:
    """Of a kernel in blocks of that size."""
    found = {source.key_of(name): footprint for name, footprint in read(compiled(kernel.module, block_dim, arch)).items()}[kernel.key]
    return dataclasses.replace(found, shared=found.shared + kernel.adj.get_total_required_shared())


def compiled(module: wp.Module, block_dim: int, arch: int) -> bytes:
    """The module's machine code, kept by content."""
    digest = hashlib.sha256(f"{source.cuda_text(module, block_dim)} {arch} {wp.__version__}".encode()).hexdigest()[:16]
    path = compiler.folder() / f"sm{arch}_{digest}.cubin"
    if not path.exists():
        before = module.options["block_dim"]
        module.options["block_dim"] = block_dim
        try:
            with tempfile.TemporaryDirectory(dir=compiler.folder()) as work:
                Path(wp.compile_aot_module(module, arch=arch, module_dir=work, use_ptx=False)[0]).replace(path)
        finally:
            module.options["block_dim"] = before
    return path.read_bytes()


def read(data: bytes) -> dict[str, Footprint]:
    """Footprints by the names of the kernels in a cubin."""
    sections = _sections(data)
    frames, registers = (_attribute(data, sections, kind) for kind in (_FRAME_SIZE, _REGISTERS))
    found = {}
    for name, (_, size) in sections.items():
        if name.startswith(".text.") and name.endswith("_cuda_kernel_forward"):
            kernel = name.removeprefix(".text.")
            shared = sections.get(f".nv.shared.{kernel}", (0, 0))[1]
            found[kernel] = Footprint(registers[kernel], shared, frames.get(kernel, 0), size // _INSTRUCTION_BYTES)
    return found


def _sections(data: bytes) -> dict[str, tuple[int, int]]:
    """Offset and size of each section of a 64-bit ELF file."""
    if data[:5] != b"\x7fELF\x02":
        raise ValueError("not a 64-bit ELF file")
    table = struct.unpack_from("<Q", data, 0x28)[0]
    entry, count, names = struct.unpack_from("<HHH", data, 0x3A)
    headers = [struct.unpack_from("<IIQQQQIIQQ", data, table + i * entry) for i in range(count)]
    strings = headers[names][4]
    found = {}
    for name, _, _, _, offset, size, *_ in headers:
        begin = strings + name
        found[data[begin : data.index(b"\0", begin)].decode()] = (offset, size)
    return found


def _attribute(data: bytes, sections: dict[str, tuple[int, int]], kind: int) -> dict[str, int]:
    """An attribute of each function that has it, out of those of the whole file."""
    symbols = _symbols(data, sections)
    at, size = sections.get(".nv.info", (0, 0))
    end, found = at + size, {}
    while at < end:
        form, attribute, value = struct.unpack_from("<BBH", data, at)
        at += 4
        if form == _SIZED:
            if attribute == kind:
                symbol, number = struct.unpack_from("<II", data, at)
                found[symbols[symbol]] = number
            at += value
    return found


def _symbols(data: bytes, sections: dict[str, tuple[int, int]]) -> list[str]:
    offset, size = sections[".symtab"]
    strings = sections[".strtab"][0]
    names = []
    for at in range(offset, offset + size, 24):
        begin = strings + struct.unpack_from("<I", data, at)[0]
        names.append(data[begin : data.index(b"\0", begin)].decode())
    return names
