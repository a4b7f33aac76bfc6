"""Worlds that lacked room are told of where a step does not look at capacities: in graphs of the caller's, and on a GPU.

The fixture ``blind`` gives a CPU the replay of a GPU, whose answer would have to be waited for.
"""

import gc
import subprocess
import sys
import warnings

import mujoco
import numpy as np
import pytest
import warp as wp

from newtonish import mjw
from newtonish.errors import CapacityError, ModelError, NewtonishWarning

BALLS = """<mujoco><option timestep="0.01"/><worldbody><geom type="plane" size="5 5 1"/>
  <body pos="0 0 {z}"><freejoint/><geom size=".1"/></body>
  <body pos="1 0 {z}"><freejoint/><geom size=".1"/></body>
  <body pos="2 0 {z}"><freejoint/><geom size=".1"/></body></worldbody></mujoco>"""
NWORLD = 4


def balls(device: str, **capacity: object) -> tuple[mjw.Model, mjw.Data]:
    """Three balls above a plane; they touch it in worlds 1 and 2, and one of them in world 3."""
    m, d = mjw.load(BALLS.format(z=0.15), nworld=NWORLD, device=device, **capacity)
    host = d.qpos.numpy()
    host[1:3, [2, 9, 16]] = 0.099
    host[3, 2] = 0.099
    d.qpos.assign(host)
    return m, d


def told(caught: list[warnings.WarningMessage]) -> list[str]:
    return [str(entry.message) for entry in caught if issubclass(entry.category, NewtonishWarning)]


def test_reading_an_array_tells_once_which_world_and_what_to_do(device: str, blind: None) -> None:
    m, d = balls(device, nconmax=2, njmax=40)
    mjw.step(m, d)
    wp.synchronize_device(d.device)
    with pytest.warns(NewtonishWarning) as caught:
        d.qpos.numpy()
    (text,) = told(caught)
    for part in ("world 1 and 1 more of 4", "up to 3 contacts", "contacts left out", "nconmax=2 and njmax=40", "pass nconmax=4", "None to let"):
        assert part in text, text
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mjw.step(m, d)
        d.qvel.numpy()
        assert not mjw.check_capacity(m, d)


def test_a_need_beyond_the_advice_is_told_again(device: str) -> None:
    text = (
        '<mujoco><worldbody><geom type="plane" size="5 5 1"/>'
        + "".join(f'<body pos="{i} 0 .15"><freejoint/><geom size=".1"/></body>' for i in range(4))
        + "</worldbody></mujoco>"
    )
    m, d = mjw.load(text, nworld=2, device=device, nconmax=1, njmax=40)

    def touching(count: int) -> list[str]:
        host = d.qpos.numpy()
        host[1, 2::7] = 0.15
        host[1, 2 : 7 * count : 7] = 0.099
        d.qpos.assign(host)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            mjw.forward(m, d)
            mjw.check_capacity(m, d)
        return told(caught)

    assert touching(1) == []
    (first,) = touching(2)
    assert "up to 2 contacts" in first and "nconmax=3" in first
    assert touching(2) == touching(3) == []  # as many as were advised
    (second,) = touching(4)
    assert "world 1 of 2" in second and "up to 4 contacts" in second and "nconmax=6" in second
    assert touching(4) == []


@pytest.mark.parametrize("capacity", [{"nconmax": 2, "njmax": 40}, {"njmax": 6}])
def test_strict_data_raises_for_every_step_that_lacked_room(device: str, capacity: dict[str, int]) -> None:
    m, filled = balls(device, nconmax=8, njmax=40)
    d = mjw.make_data(m, NWORLD, **capacity, strict_capacity=True)
    for _ in range(2):
        d.qpos.assign(filled.qpos)
        with pytest.raises(CapacityError, match=r"world 1 and 1 more of 4.*: got .+; allowed: .+; .+"):
            mjw.step(m, d)
            mjw.check_capacity(m, d)  # on a GPU
        mjw.reset_data(m, d)
    mjw.step(m, d)  # nothing touches


def test_strict_data_grows_all_the_same(device: str, blind: None, monkeypatch: pytest.MonkeyPatch) -> None:
    m, filled = balls(device, nconmax=8, njmax=40)
    monkeypatch.setattr("newtonish.mjw.data.estimate", lambda m, nconmax, njmax, headroom, naconmax: (1, 4))
    d = mjw.make_data(m, NWORLD, strict_capacity=True)
    d.qpos.assign(filled.qpos)
    mjw.step(m, d)
    wp.synchronize_device(d.device)
    with pytest.raises(CapacityError, match="from the next step on"):
        mjw.check_capacity(m, d)
    mjw.reset_data(m, d)
    d.qpos.assign(filled.qpos)
    mjw.step(m, d)
    assert d.ncon.numpy().tolist() == [0, 3, 3, 1]


def test_a_graph_of_the_callers_tells(device: str) -> None:
    m, d = balls(device, nconmax=2, njmax=40)
    mjw.forward(m, mjw.make_data(m, NWORLD))  # loads the modules
    with wp.ScopedCapture(device=d.device) as capture:
        mjw.step(m, d)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        d.qpos.numpy()  # nothing has run yet
    wp.capture_launch(capture.graph)
    wp.synchronize_device(d.device)
    with pytest.warns(NewtonishWarning, match="up to 3 contacts"):
        d.ncon.numpy()


def test_worlds_with_room_are_not_told_of(device: str, blind: None) -> None:
    m, d = balls(device, nconmax=3, njmax=12)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(3):
            mjw.step(m, d)
        assert d.ncon.numpy().tolist() == [0, 3, 3, 1]
        assert d.any_overflow.numpy().tolist() == [0]


