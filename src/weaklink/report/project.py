"""A Case as `weaklink/report/1`: each noun of the model as the struct that programs read."""

from __future__ import annotations

from weaklink.model.case import Case
from weaklink.model.chain import Chain, Link
from weaklink.model.diagnosis import Impact, JudgedCause, Onset, Pain, Slice
from weaklink.model.evidence import Evidence, signs
from weaklink.model.plan import Step
from weaklink.report import report1 as out
from weaklink.report.felt import shape_words
from weaklink.report.human import rfc3339
from weaklink.report.safe import plain
from weaklink.report.screen import Wish
from weaklink.report.sections import known, statement
from weaklink.report.unseen import blind_looks, reason_of
from weaklink.report.verdict import exit_code, verdict
from weaklink.report.view import View, cause_says, cause_title, members_of, view


def report(case: Case, wish: Wish) -> out.Report1:
    """The last judgement of a Case, for programs."""
    seen = view(case, wish.language)
    diagnosis, pain = seen.diagnosis, seen.pain
    odd = diagnosis.unexplained if diagnosis else None
    looks = case.looks
    start, end = case.window
    return out.Report1(
        schema=out.SCHEMA,
        case_id=case.id,
        case=wish.filed or None,
        not_filed=wish.not_filed or None,
        version=case.version,
        host=case.host.name,
        at=rfc3339(diagnosis.at if diagnosis else case.created),
        window=_moments(case.window),
        entry=case.entry,
        note=case.note,
        verdict=verdict(case),
        exit=exit_code(case),
        blind=exit_code(case) == 3,
        shape=_shape(seen, pain) if pain else None,
        impact=_impact(seen, pain) if pain else None,
        onset=_onset(pain.onset) if pain and pain.onset else None,
        changes=_changes(seen),
        chain=_chain(case.chain),
        causes=[_cause(seen, judged) for judged in seen.named],
        candidates=[_cause(seen, judged) for judged in seen.candidates],
        ruled_out=list(diagnosis.ruled_out) if diagnosis else [],
        unexplained=out.UnexplainedOut(
            link=odd.link,
            score=odd.score,
            evidence=[_evidence(seen, item) for item in known(seen, odd.evidence)],
        )
        if odd
        else None,
        findings=_findings(seen),
        plan=[_step(seen, step) for step in (diagnosis.plan.steps if diagnosis else [])],
        unseen=[
            out.UnseenOut(
                look=look.name,
                target=look.target,
                outcome=look.outcome,
                reason=plain(reason_of(seen, look)),
                remedy=look.remedy,
            )
            for look in blind_looks(seen)
        ],
        next_look=plain(seen.say(diagnosis.next_look))
        if diagnosis and diagnosis.next_look
        else None,
        cost=out.CostOut(
            looks=len(looks),
            window_seconds=max(end - start, 0.0),
            cpu_seconds=round(sum(look.cpu_seconds for look in looks), 6),
            touched=sorted({text for look in looks for text in look.touched}),
        ),
    )


def _moments(window: tuple[float, float] | None) -> list[str]:
    return [at for at in map(rfc3339, window or ()) if at]


def _shape(seen: View, pain: Pain) -> out.ShapeOut:
    shape = pain.shape
    return out.ShapeOut(
        id=shape.id,
        words=shape_words(seen, pain),
        confidence=shape.confidence,
        runner_up=shape.runner_up,
        mixed=list(shape.mixed),
        semantic_looked_at=shape.semantic_looked_at,
        recovered=shape.recovered,
    )


def _impact(seen: View, pain: Pain) -> out.ImpactOut:
    impact: Impact = pain.impact
    return out.ImpactOut(
        looked_at=pain.looked_at,
        requests_per_second=out.NowBefore(now=impact.rate_now, before=impact.rate_before),
        p50_seconds=out.NowBefore(now=impact.p50_now, before=impact.p50_before),
        p99_seconds=out.NowBefore(now=impact.p99_now, before=impact.p99_before),
        error_ratio=out.NowBefore(now=impact.error_ratio_now, before=impact.error_ratio_before),
        shed_ratio=impact.shed_ratio_now,
        in_flight=impact.in_flight,
        oldest_in_flight_seconds=impact.oldest_in_flight,
        slices=[_slice(part) for part in impact.slices],
        window=_moments(impact.window),
        baseline=plain(seen.say(impact.baseline)) if impact.baseline else None,
        still_on=impact.still_on and pain.shape.id != "none",
    )


