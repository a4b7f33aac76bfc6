"""Threads that compile share one precompiled header of Warp's; what Warp keeps in another way is left alone."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import warp as wp

from newtonish.kernels import header


@pytest.fixture
def header_folder(tmp_path):
    """A folder as Warp's runtime keeps for a thread."""

    class Folder:
        name = str(tmp_path)

    return Folder()


def _folder_in_new_thread(shared):
    """What a thread is given; its number may have been that of one that has ended, whose folder Warp still keeps."""

    def given():
        folders = header._folders() or {}
        before = folders.pop(threading.get_ident(), None)
        header.share(shared)
        found = folders.pop(threading.get_ident(), None)
        if before is not None:
            folders[threading.get_ident()] = before
        return found

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(given).result()


def test_the_installed_warp_keeps_folders_by_threads():
    """Where this fails, kernels/header.py has to learn where Warp keeps them now; until then compiling takes longer."""
    wp.init()
    assert isinstance(header._folders(), dict)
    own = wp._src.context.runtime.get_clang_pch_dir()
    assert header._folders()[threading.get_ident()].name == own


def test_a_thread_is_given_the_folder(header_folder):
    assert _folder_in_new_thread(header_folder) is header_folder


def test_a_thread_keeps_a_folder_of_its_own(header_folder):
    wp.init()
    own = wp._src.context.runtime.get_clang_pch_dir()
    header.share(header_folder)
    assert header._folders()[threading.get_ident()].name == own != header_folder.name


def test_without_a_header_or_with_another_warp_nothing_is_shared(header_folder, monkeypatch):
    assert _folder_in_new_thread(None) is None
    monkeypatch.setattr(header, "_folders", lambda: None)
    header.share(header_folder)


def test_the_first_module_is_loaded_once():
    first = header.begin("cpu")
    folder = first.result()
    assert header.begin("cpu") is first
    assert folder is None or any(Path(folder.name).glob("*.pch"))
    assert wp.get_module(header.FIRST_MODULE).execs
