"""Warp kernels of the MuJoCo physics model, one stage a file; this package depends on warp and numpy only.

The folder is installed as ``newtonish.kernels``. Imported from the source tree as plain ``kernels`` it would define
every kernel, struct and enum a second time, and objects of the two copies do not fit together; that is refused here.

Gradients are not offered, so the adjoint half of each kernel is not generated (``prepared`` in ``launch.py``): compiling takes about a
third of the time.
"""

if __name__ != "newtonish.kernels":
    raise ImportError(
        f"{__name__!r} is not an import name of this package: got 'import {__name__}'; allowed: "
        "'import newtonish.kernels'; install the project with 'pip install -e .' and use that name."
    )
