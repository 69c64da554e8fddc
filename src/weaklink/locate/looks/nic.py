"""A network card: is there a link, at full speed, and how many frames arrive broken or are lost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from weaklink.locate.look import Judged, look
from weaklink.locate.nic_counters import Sums, sums
from weaklink.locate.view import View
from weaklink.model.fact_net import Address, Nic
from weaklink.model.finding import Finding, Verdict
from weaklink.model.message import Argument, say
from weaklink.model.target import target_key
from weaklink.words import texts

texts(
    {
        "finding.nic.no-link": "{name} has no link: nothing at the other end, or the port is off",
        "finding.nic.slow": "{name} runs at {speed} although it can do {best}: a wire or the "
        "port's setting",
        "finding.nic.half": "{name} runs at half duplex: collisions, and throughput falls under "
        "load",
        "finding.nic.link": "{name}: Link detected, {speed}, {duplex} duplex",
        "finding.nic.up": "{count} interfaces, every one that is set up has its carrier or needs "
        "none: {names}",
        "finding.nic.broken": "{name}: {share} of the received frames are broken ({what}): the "
        "physical layer: transceiver, port or wire",
        "finding.nic.dropped": "{name}: {share} of the received frames were dropped ({what}): no "
        "room for them in the card's receive buffers",
        "finding.nic.no-share": "{name}: {what}, but the text does not say of how many frames",
        "finding.nic.allowance": "{name}: the cloud's limit for this size of instance was hit: "
        "{what}",
        "finding.nic.sending": "{name}: {share} of the frames could not be sent ({what})",
        "finding.nic.counters": "{name}: of {packets} received frames {what}: negligible",
        "finding.nic.clean": "{name}: {packets} frames received, none broken or dropped",
        "finding.nic.duplicate": "{address} on {device}: another machine has the same address",
    }
)
BROKEN_BAD, BROKEN_SOME = 1e-3, 1e-5
"""Shares. A sound link has fewer than one broken frame in 1e6 (IEEE 802.3 asks for a bit error
rate below 1e-12 for fibre); TCP falls apart from 1e-3 on."""
DROPPED_BAD, DROPPED_SOME = 1e-2, 5e-4
VIRTUAL = ("lo", "docker", "br-", "virbr", "veth", "cni", "flannel", "cali", "vxlan", "dummy",
           "kube", "podman", "lxc", "lxd", "ifb", "sit", "ip6tnl", "gre", "erspan")  # fmt: skip
"""Bridges and ends of tunnels: without members they have no carrier, which is normal."""


@look("network")
def nic(view: View) -> Iterable[Judged]:
    """Link and counters of each interface in the text."""
    host = view.case.host.name
    listed: list[Nic] = []
    for fact in view.case.hardware:
        if isinstance(fact, Address) and fact.state == "dadfailed":
            yield _finding(
                "critical", "duplicate", fact.line, host, fact.device, cause="neighbour-wrong",
                address=fact.address, device=fact.device,
            )  # fmt: skip
        if not isinstance(fact, Nic):
            continue
        if fact.tool == "ethtool":
            yield _link(fact, host)
        elif fact.tool in {"ip", "ifconfig"}:
            listed.append(fact)
        if fact.counters:
            yield from _counters(fact, host)
    yield from _listed(listed, host)


def _finding(
    verdict: Verdict,
    key: str,
    line: str,
    host: str,
    name: str,
    *,
    cause: str = "nic-errors",
    step: str = "",
    sure: float = 0.85,
    **args: Argument,
) -> Finding:
    return Finding(
        verdict=verdict,
        target=target_key("interface", name or "-", host=host),
        subject="network",
        message=say(f"finding.nic.{key}", **{"name": name or "the card", **args}),
        line=line,
        cause=cause,
        sure=sure,
        next=step,
    )


def _speed(bits: float | None) -> str:
    if bits is None:
        return "speed not known"
    return f"{bits / 1e9:g} Gb/s" if bits >= 1e9 else f"{bits / 1e6:g} Mb/s"


def _link(fact: Nic, host: str) -> Finding:
    name = fact.name
    line = fact.lines.get("carrier", fact.lines.get("speed", ""))
    if fact.carrier is False:
        return _finding("critical", "no-link", line, host, name, cause="link-down",
                        step=f"ip -s link show {name}; wire, transceiver, switch port")  # fmt: skip
    if fact.duplex == "Half":
        return _finding("warn", "half", fact.lines.get("duplex", line), host, name,
                        step="autonegotiation on both ends")  # fmt: skip
    if fact.speed and fact.speed_best and fact.speed * 10 <= fact.speed_best:
        return _finding("warn", "slow", fact.lines.get("speed", line), host, name,
                        speed=_speed(fact.speed), best=_speed(fact.speed_best),
                        step="another wire; autonegotiation on both ends")  # fmt: skip
    if fact.carrier is None:
        return _finding("unknown", "link", line, host, name, speed=_speed(fact.speed),
                        duplex=fact.duplex or "?")  # fmt: skip
    speed = fact.lines.get("speed", "")
    return _finding("healthy", "link", "\n".join(part for part in (line, speed) if part), host,
                    name, cause="link-down", speed=_speed(fact.speed),
                    duplex=fact.duplex.lower() or "unknown")  # fmt: skip


def _listed(nics: list[Nic], host: str) -> Iterator[Finding]:
    """Interfaces of `ip addr`: set up but without carrier, where a card is behind it."""
    if not nics:
        return
    down = [
        one for one in nics if one.up and one.carrier is False and not one.name.startswith(VIRTUAL)
    ]
    for one in down:
        yield _finding("critical", "no-link", one.lines.get("carrier", ""), host, one.name,
                       cause="link-down", sure=0.75,
                       step=f"ethtool {one.name}; is it meant to be used?")  # fmt: skip
    if not down:
        names = ", ".join(one.name for one in nics[:8])
        yield _finding("healthy", "up", nics[0].lines.get("carrier", ""), host, nics[0].name,
                       cause="link-down", sure=0.7, count=len(nics), names=names)  # fmt: skip


def _counters(fact: Nic, host: str) -> Iterator[Finding]:
    total = sums(fact.counters)
    found = [
        *_broken(fact, total, host),
        *_dropped(fact, total, host),
        *_sending(fact, total, host),
    ]
    yield from found
    if total.allowances:
        yield _finding(
            "warn", "allowance", _line(fact, total.allowances), host, fact.name,
            cause="packet-loss", what=_named(total.allowances),
            step="look twice: does it grow? a larger instance",
        )  # fmt: skip
    elif not found and total.packets and fact.tool in {"ethtool -S", "netstat -i"}:
        small = {**total.broken, **total.dropped}
        key = "counters" if small else "clean"
        yield _finding(
            "healthy", key, _line(fact, small), host, fact.name, packets=total.packets,
            what=_named(small),
        )  # fmt: skip


def _named(counters: dict[str, int]) -> str:
    """`crc 4225, align 4223`, or the driver's whole name where it is no standard one."""
    shown = []
    for name, value in list(counters.items())[:5]:
        short = name.removeprefix("rx_").removesuffix("_errors")
        shown.append(
            f"{short if short in {'crc', 'align', 'missed', 'over', 'fifo'} else name} {value}"
        )
    return ", ".join(shown)


