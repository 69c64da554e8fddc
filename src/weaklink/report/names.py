"""What links are called on the screen: their name, and what tells two of one name apart."""

from __future__ import annotations

from weaklink.model.chain import Chain, Link


def shown_names(chain: Chain) -> dict[str, str]:
    """Name by key, the same for all members of a service, different for different services.

    Services of one name (two ASGI servers) get their port, or where that is the same their role
    and at last their address.
    """
    groups: dict[str, list[Link]] = {}
    for link in chain.links:
        groups.setdefault(link.group or link.key, []).append(link)
    names = {key: _common(links) for key, links in groups.items()}
    for more in (_port, _role, _address):
        clashing = _clashing(names, groups)
        for key in clashing:
            names[key] = f"{_common(groups[key])}{more(groups[key][0])}"
    return {link.key: names[key] for key, links in groups.items() for link in links}


def said_link(chain: Chain, key: str) -> str:
    """A link's name, `a to b` for an edge; the key itself where the chain lacks it."""
    names = shown_names(chain)
    source, _, dest = key.partition(">")
    if key in names:
        return names[key]
    return f"{names[source]} to {names[dest]}" if source in names and dest in names else key


def _common(links: list[Link]) -> str:
    """The members' common name; where they differ, what they run, else the first one's name."""
    if len({link.name for link in links}) == 1:
        return links[0].name
    return links[0].program or links[0].name


def _clashing(names: dict[str, str], groups: dict[str, list[Link]]) -> list[str]:
    """Services on the chain that share their name with another one on it."""
    on_chain = [key for key, links in groups.items() if any(link.on_chain for link in links)]
    said = [names[key] for key in on_chain]
    return [key for key in on_chain if said.count(names[key]) > 1]


def _port(link: Link) -> str:
    port = link.listen[0].rpartition(":")[2] if link.listen else ""
    return f":{port}" if port.isdigit() else ""


def _role(link: Link) -> str:
    return f" ({link.role})"


def _address(link: Link) -> str:
    return f" {link.listen[0]}" if link.listen else f" {link.key.rpartition('/')[2]}"
