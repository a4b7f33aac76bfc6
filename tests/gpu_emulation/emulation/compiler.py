"""clang, and what it has compiled already, kept by content in a folder."""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import warp as wp

from .counting import instrument

RUNTIME = Path(__file__).parent / "runtime"
NATIVE = Path(wp.__file__).parent / "native"
_NAMES = ("clang++", "clang++-20", "clang++-19", "clang++-18", "clang++-17", "clang++-16", "clang++-15")
# any function may hold a barrier, so that no call is doubled for two kinds of lanes, which would then meet at two places
_COMMON = (
    "-std=c++17", "-fPIC", "-w", "-fno-exceptions", "-fno-omit-frame-pointer", "-fno-math-errno", "-fno-sanitize=undefined", "-Xclang", "-fconvergent-functions",
)  # fmt: skip
# modules take nothing of a compiler's library: what they call is in the runtime, or in libm, which the runtime brings along
_MODULE = ("-shared", "-nostdlib")
# accesses come in through the thread sanitizer's interface; its runtime, which compilers would link, and its tracing of calls are left out
_CHECKS = (
    "-gline-tables-only", "-mllvm", "-tsan-instrument-func-entry-exit=0", "-mllvm", "-tsan-distinguish-volatile=1", "-Xclang", "-fsanitize=thread,signed-integer-overflow",
    "-Xclang", "-fsanitize-recover=signed-integer-overflow", "-UNDEBUG",
)  # fmt: skip
# without assertions, as Warp has it compiled; inlined whole and unrolled where the number of turns is known, as NVIDIA's compiler does; no vectors, which a lane has not
_COUNTS = (
    "-O2", "-DNDEBUG", "-gline-tables-only", "-fno-vectorize", "-fno-slp-vectorize", "-mllvm", "-inline-threshold=100000",
    "-mllvm", "-unroll-runtime=false", "-mllvm", "-unroll-allow-partial=false",
)  # fmt: skip
# A GPU has a kernel's arguments in its constant memory. The emulation's own entry copies them, some three hundred loads of the longer lists: it stays a function
# of its own, whose blocks do not count (``counting``).
_KERNEL = "__global__ void"
_LAST_HEADER = '#include "atomic_names.h"'


class NoCompiler(Exception):
    """There is no clang, or no processor, that the emulation knows."""


@dataclass(frozen=True)
class Form:
    """How a module is compiled.

    Attributes:
        counted: Basic blocks count themselves; otherwise accesses to memory are checked.
        fused: Products and sums become one rounding, as NVIDIA's compiler has it.
        optimised: Accesses whose values nobody uses are left out, as in ``fused`` modules.
        headers: Folder of Warp's headers.
    """

    counted: bool = False
    fused: bool = False
    optimised: bool = False
    headers: Path = NATIVE

    def flags(self) -> list[str]:
        # without optimisation kernels compile in half the time and run as fast, since checks take most of it; but only optimisation fuses products into sums
        checks = [*_CHECKS, "-O1" if self.fused or self.optimised else "-O0"]
        fusing = ["-ffp-contract=fast", "-mfma"] if self.fused else ["-ffp-contract=off"]
        return [*_COMMON, *(_COUNTS if self.counted else checks), *fusing, f"-I{self.headers}", f"-I{RUNTIME}"]


@dataclass(frozen=True)
class Binary:
    """A compiled module: the shared library, its source, and of a counted one the weights and places of basic blocks."""

    library: Path
    source: Path
    blocks: Path | None = field(default=None)


@functools.cache
def compiler() -> tuple[str, ...]:
    """The command of clang: NEWTONISH_CLANG, else the one of the test extra, which counts the same instructions everywhere, else the system's.

    Raises:
        NoCompiler: with what to install.
    """
    if platform.machine() != "x86_64":
        raise NoCompiler(f"GPU emulation switches fibers in x86-64 assembly; this processor is {platform.machine()}")
    chosen = os.environ.get("NEWTONISH_CLANG", "")
    if not chosen and importlib.util.find_spec("ziglang"):
        return (sys.executable, "-m", "ziglang", "c++")
    for name in (chosen, *_NAMES):
        if name and (found := shutil.which(name)):
            return (found,)
    raise NoCompiler("GPU emulation needs clang 15 or later: pip install ziglang, or set NEWTONISH_CLANG to a clang++")


