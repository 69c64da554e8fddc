"""Which roles each part of the service brings that is not always up."""

from weaklink_lab.spec import Role

PARTS: dict[str, tuple[Role, ...]] = {
    "jobs": ("orchestrator", "consumer"),
    "store": ("orchestrator", "consumer", "store"),
    "disk": ("orchestrator", "consumer", "store"),
    "vector": ("orchestrator", "consumer", "vector"),
    "llm": ("orchestrator", "consumer", "llm"),
}
"""Roles that a part brings; whatever is asked for goes through the orchestrator."""
ROLES: tuple[Role, ...] = ("orchestrator", "consumer", "store", "vector", "llm")


def roles(parts: tuple[str, ...]) -> tuple[Role, ...]:
    """Give the roles that these parts bring, in order."""
    wanted = {role for part in parts for role in PARTS[part]}
    return tuple(role for role in ROLES if role in wanted)
