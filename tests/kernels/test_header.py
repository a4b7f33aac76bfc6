"""Modules are compiled with one precompiled header, in turns; a Warp that asks for folders in another way is left alone."""

import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
import warp as wp

from newtonish.kernels.runtime import header
from newtonish.kernels.runtime.header import Turns, asked_of_us, begin, compiling_in, load_side_by_side, new_folder
from newtonish.kernels.runtime.launch import CPU_FLAGS, CPU_PREAMBLE, CUDA_PREAMBLE, prepared
from newtonish.kernels.runtime.workers import for_each


def _runtime():
    wp.init()
    return wp._src.context.runtime


def test_the_installed_warp_asks_for_folders():
    """Where this fails, kernels/runtime/header.py has to learn how Warp asks now; until then compiling takes longer."""
    runtime = _runtime()
    assert asked_of_us()
    own = runtime.get_clang_pch_dir()
    with compiling_in(lambda: "ours"):
        assert runtime.get_clang_pch_dir() == "ours"
    assert runtime.get_clang_pch_dir() == own != "ours"


def test_warp_is_asked_through_one_function_however_often():
    runtime = _runtime()
    assert asked_of_us()
    once = runtime.get_clang_pch_dir
    assert asked_of_us()
    assert runtime.get_clang_pch_dir is once


def test_a_folder_is_that_of_one_thread():
    runtime = _runtime()
    assert asked_of_us()
    asked = []
    with compiling_in(lambda: "ours"):
        other = threading.Thread(target=lambda: asked.append(runtime.get_clang_pch_dir()))
        other.start()
        other.join()
    assert asked and asked[0] != "ours"


def test_of_those_that_wait_the_lowest_place_is_next():
    turns, order = Turns(), []

    def compile_one(place):
        folder = turns.take(place)
        order.append(place)
        turns.give([folder])

    threads = [threading.Thread(target=compile_one, args=(place,)) for place in (3, 1, 2, 0)]
    for thread in threads:
        thread.start()
    while len(turns._waiting) < len(threads):
        time.sleep(0.001)
    turns.give(["folder"])
    for thread in threads:
        thread.join()
    assert order == [0, 1, 2, 3]


def test_a_place_without_a_folder_makes_one():
    turns = Turns()
    turns.give([None])
    folder = turns.take(0)
    assert Path(folder).is_dir()
    turns.give([folder])
    assert turns.take(0) == folder != new_folder()


def test_a_module_that_fails_gives_its_folder_back(monkeypatch):
    begin("cpu").result()
    runtime, turns = _runtime(), Turns()
    turns.give(["only one"])
    monkeypatch.setattr(header, "_turns", turns)

    def compile_it(module):
        for _ in range(2):  # whoever asks again does not wait for the turn that it holds
            assert runtime.get_clang_pch_dir() == "only one"
        if module == "bad":
            raise RuntimeError("no code for bad")

    monkeypatch.setattr(header, "_load", compile_it)
    with pytest.raises(RuntimeError, match="no code for bad"):
        load_side_by_side(["good", "bad", "fine"])
    assert turns._free == ["only one"]


@pytest.mark.parametrize("other", ["warp", "setting"])
def test_where_nobody_asks_for_folders_there_are_as_many_threads_as_cores(other, monkeypatch):
    names = set()
    if other == "warp":
        monkeypatch.setattr(wp._src.context, "runtime", SimpleNamespace())
        assert not asked_of_us()
    monkeypatch.setattr(wp.config, "use_precompiled_headers", other == "warp")
    monkeypatch.setattr(header, "_cores", lambda: 1)
    monkeypatch.setattr(header, "_load", lambda module: names.add(threading.current_thread().name))
    monkeypatch.setattr(header, "begin", lambda device: SimpleNamespace(result=lambda: None))
    load_side_by_side([1, 2, 3])
    assert len(names) == 1


def test_the_first_module_is_loaded_once():
    first = begin("cpu")
    first.result()
    assert begin("cpu") is first
    assert header._first_module().execs


def preambles(module) -> tuple[str, str]:
    """What is written at the head of a module's source, for a CPU and for CUDA."""
    options = module.options["extra_build_options"]
    return options.extra_cpu_preamble, options.extra_cuda_preamble


def test_modules_are_compiled_with_flags_of_ours_behind_those_of_the_process(monkeypatch):
    monkeypatch.setattr(wp.config, "cpu_compiler_flags", "-march=x86-64")
    module = prepared(SimpleNamespace(options={"cpu_compiler_flags": None, "extra_build_options": None}))
    assert module.options["cpu_compiler_flags"] == f"-march=x86-64 {CPU_FLAGS}"
    assert preambles(module) == (CPU_PREAMBLE, CUDA_PREAMBLE)


def test_a_module_with_flags_of_its_own_keeps_them():
    module = prepared(SimpleNamespace(options={"cpu_compiler_flags": "-O1", "extra_build_options": None}))
    assert module.options["cpu_compiler_flags"] == "-O1"
    assert preambles(module) == ("", CUDA_PREAMBLE)


def test_a_warp_that_is_not_known_is_given_no_flags(monkeypatch):
    monkeypatch.setattr(wp, "__version__", "1.99.0")
    module = prepared(SimpleNamespace(options={"cpu_compiler_flags": None, "extra_build_options": None}))
    assert module.options["cpu_compiler_flags"] is None
    assert preambles(module) == ("", CUDA_PREAMBLE)


@pytest.mark.parametrize("cached", [True, False])
def test_what_the_cache_holds_damaged_is_compiled_anew(cached, monkeypatch, tmp_path):
    module = wp.get_module("newtonish.kernels.runtime.sequence")
    folder = tmp_path / module.get_module_identifier(block_dim=1)
    tried = []

    def load(*_, **__):
        tried.append(folder.exists())
        if len(tried) == 1:
            raise Exception("Failed to load CPU module")

    if cached:
        folder.mkdir()
        (folder / f"{folder.name}.meta").write_text("{")
    monkeypatch.setattr(wp.config, "kernel_cache_dir", str(tmp_path))
    monkeypatch.setattr(wp, "force_load", load)
    if cached:
        with pytest.warns(UserWarning, match=r"kernel cache: .*cannot be loaded .*recompiled"):
            header._load(module)
        assert tried == [True, False]
    else:  # an error of the compiler's
        with pytest.raises(Exception, match="Failed to load"):
            header._load(module)


def test_an_interrupt_does_not_wait_for_what_is_compiled():
    code = "import os, signal, threading, time; signal.signal(signal.SIGINT, signal.default_int_handler); from newtonish.kernels.runtime.workers import for_each; threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start(); for_each(lambda item, place: time.sleep(600), range(5), 2)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 130 and "KeyboardInterrupt" in done.stderr


def test_all_items_are_done_in_order_and_an_error_is_raised():
    done = []
    for_each(lambda item, place: done.append((item, place)), "abc", 1)
    assert done == [("a", 0), ("b", 1), ("c", 2)]
    with pytest.raises(ZeroDivisionError):
        for_each(lambda item, place: 1 / item, [1, 0, 2], 3)
