"""Which files the processes of the chain write, and on which file system each lies."""

from __future__ import annotations

from weaklink.model.base import Record


class OpenFile(Record, frozen=True, tag=True):
    """A place that a process writes to, as its own descriptors tell; read twice, so it has a rate.

    `grown` is by how many bytes the file's end moved in `seconds`; 0 for a folder.
    """

    process: str
    path: str
    """Redacted; the working folder for `how` = folder."""
    major_minor: str
    """Of the file system that it lies on."""
    how: str
    """`append` (a log, as a rule), `write`, or `folder` (its working folder)."""
    descriptor: int = -1
    at: float = 0.0
    grown: float = 0.0
    seconds: float = 0.0
