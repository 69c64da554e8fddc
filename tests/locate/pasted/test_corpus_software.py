"""The corpus of real outputs of software, where its folder lies beside the project."""

from __future__ import annotations

from pathlib import Path

from weaklink.testing.case_corpus import scores

FOLDER = Path(__file__).resolve().parents[4] / "shared" / "cases"
KINDS = ["app_", "cgroup", "jvm_", "k8s", "llm_", "mem", "nginx", "oom", "py_", "redis", "top"]


def test_software_is_read_right() -> None:
    """Nothing to hold against where the corpus is not: then the tests of the traps must do."""
    if not FOLDER.is_dir():
        return
    found = scores(FOLDER, KINDS)
    wrong = [f"{one.kind}/{one.name}: {one.why}" for one in found if one.why]
    assert sum(one.verdict for one in found) >= 0.95 * len(found), wrong
    assert sum(one.mention for one in found) >= 0.95 * len(found), wrong
    assert all(one.claim for one in found), wrong
