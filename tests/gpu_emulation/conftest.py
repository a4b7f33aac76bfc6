"""Fixtures of the emulation: a compiler has to be there."""

import os

import pytest
from emulation import compiler


@pytest.fixture(scope="session", autouse=True)
def clang() -> str:
    """Path of the compiler; without one these tests are skipped with what to install, and fail in CI."""
    try:
        return compiler.compiler()
    except compiler.NoCompiler as error:
        if os.environ.get("CI"):
            pytest.fail(str(error))
        pytest.skip(str(error))