def test_the_next_step_a_reset_and_a_copy_tell(device: str, blind: None) -> None:
    mjm = mujoco.MjModel.from_xml_string(BALLS.format(z=0.15))
    acts = {
        "step": lambda m, d: mjw.step(m, d),
        "reset_data": lambda m, d: mjw.reset_data(m, d),
        "get_data_into": lambda m, d: mjw.get_data_into(mujoco.MjData(mjm), mjm, d),
    }
    for name, act in acts.items():
        m, d = balls(device, nconmax=2, njmax=40)
        mjw.step(m, d)
        wp.synchronize_device(d.device)
        with pytest.warns(NewtonishWarning, match="up to 3 contacts") as caught:
            act(m, d)
        assert len(told(caught)) == 1, name


def test_a_data_that_goes_tells(device: str, blind: None) -> None:
    m, d = balls(device, nconmax=2, njmax=40)
    mjw.step(m, d)
    wp.synchronize_device(d.device)
    with pytest.warns(NewtonishWarning, match="up to 3 contacts"):
        del d
        gc.collect()


def test_the_end_of_a_program_tells() -> None:
    script = f"""
import warp as wp
from newtonish import mjw
m, d = mjw.load('''{BALLS.format(z=0.099)}''', nworld=2, device="cpu", nconmax=2, njmax=40)
mjw.kinematics(m, d); mjw.com_pos(m, d)
mjw.collision(m, d)
print("end")
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("end\n") and done.stderr.count("up to 3 contacts") == 1, done.stderr


def test_rows_without_room(device: str, blind: None) -> None:
    m, d = balls(device, njmax=6)
    mjw.step(m, d)
    wp.synchronize_device(d.device)
    with pytest.warns(NewtonishWarning, match=r"constraint rows left out; allowed: .* njmax=6; pass .* njmax=18"):
        d.qpos.numpy()


def test_worlds_that_were_reset_meanwhile_are_told_of_without_numbers(device: str, blind: None) -> None:
    m, d = balls(device, nconmax=2, njmax=40)
    mjw.step(m, d)
    wp.synchronize_device(d.device)
    d.room.look = lambda: None  # a reset by a graph of the caller's does not look
    mjw.reset_data(m, d)
    del d.room.look
    with pytest.warns(NewtonishWarning, match=r"some of 4 worlds, reset since: .* before it; .* larger headroom"):
        d.qpos.numpy()


def test_looking_lets_capacities_grow_that_were_left_open(device: str, blind: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("newtonish.mjw.data.estimate", lambda m, nconmax, njmax, headroom, naconmax: (1, 4))
    m, d = balls(device)
    mjw.step(m, d)
    wp.synchronize_device(d.device)
    with pytest.warns(NewtonishWarning, match=r"pass nconmax=4 and njmax=\d+ to make_data, or call mjw.check_capacity"):
        d.qpos.numpy()
    assert mjw.check_capacity(m, d) and d.nconmax >= 3
    mjw.step(m, d)
    assert d.ncon.numpy().tolist() == [0, 3, 3, 1]
    assert not mjw.check_capacity(m, d)


def test_the_suggestion_has_room_for_the_run(device: str, blind: None) -> None:
    m, d = balls(device, nconmax=1, njmax=3)
    assert mjw.suggest_capacity(m, d) == {"nconmax": 1, "njmax": 3}  # nothing was lacking
    mjw.step(m, d)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NewtonishWarning)
        suggestion = mjw.suggest_capacity(m, d)
    assert suggestion["nconmax"] >= 3 and suggestion["njmax"] >= 12
    m, d = balls(device, **suggestion)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mjw.step(m, d)
        assert not mjw.check_capacity(m, d) and d.ncon.numpy().tolist() == [0, 3, 3, 1]


def test_headroom_scales_what_is_estimated(device: str) -> None:
    xml = BALLS.format(z=0.2).replace("</worldbody>", "".join(f'<body pos="{i} 3 1"><freejoint/><geom size=".1"/></body>' for i in range(9)) + "</worldbody>")
    m = mjw.put_model(mujoco.MjModel.from_xml_string(xml), device=device)
    plain, half, more = mjw.make_data(m, 2), mjw.make_data(m, 2, headroom=0.5), mjw.make_data(m, 2, headroom=1.5)
    assert half.nconmax == -(-plain.nconmax // 2) and more.nconmax == -(-3 * plain.nconmax // 2) <= m.contact_bound
    assert more.njmax - plain.njmax == 4 * (more.nconmax - plain.nconmax)
    assert mjw.make_data(m, 2, headroom=1e6).nconmax == m.contact_bound  # more contacts than that cannot be
    assert (mjw.make_data(m, 2, 5, njmax=7, headroom=3.0).nconmax, mjw.make_data(m, 2, 5, njmax=7, headroom=3.0).njmax) == (5, 7)
    assert mjw.load(xml, nworld=2, device=device, headroom=1.5)[1].nconmax == more.nconmax
    for wrong in (0, -1.0, float("nan"), float("inf"), True, "2"):
        with pytest.raises(ModelError, match=r"make_data: headroom: got .* a finite number above 0"):
            mjw.make_data(m, 2, headroom=wrong)


def test_the_signal_costs_no_world_its_bits(device: str) -> None:
    """A world without room leaves the results of the others alone."""
    states = []
    for room in (2, 3):
        m, d = balls(device, nconmax=room, njmax=40)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NewtonishWarning)
            for _ in range(5):
                mjw.step(m, d)
            states.append(np.concatenate([d.qpos.numpy(), d.qvel.numpy()], axis=1))
    np.testing.assert_array_equal(states[0][[0, 3]], states[1][[0, 3]])
    assert (states[0][1] != states[1][1]).any()
