"""``newtonish convert``: canonical MJCF, archives, and what is refused."""

import os
import warnings
from pathlib import Path

import mujoco
import numpy as np
import pytest
from composites import CASES, mjcf
from paths import OWN, shared_model
from saved import compiled, difference

import newtonish.mjcf
from newtonish import mjw
from newtonish.cli.main import main
from newtonish.common.compiled_fields import FIELDS
from newtonish.errors import ModelError, NewtonishWarning
from newtonish.mjw.from_file import read_compiled

SLASHES = "<mujoco><default><default class='a/b'><geom size='.1' mass='2'/></default></default><worldbody><body name='x/'><joint name='j'/><geom name='x/g' class='a/b'/></body></worldbody><custom><text name='t' data='a\\b'/></custom><sensor><framepos objtype='geom' objname='x/g'/></sensor></mujoco>"


def same(one, other) -> list[str]:
    """What differs between the compiled arrays and names of two files."""
    ours, theirs = compiled(other), compiled(one)
    names = [key for key in vars(theirs) if key.endswith("_names") and getattr(ours, key) != getattr(theirs, key)]
    return names + [line for name in FIELDS for line in difference(name, getattr(ours, name), getattr(theirs, name))]


@pytest.mark.parametrize("name", ["mjcf_include", "mjcf_defaults", "actuator_zoo", "spatial_tendons"])
@pytest.mark.parametrize("through", [(), ("--compiled",), "npz"])
def test_the_arrays_stay_the_same(name: str, through, tmp_path, capsys) -> None:
    source, out, path = OWN / f"{name}.xml", tmp_path / "out.xml", tmp_path / "between.npz"
    if through == "npz":
        assert main(["convert", str(source), str(path)]) == 0
        assert main(["convert", str(path), str(out)]) == 0
    else:
        assert main(["convert", str(source), str(out), *through]) == 0
    assert f"written to {out}" in capsys.readouterr().out
    assert same(source, out) == []


