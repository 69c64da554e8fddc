"""Loads the rooms whose files announce themselves: probes, sources, the catalogue of causes."""

from __future__ import annotations

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
    """The whole catalogue by id, with the signs and actions that its causes cite."""
    from weaklink.contain.plan import actions
    from weaklink.converge import catalogue

    actions()
    return catalogue()
