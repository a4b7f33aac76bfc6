"""A pytest plugin: ``--emulate-gpu`` has tests run on a device ``cuda:0`` that is emulated, and fails those whose kernels did something wrong.

pytest --emulate-gpu --device cuda:0 tests/newtonish/solver/test_reset.py
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from emulation import device

driver = device.install()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Run a test, and look at what was found while it ran."""
    driver.reports()  # of whatever ran before
    result = yield
    if found := driver.reports():
        pytest.fail("\n".join(found), pytrace=False)
    return result
