"""What tests of the array interface share."""

import pytest

from newtonish.mjw import replay
from newtonish.mjw.recording import Recording


@pytest.fixture
def blind(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give a CPU the replay of a GPU, which does not look whether a world lacked room: it would have to wait for the answer."""
    replay_recording = Recording.replay

    def replay_without_a_look(self: Recording, steps: int = 1) -> bool:
        replay_recording(self, steps)
        return False

    monkeypatch.setattr(Recording, "replay", replay_without_a_look)
    monkeypatch.setattr(replay, "repeat_of", lambda *_: None)  # which looks too
