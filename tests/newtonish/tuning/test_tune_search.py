"""Searches: the same gains however often they are interrupted, what was found so far, grids, impacts, and nonsense."""

import json

import numpy as np
import pytest
from tuned_in_mujoco import mujoco_figures

from newtonish.errors import ModelError
from newtonish.tuning import Specification, tune
from newtonish.tuning.patch_mjcf import write_mjcf
from newtonish.tuning.rig import Rig

RIG = """<mujoco><option timestep="0.004" integrator="implicitfast"/><worldbody>
  <body name="a"><joint name="swing" axis="0 1 0" limited="true" range="-60 60" armature=".02"/><geom size=".05" pos=".3 0 0" mass="1"/></body>
  <body name="b" pos="1 0 0"><joint name="lift" type="slide" axis="0 0 1" range="-.5 .5" limited="true" solreflimit="-500 -5"/><geom size=".05" mass="2"/></body>
  <body name="c" pos="2 0 0"><joint name="limp" axis="0 1 0"/><geom size=".05" mass="2"/></body></worldbody>
  <actuator><position name="swing" joint="swing" kp="10" kv=".2"/><position name="lift" joint="lift" kp="900" kv="9"/></actuator></mujoco>"""
CALL = dict(payloads=(0.0, 0.3), poses=2, seed=5, candidates=5, generations=3)
HARD = "settle=0.06,overshoot=0.01,force=9"  # cannot be met, so that all generations run


def numbers(outcome):
    return [(result.values, result.after) for result in outcome.results]


def test_a_resumed_search_finds_what_one_run_finds() -> None:
    whole = tune(RIG, "swing,lift", HARD, **CALL)
    part = tune(RIG, "swing,lift", HARD, **(CALL | {"generations": 2}))
    resumed = tune(RIG, "swing,lift", HARD, resume=json.loads(json.dumps(part.state)), **CALL)
    assert numbers(resumed) == numbers(whole)
    assert resumed.state["generations"] == whole.state["generations"]
    with pytest.raises(ModelError, match=r"resume: got a search with seed = 5; allowed: seed = 6"):
        tune(RIG, "swing,lift", HARD, resume=part.state, **(CALL | {"seed": 6}))


def test_an_interrupt_leaves_what_was_found() -> None:
    def stop(number, count, outcome):
        if number == 2:
            raise KeyboardInterrupt

    outcome = tune(RIG, "swing", HARD, progress=stop, **CALL)
    assert outcome.interrupted
    assert outcome.generations == 2
    assert outcome.results[0].values != outcome.results[0].authored
    assert not outcome.good
    assert numbers(outcome) == numbers(tune(RIG, "swing", HARD, **(CALL | {"generations": 2})))  # figures are those of the gains that are given


@pytest.mark.parametrize(("runs", "figures"), [(0, False), (1, True)])
def test_an_early_interrupt_leaves_the_gains_as_they_are(monkeypatch, runs, figures) -> None:
    run, done = Rig.run, []

    def stop(self, *arguments):
        if len(done) >= runs:
            raise KeyboardInterrupt
        done.append(run(self, *arguments))
        return done[-1]

    monkeypatch.setattr(Rig, "run", stop)
    (result,) = (outcome := tune(RIG.replace('kv=".2"', ""), "swing", HARD, **CALL)).results
    assert outcome.interrupted and not outcome.good
    assert result.values == result.authored and not result.changed
    assert result.after == result.before and bool(result.before) == figures


@pytest.mark.parametrize("optimizer", ["cma", "grid"])
def test_every_scenario_counts(optimizer) -> None:
    outcome = tune(RIG, "*", "settle=0.3,overshoot=0.05", optimizer=optimizer, **(CALL | {"generations": 12, "candidates": 9}))
    assert [result.target.name for result in outcome.results] == ["swing", "lift"]
    assert outcome.good
    assert not any(all(outcome.specification.met(result.before).values()) for result in outcome.results)
    assert outcome.worlds == 2 * 10 * 4


def test_an_impact_tunes_limits_as_mujoco_measures_them(tmp_path) -> None:
    path = tmp_path / "rig.xml"
    path.write_text(RIG)
    outcome = tune(path, "all", "depth=0.02,overshoot=0.6", test="impact", speed=0.8, poses=2, generations=12)
    assert outcome.good
    write_mjcf(path, outcome, ["swing", "lift"], tmp_path / "tuned.xml")
    assert 'solreflimit="-' in (tmp_path / "tuned.xml").read_text()
    for which, file in (("before", "rig.xml"), ("after", "tuned.xml")):
        for result, theirs in zip(outcome.results, mujoco_figures(str(tmp_path / file), outcome, which), strict=True):
            for name, value in getattr(result, which).items():
                assert value == pytest.approx(theirs[name], rel=0.03, abs=0.005), (which, result.target.name, name)


def test_a_sine_is_followed() -> None:
    outcome = tune(RIG, "swing", "steady=0.02", test="sine", frequency=2.0, generations=12, poses=1)
    assert outcome.good
    assert outcome.results[0].before["steady"] > 0.02
    course = outcome.courses["after"]
    assert np.abs(course["q"] - course["command"])[len(course["times"]) // 2 :].max() <= 0.02


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (dict(spec="setle=0.2"), "did you mean settle"),
        (dict(spec="depth=0.2"), "the test 'impact' measures it"),
        (dict(spec="settle=-1"), "got -1.0; allowed: a positive number"),
        (dict(spec="settle"), "write it as in"),
        (dict(spec=""), "at least one bound"),
        (dict(joints="swng"), "did you mean swing"),
        (dict(joints="limp"), "no hinge or slide with position control"),
        (dict(payloads=(-1.0,)), "masses"),
        (dict(candidates=2), "at least 4"),
        (dict(quantile=0.0), "more than 0"),
        (dict(optimizer="newton"), "cma, grid"),
        (dict(payload_body="d"), "body|name a body"),
        (dict(test="stp"), "step, sine, impact"),
    ],
)
def test_nonsense_is_refused(call, words) -> None:
    with pytest.raises(ModelError, match=words):
        tune(RIG, **({"joints": "swing", "spec": "settle=0.2"} | call))


def test_costs_are_those_of_the_worst_bound() -> None:
    spec = Specification.parse("settle=0.2, force=10")
    cost = spec.cost({"settle": np.array([0.1, 0.4, np.inf]), "force": np.array([10.0, 5.0, 1.0])})
    assert cost[0] == pytest.approx(1.0 + 0.02 * 0.75)
    assert cost[1] > 2.0 > cost[0]
    assert np.isfinite(cost).all()
    assert spec.met({"settle": 0.2, "force": 11.0}) == {"settle": True, "force": False}
