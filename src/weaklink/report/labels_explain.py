"""The fixed words of `weaklink explain` and `weaklink check`."""

from __future__ import annotations

from weaklink.words import texts

texts(
    {
        "label.cause": "CAUSE",
        "label.what": "WHAT",
        "label.leads-to": "LEADS TO",
        "label.explains": "EXPLAINS",
        "label.contain": "CONTAIN",
        "label.prevent": "PREVENT",
        "label.user": "USER",
        "label.can": "CAN READ",
        "label.cannot": "CANNOT",
        "label.allow": "ALLOW",
        "label.touches": "TOUCHES",
        "label.reads": "READS ONLY",
        "explain.absent": "{weight}, absent {absent}",
        "explain.decisive": "{weight}, decisive",
        "layer.entry": "ENTRY",
        "layer.app": "APP",
        "layer.cache": "CACHE",
        "layer.store": "STORE",
        "layer.inference": "INFERENCE",
        "layer.cpu": "CPU",
        "layer.memory": "MEMORY",
        "layer.disk": "DISK",
        "layer.network": "NETWORK",
        "layer.time": "TIME",
    }
)
