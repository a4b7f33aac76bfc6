"""Train half-cheetah to run by PPO of Stable-Baselines3, all worlds in one simulation.

Needs ``pip install "newtonish[learn]"``; ``--save FOLDER`` writes the policy, a learning curve and a film (``newtonish[view]``, matplotlib),
``--check`` tries the policy in Gymnasium's own environments too (``gymnasium[mujoco]``).
Run with ``python examples/train_halfcheetah.py [--steps N] [--save FOLDER] [--check]``.
"""

from learning import Lesson, main

LESSON = Lesson(
    "HalfCheetah-v5",
    steps=2_000_000,
    settings={
        "n_steps": 128, "batch_size": 2048, "n_epochs": 8, "learning_rate": 1e-3, "gae_lambda": 0.95,
        "policy_kwargs": {"log_std_init": -1.0},
    },
    camera={"track": "torso", "distance": 4.0, "azimuth": 90.0, "elevation": -12.0},
)  # fmt: skip

if __name__ == "__main__":
    main(__doc__, LESSON, seconds=4.0)
