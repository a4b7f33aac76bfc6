"""Why there is no picture: OpenGL, a display or pyglet is missing."""

from newtonish.errors import NewtonishError

__all__ = ["ViewerUnavailable"]


class ViewerUnavailable(NewtonishError, RuntimeError):
    """Pictures or windows are not to be had on this machine; the message is one line that says what is missing and how to get it.

    Args:
        missing: What is missing, as a noun.
        remedy: How to get it.
    """

    def __init__(self, missing: str, remedy: str) -> None:
        super().__init__(f"cannot draw: {' '.join(missing.split())} is missing; {remedy}.")