def _slice(part: Slice) -> out.SliceOut:
    return out.SliceOut(
        by=part.by,
        name=part.name,
        requests=part.requests,
        bad=part.bad,
        p50_seconds=part.p50,
        p99_seconds=part.p99,
        p99_seconds_before=part.p99_before,
        hurt=part.hurt,
    )


def _onset(onset: Onset) -> out.OnsetOut:
    return out.OnsetOut(
        at=rfc3339(onset.at), plus_minus_seconds=onset.plus_minus_seconds, kind=onset.kind
    )


def _changes(seen: View) -> list[out.ChangeOut]:
    events = seen.case.events
    indexes = seen.diagnosis.changes if seen.diagnosis else []
    return [
        out.ChangeOut(
            at=rfc3339(event.at),
            plus_minus_seconds=event.plus_minus,
            kind=event.kind,
            target=event.target,
            text=event.text,
            source=event.source,
        )
        for event in (events[index] for index in indexes if 0 <= index < len(events))
    ]


def _chain(chain: Chain) -> out.ChainOut:
    return out.ChainOut(
        links=[_link(link) for link in chain.links],
        hops=[
            out.HopOut(
                key=hop.key,
                source=hop.source,
                dest=hop.dest,
                address=hop.address,
                connections=hop.connections,
                via=list(hop.via),
                seconds=hop.seconds,
            )
            for hop in chain.hops
        ],
    )


def _link(link: Link) -> out.LinkOut:
    return out.LinkOut(
        key=link.key,
        name=link.name,
        role=link.role,
        program=link.program,
        pids=list(link.pids),
        listen=list(link.listen),
        netns=link.netns,
        group=link.group,
        state=link.state,
        on_chain=link.on_chain,
        entry=link.entry,
        own_seconds=link.own_seconds,
        wait_seconds=link.wait_seconds,
    )


def _cause(seen: View, judged: JudgedCause) -> out.CauseOut:
    known_cause = seen.catalogue.get(judged.id)
    return out.CauseOut(
        id=judged.id,
        layer=known_cause.layer if known_cause else "",
        title=plain(cause_title(seen, judged)),
        because=plain(cause_says(seen, judged, "because")),
        probability=judged.probability,
        sureness=judged.sure,
        named=judged.named,
        link=judged.link,
        target=judged.target,
        members=[
            out.MemberOut(
                key=link.key, name=link.name, pids=list(link.pids), listen=list(link.listen)
            )
            for link in members_of(seen.case, judged)
        ],
        kinds=list(judged.kinds),
        for_=[_evidence(seen, item) for item in known(seen, judged.for_)],
        against=[_evidence(seen, item) for item in known(seen, judged.against)],
        wrong_if=plain(cause_says(seen, judged, "wrong_if", whole=True)) or None,
        next_danger=plain(cause_says(seen, judged, "next_danger", whole=True)) or None,
        args=dict(judged.args),
    )


def _evidence(seen: View, item: Evidence) -> out.EvidenceOut:
    kind = signs().get(item.sign)
    return out.EvidenceOut(
        id=item.id,
        sign=item.sign,
        kind=kind.kind if kind else "",
        target=item.target,
        link=item.link,
        value=item.value,
        baseline=item.baseline,
        strength=item.strength,
        onset=rfc3339(item.onset) if item.onset is not None else None,
        plus_minus_seconds=item.plus_minus,
        text=plain(statement(seen, item)),
        command=item.command,
    )


def _findings(seen: View) -> list[out.FindingOut]:
    return [
        out.FindingOut(
            verdict=found.verdict,
            target=found.target,
            subject=found.subject,
            text=plain(seen.say(found.message)),
            line=found.line,
            cause=found.cause,
            sure=found.sure,
            next=found.next,
        )
        for found in seen.case.findings
    ]


def _step(seen: View, step: Step) -> out.StepOut:
    return out.StepOut(
        action=step.action,
        cause=step.cause,
        target=step.target,
        what=plain(seen.say(step.what)),
        harm=step.harm,
        harm_note=plain(seen.say(step.harm_note)),
        preview=list(step.preview),
        expect=plain(seen.say(step.expect)) if step.expect else None,
        undo=list(step.undo),
        expires_after_seconds=step.expires_after,
        cannot=plain(seen.say(step.cannot)) if step.cannot else None,
        applied=False,
    )
