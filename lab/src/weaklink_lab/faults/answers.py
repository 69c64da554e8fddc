"""The stand-in model server (SIMULATED) answers late, cut off, with nothing, or not at all."""

import json
from random import Random
from typing import Any

from weaklink_lab import hands, parts
from weaklink_lab.draw import Wants
from weaklink_lab.faults import Ground, way_in, way_out
from weaklink_lab.kernel import cgroups, spawn
from weaklink_lab.truth import Culprit, Truth


def needs(_dice: Random) -> Wants:
    """Ask for a model server."""
    return Wants(parts=("llm",))


def _change(ground: Ground, cause: str, shapes: tuple[str, ...], **values: Any) -> Truth:
    control = parts.control_file(ground.state.folder(ground.one("llm")))
    control.write_text(json.dumps(values))
    return _truth(ground, cause, shapes)


def _truth(ground: Ground, cause: str, shapes: tuple[str, ...]) -> Truth:
    model = ground.one("llm")
    links = ground.guilty(model)
    return Truth(
        cause=cause,
        shapes=shapes,
        links=links,
        second=ground.guilty(*ground.members("orchestrator")),
        culprits=(
            Culprit("listen", model.address),
            *(Culprit("pid", str(pid)) for pid in links[0].pids),
            Culprit("text", ground.state.spec.routes.ask),
        ),
    )


SEMANTIC = ("semantic-anomaly", "none", "answers-changed")
SLOW = ("widespread-timeouts", "intermittent-spikes", "slow-everywhere")


@way_in("tokens-slow", "each token of the model takes many times as long", wants=needs)
def slow(ground: Ground) -> Truth:
    """Lengthen each step of the engine."""
    return _change(ground, "tokens-slow", SLOW, gap=round(ground.dice.uniform(0.12, 0.2), 3))


@way_in("output-truncated", "a limit of tokens cuts the model's answers off", wants=needs)
def cut(ground: Ground) -> Truth:
    """Lower the largest number of tokens."""
    return _change(ground, "output-truncated", SEMANTIC, limit=ground.dice.randint(6, 12))


@way_in("answers-empty", "the model ends its answers with the first token", wants=needs)
def empty(ground: Ground) -> Truth:
    """Let each answer end at once."""
    return _change(ground, "answers-empty", SEMANTIC, empty=1)


@way_in("kv-cache-exhausted", "the model's KV cache has room for two of its requests", wants=needs)
def full(ground: Ground) -> Truth:
    """Leave room for about two requests, and let each take longer."""
    room = ground.dice.randint(450, 520)
    return _change(ground, "kv-cache-exhausted", SLOW, room=room, gap=0.04)


@way_in("engine-dead", "the model's engine has died behind a front that answers", wants=needs)
def kill(ground: Ground) -> Truth:
    """Kill the engine's process; the front goes on."""
    model = ground.one("llm")
    front = ground.state.pids[model.name]
    truth = _truth(ground, "engine-dead", (*SLOW, "total-outage"))
    spawn.kill([pid for pid in cgroups.pids(ground.state.group(model)) if pid != front])
    return truth


@way_out("engine-dead")
def revive(ground: Ground) -> None:
    """Start the whole model server again."""
    hands.restart(ground.state, ground.one("llm"))


def _usual(ground: Ground) -> None:
    parts.control_file(ground.state.folder(ground.one("llm"))).write_text("{}")


for _name in ("tokens-slow", "output-truncated", "answers-empty", "kv-cache-exhausted"):
    way_out(_name)(_usual)
