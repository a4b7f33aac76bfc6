"""Kernels under sanitizers: what they claim to find, they find, and they find nothing in the dense linear algebra. The rest is a command, tests/support/sanitized.py."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import sanitized
from emulation.compiler import NoCompiler
from paths import REPO

KERNEL = '''
import sys
sys.path.insert(0, {support!r})
import sanitized
sanitized.install()
import warp as wp

@wp.func_native("""
    volatile float held[4];
    held[n & 3] = 1.0f;
    if (fault == 1) x.data[n] = 1.0f;
    if (fault == 2) held[n] = 1.0f;
    if (fault == 3) x.data[0] = (float)(1 << (n + 28));
    if (fault == 4) x.data[0] = (float)(n * 1000000000);
    x.data[n - 1] = held[n & 3];
""")
def write(x: wp.array(dtype=float), n: int, fault: int): ...

@wp.kernel(enable_backward=False)
def run(x: wp.array(dtype=float), n: int, fault: int):
    write(x, n, fault)
    if fault == 5:
        x[n] = 1.0

wp.launch(run, 1, [wp.zeros(4, dtype=float, device="cpu"), 4, int(sys.argv[1])], device="cpu")
print("done")
'''
FAULTS = {0: "", 1: "heap-buffer-overflow", 2: "out of bounds", 3: "shift exponent 32", 4: "signed integer overflow", 5: "Assertion failed"}


@pytest.fixture(scope="module")
def environment(tmp_path_factory) -> dict[str, str]:
    try:
        return sanitized.environment(tmp_path_factory.mktemp("sanitized"))
    except NoCompiler as error:
        if os.environ.get("CI"):
            pytest.fail(str(error))
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def script(environment: dict[str, str]) -> Path:
    path = Path(environment["WARP_CACHE_PATH"]) / "faulty.py"
    path.write_text(KERNEL.format(support=str(REPO / "tests" / "support")))
    return path


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_ends_the_process_with_its_kind(environment: dict[str, str], script: Path, fault: int) -> None:
    done = subprocess.run([sys.executable, str(script), str(fault)], capture_output=True, text=True, env=environment, check=False)
    assert ("done" in done.stdout) == (done.returncode == 0) == (fault == 0), done.stderr[-3000:]
    assert FAULTS[fault] in done.stderr


def test_dense_linear_algebra_has_none(environment: dict[str, str]) -> None:
    words = ["-m", "pytest", "-q", "-n", "0", "--sanitize", "tests/kernels/test_linalg_dense.py"]
    done = subprocess.run([sys.executable, *words], cwd=REPO, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
