"""One world on the CPU under the names of PyMJCF's ``Physics``: ``newtonish.mjcf.Physics``. See the guide ``docs/mjcf.md``."""

from newtonish.physics.physics import Physics

__all__ = ["Physics"]
