"""Built-in meshes and primitives fitted to meshes: arrays, sizes and poses of MuJoCo's compiler."""

import mujoco
import numpy as np
import pytest
from device_arrays import compare

from newtonish import ModelBuilder
from newtonish.errors import ImporterError
from newtonish.importers.mjcf.assets.builtins import BUILTINS

WEDGE = '<mesh name="m" vertex="0 0 0  1 0 0  0 .7 0  0 0 .4  1 .2 .1" face="0 2 1  0 1 3  0 3 2  1 2 4  2 3 4  1 4 3" refpos=".1 .2 .3"/>'
SURFACES = ["cone 4 0", "cone 7 .5", "supersphere 5 .5 .3", "supersphere 4 2 1", "supertorus 5 .4 1 1", "supertorus 6 .4 .5 .3"]
SURFACES += ["sphere 0", "sphere 2", "hemisphere 0", "hemisphere 3"]
WRONG = ["cone 2 0", "cone 4 2", "cone 4", "sphere 5", "sphere -1", "hemisphere 11", "supersphere 2 1 1", "supersphere 4 -1 1"]
WRONG += ["supertorus 3 2 1 1", "supertorus 3 .5 0 1", "supertorus 3 .5 1", "sphere"]
KINDS = ("sphere", "capsule", "cylinder", "ellipsoid", "box")


def text(asset, geoms, compiler=""):
    return f"<mujoco><compiler {compiler}/><asset>{asset}</asset><worldbody><body><freejoint/>{geoms}</body></worldbody></mujoco>"


def builtin(words):
    kind, _, params = words.partition(" ")
    return f'<mesh name="m" builtin="{kind}" params="{params}"/>'


@pytest.mark.parametrize("words", SURFACES)
def test_vertices_and_faces_of_built_in_meshes(words):
    compiled = mujoco.MjModel.from_xml_string(text(builtin(words), '<geom type="mesh" mesh="m"/>'))
    turn = np.zeros(9)
    mujoco.mju_quat2Mat(turn, compiled.mesh_quat[0])
    kind, *params = words.split()
    vertices, faces = BUILTINS[kind]([float(p) for p in params])
    np.testing.assert_allclose(vertices, compiled.mesh_vert @ turn.reshape(3, 3).T + compiled.mesh_pos[0], atol=2e-7)
    assert not len(faces) or np.array_equal(faces, compiled.mesh_face)


@pytest.mark.parametrize("words", SURFACES)
def test_built_in_meshes_have_mujocos_arrays(words, tmp_path, device):
    asset = builtin(words).replace("/>", ' scale=".5 .3 .2" refpos=".1 0 0"/>')
    path = tmp_path / "model.xml"
    path.write_text(text(asset, '<geom type="mesh" mesh="m" pos="1 0 0" euler="10 20 30"/><geom size=".1"/>'))
    compare(path, device)


@pytest.mark.parametrize("words", WRONG)
def test_wrong_parameters_are_refused(words):
    model = text(builtin(words), '<geom type="mesh" mesh="m"/>')
    with pytest.raises(ValueError):
        mujoco.MjModel.from_xml_string(model)
    with pytest.raises(ImporterError, match=r"<string>:1:\d+: mesh 'm'"):
        ModelBuilder().add_mjcf(model)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("compiler", ['fitaabb="false"', 'fitaabb="true"'])
def test_primitives_are_fitted_to_meshes(kind, compiler, tmp_path, device):
    geoms = "".join(
        f'<geom type="{kind}" mesh="m" pos="{k} 0 0" euler="10 {k} 30" {more}/>' for k, more in enumerate(("", 'fitscale="1.5"', 'shellinertia="true"'))
    )
    path = tmp_path / "model.xml"
    path.write_text(text(WEDGE, geoms, compiler))
    compare(path, device)
