"""Parameters from recorded motions of MuJoCo's, and what is said where a log cannot tell them."""

import json
from pathlib import Path

import numpy as np
import pytest
from identify_robots import FIT, coverage, robot

from newtonish.errors import ModelError
from newtonish.identification import identify, save_merged
from newtonish.identification.controls import HeldControls
from newtonish.identification.logs import Log

mujoco = pytest.importorskip("mujoco", reason="MuJoCo has no 4.0 for Python 3.10")


@pytest.fixture(scope="module")
def leg():
    """A leg of three joints with its log of 4 s."""
    return robot(3, 4.0, legs=1)


@pytest.fixture(scope="module")
def found(leg):
    """What is found of it, with a proposal for another motion."""
    return identify(leg.model, [leg.log], FIT, excitation=2.0)


def test_intervals_hold_the_true_values(leg, found):
    inside, total, every = coverage(leg, found)
    assert every  # the wider intervals, all at once
    assert inside >= total - 3  # of 16 at 95 %: more than three outside happen in one robot of a hundred
    assert found.converged
    assert all(each.identified for each in found.estimates)
    worst = max(each.deviation / each.value for each in found.estimates)
    assert worst < 0.1  # and intervals are narrow: the model began up to 30 % off


def test_noise_is_found(found):
    for fit in found.fits:
        wanted = {"qpos": 2e-3, "qvel": 2e-2, "sensor": 5e-2}[fit.column.split(":")[0]]
        assert fit.residual == pytest.approx(wanted, rel=0.05), fit.column
        assert fit.correlation_rows == pytest.approx(1.0, abs=0.35)


def test_proposal_keeps_to_the_model_and_shows_as_much(leg, found):
    proposal = found.excitation
    assert set(proposal.columns) == {f"ctrl:servo{j}" for j in range(3)}
    assert all(len(value) == len(proposal.time) and np.isfinite(value).all() for value in proposal.columns.values())
    assert proposal.still_unknown == []
    for each in found.estimates:  # two seconds of it would do
        assert proposal.deviation[each.name] < 0.1 * each.value, each.name


def test_merged_model_is_what_was_found(leg, found, tmp_path):
    path = tmp_path / "found.xml"
    save_merged(leg.model, found, path)
    m = mujoco.MjModel.from_xml_path(str(path))
    for j in range(3):
        assert m.body(f"link{j}").mass[0] == pytest.approx(found[f"mass:link{j}"].value, rel=1e-6)
        assert m.body(f"link{j}").inertia[0] == pytest.approx(0.005 * found[f"mass:link{j}"].value, rel=1e-4)
        for kind in ("armature", "damping", "frictionloss"):
            value = float(np.ravel(getattr(m.joint(f"joint{j}"), kind))[0])
            assert value == pytest.approx(found[f"{kind}:joint{j}"].value, rel=1e-6)
        assert m.actuator(f"servo{j}").gainprm[0] == pytest.approx(found[f"gain:servo{j}"].value, rel=1e-6)
        assert m.actuator(f"servo{j}").biasprm[2] == pytest.approx(-0.05 * found[f"gain:servo{j}"].value, rel=1e-6)
        assert m.actuator_delay[j] == pytest.approx(found["delay"].value, rel=1e-6)


def test_json(found):
    read = json.loads(json.dumps(found.to_json()))
    assert [each["name"] for each in read["estimates"]] == [each.name for each in found.estimates]
    assert read["excitation"]["still_unknown"] == []


def test_parts_apart_give_the_same():
    """Two legs share worlds; as one part they do not."""
    one = robot(4, 1.5, legs=2)
    fit = ("armature", "frictionloss", "delay")
    together, apart = (identify(one.model, [one.log], fit, apart=each, iterations=3) for each in (False, True))
    assert apart.worlds < 0.7 * together.worlds
    for a, b in zip(apart.estimates, together.estimates, strict=True):
        assert a.value == pytest.approx(b.value, abs=0.02 * b.deviation), a.name
        assert a.deviation == pytest.approx(b.deviation, rel=0.01), a.name


def test_a_common_factor_is_named():
    """Without a measured force, masses, friction and gains can all be twice as large."""
    one = robot(0, 3.0, legs=1, delay=False)
    log = {name: value for name, value in one.log.items() if not name.startswith("sensor")}
    result = identify(one.model, [log], FIT[:-1], excitation=1.0)
    assert [each.text.endswith("only up to a common factor") for each in result.unknown] == [True]
    assert result.unknown[0].parts == pytest.approx([1.0] * 15, abs=0.02)
    assert not any(each.identified for each in result.estimates)
    assert len(result.excitation.still_unknown) == 1  # nor does any motion show it
    fixed = identify(one.model, [log], [word for word in ("mass:link0", "mass:link1", "armature", "damping", "frictionloss", "gain")])
    assert fixed.unknown == []


