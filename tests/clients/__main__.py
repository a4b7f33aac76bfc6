"""``python tests/clients CLIENT``: run a framework unmodified on newtonish. See ``docs/clients.md``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))  # also under ``-P`` and as ``-m tests.clients``

import composer
import learners
import mjlab_tasks
import newton_examples
from environment import ROOT, Environment
from page import ENVIRONMENTS_PAGE, NEWTON_PAGE, write


def run_mjlab(environment: Environment, arguments: argparse.Namespace) -> None:
    """Compare mjlab's tasks on both engines."""
    names = arguments.only or list(mjlab_tasks.TASKS)
    results = []
    for task in names:
        worlds = arguments.worlds or mjlab_tasks.TASKS.get(task, 8)
        results.append(mjlab_tasks.compare(environment, task, worlds, arguments.steps, environment.folder))
        print(mjlab_tasks.lines(results[-1:])[-1], flush=True)
    if arguments.write:
        write("mjlab", environment.versions(*mjlab_tasks.PACKAGES), mjlab_tasks.lines(results))


def run_newton(environment: Environment, arguments: argparse.Namespace) -> None:
    """Run Newton's examples; what was found before for others is kept."""
    known = newton_examples.Outcomes(environment.folder / "outcomes.json")
    for name, source in newton_examples.examples(environment).items():
        if not arguments.only or name in arguments.only:
            known.add(newton_examples.run(environment, name, source))
            print(known.last, flush=True)
    if arguments.write:
        write("newton", environment.versions(*newton_examples.PACKAGES), newton_examples.lines(known.all()), NEWTON_PAGE)


def run_learners(environment: Environment, arguments: argparse.Namespace) -> None:
    """Let the checkers look at every environment, and measure half-cheetah beside MuJoCo's worlds and Gymnasium's."""
    for name, script in learners.SCRIPTS.items():
        if not arguments.only or name in arguments.only:
            table = learners.table(environment, script)
            print("\n".join(table), flush=True)
            if arguments.write:
                write(name, environment.versions(*learners.PACKAGES), table, ENVIRONMENTS_PAGE)


def run_composer(environment: Environment, arguments: argparse.Namespace) -> None:
    """Run episodes of dm_control's composer on both engines."""
    table = composer.table(environment, arguments.only)
    print("\n".join(table), flush=True)
    if arguments.write:
        write("composer", environment.versions(*composer.PACKAGES), table)


CLIENTS = {
    "composer": (run_composer, composer.REQUIREMENTS),
    "learners": (run_learners, learners.REQUIREMENTS),
    "mjlab": (run_mjlab, mjlab_tasks.REQUIREMENTS),
    "newton": (run_newton, newton_examples.REQUIREMENTS),
}


def main() -> None:
    """Make the client's environment and run it."""
    parser = argparse.ArgumentParser(prog="python tests/clients", description=__doc__)
    parser.add_argument("client", choices=CLIENTS)
    parser.add_argument("--environments", type=Path, default=ROOT / ".venv-clients", help="folder of the virtual environments")
    parser.add_argument("--python", type=Path, help="interpreter of an environment that has all the client needs, in place of one that is made")
    parser.add_argument("--also", action="append", default=[], metavar="REQUIREMENT", help="one more for pip, such as a build of torch")
    parser.add_argument("--only", action="append", metavar="NAME", help="this task or environment alone; may be repeated")
    parser.add_argument("--worlds", type=int, help="worlds, where the client has such")
    parser.add_argument("--steps", type=int, default=mjlab_tasks.STEPS)
    parser.add_argument("--write", action="store_true", help="write the table into docs/clients.md")
    arguments = parser.parse_args()
    run, requirements = CLIENTS[arguments.client]
    environment = Environment(arguments.environments.resolve() / arguments.client, [*requirements, *arguments.also], arguments.python)
    environment.make()
    run(environment, arguments)


if __name__ == "__main__":
    main()
