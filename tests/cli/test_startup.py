"""What ``newtonish bench`` says of starts: seconds to the first step of a process of its own, or why there was none."""

from __future__ import annotations

import time

import pytest

from newtonish.cli.bench.startup import measure

PENDULUM = """
<mujoco>
  <worldbody><body><joint axis="0 1 0"/><geom size=".1" fromto="0 0 0 0 0 -1" type="capsule"/></body></worldbody>
</mujoco>
"""


@pytest.mark.parametrize("engine", ["newtonish", "mujoco"])
def test_a_start_ends_with_the_first_step(tmp_path, engine):
    if engine == "mujoco":
        pytest.importorskip("mujoco")
    model = tmp_path / "pendulum.xml"
    model.write_text(PENDULUM)
    begin = time.perf_counter()
    starts = measure(engine, model, 2, "cpu", cold=False)
    elapsed = time.perf_counter() - begin
    assert list(starts) == ["warm"]
    warm = starts["warm"]
    assert set(warm) == {"total", "import", "load", "first step", "peak MiB"}
    assert warm["import"] + warm["load"] + warm["first step"] <= warm["total"] <= elapsed


def test_a_start_that_fails_says_why(tmp_path):
    model = tmp_path / "nothing.xml"
    assert "nothing.xml" in measure("newtonish", model, 2, "cpu", cold=False)["warm"]["failed"]
