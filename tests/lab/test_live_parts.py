"""The parts that are not always up come up, serve, and leave nothing behind."""

import os
import shutil
import time
from collections import Counter
from pathlib import Path

import pytest

from weaklink_lab import chain, client
from weaklink_lab import state as states
from weaklink_lab.draw import Wants, draw

MISSING = [
    reason
    for reason, lacks in (
        ("needs root", os.geteuid() != 0),
        ("needs nginx", shutil.which("nginx", path="/usr/sbin") is None),
        ("needs redis-server", shutil.which("redis-server", path="/usr/bin") is None),
    )
    if lacks
]
pytestmark = pytest.mark.skipif(bool(MISSING), reason=", ".join(MISSING))
SEED = 300_000 + os.getpid()


def test_videos_are_taken_in_and_questions_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(states, "FOLDER", Path(f"/run/weaklink-lab-parts-{os.getpid()}"))
    spec = draw(SEED, Wants(members=2, parts=("store", "llm")))
    state = chain.up(spec)
    try:
        chain.load_start(state)
        time.sleep(5)
        chain.load_stop(state)
        columns = client.read(client.file())
        asked = Counter(columns.route)
        assert asked[f"POST {spec.routes.ask}"]
        assert asked[f"POST {spec.routes.videos}"]
        assert not [row for row in range(len(columns)) if columns.failed(row)]
        done = (state.folder(spec.one("consumer")) / "stdout.log").read_text()
        assert "done, 9 scenes" in done
    finally:
        assert chain.down(SEED) == []
    assert chain.left(state) == []
    assert not states.FOLDER.exists()
