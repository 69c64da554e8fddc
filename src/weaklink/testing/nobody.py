"""Runs a piece of a test as a user who may do nothing."""

from __future__ import annotations

import os
import subprocess
import sys

BECOME = """
import os
def become_nobody():
    os.setgroups([])
    os.setresgid(65534, 65534, 65534)
    os.setresuid(65534, 65534, 65534)
"""


def run_as_nobody(code: str, *, seconds: float = 60.0) -> str:
    """What `code` prints in a Python of its own; it calls `become_nobody()` when it has imported.

    What it needs must be imported before, since Python's own files may be closed to nobody.
    Skips the test where we are not root; raises AssertionError where the code fails.
    """
    if os.geteuid() != 0:
        import pytest

        pytest.skip("needs root to become somebody else")
    ran = subprocess.run(  # the interpreter that runs the test itself
        [sys.executable, "-c", BECOME + code],
        capture_output=True,
        timeout=seconds,
        check=False,
        text=True,
    )
    if ran.returncode or ran.stderr:
        raise AssertionError(ran.stderr[-2000:] or f"ended with {ran.returncode}")
    return ran.stdout