@functools.cache
def folder() -> Path:
    """Where compiled modules are kept, by content: NEWTONISH_EMULATION_CACHE, or a folder of the user's cache."""
    place = Path(os.environ.get("NEWTONISH_EMULATION_CACHE", Path.home() / ".cache" / "newtonish-emulation"))
    place.mkdir(parents=True, exist_ok=True)
    return place


@functools.cache
def runtime_library() -> Path:
    """The emulation's own library, compiled when its sources change."""
    sources = sorted(RUNTIME.iterdir())
    flags = [*_COMMON, "-O2", "-shared", "-Wl,--no-as-needed", "-ldl", "-lm"]
    stem = _stem("runtime", [*[path.read_text() for path in sources], *flags])
    return _made(stem.with_suffix(".so"), lambda out: _run([str(RUNTIME / "block.cpp"), *flags, "-o", str(out)]))


def build(name: str, text: str, form: Form) -> Binary:
    """The module of that C++ text as a library.

    Args:
        name: for the files.
        text: what ``source.as_cpp`` returns.
        form: how to compile it.
    """
    if form.counted:
        text = text.replace(_KERNEL, f"__attribute__((noinline)) {_KERNEL}")
    names = [(RUNTIME / file).read_text() for file in ("cuda_names.h", "atomic_names.h", *(["tile_names.h"] if form.headers != NATIVE else []))]
    stem = _stem(name, [text, *names, *form.flags(), _counting_version() if form.counted else ""])
    source, library, blocks = (stem.with_suffix(suffix) for suffix in (".cpp", ".so", ".blocks"))
    _made(source, lambda out: out.write_text(text))
    make = functools.partial(_compile_counted, source, blocks, form) if form.counted else functools.partial(_compile_checked, source, form)
    return Binary(_made(library, make), source, blocks if form.counted else None)


def _with_headers(source: Path, form: Form) -> list[str]:
    """Flags for a module's text, of which the headers that it begins with are compiled once for all modules that begin so."""
    head, found, _ = source.read_text().partition(_LAST_HEADER)
    if not found:
        return form.flags()
    head += _LAST_HEADER + "\n"
    stem = _stem("headers", [head, *[path.read_text() for path in sorted(RUNTIME.glob("*.h"))], *form.flags()])
    header = _made(stem.with_suffix(".h"), lambda out: out.write_text(head))
    compiled = _made(stem.with_suffix(".pch"), lambda out: _run([*form.flags(), "-x", "c++-header", str(header), "-o", str(out)]))
    return [*form.flags(), "-include-pch", str(compiled)]


def _compile_checked(source: Path, form: Form, out: Path) -> None:
    compiled = out.with_suffix(".o")
    _run([*_with_headers(source, form), "-c", str(source), "-o", str(compiled)])
    _run([*_MODULE, str(compiled), "-o", str(out)])


def _compile_counted(source: Path, blocks: Path, form: Form, out: Path) -> None:
    plain, counted, compiled = (out.with_suffix(suffix) for suffix in (".ll", ".counted.ll", ".o"))
    _run([*_with_headers(source, form), "-S", "-emit-llvm", str(source), "-o", str(plain)])
    text, table = instrument(plain.read_text(), fused=form.fused)
    counted.write_text(text)
    _run(["-O1", "-mfma", "-fPIC", "-w", "-fno-omit-frame-pointer", "-fno-sanitize=undefined", "-c", str(counted), "-o", str(compiled)])
    _run([*_MODULE, str(compiled), "-o", str(out)])
    blocks.write_text(table)


def _counting_version() -> str:
    return (Path(__file__).parent / "counting.py").read_text()


def named(name: str, parts: list[str]) -> str:
    """A name that tells apart what is made of different texts."""
    return f"{name}_{hashlib.sha256(chr(0).join(parts).encode()).hexdigest()[:16]}"


def _stem(name: str, parts: list[str]) -> Path:
    return folder() / named(name, [*parts, _version()])


@functools.cache
def _version() -> str:
    return subprocess.run([*compiler(), "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]


def _made(path: Path, make) -> Path:
    """``path``, made by ``make(temporary path)`` if it is not there; two processes may do so at once."""
    if not path.exists():
        with tempfile.TemporaryDirectory(dir=folder()) as work:
            temporary = Path(work) / path.name
            make(temporary)
            os.replace(temporary, path)
    return path


def _run(arguments: list[str]) -> None:
    done = subprocess.run([*compiler(), *arguments], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(compiler())} failed with {done.returncode}:\n{done.stderr[-4000:]}")
