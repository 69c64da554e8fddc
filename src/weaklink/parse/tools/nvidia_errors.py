"""What the driver's tools say instead of an answer, and a pid that `kill` could not find."""

from __future__ import annotations

import re
from typing import Any

from weaklink.model.fact_gpu import DriverTrouble, GpuProcess
from weaklink.model.take import Take
from weaklink.parse.text_tool import Passage, tool

_SAYS: tuple[tuple[str, str], ...] = (
    ("GPU is lost", "lost"),
    ("has fallen off the bus", "lost"),
    ("GPU requires reset", "reset"),
    ("GPU requires a reset", "reset"),
    ("Driver/library version mismatch", "mismatch"),
    ("couldn't communicate with the NVIDIA driver", "no-driver"),
    ("Failed to initialize NVML: Driver Not Loaded", "no-driver"),
    ("Failed to initialize NVML: Unknown Error", "lost-to-container"),
    ("Failed to initialize NVML: Insufficient Permissions", "no-permission"),
    ("Failed to initialize NVML", "no-driver"),
    ("No devices were found", "no-device"),
    ("Insufficient External Power", "insufficient-power"),
    ("Unable to determine the device handle for", "lost"),
    ("nvidia-smi: command not found", "no-tool"),
    ("NVML: Timeout", "timeout"),
)
_BUS = re.compile(r"\b([0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.\d)")


def _kind(line: str) -> str:
    return next((kind for text, kind in _SAYS if text in line), "")


@tool(
    "nvidia-smi-error",
    needles=(
        "GPU ",
        "device handle",
        "NVML",
        "NVIDIA driver",
        "No devices were",
        "nvidia-smi:",
        "External Power",
    ),
    starts=lambda line: bool(_kind(line)) and "NVRM" not in line and "kernel:" not in line,
    scattered=True,
)
def nvidia_smi_error(passage: Passage) -> Take | None:
    """One fact a line that says that the driver or a GPU does not answer."""
    found = []
    for line in passage.lines[:200]:
        kind = _kind(line)
        if kind:
            bus = _BUS.search(line)
            found.append(
                DriverTrouble(
                    tool="nvidia-smi",
                    kind=kind,
                    text=line.strip()[:300],
                    bus=bus.group(1).lower() if bus else "",
                )
            )
    return Take(hardware=list(found)) if found else None


_GONE = re.compile(r"kill: \(?(\d{1,10})\)?[ :-]{1,4}(?:No such process|没有那个进程|没有该进程)")


@tool(
    "kill",
    needles=("kill: ",),
    starts=lambda line: _GONE.search(line[:300]) is not None,
    scattered=True,
)
def killed_nobody(passage: Passage) -> Take | None:
    """Pids of which the text shows that no process has them."""
    found: list[Any] = []
    for line in passage.lines[:200]:
        gone = _GONE.search(line[:300])
        if gone:
            found.append(
                GpuProcess(gpu="", pid=int(gone.group(1)), gone=True, gone_line=line.strip()[:300])
            )
    return Take(hardware=found) if found else None
