"""Every example of Newton's package with our solver's class in place of Newton's: which pass the checks at their end."""

from __future__ import annotations

import json
import subprocess
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from environment import Environment

REQUIREMENTS = ["newton==1.8.*", "newton-usd-schemas>=0.6", "mujoco==4.0.*", "mujoco-warp==4.0.*", "matplotlib>=3.8", "imageio>=2.14"]
PACKAGES = ("newton", "warp-lang", "mujoco", "mujoco-warp")
TIME_LIMIT = 900  # s; kernels of Newton's are compiled as well

# example -> arguments that Newton's own tests give it, but for the solver, and fewer worlds where a CPU takes long
ARGUMENTS = {
    "basic.example_basic_conveyor_forces": "--solver mujoco --num-frames 100",
    "basic.example_basic_dzhanibekov": "--solver mujoco --num-frames 230",
    "basic.example_basic_heightfield": "--solver mujoco --num-frames 120",
    "basic.example_basic_mimic_joint": "--solver mujoco --num-frames 120",
    "basic.example_basic_multi_solver_overlay": "--num-frames 50",
    "basic.example_basic_plotting": "--num-frames 200",
    "basic.example_recording": "--num-frames 120 --world-count 8",
    "contacts.example_balance_bird": "--solver mujoco --num-frames 60",
    "contacts.example_domino_spiral": "--solver mujoco --num-frames 60",
    "contacts.example_newton_cradle": "--solver mujoco --num-frames 60",
    "controllers.example_controller_joint_impedance_heterogeneous": "--num-frames 120",
    "mpm.example_mpm_twoway_coupling": "--num-frames 80",
    "mujoco.example_mujoco_sleeping": "--stack-count 2 --num-frames 300",
    "multiphysics.example_kamino_mujoco_admm_solver": "--num-frames 30 --world-count 4",
    "multiphysics.example_mujoco_mpm_coupled_solver": "--num-frames 2 --rigid-substeps 1 --proxy-iterations 1",
    "multiphysics.example_mujoco_vbd_admm_solver": "--num-frames 30",
    "multiphysics.example_mujoco_vbd_coupled_solver": "--num-frames 2 --proxy-iterations 1",
    "multiphysics.example_mujoco_xpbd_coupled_solver": "--num-frames 2 --proxy-iterations 1",
    "multiphysics.example_proxy_joint_gripper": "--num-frames 120",
    "multiphysics.example_rigid_soft_contact": "--num-frames 2 --solver coupled --rigid-solver mjc --vbd-iterations 1",
    "robot.example_robot_cartpole": "--num-frames 100 --world-count 8",
    "robot.example_robot_omniwheel": "--num-frames 500",
    "selection.example_selection_articulations": "--num-frames 10",
    "selection.example_selection_cartpole": "--num-frames 10",
    "selection.example_selection_materials": "--num-frames 10",
    "selection.example_selection_multiple": "--num-frames 10",
    "sensors.example_sensor_contact": "--num-frames 160",
    "sensors.example_sensor_imu": "--num-frames 200",
}
DOWNLOADS = ("download_asset", "Downloading ")


@dataclass
class Outcome:
    """What became of one example.

    Attributes:
        name: Module below ``newton.examples``.
        arguments: What it was given.
        result: ``passes``, or what stopped it; or why it was not run.
        seconds: How long it took, compiling included; 0 if it was not run.
    """

    name: str
    arguments: str
    result: str
    seconds: float = 0.0


class Outcomes:
    """Outcomes of all runs so far, kept in a file.

    Args:
        file: A JSON file; it needs not exist yet.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        self.last: Outcome | None = None
        self._read()

    def _read(self) -> None:
        rows = json.loads(self.file.read_text(encoding="utf-8")) if self.file.exists() else []
        self.by_name = {row["name"]: Outcome(**row) for row in rows}

    def add(self, outcome: Outcome) -> None:
        """Note one more, in place of an older one of that example; what another run has noted meanwhile is kept."""
        self._read()
        self.by_name[outcome.name] = self.last = outcome
        self.file.write_text(json.dumps([asdict(o) for o in self.all()], indent=1), encoding="utf-8")

    def all(self) -> list[Outcome]:
        """Outcomes by the names of the examples."""
        return [self.by_name[name] for name in sorted(self.by_name)]


def folder_of(environment: Environment) -> Path:
    """Where the examples of the installed package lie."""
    text = "import importlib.util as u; print(u.find_spec('newton').submodule_search_locations[0])"
    found = subprocess.run([environment.python, "-c", text], check=True, capture_output=True, text=True).stdout.strip()
    return Path(found) / "examples"


def examples(environment: Environment) -> dict[str, str]:
    """Source of every example, by its name."""
    folder = folder_of(environment)
    files = sorted(folder.glob("*/example_*.py"))
    return {f"{file.parent.name}.{file.stem}": file.read_text(encoding="utf-8") for file in files}


def run(environment: Environment, name: str, source: str) -> Outcome:
    """Run one example, if it has our solver's namesake and all its files."""
    if "SolverMuJoCo" not in source:
        return Outcome(name, "", "another solver")
    if any(word in source for word in DOWNLOADS):
        return Outcome(name, "", "not run: its model is a download")
    arguments = ARGUMENTS.get(name, "")
    command = [environment.python, Path(__file__).with_name("newton_example.py"), name, *arguments.split()]
    begin = time.perf_counter()
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIME_LIMIT, cwd=environment.folder)
    except subprocess.TimeoutExpired:
        return Outcome(name, arguments, f"not ended within {TIME_LIMIT} s", TIME_LIMIT)
    seconds = time.perf_counter() - begin
    made = [line for line in done.stdout.splitlines() if line.startswith("MADE")]
    if done.returncode == 0 and made and made[-1] != "MADE 0":
        return Outcome(name, arguments, "passes", seconds)
    if done.returncode == 0:
        return Outcome(name, arguments, "made no such solver", seconds)
    last = (done.stderr.strip().splitlines() or ["no message"])[-1]
    return Outcome(name, arguments, f"fails: {last[:200]}".replace("|", "\\|"), seconds)


def lines(outcomes: list[Outcome]) -> list[str]:
    """The tables of the page: what was run, and the others by reason."""
    tried = [o for o in outcomes if o.seconds]
    passed = sum(o.result == "passes" for o in tried)
    table = [f"{passed} of {len(tried)} pass.", "", "| example | arguments | result |", "|---|---|---|"]
    table += [f"| `{o.name}` | `{o.arguments}` | {o.result} |" for o in tried]
    for reason in sorted({o.result for o in outcomes if not o.seconds}):
        names = ", ".join(f"`{o.name.split('.example_')[1]}`" for o in outcomes if o.result == reason and not o.seconds)
        table += ["", f"{reason[0].upper()}{reason[1:]}: {names}."]
    return table
