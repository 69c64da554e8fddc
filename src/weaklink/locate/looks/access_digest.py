"""A pasted access log: how many requests fail, how, from which upstream, and at which limit.

What hangs is not in it, for it is written when a request ends. Whether a duration is long, only
a service's own past can say.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from weaklink.locate.look import Judged, look
from weaklink.locate.verdicts import Said, figure, known, lasting, percent
from weaklink.locate.view import View
from weaklink.model.fact_text_log import AccessDigest
from weaklink.model.finding import Finding
from weaklink.words import texts

texts(
    {
        "finding.access.errors": "{bad} of {all} requests ({share}) failed: {codes}[; most on "
        "{route}][; all of them answered by {member}]",
        "finding.access.timeout": "{count} failed requests ended after exactly {seconds} s: that "
        "is a proxy's timeout, not the time that they needed",
        "finding.access.gone": "{bad} of {all} clients ({share}) gave up before the answer (499)",
        "finding.access.limited": "{bad} of {all} requests ({share}) were refused with 429",
        "finding.access.refused": "{bad} of {all} requests ({share}) were refused with {codes}",
        "finding.access.retried": "{count} requests needed more than one upstream",
        "finding.access.fine": "{all} requests[ in {span}], {share} failed[; median {median}, 99 % "
        "under {p99}; whether that is slow for this service the log alone does not say]",
    }
)
ERRORS, ERRORS_BAD = 0.01, 0.05
FEW = 20
"""Requests below which one failure is already more than a share says."""
GONE, REFUSED = 0.05, 0.2
RETRIED = 0.05


@look("entry")
def access_digest(view: View) -> Iterable[Judged]:
    """Failures, timeouts, refusals of each access log."""
    said = Said(view, "entry", "log")
    for fact in view.case.software:
        if isinstance(fact, AccessDigest):
            found = [*_errors(said, fact), *_refusals(said, fact)]
            yield from found or [_fine(said, fact)]


def _count(fact: AccessDigest, *codes: str) -> int:
    return sum(fact.statuses.get(code, 0) for code in codes)


def _errors(said: Said, fact: AccessDigest) -> Iterator[Finding]:
    codes = sorted(code for code in fact.statuses if code.startswith("5"))
    bad = _count(fact, *codes)
    share = bad / fact.requests
    if bad and (share >= ERRORS or fact.requests < FEW):
        # One of several members that gives all the failures is a finding of its own.
        members = fact.failing_upstreams
        worst = max(members, key=lambda name: members[name], default="")
        alone = worst if len(fact.upstreams) > 1 and members[worst] >= 0.9 * bad >= 3 else ""
        routes = fact.routes_failing
        route = max(routes, key=lambda name: routes[name], default="")
        most = route if len(routes) > 1 and routes[route] > 0.6 * sum(routes.values()) else ""
        example = max(codes, key=lambda code: fact.statuses[code])
        critical = share >= ERRORS_BAD or (fact.requests < FEW and bad > 1)
        yield said.finding(
            "critical" if critical else "warn",
            "finding.access.errors",
            "access",
            fact.lines.get(example, ""),
            sure=0.85,
            next="the proxy's error log of those seconds: in which phase it failed",
            bad=bad,
            all=fact.requests,
            share=percent(share),
            codes=", ".join(f"{code} {fact.statuses[code]} times" for code in codes),
            more=known(route=most, member=alone),
        )
    if fact.at_limit and fact.at_limit_count >= (1 if fact.requests < FEW else 3):
        yield said.finding(
            "critical" if fact.at_limit_count >= ERRORS * fact.requests else "warn",
            "finding.access.timeout",
            "access",
            fact.lines.get("at_limit", ""),
            cause="proxy-timeout-too-short",
            sure=0.5,
            next="proxy_read_timeout or proxy_connect_timeout; how long the upstream really needs",
            count=fact.at_limit_count,
            seconds=figure(fact.at_limit),
        )


def _refusals(said: Said, fact: AccessDigest) -> Iterator[Finding]:
    total = fact.requests
    for codes, least, key, cause, after in (
        (("499",), GONE, "gone", "abandoned-work", "their timeout against the answers' time"),
        (("429",), ERRORS, "limited", "gateway-limit", "whose limit, per client or in all"),
        (("401", "403"), REFUSED, "refused", "auth-or-quota", "an expired key? since when"),
    ):
        bad = _count(fact, *codes)
        if total >= FEW and bad >= least * total:
            code = max(codes, key=lambda name: fact.statuses.get(name, 0))
            yield said.finding(
                "warn", f"finding.access.{key}", "access", fact.lines.get(code, ""),
                cause=cause, sure=0.7, next=after, bad=bad, all=total, share=percent(bad / total),
                codes=" and ".join(name for name in codes if name in fact.statuses),
            )  # fmt: skip
    if total >= FEW and fact.retried >= RETRIED * total:
        yield said.finding(
            "warn", "finding.access.retried", "access", cause="upstream-down", sure=0.5,
            next="which upstream comes first in these lines", count=fact.retried,
        )  # fmt: skip


def _fine(said: Said, fact: AccessDigest) -> Finding:
    bad = sum(count for code, count in fact.statuses.items() if code.startswith("5"))
    return said.finding(
        "healthy",
        "finding.access.fine",
        "access",
        fact.lines.get("slowest", "") or next(iter(fact.lines.values()), ""),
        sure=0.6,
        all=fact.requests,
        share=percent(bad / fact.requests),
        more=known(
            span=lasting(fact.span) if fact.span else "",
            median=lasting(fact.median) if fact.median is not None else "",
            p99=lasting(fact.p99) if fact.p99 is not None else "",
        ),
    )
