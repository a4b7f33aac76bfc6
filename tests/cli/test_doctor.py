"""``newtonish doctor``: machines that are fit and machines that are not, by stand-ins where this one has no GPU."""

import os
import sys
from types import SimpleNamespace

import pytest
import warp as wp

from newtonish import mjw
from newtonish.cli.doctor import _quota
from newtonish.cli.main import main
from newtonish.errors import UnsupportedError
from newtonish.mjw import matching
from newtonish.mjw.driver import driver_problems


class Gpu(SimpleNamespace):
    """A CUDA device as far as anybody asks before kernels are loaded."""

    def __init__(self, arch: int = 90) -> None:
        super().__init__(is_cuda=True, arch=arch, name="Tesla X", free_memory=3 << 30, total_memory=4 << 30)

    def __str__(self) -> str:
        return "cuda:0"


def machine(monkeypatch: pytest.MonkeyPatch, driver: tuple[int, int] | None, *devices: Gpu) -> None:
    monkeypatch.setattr(wp, "get_cuda_driver_version", lambda: driver)
    monkeypatch.setattr(wp, "get_cuda_devices", lambda: list(devices))


def doctor(capsys: pytest.CaptureFixture) -> tuple[int, str]:
    code = main(["doctor"])
    return code, " ".join(capsys.readouterr().out.split())


def test_without_a_gpu_nothing_is_missing(monkeypatch, capsys) -> None:
    machine(monkeypatch, None)
    code, text = doctor(capsys)
    assert code == 0 and "nothing is missing" in text and wp.__version__ in text
    assert wp.config.kernel_cache_dir in text.replace(" │ │ │ ", "").replace(" │ │ ", "")


@pytest.mark.parametrize("driver", [(12, 1), (12, 8), (13, 0)])
def test_a_gpu_with_a_driver_that_will_do(driver, monkeypatch, capsys) -> None:
    machine(monkeypatch, driver, Gpu())
    code, text = doctor(capsys)
    assert code == 0 and "Tesla X, sm_90, 3.0 of 4.0 GiB free" in text and f"CUDA {driver[0]}.{driver[1]}" in text


@pytest.mark.parametrize("driver", [(11, 8), (12, 0)])
def test_an_old_driver_is_named_with_what_it_lacks(driver, monkeypatch, capsys) -> None:
    machine(monkeypatch, driver, Gpu())
    code, text = doctor(capsys)
    assert code == 1
    for part in ("device cuda:0", f"CUDA {driver[0]}.{driver[1]}", "4 KB", "CUDA 12.1 (530) or later", "install a newer NVIDIA driver"):
        assert part in text, part


def test_an_old_gpu(monkeypatch, capsys) -> None:
    machine(monkeypatch, (12, 8), Gpu(arch=61), Gpu(arch=70))
    code, text = doctor(capsys)
    assert code == 1 and text.count("compute capability 6.1; allowed: 7.0") == 1


def test_models_are_refused_there_before_anything_is_loaded(monkeypatch) -> None:
    machine(monkeypatch, (12, 0), Gpu())
    monkeypatch.setattr(matching, "wp", SimpleNamespace(get_device=lambda name: Gpu(), Device=wp.Device))
    with pytest.raises(UnsupportedError, match=r"load: device cuda:0: got a driver of CUDA 12\.0.* \(530\) or later"):
        mjw.load("<mujoco/>", device="cuda:0")


def test_a_cpu_needs_no_driver(monkeypatch) -> None:
    machine(monkeypatch, (11, 0))
    assert driver_problems("device", wp.get_device("cpu")) == []


def test_other_things_that_are_wrong(monkeypatch, capsys, tmp_path) -> None:
    machine(monkeypatch, None)
    mjw.set_num_threads(None)  # what another test has set would come first
    monkeypatch.setenv("NEWTONISH_NUM_THREADS", "many")
    monkeypatch.setattr(wp.config, "kernel_cache_dir", str(tmp_path / "nowhere"))
    monkeypatch.setattr("newtonish.cli.doctor.use_device", lambda name: None)
    monkeypatch.setattr(sys, "version_info", (3, 9, 1, "final", 0))
    code, text = doctor(capsys)
    assert code == 1
    for part in ("NEWTONISH_NUM_THREADS: got 'many'", "set WARP_CACHE_PATH", "Python: got 3.9.1; allowed: 3.10 to 3.13"):
        assert part in text, part


def test_what_is_slower_and_why(monkeypatch, capsys, tmp_path) -> None:
    machine(monkeypatch, None)
    mjw.set_num_threads(None)
    monkeypatch.setenv("NEWTONISH_NUM_THREADS", "1")
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)
    monkeypatch.setattr(os, "getloadavg", lambda: (40.0, 0.0, 0.0), raising=False)
    monkeypatch.setattr(wp.config, "kernel_cache_dir", str(tmp_path))
    monkeypatch.setattr("newtonish.cli.doctor._quota", lambda: 0.5)
    code, text = doctor(capsys)
    assert code == 0
    for part in (
        "1 of 8 cores are used; set NEWTONISH_NUM_THREADS=8",
        "may use 0.5 of 8 cores' time",
        "load 40.0 on 8 cores",
        "no kernel is compiled yet",
        "no NVIDIA GPU",
    ):
        assert part in text, part


def test_a_control_groups_limit(tmp_path) -> None:
    for text, cores in (("max 100000", None), ("150000 100000", 1.5), ("nonsense", None)):
        (tmp_path / "cpu.max").write_text(text)
        assert _quota(tmp_path / "cpu.max") == cores
    assert _quota(tmp_path / "none") is None


def test_display_drawing_and_films_are_told(monkeypatch, capsys) -> None:
    machine(monkeypatch, None)
    monkeypatch.setenv("DISPLAY", ":7")
    _, text = doctor(capsys)
    assert "DISPLAY=:7" in text and "OpenGL" in text and "ffmpeg" in text
