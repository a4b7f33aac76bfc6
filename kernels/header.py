"""Warp's own header, compiled once for all threads that compile kernels for a CPU, and from the moment a model is about to be read.

Every module begins with that header. The first compilation of a thread makes a precompiled form of it, in a folder of the
thread's; that takes longer than most modules do after it. Here the first module to be compiled is one of a single small kernel, which
every step on a CPU needs, and the threads that compile the others are given the folder with what it left.

Which folder a thread uses is kept in a dictionary of Warp's runtime. That is no interface that Warp promises: where it is missing,
or the module was in the cache already, each thread makes a header of its own, as it would without this file.
"""

from __future__ import annotations

import threading
from concurrent.futures import Future, ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from typing import Any

import warp as wp

from newtonish.kernels.launch import as_written

FIRST_MODULE = "newtonish.kernels.sequence"

_lock = threading.Lock()
_state: dict[str, Any] = {}  # "first": the future of that module, whose result is the folder


def begin(device: Any) -> Future | None:
    """Start compiling the first module in a thread of its own, or loading it from the cache; on a GPU nothing is done.

    Returns:
        What becomes of it: the folder of the header for others to use, or None where there is none to share.
    """
    if not wp.get_device(device).is_cpu:
        return None
    import_module(FIRST_MODULE)
    with _lock:
        if "first" not in _state:
            pool = ThreadPoolExecutor(1, thread_name_prefix="newtonish-header")
            _state["first"] = pool.submit(_load_first)
            pool.shutdown(wait=False)
        return _state["first"]


def _folders() -> dict[int, Any] | None:
    """Warp's folders by threads, None where it keeps them in another way."""
    folders = getattr(getattr(wp._src.context, "runtime", None), "_pch_dirs", None) if hasattr(wp, "_src") else None
    return folders if isinstance(folders, dict) else None


def _load_first() -> Any:
    wp.force_load("cpu", modules=[as_written(wp.get_module(FIRST_MODULE))], block_dim=1, max_workers=0)
    folder = (_folders() or {}).get(threading.get_ident())
    name = getattr(folder, "name", None)
    return folder if isinstance(name, str) and any(Path(name).glob("*.pch")) else None


def share(folder: Any) -> None:
    """Let the calling thread use the header in ``folder``, unless it has one of its own."""
    folders = _folders()
    if folder is not None and folders is not None:
        folders.setdefault(threading.get_ident(), folder)