SLIDER = """<mujoco><option timestep="0.005" gravity="0 0 0"/><worldbody>
  <body name="cart"><joint name="x" type="slide" axis="1 0 0" damping="{damping}"/><geom size=".1" mass="{mass}"/></body></worldbody>
  <actuator><motor name="push" joint="x"/></actuator><sensor><jointpos name="where" joint="x"/></sensor></mujoco>"""


def slide(mass: float, damping: float, seed: int = 0, drift: float = 0.0, correlated: float = 0.0) -> dict[str, np.ndarray]:
    """A log of a cart that MuJoCo pushes to and fro."""
    m = mujoco.MjModel.from_xml_string(SLIDER.format(mass=mass, damping=damping))
    d, rng = mujoco.MjData(m), np.random.default_rng(seed)
    t = 0.005 * np.arange(1000)
    ctrl = 5.0 * np.sin(7.0 * t) + 3.0 * np.sin(23.0 * t)
    x = np.zeros(1000)
    for k in range(1000):
        x[k] = d.qpos[0]
        d.ctrl[0] = ctrl[k]
        mujoco.mj_step(m, d)
    noise = rng.normal(size=1000)
    for k in range(1, 1000):
        noise[k] = correlated * noise[k - 1] + np.sqrt(1.0 - correlated**2) * noise[k]
    return {"time": t, "ctrl:push": ctrl, "qpos:x": x + 1e-3 * noise, "sensor:where": x + drift + 1e-3 * rng.normal(size=1000)}


def test_bias_gain_and_damping_of_a_cart():
    log = slide(2.0, 1.5, drift=0.03)
    result = identify(SLIDER.format(mass=1.2, damping=0.5), [log, slide(2.0, 1.5, seed=1, drift=0.03)], ("mass", "damping", "bias:where"))
    for name, value in (("mass:cart", 2.0), ("damping:x", 1.5), ("bias:sensor:where", 0.03)):
        assert result[name].low_of_all <= value <= result[name].high_of_all, result[name]
        assert result[name].deviation < 0.02 * max(value, 0.1)


def test_correlated_noise_widens_intervals():
    """Noise whose rows follow each other tells less, and intervals say so."""
    white, red = (
        identify(SLIDER.format(mass=1.2, damping=0.5), [slide(2.0, 1.5, correlated=a)], ("mass", "damping"), ignore=["sensor:where"]) for a in (0.0, 0.9)
    )
    assert [fit.column for fit in white.fits] == ["qpos:x"]
    assert red.fits[0].correlation_rows > 3.0 * white.fits[0].correlation_rows
    naive = red["damping:x"].deviation / white["damping:x"].deviation
    assert naive > 1.3


def test_intervals_of_many_logs_hold_with_correlated_noise():
    """Eight carts with noise that is far from white: the true values lie within as often as they should, or in all but three."""
    outside = 0
    for seed in range(8):
        result = identify(
            SLIDER.format(mass=1.6, damping=1.2), [slide(2.0, 1.5, seed=seed, correlated=0.8)], ("mass", "damping"), ignore=["sensor:where"], iterations=5
        )
        outside += sum(not each.low <= value <= each.high for each, value in zip(result.estimates, (2.0, 1.5), strict=True))
    assert outside <= 3  # of 16 at 95 %


def test_single_log_without_positions():
    """Sensors alone, from a known start: the log stays whole."""
    log = {name: value for name, value in slide(2.0, 1.5).items() if name != "qpos:x"}
    text = SLIDER.format(mass=1.2, damping=0.5).replace("jointpos", "framepos").replace('joint="x"/></sensor>', 'objtype="body" objname="cart"/></sensor>')
    log = {"time": log["time"], "ctrl:push": log["ctrl:push"], "sensor:where.0": log["sensor:where"]}
    with pytest.raises(ModelError, match="no qpos:x"):
        identify(text, [log], ("mass", "damping"))
    result = identify(text, [log], ("mass", "damping"), start=[0.0])
    assert result.pieces == 1
    assert result["mass:cart"].low_of_all <= 2.0 <= result["mass:cart"].high_of_all


def test_cma_finds_the_same():
    pytest.importorskip("cmaes", reason="newtonish[tune] is not installed")
    model, log = SLIDER.format(mass=1.2, damping=0.5), slide(2.0, 1.5)
    result = identify(model, [log], ("mass", "damping"), method="cma", iterations=40, bounds={"mass:*": (0.5, 4.0), "damping:*": (0.0, 4.0)})
    assert result["mass:cart"].value == pytest.approx(2.0, rel=0.02)
    assert result["damping:x"].value == pytest.approx(1.5, rel=0.05)


