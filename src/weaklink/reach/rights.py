"""What this process may do: the capabilities that let a look see more than its own user's."""

from __future__ import annotations

import os
from pathlib import Path

CAPABILITIES = {
    "CAP_DAC_READ_SEARCH": 2,
    "CAP_NET_ADMIN": 12,
    "CAP_NET_RAW": 13,
    "CAP_SYS_PTRACE": 19,
    "CAP_SYS_ADMIN": 21,
    "CAP_SYSLOG": 34,
}
"""Bit numbers, include/uapi/linux/capability.h. Those that some look can use."""


def capabilities() -> set[str]:
    """Names, among CAPABILITIES, that are in effect for this process."""
    try:
        status = Path("/proc/self/status").read_bytes()
    except OSError:
        return set(CAPABILITIES) if os.geteuid() == 0 else set()
    for line in status.split(b"\n"):
        if line.startswith(b"CapEff:"):
            bits = int(line.split()[1], 16)
            return {name for name, bit in CAPABILITIES.items() if bits >> bit & 1}
    return set()


def is_privileged() -> bool:
    """Whether descriptors, libraries and stacks of other users' processes can be read."""
    return {"CAP_SYS_PTRACE", "CAP_DAC_READ_SEARCH"} <= capabilities()
