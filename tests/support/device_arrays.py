"""Device arrays of our importer and conversion against those of MuJoCo's compiler, field by field, on the same file."""

from pathlib import Path

import mujoco
import numpy as np

from newtonish import mjw

TOLERANCE = 1e-5


def compare(path: Path, device: str, without: tuple[str, ...] = ("hull",)) -> None:
    """Every array of the Model of a file: imported by us, and compiled by MuJoCo.

    Groups of arrays named in ``without`` are left out; another algorithm finds the same hulls, and what matters of them, the
    contacts, is compared elsewhere.
    """
    theirs = mjw.put_model(mujoco.MjModel.from_xml_path(str(path)), strict=False, device=device)
    ours, _ = mjw.load(path, device=device)
    wrong = []
    for g in theirs.GROUPS:
        if g.name in (*without, "gain"):  # MuJoCo knows no gains of geoms
            continue
        for f in g.fields:
            if (g.name, f.name) in (("geom", "dataid"), ("surface", "mesh")):  # numbers of meshes, which MuJoCo keeps unused too
                continue
            wrong += difference(f"{g.name}.{f.name}", getattr(getattr(ours, g.name), f.name), getattr(getattr(theirs, g.name), f.name))
    assert not wrong, "\n".join(wrong)
    kinds = theirs.geom_type.numpy()
    for kind in np.unique(kinds):  # meshes and heightfields are numbered apart
        assert first_use(ours.geom_dataid.numpy()[0, kinds == kind]) == first_use(theirs.geom_dataid.numpy()[0, kinds == kind])
    for kind, names in theirs.names.items():
        given = [name for name in names if name]
        assert [name for name, known in zip(ours.names[kind], names, strict=True) if known] == given
    for name, values in theirs.key.items():
        np.testing.assert_allclose(ours.key[name], values, rtol=TOLERANCE, atol=TOLERANCE, err_msg=name)


def first_use(ids: np.ndarray) -> list[int]:
    """Ids of meshes or heightfields renumbered in the order of their first use: files may declare them in another order."""
    order = {-1: -1}
    return [order.setdefault(int(i), len(order) - 1) for i in ids]


def difference(name: str, ours, theirs) -> list[str]:
    if isinstance(theirs, int):
        return [] if ours == theirs else [f"{name}: {ours} against MuJoCo's {theirs}"]
    ours, theirs = ours.numpy(), theirs.numpy()
    if ours.shape != theirs.shape:
        return [f"{name}: shape {ours.shape} against MuJoCo's {theirs.shape}"]
    if np.issubdtype(theirs.dtype, np.integer):
        return [] if np.array_equal(ours, theirs) else [f"{name}: {ours.tolist()} against MuJoCo's {theirs.tolist()}"]
    error = np.abs(ours - theirs) - TOLERANCE * np.abs(theirs)
    if error.size and error.max() > TOLERANCE:
        at = np.unravel_index(int(error.argmax()), error.shape)
        return [f"{name}{list(map(int, at))}: {ours[at]:.8g} against MuJoCo's {theirs[at]:.8g}"]
    return []
