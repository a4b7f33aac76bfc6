"""Train cart-pole (Gymnasium's InvertedPendulum) until it balances, by PPO of Stable-Baselines3, all worlds in one simulation.

Needs ``pip install "newtonish[learn]"``; ``--save FOLDER`` writes the policy, a learning curve and a film (``newtonish[view]``, matplotlib),
``--check`` tries the policy in Gymnasium's own environments too (``gymnasium[mujoco]``).
Run with ``python examples/train_cartpole.py [--steps N] [--save FOLDER] [--check]``.
"""

from learning import Lesson, main

LESSON = Lesson(
    "InvertedPendulum-v5",
    steps=150_000,
    worlds=32,
    settings={"n_steps": 64, "batch_size": 512, "n_epochs": 10, "learning_rate": 1e-3, "gae_lambda": 0.95},
    camera={"azimuth": 90.0, "elevation": -10.0, "distance": 2.5},
    trial={"reset_noise_scale": 0.1},
)

if __name__ == "__main__":
    main(__doc__, LESSON, seconds=3.0)
