"""Reading files of others without being held up by them, and writing files so that a failure leaves what was there."""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["read_file", "replacing", "write_file"]

_FLAGS = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


def read_file(path: str | os.PathLike[str], most: int) -> bytes:
    """Contents of a regular file; a pipe would be waited for, and a device gives as much as is read.

    Args:
        path: The file, or a link to it.
        most: Most bytes.

    Raises:
        OSError: It cannot be read, is no regular file, or has more bytes; ``strerror`` says which.
    """
    descriptor = os.open(path, os.O_RDONLY | _FLAGS)
    with os.fdopen(descriptor, "rb") as file:
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if not stat.S_ISREG(mode):
            raise OSError(errno.EINVAL, "a device or a pipe", str(path))
        if os.fstat(descriptor).st_size > most:
            raise OSError(errno.EFBIG, f"more than {most} bytes", str(path))
        data = file.read(most + 1)  # what the system calls empty may go on for ever
    if len(data) > most:
        raise OSError(errno.EFBIG, f"more than {most} bytes", str(path))
    return data


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A path beside ``path`` to write to; it takes its place at the end, and vanishes if there was an error.

    A full disk, an exception or an interrupt leaves the file that was there.
    """
    target = Path(os.path.realpath(path))  # a link stays a link
    if target.exists() and not target.is_file():  # a pipe or a device is written to as it is
        yield target
        return
    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.stem}-", suffix=target.suffix)
    os.close(descriptor)
    partial = Path(name)
    try:
        yield partial
        os.chmod(partial, stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o666 & ~_umask())
        os.replace(partial, target)
    except BaseException as error:
        partial.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno is not None:
            error.filename = str(path)  # a full disk names none, and nobody knows the partial file
        raise


def write_file(path: str | os.PathLike[str], contents: str | bytes) -> None:
    """Write a file whole, or leave what was there; text as UTF-8."""
    with replacing(path) as partial:
        partial.write_bytes(contents.encode("utf-8") if isinstance(contents, str) else contents)


def _umask() -> int:
    """The mask of new files' modes, which can only be read by setting it."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
