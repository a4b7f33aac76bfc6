"""A program that reads USD files as add_usd does, to see whether the library survives them: run by ``newtonish.importers.usd.probe``, not imported.

Takes a line of JSON with the search path for modules and answers with an empty one; then takes a path of a file in each line, and when it has read it answers with the
name of a layer that is no regular file, or with an empty line. Errors are those of whoever reads the file next. A file that takes more memory than ``MOST`` or than half of
what is free, or longer than ``LONGEST``, ends the program, and so does waiting for ``IDLE``.
"""

import sys

sys.path.pop(0)  # the folder of this file, whose modules are none of the library's

import contextlib
import faulthandler
import itertools
import json
import os
import threading
import time

IDLE = 20.0  # seconds
LONGEST = 600.0  # seconds
MOST = 8 << 30  # bytes


def irregular(path: str) -> str:
    """The first layer of a stage that is a pipe, a device or a folder, which the library would wait for or read for ever; empty for none."""
    from pxr import Ar, Sdf, UsdUtils

    waiting, seen = [path], {path}
    while waiting:
        name = waiting.pop()
        inner, _ = Ar.SplitPackageRelativePathOuter(name)
        if os.path.exists(inner) and not os.path.isfile(inner):
            return name
        with contextlib.suppress(Exception):
            layer = Sdf.Layer.FindOrOpen(name)
            for asset in (asset for kind in UsdUtils.ExtractExternalReferences(name) for asset in kind):
                found = str(Ar.GetResolver().Resolve(Sdf.ComputeAssetPathRelativeToLayer(layer, asset)))
                if found and found not in seen and (Sdf.FileFormat.FindByExtension(found) or not os.path.isfile(found)):
                    seen.add(found)
                    waiting.append(found)
    return ""


def read(path: str) -> None:
    """Ask the library for everything on a stage."""
    from pxr import Usd, UsdGeom

    stage = Usd.Stage.Open(path)
    first = Usd.TimeCode.EarliestTime()
    places = UsdGeom.XformCache(first)
    stage.GetCompositionErrors()
    # what is in instances once: they may be any number in a short file
    roots = [stage.GetPseudoRoot(), *stage.GetPrototypes()]
    for prim in itertools.chain.from_iterable(map(Usd.PrimRange, roots)):
        for ask in (lambda prim=prim: prim.GetAllAuthoredMetadata(), prim.GetAppliedSchemas, lambda prim=prim: places.GetLocalToWorldTransform(prim)):
            quietly(ask)
        for item in prim.GetAuthoredProperties():
            if isinstance(item, Usd.Attribute):
                quietly(lambda item=item: item.Get(first))
                quietly(lambda item=item: [item.Get(time) for time in item.GetTimeSamples()])
            elif isinstance(item, Usd.Relationship):
                quietly(item.GetForwardedTargets)


def bound_memory() -> None:
    """Take no more than ``MOST``, and half of what the machine has free; on Linux."""
    with contextlib.suppress(ImportError, OSError, ValueError, StopIteration):
        import resource

        with open("/proc/meminfo", encoding="ascii") as lines:
            free = next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
        with open("/proc/self/statm", encoding="ascii") as numbers:
            taken = int(numbers.read().split()[0]) * resource.getpagesize()
        most = resource.getrlimit(resource.RLIMIT_AS)[1]
        wanted = taken + min(MOST, free // 2)
        resource.setrlimit(resource.RLIMIT_AS, (wanted if most == resource.RLIM_INFINITY else min(wanted, most), most))


def quietly(ask) -> None:
    """Call a function whose errors are of no interest."""
    with contextlib.suppress(Exception):
        ask()


def end_with(parent: int) -> None:
    """End when the process that asks has ended, also in the middle of a file."""
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(0)


def main() -> None:
    threading.Thread(target=end_with, args=[os.getppid()], daemon=True).start()
    sys.path[:] = json.loads(sys.stdin.readline())
    from pxr import Usd  # noqa: F401

    answer = ""
    while True:
        print(json.dumps(answer), flush=True)
        end = threading.Timer(IDLE, os._exit, [0])
        end.daemon = True
        end.start()
        line = sys.stdin.readline()
        end.cancel()
        if not line:
            return
        bound_memory()
        path = json.loads(line)
        faulthandler.dump_traceback_later(LONGEST, exit=True)  # needs no Python to run meanwhile
        answer = irregular(path)
        if not answer:
            quietly(lambda path=path: read(path))
        faulthandler.cancel_dump_traceback_later()


if __name__ == "__main__":
    main()
