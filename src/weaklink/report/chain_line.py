"""The chain in one line, from the client down, the weak link in capitals."""

from __future__ import annotations

from weaklink.model.chain import Chain, Link
from weaklink.model.message import say
from weaklink.report.safe import visible
from weaklink.report.view import View

_MAX_LEVEL = 5
"""Services beside each other that are shown by name; more are counted."""


def chain_line(seen: View, weak: set[str]) -> str:
    """`client > nginx > gateway waits > WORKER x3 2.1 s itself > redis ok | store ok`."""
    chain = seen.case.chain
    levels = walk(chain)
    if not levels:
        return seen.say(say("chain.unknown"))
    shown = [seen.say(say("chain.client"))]
    for level in levels:
        groups = _groups(level)
        names = [_group(seen, group, weak) for group in groups[:_MAX_LEVEL]]
        if len(groups) > _MAX_LEVEL:
            names.append(seen.say(say("felt.more", count=len(groups) - _MAX_LEVEL)))
        shown.append(" | ".join(names))
    return " > ".join(shown)


def walk(chain: Chain) -> list[list[Link]]:
    """Links of the chain by distance from the entry, each once, in the order of the hops."""
    links = [link for link in chain.links if link.on_chain]
    called = {hop.dest for hop in chain.hops}
    level = [link for link in links if link.entry] or [
        link for link in links if link.key not in called
    ]
    seen = {link.key for link in level}
    levels = []
    while level:
        levels.append(level)
        below: list[Link] = []
        for link in level:
            for callee in chain.callees(link.key):
                if callee.key not in seen and callee.on_chain:
                    seen.add(callee.key)
                    below.append(callee)
        level = below
    return levels


def _groups(level: list[Link]) -> list[list[Link]]:
    groups: dict[str, list[Link]] = {}
    for link in level:
        groups.setdefault(link.group or link.key, []).append(link)
    return list(groups.values())


def _group(seen: View, links: list[Link], weak: set[str]) -> str:
    name = visible(seen.name(links[0].key), 40)
    guilty = [link for link in links if link.key in weak]
    if guilty:
        name = name.upper()
    if len(links) > 1:
        name = seen.say(say("chain.times", name=name, count=len(links)))
    return _state(seen, name, (guilty or links)[0], {link.state for link in links}, bool(guilty))


def _state(seen: View, name: str, link: Link, states: set[str], guilty: bool) -> str:
    """The name with how the link fares; members that differ are left without a word."""
    if guilty and link.own_seconds is not None:
        return seen.say(say("chain.own", name=name, own=link.own_seconds))
    if len(states) > 1 and not guilty:
        return name
    match link.state:
        case "fine":
            return seen.say(say("chain.fine", name=name))
        case "waits" if link.wait_seconds is not None:
            return seen.say(say("chain.waits-for", name=name, wait=link.wait_seconds))
        case "waits":
            return seen.say(say("chain.waits", name=name))
        case "busy":
            return seen.say(say("chain.busy", name=name))
        case "stopped":
            return seen.say(say("chain.stopped", name=name))
        case "down":
            return seen.say(say("chain.down", name=name))
    return name
