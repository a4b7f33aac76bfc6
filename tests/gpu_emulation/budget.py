"""What a step of some models may cost a GPU: weighted warp instructions and barriers of blocks, a world and step.

python tests/gpu_emulation/budget.py --write      # after a change that costs more, and is worth it, or costs less
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

if __name__ == "__main__":  # as a command, not installed
    sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent / "support")]

import warp as wp
from emulation.measure import count
from page_models import file_of

from newtonish import mjw

FILE = Path(__file__).parent / "budget.json"
MODELS = ("arm", "humanoid", "biped_flat", "humanoids_3")
MARGIN = 1.03
"""Of a figure over what was measured when the budget was written."""


def spent(name: str) -> dict[str, float]:
    """What a step of a model costs now."""
    m, _ = mjw.load(file_of(name), nworld=1, device="cpu")
    return count(m)


def allowed() -> dict[str, dict[str, float]]:
    """The budget by model."""
    return json.loads(FILE.read_text(encoding="utf-8"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="make what is spent now the budget, and a margin of 3 %%")
    arguments = parser.parse_args()
    wp.config.quiet = True
    found = {name: spent(name) for name in MODELS}
    print(json.dumps(found, indent=1))
    if arguments.write:
        text = json.dumps({name: {key: round(MARGIN * value, 1) for key, value in figures.items()} for name, figures in found.items()}, indent=1)
        FILE.write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
