"""``newtonish warmup`` fills the kernel cache so that another process compiles nothing."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

from newtonish.cli.main import main
from newtonish.kernels.fused import noslip
from newtonish.kernels.runtime.lanes import Mapping
from newtonish.kernels.runtime.modules import builds_of, compile_modules

MODEL = """<mujoco><worldbody><geom type="plane" size="1 1 1"/>
  <body pos="0 0 0.1"><freejoint/><geom size="0.1"/></body></worldbody></mujoco>"""
STEP = "import sys; from newtonish import mjw; m, d = mjw.load(sys.argv[1], 2); mjw.step(m, d); mjw.reset_data(m, d)"


SOLVER = """
import sys
import newtonish as nt
builder = nt.ModelBuilder()
builder.add_mjcf(sys.argv[1])
model = builder.finalize(device="cpu")
state, after, control = model.state(), model.state(), model.control()
if sys.argv[2] == "poses first":
    nt.eval_fk(model, state.joint_q, state.joint_qd, state)
nt.solvers.SolverMuJoCo(model).step(state, after, control, None, 0.01)
"""


def files(folder: Path) -> set[str]:
    return {str(path) for path in folder.rglob("*") if path.is_file()}


def test_a_process_after_it_compiles_nothing(tmp_path: Path) -> None:
    model, cache = tmp_path / "ball.xml", tmp_path / "cache"
    model.write_text(MODEL)
    environment = {**os.environ, "WARP_CACHE_PATH": str(cache)}

    def call(*words: str) -> str:
        done = subprocess.run([sys.executable, *words], capture_output=True, text=True, env=environment, check=True)
        return done.stdout

    said = call("-m", "newtonish", "warmup", str(model))
    assert "position_joints" in said and "compiled" in said and "was there" not in said and str(cache) in said
    filled = files(cache)
    assert any(name.endswith(".o") for name in filled)
    call("-c", STEP, str(model))
    assert files(cache) == filled
    for order in ("poses first", "solver first"):
        call("-c", SOLVER, str(model), order)
        assert files(cache) == filled
    again = call("-m", "newtonish", "warmup", str(model))
    assert "was there" in again and "│ compiled" not in again
    assert files(cache) == filled


def test_binaries_for_an_architecture_stand_where_warp_looks(tmp_path: Path) -> None:
    builds = builds_of(noslip, SimpleNamespace(mapping=Mapping()), for_cuda=True)
    assert [build.module.name.removeprefix("newtonish.kernels.fused.") for build in builds] == ["noslip", "noslip.lanes32"]
    paths = compile_modules(builds, 90, tmp_path)
    for build, path in zip(builds, paths, strict=True):
        assert path.name == f"{build.module.get_module_identifier(block_dim=build.block_dim)}.sm90.cubin"
        assert path.read_bytes()[:4] == b"\x7fELF"


def test_what_cannot_be_compiled_is_said_in_one_line(capsys) -> None:
    assert main(["warmup", "--arch", "12"]) == 2
    assert "--arch: got '12'" in capsys.readouterr().err
    assert main(["warmup", "--device", "none"]) == 2
    assert "--device" in capsys.readouterr().err
    assert main(["warmup", "missing.xml"]) == 2
