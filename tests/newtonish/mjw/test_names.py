"""The table of docs/mjw.md that says which functions of mujoco_warp are here under the same name, and why the others are not."""

import inspect
import re

import mujoco_warp
from paths import REPO

from newtonish import mjw

BEGIN, END = "<!-- functions of mujoco_warp: begin -->", "<!-- functions of mujoco_warp: end -->"


def theirs() -> dict[str, list[str]]:
    """Public functions of mujoco_warp with the names of their arguments."""
    found = {}
    for name, value in vars(mujoco_warp).items():
        if not name.startswith("_") and callable(value) and not isinstance(value, type) and hasattr(value, "__module__"):
            found[name] = list(inspect.signature(value).parameters)
    return found


def test_every_function_is_there_with_the_same_arguments_or_its_absence_explained() -> None:
    text = (REPO / "docs" / "mjw.md").read_text().split(BEGIN)[1].split(END)[0]
    same = set(re.findall(r"`(\w+)`", text.split("\n|")[0]))
    rows = {m[1]: (m[2].strip(), m[3].strip()) for m in re.finditer(r"^\| `(\w+)` \| (.*?) \| (.*?) \|$", text, re.M)}
    functions = theirs()
    assert len(functions) > 70
    for name, arguments in functions.items():
        ours = getattr(mjw, name, None)
        if ours is None:
            assert rows.get(name, ("", ""))[0] == "not here", f"{name} is missing and docs/mjw.md does not say why"
        elif list(inspect.signature(ours).parameters)[: len(arguments)] == arguments:
            assert name in same, f"{name} has the same arguments and is not in the list of docs/mjw.md"
        else:
            assert rows.get(name, ("", ""))[0] == "other arguments", f"{name} has other arguments and docs/mjw.md does not say so"
    listed = same | set(rows)
    assert listed == set(functions), f"docs/mjw.md lists what mujoco_warp does not have: {sorted(listed - set(functions))}"
    assert not same & set(rows)
    assert all(len(reason) > 10 for _, reason in rows.values())
