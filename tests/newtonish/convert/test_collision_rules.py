"""Groups, filter pairs and masks against Newton's rules pair by pair, whatever number of classes they make."""

import numpy as np
import pytest
import warp as wp

import newtonish
from newtonish import SolverMuJoCo
from newtonish.convert import convert
from newtonish.convert.collision_rules import encode
from newtonish.kernels.collision.filter import geom_pairs

INERTIA = wp.mat33(np.eye(3, dtype=np.float32))
UNSET = -(2**63)


def groups_meet(a: int, b: int) -> bool:
    """Newton's rule, as its documentation of collision groups says it."""
    if a == 0 or b == 0:
        return False
    if a > 0 and b > 0:
        return a == b
    return a != b


def balls(groups: list[int], filtered: list[tuple[int, int]] = (), masks: list[tuple[int, int, int]] | None = None) -> newtonish.ModelBuilder:
    builder = newtonish.ModelBuilder()
    SolverMuJoCo.register_custom_attributes(builder)
    for k, group in enumerate(groups):
        body = builder.add_body(mass=1.0, inertia=INERTIA, label=f"b{k}")
        given = {}
        if masks is not None and masks[k][0] != UNSET:
            given = {f"mujoco:{n}": v for n, v in zip(("contype", "conaffinity", "collision_mask_domain"), masks[k])}
        config = newtonish.ModelBuilder.ShapeConfig(collision_group=group)
        builder.add_shape_sphere(body, radius=0.1, cfg=config, custom_attributes=given)
    for pair in filtered:
        builder.add_shape_collision_filter_pair(*pair)
    return builder


def met(compiled) -> set[tuple[int, int]]:
    first, second, _, _ = geom_pairs(compiled)
    return {(int(min(p)), int(max(p))) for p in zip(first, second)}


@pytest.mark.parametrize(("seed", "kinds"), [(0, 1), (1, 3), (2, 12), (3, 30), (4, 60)])
def test_pairs_are_newtons_for_any_number_of_groups(seed: int, kinds: int) -> None:
    rng = np.random.default_rng(seed)
    groups = rng.integers(-kinds, kinds + 1, 80).tolist()
    filtered = [tuple(sorted(rng.choice(80, 2, replace=False).tolist())) for _ in range(20)]
    scene = newtonish.ModelBuilder()
    SolverMuJoCo.register_custom_attributes(scene)
    for _ in range(2):
        scene.add_world(balls(groups, filtered))
    compiled = convert(scene.finalize(device="cpu"))
    wanted = {(i, j) for i in range(80) for j in range(i + 1, 80) if groups_meet(groups[i], groups[j])} - set(filtered)
    assert met(compiled) == wanted
    if kinds <= 12:  # up to 25 kinds of groups: masks say it all but for the named pairs
        assert {tuple(p) for p in compiled.geom_filter_pairs.tolist()} <= set(filtered)


def test_as_many_classes_as_bits_need_no_pairs_and_more_of_them_do() -> None:
    for kinds in (32, 33, 64):
        meet = np.eye(kinds, dtype=bool)
        contype, conaffinity, apart = encode(meet, np.arange(kinds) + 1)
        assert (len(apart) == 0) == (kinds <= 32)
        accepts = (contype[:, None] & conaffinity[None, :]) != 0
        accepts |= accepts.T
        accepts[tuple(apart.T)] = False
        np.testing.assert_array_equal(accepts, meet)
        assert np.all(apart < kinds - 31)  # only the smallest classes share a bit


def test_one_group_leaves_mujocos_defaults() -> None:
    compiled = convert(balls([1, 1, 1]).finalize(device="cpu"))
    assert (compiled.geom_contype.tolist(), compiled.geom_conaffinity.tolist()) == ([1] * 3, [1] * 3)


def test_authored_masks_stay_and_hold_within_their_own_file_only() -> None:
    """Shapes 0 to 2 of one file, 3 and 4 of another, 5 of no file."""
    masks = [(1, 2, 7), (2, 1, 7), (1, 2, 7), (1, 2, 8), (1, 2, 8), (UNSET, UNSET, -1)]
    builder = balls([1, 1, 1, 1, 2, 1], masks=masks)
    compiled = convert(builder.finalize(device="cpu"))
    within = {(0, 1), (1, 2)}  # the others of that file have masks that do not accept each other
    across = {(i, 3) for i in range(3)} | {(i, 5) for i in range(4)}  # group 1 meets itself, group 2 is alone
    assert met(compiled) == within | across
    single = convert(balls([1, 1, 1], masks=masks[:3]).finalize(device="cpu"))
    assert (single.geom_contype.tolist(), single.geom_conaffinity.tolist()) == ([1, 2, 1], [2, 1, 2])
    assert met(single) == within


def test_a_mask_of_all_bits_is_kept() -> None:
    compiled = convert(balls([1, 1], masks=[(0xFFFFFFFF, 1, -1), (1, 0x80000000, -1)]).finalize(device="cpu"))
    assert (compiled.geom_contype.tolist(), compiled.geom_conaffinity.tolist()) == ([-1, 1], [1, -(2**31)])
