"""What pinging said: loss, no way, nobody there, or the sender's own fault."""

from __future__ import annotations

from collections.abc import Iterable

from weaklink.locate.look import Judged, look
from weaklink.locate.looks.nic import percent
from weaklink.locate.view import View
from weaklink.model.fact_net import Ping
from weaklink.model.finding import Finding, Verdict
from weaklink.model.message import say
from weaklink.model.target import target_key
from weaklink.words import texts

texts(
    {
        "finding.ping.unreachable-net": "{target}: Network is unreachable: this machine has no "
        "route there",
        "finding.ping.general-failure": "{target}: General failure: the packet never left this "
        "machine: no route, no address, a card that is off, or a filter on it",
        "finding.ping.unreachable-host": "{target}: Destination Host Unreachable: no neighbour "
        "answers for it (or for its gateway){loss}",
        "finding.ping.unknown-name": "{target}: the name was not resolved: nothing is said about "
        "the way there",
        "finding.ping.no-permission": "{target}: not permitted to send: a filter on this machine",
        "finding.ping.too-long": "{target}: packets of that size do not pass: the path's MTU is "
        "smaller",
        "finding.ping.timed-out": "{target}: no answer to some or all{loss}",
        "finding.ping.loss": "{target}: {share} packet loss, {received} of {sent} answered",
        "finding.ping.silent": "{target}: 100 % packet loss: it is gone, or it filters pings: ask "
        "its port",
        "finding.ping.ok": "{target}: {received} of {sent} answered{rtt}",
    }
)
LOSS_BAD = 0.05
"""Five in a hundred lost: every tenth TCP exchange of ten segments waits for a retransmission."""
_ERRORS: dict[str, tuple[Verdict, str, str]] = {
    "unreachable-net": ("critical", "no-route", "ip route get {target}; ip rule"),
    "general-failure": ("critical", "no-route", "route print / ip route; is the card up?"),
    "unreachable-host": ("critical", "neighbour-unresolved", "ip neigh; ip route get {target}"),
    "unknown-name": ("unknown", "dns-slow", "getent hosts {target}; cat /etc/resolv.conf"),
    "no-permission": ("critical", "no-route", "nft list ruleset; iptables -S OUTPUT"),
    "too-long": ("warn", "mtu-blackhole", "tracepath {target}; ip link: mtu on the way"),
}


@look("network")
def ping(view: View) -> Iterable[Judged]:
    """One finding an address; loss is judged by its share, an error by where it came from."""
    for fact in view.case.hardware:
        if isinstance(fact, Ping):
            yield _judge(fact, view.case.host.name)


def _judge(fact: Ping, host: str) -> Finding:
    target = fact.target or "the address"
    share = percent(fact.loss) if fact.loss is not None else ""
    loss = f", {share} packet loss" if share else ""
    verdict: Verdict = "healthy"
    key, cause, step = "ok", "packet-loss", ""
    if fact.error in _ERRORS:
        verdict, cause, step = _ERRORS[fact.error]
        key = fact.error
        if fact.received and verdict == "critical":
            verdict = "warn"
    elif fact.loss is not None and fact.loss >= 1:
        verdict, key, step = "critical", "silent", "ip neigh; traceroute -T to its port"
    elif fact.loss:
        verdict = "critical" if fact.loss >= LOSS_BAD else "warn"
        key, step = "loss", "mtr -n to it: from which hop on; ethtool -S on the first"
    elif fact.sent is None:
        verdict, key = "unknown", "timed-out"
    rtt = ""
    if fact.rtt_average is not None:
        rtt = f", {fact.rtt_average * 1000:.2f} ms on average"
        if fact.rtt_maximum is not None:
            rtt += f", {fact.rtt_maximum * 1000:.2f} at most"
    return Finding(
        verdict=verdict,
        target=target_key("address", target, host=host),
        subject="network",
        message=say(
            f"finding.ping.{key}",
            target=target,
            loss=loss,
            share=share,
            received=fact.received if fact.received is not None else "?",
            sent=fact.sent if fact.sent is not None else "?",
            rtt=rtt,
        ),
        line="\n".join(line for line in (fact.line, fact.line2) if line),
        cause=cause,
        sure=0.85,
        next=step.replace("{target}", target),
    )