def test_interrupt_keeps_what_was_found_and_goes_on(tmp_path: Path):
    """Stopped after two iterations and resumed, a search ends where it would have."""
    model, log, state = SLIDER.format(mass=0.5, damping=4.0), slide(2.0, 1.5), tmp_path / "state.json"

    def stop(done: int, most: int, cost: float, seconds: float) -> None:
        assert seconds >= 0.0
        if done == 2:
            raise KeyboardInterrupt

    broken = identify(model, [log], ("mass", "damping"), state=state, progress=stop)
    assert (broken.iterations, broken.converged) == (2, False)
    resumed = identify(model, [log], ("mass", "damping"), state=state)
    whole = identify(model, [log], ("mass", "damping"))
    assert resumed.converged and resumed.iterations == whole.iterations
    assert [each.value for each in resumed.estimates] == pytest.approx([each.value for each in whole.estimates], rel=1e-6)
    with pytest.raises(ModelError, match="other parameters"):
        identify(model, [log], ("mass",), state=state)


def test_long_logs_are_begun_with_a_part(tmp_path: Path):
    """Stopped while only every fourth piece is looked at, a search keeps what it found, and ends where it would have."""
    model, log, state = SLIDER.format(mass=0.5, damping=4.0), slide(2.0, 1.5), tmp_path / "state.json"

    def stop(done: int, most: int, cost: float, seconds: float) -> None:
        raise KeyboardInterrupt

    broken = identify(model, [log], ("mass", "damping"), segment=0.15, state=state, progress=stop)
    assert broken.pieces >= 24 and (broken.iterations, broken.converged) == (1, False)
    assert abs(broken["mass:cart"].value - 2.0) < 1.0
    resumed = identify(model, [log], ("mass", "damping"), segment=0.15, state=state)
    whole = identify(model, [log], ("mass", "damping"), segment=0.15)
    assert resumed.converged and whole.converged
    for a, b in zip(resumed.estimates, whole.estimates, strict=True):
        assert a.value == pytest.approx(b.value, abs=0.1 * b.deviation)
    assert whole["mass:cart"].low_of_all <= 2.0 <= whole["mass:cart"].high_of_all


def test_weights_leave_columns_out():
    log = slide(2.0, 1.5)
    log["sensor:where"] = log["sensor:where"] + np.sin(3.0 * log["time"])  # a sensor that lies
    result = identify(SLIDER.format(mass=1.2, damping=0.5), [log], ("mass", "damping"), weights={"sensor": 0.0})
    assert result["mass:cart"].low_of_all <= 2.0 <= result["mass:cart"].high_of_all
    assert [fit.column for fit in result.fits] == ["qpos:x"]


def test_held_controls_are_those_of_mujoco_late_by_its_linear_buffer():
    """With a row for each step, the mean of the held control over a step is what MuJoCo reads out of its buffer."""
    rng = np.random.default_rng(0)
    ctrl = rng.normal(size=(40, 2))
    log = Log("log", 0.01 * np.arange(40), {"ctrl:a": ctrl[:, 0], "ctrl:b": ctrl[:, 1]})
    got = HeldControls([log], ["ctrl:a", "ctrl:b"]).mean(0, 0.1, 20, 0.01, np.array([0.013, 0.0]))
    text = '<mujoco><option timestep="0.01"/><worldbody><body><joint name="j"/><geom size=".1"/></body></worldbody><actuator>'
    text += '<motor joint="j" delay="0.013" nsample="4" interp="linear"/><motor joint="j"/></actuator></mujoco>'
    m = mujoco.MjModel.from_xml_string(text)
    d, late = mujoco.MjData(m), []
    for row in ctrl:
        d.ctrl[:] = row
        mujoco.mj_step(m, d)
        late.append(d.actuator_force.copy())
    np.testing.assert_allclose(got, np.array(late)[10:30], atol=1e-9)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"qpos:x": np.full(1000, np.nan)}, "qpos:x: got nan in row 0 and 999 others"),
        ({"qpos:x": np.zeros(999)}, r"shape \(999,\); allowed: \(1000,\), as time"),
        ({"qpos:y": np.zeros(1000)}, "column 'qpos:y': got no such object.*did you mean qpos:x"),
        ({"time": np.linspace(0.0, -1.0, 1000)}, "time: got 0 and then .* times that rise"),
        ({"time": np.zeros(3)}, "time of shape"),
    ],
)
def test_nonsense_logs_are_refused(change, words):
    with pytest.raises(ModelError, match=words):
        identify(SLIDER.format(mass=1.0, damping=1.0), [slide(1.0, 1.0) | change])


@pytest.mark.parametrize(
    ("words", "arguments"),
    [
        ("fit 'masss'.*did you mean mass", {"fit": ["masss"]}),
        ("fit 'mass:elbow'.*cart", {"fit": ["mass:elbow"]}),
        ("bounds 'mass:.'.*the smaller first", {"bounds": {"mass:*": (2.0, 1.0)}}),
        ("method: got 'newton'", {"method": "newton"}),
        ("confidence", {"confidence": 95.0}),
        ("weight 'elbow'", {"weights": {"elbow": 1.0}}),
    ],
)
def test_wrong_arguments_are_refused(words, arguments):
    with pytest.raises(ModelError, match=words.replace("'mass:.'", "'mass:\\*'")):
        identify(SLIDER.format(mass=1.0, damping=1.0), [slide(1.0, 1.0)], **({"fit": ["mass"]} | arguments))
