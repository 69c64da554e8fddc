"""Loads the rooms whose files announce themselves: probes, sources, the catalogue of causes."""

from __future__ import annotations

import importlib
import pkgutil

from weaklink.model.cause import Cause
from weaklink.reach.registry import Probe, load_room, probes


def all_probes() -> list[Probe]:
    """Every probe and source, by name."""
    from weaklink import probes as room
    from weaklink import sources

    load_room(room)
    load_room(sources)
    return probes()


def all_causes() -> dict[str, Cause]:
    """The whole catalogue by id, with the texts, signs and actions that its causes cite."""
    from weaklink.converge import catalogue

    all_words()
    return catalogue()


SPEAKING = ("contain", "converge", "incident", "locate", "observe", "probes", "reach", "sources")
"""Rooms whose files register texts and signs: a Case on file is shown in their words."""


def all_words() -> None:
    """Register every text, sign and action, so that a Case from a file can be put into words."""
    for room in SPEAKING:
        package = importlib.import_module(f"weaklink.{room}")
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(found.name)
