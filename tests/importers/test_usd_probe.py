"""A file that ends a process that reads it does not end ours."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

pytest.importorskip("pxr")

from usd_stages import HEADER, body

from newtonish import ImporterError, ModelBuilder
from newtonish.importers.usd import probe, runtime

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the deaths are those of POSIX")
GOOD = HEADER.format(length=1.0, mass=1.0, up="Z") + body("b")
# stands for the library: dies of one file, waits with another
PROGRAM = """
    import json, os, signal, sys, time
    sys.stdin.readline()
    while True:
        print('""', flush=True)
        line = sys.stdin.readline()
        if not line:
            break
        name = os.path.basename(json.loads(line))
        with open(__file__ + ".log", "a") as log:
            log.write(f"{os.getpid()} {name}\\n")
        if name == "deadly.usda":
            os.kill(os.getpid(), signal.SIGSEGV)
        if name == "idle.usda":
            os._exit(0)
        if name == "long.usda":
            time.sleep(3600)
"""


@pytest.fixture
def told(tmp_path, monkeypatch):
    """What the process was told: its number and the name of the file, a pair for each."""
    probe._finish()
    program = tmp_path / "program.py"
    program.write_text(textwrap.dedent(PROGRAM))
    monkeypatch.setattr(probe, "PROGRAM", program)
    yield lambda: [line.split() for line in Path(f"{program}.log").read_text().splitlines()]
    probe._finish()


def add(folder: Path, name: str) -> int:
    path = folder / name
    path.write_text(GOOD)
    builder = ModelBuilder()
    builder.add_usd(str(path))
    return builder.body_count


def test_a_file_that_ends_the_process_is_refused_and_the_next_one_is_read(told, tmp_path) -> None:
    assert add(tmp_path, "a.usda") == add(tmp_path, "b.usda") == 1
    with pytest.raises(
        ImporterError, match=r"deadly\.usda: got a damaged or overlong file, which ends a process that reads it \(SIGSEGV\); allowed: a USD stage; repair"
    ):
        add(tmp_path, "deadly.usda")
    assert add(tmp_path, "c.usda") == 1
    numbers, names = zip(*told(), strict=True)
    assert names == ("a.usda", "b.usda", "deadly.usda", "c.usda")
    assert numbers[0] == numbers[1] == numbers[2] != numbers[3]


def test_a_process_that_has_ended_for_want_of_files_is_started_again(told, tmp_path) -> None:
    assert add(tmp_path, "idle.usda") == 1
    assert [name for _, name in told()] == ["idle.usda", "idle.usda"]  # asked once more, and then believed


def test_an_interrupt_ends_the_process(told, tmp_path) -> None:
    add(tmp_path, "a.usda")
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    with pytest.raises(KeyboardInterrupt):
        add(tmp_path, "long.usda")
    signal.signal(signal.SIGALRM, before)
    assert add(tmp_path, "b.usda") == 1
    (first, *_), (second, *_), (third, *_) = told()
    assert first == second != third
    with pytest.raises(ProcessLookupError):
        os.kill(int(first), 0)


def _in_a_fork(folder: Path) -> None:
    assert add(folder, "forked.usda") == 1
    probe._finish()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of forks beside threads
def test_a_forked_process_asks_one_of_its_own(told, tmp_path) -> None:
    add(tmp_path, "a.usda")
    child = multiprocessing.get_context("fork").Process(target=_in_a_fork, args=(tmp_path,))
    child.start()
    child.join()
    assert child.exitcode == 0
    add(tmp_path, "b.usda")
    numbers, names = zip(*told(), strict=True)
    assert names == ("a.usda", "forked.usda", "b.usda") and numbers[0] == numbers[2] != numbers[1]


@pytest.mark.parametrize("executable", ["", "/usr/bin/editor", "/nowhere/python3", "/bin/true"])
def test_where_no_python_can_be_started_files_are_read_unasked(executable, told, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(probe, "_possible", True)
    if executable == "/bin/true":
        executable = str(tmp_path / "python")
        os.symlink("/bin/true", executable)
    monkeypatch.setattr(sys, "executable", executable)
    assert add(tmp_path, "deadly.usda") == 1
    assert not probe._possible


def test_a_variable_switches_it_off(told, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv(probe.SWITCH, "0")
    assert add(tmp_path, "deadly.usda") == 1


@pytest.mark.parametrize("kind", ["pipe", "device", "folder"])
@pytest.mark.parametrize("way", ["references", "payload", "sublayer", "further"])
def test_layers_that_are_no_regular_files_are_refused(kind, way, tmp_path) -> None:
    """The library waits for a pipe, and reads a device for as long as there is memory."""
    {"pipe": os.mkfifo, "device": lambda path: path.symlink_to("/dev/zero"), "folder": Path.mkdir}[kind](tmp_path / "x.usda")
    layer = tmp_path / "m.usda"
    if way == "further":
        (tmp_path / "between.usda").write_text('#usda 1.0\n(subLayers = [@./x.usda@])\ndef "a" {\n}\n')
    text = {"sublayer": "#usda 1.0\n(subLayers = [@./x.usda@])\n", "further": '#usda 1.0\ndef "a" (prepend references = @./between.usda@</a>) {\n}\n'}
    layer.write_text(text.get(way, f'#usda 1.0\ndef "a" (prepend {way} = @./x.usda@</a>) {{\n}}\n'))
    with pytest.raises(ImporterError, match=r"m\.usda: got the layer .*x\.usda, which is a pipe, a device or a folder; allowed"):
        ModelBuilder().add_usd(str(layer))


@pytest.mark.parametrize(
    "text", ['def "a" {\n' * 100_000 + "}\n" * 100_000, "(customLayerData = " + "{ dictionary a = " * 50_000 + "{}" + "}" * 50_000 + ")\n"]
)
def test_what_the_library_does_not_survive_is_refused(text, tmp_path) -> None:
    """As many levels as its parser has no stack for."""
    path = tmp_path / "m.usda"
    path.write_text("#usda 1.0\n" + text)
    with pytest.raises(ImporterError, match=r"m\.usda: got "):
        ModelBuilder().add_usd(str(path))


def test_instances_in_instances_are_counted(tmp_path, monkeypatch) -> None:
    """Eight levels of ten instances each, a hundred million prims, which neither process goes through."""
    levels = [
        f'def "p{i}" {{\n' + "".join(f'def "c{k}" (instanceable = true\nprepend references = </p{i + 1}>\n) {{\n}}\n' for k in range(10)) + "}\n"
        for i in range(8)
    ]
    path = tmp_path / "m.usda"
    path.write_text("#usda 1.0\n" + "".join(levels) + 'def "p8" {\n}\n')
    monkeypatch.setattr(runtime, "MOST_PRIMS", 10_000)
    with pytest.raises(ImporterError, match=r"the prims below /: got more than 10000; allowed: at most 10000; read a part"):
        ModelBuilder().add_usd(str(path))


def test_the_program_itself_reads_everything_and_ends_with_its_pipe(tmp_path) -> None:
    probe._finish()
    path = tmp_path / "m.usda"
    path.write_text(GOOD)
    assert probe.objection_to(path) is None
    own = probe._probe
    assert own is not None and own.ready
    assert own.end() == 0
    probe._probe = None


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the bound is Linux's")
def test_the_program_takes_no_more_than_half_of_the_memory() -> None:
    text = f"""if True:
        import resource, runpy, sys
        sys.path.insert(0, "")
        runpy.run_path({str(probe.PROGRAM)!r})["bound_memory"]()
        most = resource.getrlimit(resource.RLIMIT_AS)[0]
        print(most)
        bytearray(most)"""
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    free = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    assert 0 < int(done.stdout) < free and "MemoryError" in done.stderr
