"""What tests of the array interface share."""

import pytest

from newtonish.mjw.recording import Recording


@pytest.fixture
def blind(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give a CPU the replay of a GPU, which does not look whether a world lacked room: it would have to wait for the answer."""
    replay = Recording.replay

    def replay_without_a_look(self: Recording, steps: int = 1) -> bool:
        replay(self, steps)
        return False

    monkeypatch.setattr(Recording, "replay", replay_without_a_look)
