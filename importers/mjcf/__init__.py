"""MJCF, MuJoCo's file format: :func:`add_mjcf` reads a file or text into a ModelBuilder."""

from newtonish.importers.mjcf.load import add_mjcf

__all__ = ["add_mjcf"]
