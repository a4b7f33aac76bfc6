"""Kernels and native snippets under AddressSanitizer and UndefinedBehaviorSanitizer: ``python tests/support/sanitized.py [WORDS FOR PYTEST]``.

The C++ that Warp writes for a CPU is compiled by the clang of the GPU emulation with both sanitizers, Warp's own checks of indices left in, and loaded in place of
Warp's objects; arrays are on the heap, where AddressSanitizer watches what lies around them. What is found ends the process with its kind and place on standard error.
Without words for pytest, ``TESTS`` run. The libraries of the sanitizers are those of GCC. Linux only.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
import xml.etree.ElementTree as Tree
from collections.abc import Sequence
from pathlib import Path
from typing import Any

REPO = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPO / "tests" / "gpu_emulation"))

from emulation.compiler import NATIVE, NoCompiler, compiler  # noqa: E402

TESTS = (
    "tests/kernels/test_linalg_dense.py", "tests/kernels/test_linalg_sparse.py", "tests/kernels/test_linalg_sparse_ltdl.py", "tests/kernels/test_linalg_cones.py",
    "tests/kernels/test_solver_newton.py", "tests/kernels/test_solver_variants.py", "tests/kernels/test_sweep.py::test_the_same_bits_as_all_pairs",
)  # fmt: skip
# clang's driver would link libraries that are another compiler's, so that the checks go to the compiler itself, which knows no groups of them; shifts of negative
# numbers, which are defined since C++20 and by every compiler before, are left out
CHECKS = (
    "address", "alignment", "array-bounds", "bool", "builtin", "enum", "float-cast-overflow", "integer-divide-by-zero", "null", "object-size", "pointer-overflow", "return",
    "shift-exponent", "signed-integer-overflow", "unreachable", "vla-bound",
)  # fmt: skip
FLAGS = (
    "-std=c++17", "-O1", "-gline-tables-only", "-fPIC", "-w", "-fms-extensions", "-fdeclspec", "-fno-exceptions", "-fno-omit-frame-pointer", "-ffp-contract=fast",
    "-march=native", "-fno-sanitize=undefined", "-UNDEBUG", "-DWP_ENABLE_TILES_IN_STACK_MEMORY",
)  # fmt: skip
LIBRARIES = ("libasan.so", "libubsan.so")


class Sanitized:
    """The functions of Warp's compiler library, of which compiling, loading and looking up are ours."""

    def __init__(self, library: ctypes.CDLL, common: Path):
        self._library, self._common = library, common
        self._loaded: dict[bytes, ctypes.CDLL] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._library, name)

    def wp_compile_cpp(self, text: bytes, source: bytes, include: bytes, out: bytes, *settings: Any) -> int:
        checks = [word for check in CHECKS for word in ("-Xclang", f"-fsanitize={check}")]
        return _library(Path(source.decode()), Path(out.decode()), *FLAGS, *checks, others=[self._common])

    def wp_load_obj(self, path: bytes, handle: bytes, _legacy: bool) -> int:
        self._loaded[handle] = ctypes.CDLL(path.decode())
        return 0

    def wp_unload_obj(self, handle: bytes) -> int:
        return 0  # functions of a library that is unloaded would have no names in a report

    def wp_lookup(self, handle: bytes, name: bytes) -> int:
        function = getattr(self._loaded[handle], name.decode(), None)
        return ctypes.cast(function, ctypes.c_void_p).value or 0 if function else 0


def _library(source: Path, out: Path, *flags: str, others: Sequence[Path] = ()) -> int:
    """A shared library of one source, without those of a compiler: what it calls is in this process, or in the others. Clang's exit status."""
    made = Path(f"{out}.made.o")
    done = _clang(*flags, f"-I{NATIVE}", "-c", str(source), "-o", str(made))
    done = done or _clang("-shared", "-nostdlib", str(made), *map(str, others), "-o", str(out))
    made.unlink(missing_ok=True)
    return done


def _clang(*words: str) -> int:
    done = subprocess.run([*compiler(), *words], capture_output=True, text=True, check=False, env={**os.environ, "LD_PRELOAD": ""})
    print(done.stderr[-4000:], end="", file=sys.stderr)
    return done.returncode


def install() -> None:
    """Every kernel that is compiled in this process from now on is checked; the process was started with ``environment()``."""
    import warp as wp

    wp.config.use_precompiled_headers = False
    wp.init()
    runtime = wp._src.context.runtime
    common = Path(os.environ["WARP_CACHE_PATH"]) / "crt.so"
    common.parent.mkdir(parents=True, exist_ok=True)
    if not common.exists() and _library(NATIVE / "crt.cpp", common, "-std=c++17", "-O1", "-fPIC", "-w", "-fno-sanitize=undefined"):
        raise RuntimeError("sanitized: Warp's crt.cpp does not compile")
    runtime.llvm = Sanitized(runtime.llvm, common)


def environment(cache: Path | None = None) -> dict[str, str]:
    """Of a process whose kernels are checked: with the sanitizers' libraries, and a kernel cache apart.

    Raises:
        NoCompiler: without clang, or without the libraries.
    """
    compiler()
    libraries = []
    for name in LIBRARIES:
        found = subprocess.run(["gcc", f"-print-file-name={name}"], capture_output=True, text=True, check=False).stdout.strip() if shutil.which("gcc") else ""
        if not Path(found).is_absolute():
            raise NoCompiler(f"the sanitizers need GCC's {name}: install gcc")
        libraries.append(str(Path(found).resolve()))
    return {
        **os.environ,
        "LD_PRELOAD": " ".join(libraries),
        "ASAN_OPTIONS": "detect_leaks=0:handle_abort=0:detect_stack_use_after_return=1",
        "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
        "WARP_CACHE_PATH": str(cache or REPO / "build" / "sanitized"),
    }


def run(words: Sequence[str] = TESTS) -> tuple[int, int]:
    """Tests with checked kernels, a process for each file or test that is named: how many ran, and how many failed or ended their process."""
    tried = failed = 0
    for word in words:
        result = REPO / "build" / "sanitized.xml"
        result.unlink(missing_ok=True)
        # what a sanitizer reports passes by pytest, which would keep it to itself when the process ends
        command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "--capture=sys", "--sanitize", f"--junitxml={result}", word]
        subprocess.run(command, cwd=REPO, check=False, env=environment())
        if result.exists():
            suite = Tree.parse(result).getroot()[0].attrib
            tried += int(suite["tests"]) - int(suite["skipped"])
            failed += int(suite["failures"]) + int(suite["errors"])
        else:
            tried, failed = tried + 1, failed + 1
    return tried, failed


if __name__ == "__main__":
    ran, wrong = run(sys.argv[1:] or TESTS)
    print(f"{ran} tests, {wrong} failed")
    sys.exit(1 if wrong else 0)
