"""Which way packets leave: defaults that win or clash, subnets on two cards, no way at all."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from weaklink.locate.look import Judged, look
from weaklink.locate.view import View
from weaklink.model.fact_net import PolicyRule, RouteAnswer, RouteEntry
from weaklink.model.finding import Finding, Verdict
from weaklink.model.message import Argument, say
from weaklink.model.target import target_key
from weaklink.words import texts

texts(
    {
        "finding.route.tunnel-wins": "the default that counts is {device} (metric {metric}), a "
        "tunnel: all traffic to the outside goes through it, not through {others}",
        "finding.route.equal": "two IPv{family} defaults of equal metric {metric}, {devices}: "
        "which one is used depends on their order, and changes when a link comes or goes",
        "finding.route.same-subnet": "{subnet} is connected on {devices} with the same metric: "
        "traffic inside it may use either card, and ARP answers come from both{default}",
        "finding.route.dead": "the default via {via} on {device} is {flag}: nothing leaves by it",
        "finding.route.none": "no IPv4 default: only connected networks can be reached",
        "finding.route.blocked": "the default is {kind}: packets to the outside are refused",
        "finding.route.no-next-hop": "the gateway {via} of the default lies in no network that is "
        "connected on {device}",
        "finding.route.failover": "default by {device} (metric {metric}); {others} only takes "
        "over if that one goes away",
        "finding.route.one": "one default in main, by {device}{tables}",
        "finding.route.answer": "packets to {destination} leave by {device}{via}",
        "finding.route.no-answer": "there is no way to {destination}: {error}",
        "finding.route.rules": "the usual three rules: every packet is looked up in main",
        "finding.route.more-rules": "{count} rules before main ({names}): which way a packet "
        "leaves depends on its source or mark; ask for each real destination",
        "finding.route.no-main": "no rule looks into main: its routes count for nothing",
        "finding.route.same-rule": "two rules say the same ({selector}) but name tables {tables}: "
        "only the first counts",
    }
)
TUNNELS = ("tun", "tap", "wg", "ppp", "utun", "tailscale", "zt", "ipsec", "vti", "nordlynx", "gpd")
USUAL = {"local", "main", "default"}
UNSET = 0xFFFFFFFF
"""Metric of the kernel's own IPv6 placeholder `unreachable default dev lo`: no fault."""


@look("network")
def routes(view: View) -> Iterable[Judged]:
    """Defaults and connected networks of each family; policy tables are no conflict."""
    entries = [
        fact
        for fact in view.case.hardware
        if isinstance(fact, RouteEntry) and not (fact.metric == UNSET and fact.device == "lo")
    ]
    if not entries:
        return
    host = view.case.host.name
    bad = [*_defaults(entries, host), *_subnets(entries, host)]
    yield from bad
    if not bad:
        yield from _calm(entries, host)


def _finding(
    verdict: Verdict, key: str, line: str, host: str, step: str = "", **args: Argument
) -> Finding:
    return Finding(
        verdict=verdict,
        target=target_key(
            "route", str(args.get("device", args.get("subnet", "default"))), host=host
        ),
        subject="network",
        message=say(f"finding.route.{key}", **args),
        line=line,
        cause="no-route" if key in {"none", "blocked", "dead", "no-answer"} else "wrong-egress",
        sure=0.8,
        next=step,
    )


def _is_default(entry: RouteEntry) -> bool:
    return entry.destination in {"default", "0.0.0.0/0", "::/0"} and entry.table == "main"


def _rank(entry: RouteEntry) -> int:
    return entry.metric or 0


def _defaults(entries: list[RouteEntry], host: str) -> Iterator[Finding]:
    for family in (4, 6):
        own = sorted((e for e in entries if e.family == family and _is_default(e)), key=_rank)
        alive = [e for e in own if not {"linkdown", "dead"} & set(e.flags)]
        connected = any(e.family == 4 and e.table == "main" for e in entries)
        if family == 4 and not own and connected and not _narrowed(entries):
            yield _finding("warn", "none", entries[0].line, host, "ip route get 1.1.1.1")
        if not own:
            continue
        first = own[0]
        if first.kind in {"unreachable", "blackhole", "prohibit"}:
            yield _finding("critical", "blocked", first.line, host, kind=first.kind)
            continue
        if first not in alive:
            flag = next(f for f in ("linkdown", "dead") if f in first.flags)
            verdict: Verdict = "warn" if alive else "critical"
            yield _finding(
                verdict, "dead", first.line, host, f"ip -s link show {first.device}",
                device=first.device, via=first.via or "?", flag=flag,
            )  # fmt: skip
        yield from _competing(alive, family, host)
        if family == 4 and alive:
            yield from _gateway(alive[0], entries, host)


def _competing(alive: list[RouteEntry], family: int, host: str) -> Iterator[Finding]:
    """Defaults beside the first; those of one multipath route are meant to share."""
    if len(alive) < 2 or any("nexthop" in entry.flags for entry in alive):
        return
    first, second = alive[0], alive[1]
    others = ", ".join(dict.fromkeys(e.device for e in alive[1:] if e.device != first.device))
    if not others:
        return
    if _rank(first) == _rank(second) and first.device != second.device:
        yield _finding(
            "warn", "equal", f"{first.line}\n{second.line}", host,
            "ip route get DESTINATION for each real destination", family=family,
            metric=_rank(first), devices=f"{first.device} and {second.device}",
        )  # fmt: skip
    elif first.device.startswith(TUNNELS) and not second.device.startswith(TUNNELS):
        yield _finding(
            "warn", "tunnel-wins", f"{first.line}\n{second.line}", host,
            "ip route get DESTINATION: is that meant?", device=first.device,
            metric=_rank(first), others=others,
        )  # fmt: skip