def test_canonical_files_are_stable_and_take_their_assets_along(tmp_path, capsys) -> None:
    source = shared_model("barkour_vb/scene_hfield_mjx.xml")
    for name, given in (("one", source), ("two", tmp_path / "one" / "m.xml")):
        (tmp_path / name).mkdir()
        assert main(["convert", str(given), str(tmp_path / name / "m.xml")]) == 0
    assert same(source, tmp_path / "one" / "m.xml") == []
    listed = [sorted(os.listdir(tmp_path / name)) for name in ("one", "two")]
    assert listed[0] == listed[1] and len(listed[0]) > 3
    assert all((tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes() for name in listed[0])


def test_names_keep_their_slashes_and_text_its_backslashes(tmp_path) -> None:
    (tmp_path / "a.xml").write_text(SLASHES)
    assert main(["convert", str(tmp_path / "a.xml"), str(tmp_path / "b.xml")]) == 0
    text = (tmp_path / "b.xml").read_text()
    assert 'name="x/"' in text and 'class="a/b"' in text and 'data="a\\b"' in text
    assert same(tmp_path / "a.xml", tmp_path / "b.xml") == []


def test_length_ranges_are_found_once(tmp_path, capsys) -> None:
    from newtonish.exporters.archive import read_archive

    text = "<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='j' range='-30 30'/><geom size='.1' pos='.3 0 0'/></body></worldbody><actuator><muscle joint='j'/></actuator></mujoco>"
    (tmp_path / "a.xml").write_text(text)
    assert main(["convert", str(tmp_path / "a.xml"), str(tmp_path / "a.npz")]) == 0
    found = read_archive(tmp_path / "a.npz")
    low, high = found.compiled.actuator_lengthrange[0]
    assert -0.6 < low < -0.5 < 0.5 < high < 0.6
    assert found.length_range == {"mode": "none"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["a.xml", "a.usdz"], "a .usdz file, which cannot be written; allowed: .xml, .usd, .usda, .usdc, .npz"),
        (["a.xml", "a.urdf"], "a .urdf file, which cannot be written"),
        (["a.xml", "b"], "a file without an ending"),
        (["a.xml", "none/b.xml"], "which does not exist"),
        (["a.xml", "a.xml"], "the file that is read; allowed: another file"),
        (["a.txt", "b.xml"], "a .txt file; allowed: .xml"),
        (["none.xml", "b.xml"], "no such file"),
        (["bad.npz", "b.xml"], "a damaged archive"),
    ],
)
def test_what_cannot_be_done_is_one_line(arguments, words, tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.xml", "a.txt", "bad.npz"):
        (tmp_path / name).write_text("<mujoco/>")
    assert main(["convert", *arguments]) == 2
    error = capsys.readouterr().err
    assert words in error and error.count("\n") == 1
    assert not (tmp_path / "b.xml").exists()


@pytest.mark.parametrize("case", CASES)
def test_composites_are_written_out_for_the_mujoco_of_today(case, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    defaults = '<default><geom density="7" condim="1"/><joint damping="3" armature="1"/></default><worldbody>'
    (tmp_path / "old.xml").write_text(mjcf(case).replace("<worldbody>", defaults, 1))
    assert main(["convert", "old.xml", "new.xml"]) == 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NewtonishWarning)
        ours, _, _ = read_compiled("old.xml")
    theirs = mujoco.MjModel.from_xml_path("new.xml")
    for name in (
        "body_pos",
        "body_mass",
        "body_inertia",
        "jnt_axis",
        "jnt_range",
        "dof_damping",
        "dof_armature",
        "eq_solref",
        "eq_data",
        "tendon_range",
        "geom_size",
    ):
        np.testing.assert_allclose(np.reshape(getattr(ours, name), np.shape(getattr(theirs, name))), getattr(theirs, name), rtol=1e-5, atol=1e-6, err_msg=name)


def test_other_commands_take_archives(tmp_path, capsys) -> None:
    source, path = OWN / "fixed_tendons.xml", tmp_path / "m.npz"
    assert main(["convert", str(source), str(path)]) == 0
    capsys.readouterr()
    shown = []
    for given in (source, path):
        assert main(["info", str(given)]) == 0
        shown.append(capsys.readouterr().out.split("\n", 3)[3])
    assert shown[0] == shown[1]
    assert main(["simulate", str(path), "--worlds", "2", "--steps", "3"]) == 0
    assert main(["bench", str(path), "--worlds", "1", "--steps", "2", "--repeats", "1", "--vs", "mujoco", "--no-startup"]) == 0
    assert "mujoco" in capsys.readouterr().out
    assert main(["compare", str(path), "--steps", "2"]) == 0


@pytest.mark.parametrize("way", ["absolute", "relative", "link", "submodel"])
def test_files_from_outside_of_the_models_folder_are_copied_only_if_asked_for(way, tmp_path, capsys) -> None:
    home, out = tmp_path / "home", tmp_path / "out"
    home.mkdir()
    out.mkdir()
    secret = tmp_path / "secret.obj"
    secret.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
    (home / "link.obj").symlink_to(secret)
    name = {"absolute": str(secret), "relative": "../secret.obj", "link": "link.obj", "submodel": "link.obj"}[way]
    text = f"<mujoco><asset><mesh name='m' file='{name}'/></asset><worldbody><geom type='mesh' mesh='m'/></worldbody></mujoco>"
    if way == "submodel":
        (home / "inner.xml").write_text(text)
        text = "<mujoco><asset><model name='a' file='inner.xml'/></asset><worldbody><frame><attach model='a' prefix='a'/></frame></worldbody></mujoco>"
    (home / "m.xml").write_text(text)
    assert mjw.load(home / "m.xml")[0].ngeom == 1  # as MuJoCo, which reads whatever is named
    assert mujoco.MjModel.from_xml_path(str(home / "m.xml")).ngeom == 1
    words = ["convert", str(home / "m.xml"), str(out / "m.xml")]
    assert main(words) == 2
    assert "secret.obj; allowed: files in" in capsys.readouterr().err and not list(out.iterdir())
    with pytest.raises(ModelError, match="allow_outside=True"):
        newtonish.mjcf.export_with_assets(newtonish.mjcf.from_path(home / "m.xml"), out)
    assert main([*words, "--allow-outside"]) == 0
    assert any(path.read_bytes() == secret.read_bytes() for path in out.iterdir())


def test_a_full_disk_leaves_what_was_there(tmp_path, monkeypatch, capsys) -> None:
    out = tmp_path / "out.xml"
    out.write_text("what was there")

    def full(self, data):
        with open(self, "wb") as file:
            file.write(data[:10])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    assert main(["convert", "hand_cube", str(out)]) == 2
    assert out.read_text() == "what was there" and [path.name for path in tmp_path.iterdir()] == ["out.xml"]
    assert f"{out}: No space left on device" in capsys.readouterr().err
