"""What to look at when a simulation is slow, or wrong: iterations, convergence, warnings, energy, times of stages.

Run with ``python examples/diagnostics.py [--worlds N] [FILE]``.
"""

import argparse

import numpy as np

from newtonish import mjw
from newtonish.assets import asset_path


def simulate(path: str, worlds: int, steps: int = 100, device: str = "cpu") -> dict[str, np.ndarray]:
    """Step with random controls and gather the diagnostics.

    Returns:
        By name: iterations, disagreement of forward and inverse dynamics [N], total energy [J], each (steps, worlds); ``warnings``, the
        number of warnings of each world; ``gradient``, that of the solver after each iteration of one more solution, (worlds, iterations).
    """
    m, d = mjw.load(path, nworld=worlds, device=device)
    mjw.watch(m)
    m.opt.enableflags |= mjw.EnableBit.FWDINV | mjw.EnableBit.ENERGY
    rng, found = np.random.default_rng(0), {"iterations": [], "disagreement": [], "energy": []}
    for _ in range(steps):
        d.ctrl.assign(rng.uniform(-0.3, 0.3, d.ctrl.shape).astype(np.float32))
        mjw.step(m, d)
        found["iterations"].append(d.solver_niter.numpy().copy())
        found["disagreement"].append(d.solver_fwdinv.numpy()[:, 1].copy())
        found["energy"].append(d.energy.numpy().sum(axis=1))
    result = {name: np.stack(values) for name, values in found.items()}
    result["warnings"] = sum(mjw.warnings(m, d).values(), np.zeros(worlds, dtype=int))
    d.qacc_warmstart.zero_()  # from the unconstrained acceleration, where the course is longer
    result["gradient"] = mjw.solver_course(m, d).gradient
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", nargs="?", default=str(asset_path()))
    parser.add_argument("--worlds", type=int, default=16)
    parser.add_argument("--device", default="cpu")
    arguments = parser.parse_args()
    found = simulate(arguments.file, arguments.worlds, device=arguments.device)
    print(f"iterations: mean {found['iterations'].mean():.1f}, most {found['iterations'].max()}")
    print(f"forward against inverse dynamics: at most {found['disagreement'].max():.1e} N")
    print(f"energy of world 0: {found['energy'][0, 0]:.2f} J at the start, {found['energy'][-1, 0]:.2f} J at the end")
    print(f"worlds with warnings: {np.count_nonzero(found['warnings'])}")
    print("gradient of world 0 by iteration:", " ".join(f"{value:.1e}" for value in found["gradient"][0]))
    m, d = mjw.load(arguments.file, nworld=arguments.worlds, device=arguments.device)
    for name, seconds in mjw.stage_times(m, d).items():
        print(f"{name:24s} {1e6 * seconds / arguments.worlds:8.1f} us a world")


if __name__ == "__main__":
    main()
