"""A policy of PyTorch's trained through the physics: the gradient of what a rollout costs, by the weights, in place of samples of it.

Every world begins with its pole in another place; the policy sees the state and pushes the cart. ``interop.torch_step`` makes steps a part of
PyTorch's graph, so that ``backward`` goes through policy and physics in turn, from the last step to the first.
Run with ``python examples/policy_gradient.py [--worlds 16] [--iterations 60]``; it needs PyTorch.
"""

import argparse
import time

import torch

from newtonish import interop, mjw

XML = """
<mujoco>
  <option timestep="0.02" integrator="implicitfast"/>
  <worldbody>
    <body><joint name="cart" type="slide" axis="1 0 0" damping="0.5"/><geom type="box" size="0.1 0.05 0.05" mass="1"/>
      <body><joint name="pole" axis="0 1 0" damping="0.01"/><geom type="capsule" fromto="0 0 0 0 0 0.6" size="0.02" mass="0.1"/></body>
    </body>
  </worldbody>
  <actuator><motor joint="cart" gear="10"/></actuator>
</mujoco>
"""
HORIZON, STEPS = 40, 2
"""Decisions of a rollout, and steps for each."""


class Policy(torch.nn.Module):
    """A small network from the state to a control between -1 and 1."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(4, 32), torch.nn.Tanh(), torch.nn.Linear(32, 1), torch.nn.Tanh())

    def forward(self, qpos: torch.Tensor, qvel: torch.Tensor) -> torch.Tensor:
        return self.layers(torch.cat([qpos, qvel], dim=1))


def cost_of(step: interop.TorchStep, policy: Policy, qpos: torch.Tensor) -> torch.Tensor:
    """Mean over worlds and decisions: pole upright, cart in the middle, little force."""
    qvel, warm, total = torch.zeros_like(qpos), None, torch.zeros(())
    for _ in range(HORIZON):
        ctrl = policy(qpos, qvel)
        found = step(qpos, qvel, ctrl=ctrl, qacc_warmstart=warm)
        qpos, qvel, warm = found.qpos, found.qvel, found.qacc_warmstart
        total = total + (qpos[:, 1] ** 2 + 0.1 * qpos[:, 0] ** 2 + 0.01 * qvel.square().sum(1) + 0.001 * ctrl[:, 0] ** 2).mean()
    return total / HORIZON


def train(worlds: int = 16, iterations: int = 60, seed: int = 0, device: str = "cpu") -> list[float]:
    """Costs of the iterations."""
    torch.manual_seed(seed)
    torch.set_num_threads(1)  # a network as small as this one loses by more
    m, d = mjw.load(XML, nworld=worlds, device=device)
    step, policy = interop.torch_step(m, d, nstep=STEPS), Policy()
    optimizer, costs = torch.optim.Adam(policy.parameters(), lr=0.01), []
    for _ in range(iterations):
        start = 0.3 * torch.randn(worlds, 2)
        cost = cost_of(step, policy, start)
        optimizer.zero_grad()
        cost.backward()
        optimizer.step()
        costs.append(cost.item())
    return costs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--worlds", type=int, default=16)
    parser.add_argument("--iterations", type=int, default=60)
    args = parser.parse_args()
    begin = time.perf_counter()
    costs = train(args.worlds, args.iterations)
    print(f"cost {costs[0]:.3f} at first, {sum(costs[-5:]) / 5:.3f} in the end, after {time.perf_counter() - begin:.1f} s")


if __name__ == "__main__":
    main()
