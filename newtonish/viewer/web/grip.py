"""Visitors' pointers on bodies: with ctrl held, dragging with the right button pulls a body, with the left button turns it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from newtonish.viewer.scene import CameraPose, Mouse, PerturbBit, Scene
from newtonish.viewer.session import Session
from newtonish.viewer.web.stage import Stage

__all__ = ["Grip"]

BUTTONS = {"right": PerturbBit.TRANSLATE, "left": PerturbBit.ROTATE}


class Grip:
    """Makes what a stage shows draggable.

    Args:
        stage: Whose batches are dragged.
        session: Returns the session that is shown; None: there is none.
        post: Takes a function and its arguments, and calls it between two frames.
    """

    def __init__(self, stage: Stage, session: Callable[[], Session | None], post: Callable[..., None]) -> None:
        self._stage, self._session, self._post = stage, session, post
        self._at = np.zeros(2)
        stage.added = self.attach

    def attach(self, key: str, handle: Any) -> None:
        """Listen to a batch that has been added."""

        async def heard(event: Any) -> None:  # functions that are not async may be called out of order
            self._post(self._drag, key, event)

        for button in BUTTONS:
            handle.on_drag(button, modifier="cmd/ctrl")(heard)

    def _drag(self, key: str, event: Any) -> None:
        session = self._session()
        scene = None if session is None else session.scene
        if session is None or scene is None:
            return
        hand = session.selection.hand
        if event.phase == "start":
            self._start(session, scene, key, event)
        elif event.phase == "end":
            session.release()
        elif hand.active == PerturbBit.TRANSLATE:
            moved = np.asarray(event.end_position, float) - hand.refselpos
            hand.refselpos, hand.refpos = hand.refselpos + moved, hand.refpos + moved
        elif hand.active:
            at = np.asarray(event.end_screen_pos, float)
            dx, dy = at - self._at
            hand.move(session.maker, session.simulation.state, Mouse.ROTATE_V, dx * event.client.camera.aspect, dy, self._pose(scene, event))
            self._at = at

    def _start(self, session: Session, scene: Scene, key: str, event: Any) -> None:
        """Take hold of the body that the pointer is on."""
        body = self._stage.body_of(scene, key, event.instance_index)
        if body < 0 or not session.may_push():
            return
        hand, maker, state = session.selection.hand, session.maker, session.simulation.state
        hand.select(maker, state, body, np.asarray(event.start_position, float))
        hand.start(maker, state, self._pose(scene, event), BUTTONS[event.button])
        self._at = np.asarray(event.end_screen_pos, float)
        session.note = f"selected {session.selected_name()}"

    def _pose(self, scene: Scene, event: Any) -> CameraPose:
        """Where the visitor looks from."""
        camera = event.client.camera
        position = np.asarray(camera.position, float)
        forward = np.asarray(camera.look_at, float) - position
        return replace(scene.camera, position=position, forward=forward / max(np.linalg.norm(forward), 1e-9))