def _line(fact: Nic, counters: dict[str, int]) -> str:
    lines = [
        line
        for key, line in fact.lines.items()
        if any(key == name or key.endswith((f".{name}", f"_{name}")) for name in counters)
    ]
    return "\n".join(lines[:2])


def percent(share: float) -> str:
    """`3.4 %`, `0.45 %`, `0.01 %`, `0.0001 %`: as many figures as say something, no exponent."""
    value = share * 100
    if value >= 1:
        return f"{value:.1f} %"
    if value >= 0.1:
        return f"{value:.2f}".rstrip("0") + " %"
    text = f"{value:.6f}".rstrip("0")
    zeros = len(text) - len(text[2:].lstrip("0"))
    return f"{text[: zeros + 1]} %" if value >= 1e-6 else "0 %"


def _broken(fact: Nic, total: Sums, host: str) -> Iterator[Finding]:
    count = max(sum(total.broken.values()), total.errors if total.broken else 0)
    if not count:
        return
    line = _line(fact, total.broken)
    if total.packets is None:
        yield _finding("unknown", "no-share", line, host, fact.name, what=_named(total.broken),
                       step="ethtool -S, whole")  # fmt: skip
        return
    share = count / total.packets
    if share >= BROKEN_SOME:
        yield _finding(
            "critical" if share >= BROKEN_BAD else "warn", "broken", line, host, fact.name,
            share=percent(share), what=_named(total.broken),
            step="look twice: does it grow? exchange wire and transceiver, then the port",
        )  # fmt: skip


def _dropped(fact: Nic, total: Sums, host: str) -> Iterator[Finding]:
    count = sum(total.dropped.values())
    if not count:
        return
    line = _line(fact, total.dropped)
    if total.packets is None:
        yield _finding("unknown", "no-share", line, host, fact.name, what=_named(total.dropped),
                       step="ethtool -S, whole")  # fmt: skip
        return
    share = count / (total.packets + count)
    lenient = fact.tool != "ethtool -S"
    some = DROPPED_BAD if lenient else DROPPED_SOME
    if share >= some:
        verdict: Verdict = "critical" if share >= DROPPED_BAD and not lenient else "warn"
        yield _finding(
            verdict, "dropped", line, host, fact.name, cause="softirq-bound",
            share=percent(count / total.packets), what=_named(total.dropped),
            step=f"ethtool -g {fact.name or 'IF'} (ring), /proc/net/softnet_stat, IRQ spread",
        )  # fmt: skip


def _sending(fact: Nic, total: Sums, host: str) -> Iterator[Finding]:
    count = sum(total.sending.values())
    if count and total.sent and count / total.sent >= DROPPED_SOME:
        yield _finding(
            "warn", "sending", _line(fact, total.sending), host, fact.name,
            share=percent(count / total.sent), what=_named(total.sending),
            step=f"ethtool {fact.name or 'IF'}; dmesg",
        )  # fmt: skip
