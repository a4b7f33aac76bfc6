"""Ways from a model to the frame it is attached by, and to its joints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from newtonish.mjcf.defaults import commit_defaults

if TYPE_CHECKING:
    from newtonish.mjcf.attachment import AttachmentFrame
    from newtonish.mjcf.root import RootElement

__all__ = ["commit_defaults", "get_attachment_frame", "get_frame_freejoint", "get_frame_joints", "get_freejoint"]


def get_attachment_frame(mjcf_model: RootElement) -> AttachmentFrame | None:
    """Return the frame that a model is attached by, None for one that is not."""
    return mjcf_model.root._frame


def get_frame_freejoint(mjcf_model: RootElement) -> Any:
    """Return the free joint of a model's attachment frame, None without one."""
    frame = get_attachment_frame(mjcf_model)
    return None if frame is None else frame.freejoint


def get_frame_joints(mjcf_model: RootElement) -> list[Any] | None:
    """Return the joints of a model's attachment frame that are not free joints, None without a frame."""
    frame = get_attachment_frame(mjcf_model)
    return None if frame is None else list(frame.joint)


def get_freejoint(mjcf_model: RootElement) -> Any:
    """Return the free joint that moves a whole model: that of its frame, or of a body in its world."""
    found = get_frame_freejoint(mjcf_model)
    if found is not None:
        return found
    bodies = mjcf_model.root.worldbody.body
    return next((body.freejoint for body in bodies if body.freejoint is not None), None)
