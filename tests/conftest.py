"""Options and fixtures that every test can use."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--device", default="cpu", help="Warp device that the tests run on (default: cpu)")


@pytest.fixture(scope="session")
def device(request: pytest.FixtureRequest) -> str:
    """Name of the Warp device under test; an unknown one ends the run at once with the list of devices."""
    import warp as wp

    name = request.config.getoption("--device")
    try:
        return str(wp.get_device(name))
    except (ValueError, RuntimeError) as error:
        known = ", ".join(str(entry) for entry in wp.get_devices())
        pytest.exit(f"--device: got {name!r}; allowed: {known} ({error})", returncode=2)