def _narrowed(entries: list[RouteEntry]) -> bool:
    """Whether the listing is only a piece: of a table, or of what somebody searched for."""
    return all(entry.table != "main" for entry in entries) or len(entries) < 3


def _gateway(first: RouteEntry, entries: list[RouteEntry], host: str) -> Iterator[Finding]:
    import ipaddress

    nets = []
    for entry in entries:
        own = entry.device == first.device and not entry.via and "/" in entry.destination
        if own and entry.family == 4 and entry.table == "main" and entry.kind == "unicast":
            try:
                nets.append(ipaddress.ip_network(entry.destination, strict=False))
            except ValueError:
                continue
    if not nets or not first.via or "onlink" in first.flags:
        return
    try:
        gateway = ipaddress.ip_address(first.via)
    except ValueError:
        return
    if not any(gateway in net for net in nets):
        yield _finding(
            "warn", "no-next-hop", first.line, host, f"ip neigh show {first.via}",
            device=first.device, via=first.via,
        )  # fmt: skip


def _subnets(entries: list[RouteEntry], host: str) -> Iterator[Finding]:
    """One IPv4 network connected on two cards without a difference in metric."""
    by_net: dict[str, list[RouteEntry]] = defaultdict(list)
    for entry in entries:
        connected = not entry.via and entry.kind == "unicast" and entry.table == "main"
        local = entry.destination.startswith(("169.254.", "224.", "127."))
        if connected and entry.family == 4 and "/" in entry.destination and not local:
            by_net[entry.destination].append(entry)
    for subnet, own in by_net.items():
        ranks = defaultdict(set)
        for entry in own:
            ranks[_rank(entry)].add(entry.device)
        devices = next((names for names in ranks.values() if len(names) > 1), set())
        if devices:
            lines = [entry.line for entry in own if entry.device in devices][:2]
            defaults = sorted((e for e in entries if _is_default(e) and e.family == 4), key=_rank)
            winner = ""
            if defaults:
                winner = f"; the default itself goes by {defaults[0].device}, by its metric"
            yield _finding(
                "warn", "same-subnet", "\n".join(lines), host,
                "sysctl net.ipv4.conf.all.arp_ignore; take one card out of it",
                subnet=subnet, devices=" and ".join(sorted(devices)),
                default=winner,
            )  # fmt: skip


def _calm(entries: list[RouteEntry], host: str) -> Iterator[Finding]:
    for family in (4, 6):
        own = sorted((e for e in entries if e.family == family and _is_default(e)), key=_rank)
        tables = sorted(
            {e.table for e in entries if e.destination == "default" and e.table != "main"}
            - {"local", "unspec", "default"}
        )
        if len(own) > 1 and own[0].device != own[1].device:
            yield _finding(
                "healthy", "failover", own[0].line, host, device=own[0].device,
                metric=_rank(own[0]), others=own[1].device,
            )  # fmt: skip
        elif own:
            more = f"; tables {', '.join(tables)} have their own, for their rules" if tables else ""
            yield _finding("healthy", "one", own[0].line, host, device=own[0].device, tables=more)


@look("network")
def route_answers(view: View) -> Iterable[Judged]:
    """The kernel's own answer for a destination, where somebody asked it."""
    for fact in view.case.hardware:
        if not isinstance(fact, RouteAnswer):
            continue
        host = view.case.host.name
        if fact.error:
            yield _finding(
                "critical", "no-answer", fact.line, host, destination=fact.destination or "?",
                error=fact.error,
            )  # fmt: skip
        else:
            via = f" via {fact.via}" if fact.via else ""
            yield _finding(
                "healthy", "answer", fact.line, host, device=fact.device,
                destination=fact.destination, via=via,
            )  # fmt: skip


@look("network")
def route_rules(view: View) -> Iterable[Judged]:
    """Policy rules: usual ones are fine, others make the answer depend on the packet."""
    rules = [fact for fact in view.case.hardware if isinstance(fact, PolicyRule)]
    if not rules:
        return
    host = view.case.host.name
    if len(rules) > 1 and not any(rule.table == "main" for rule in rules):
        yield _finding("critical", "no-main", rules[-1].line, host, "ip rule; ip route get")
        return
    seen: dict[str, PolicyRule] = {}
    for rule in sorted(rules, key=lambda rule: rule.priority):
        before = seen.setdefault(rule.selector, rule)
        usual = rule.table in USUAL and before.table in USUAL
        if before is not rule and before.table != rule.table and not usual:
            yield _finding(
                "warn", "same-rule", f"{before.line}\n{rule.line}", host, "ip route get",
                selector=rule.selector, tables=f"{before.table} and {rule.table}",
            )  # fmt: skip
            return
    extra = [rule for rule in rules if rule.table not in USUAL]
    if extra:
        names = ", ".join(dict.fromkeys(rule.table or rule.action for rule in extra))
        yield _finding(
            "unknown", "more-rules", extra[0].line, host,
            "ip route get DESTINATION from SOURCE; ip route show table all",
            count=len(extra), names=names[:120],
        )  # fmt: skip
    else:
        yield _finding("healthy", "rules", rules[-1].line, host)
