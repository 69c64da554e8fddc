"""The verbs in order over a Case: chain, users' pain, looks, causes, plan. Reads nothing else."""

from __future__ import annotations

import msgspec

from weaklink.contain.plan import plan
from weaklink.converge.judge import judge as converge
from weaklink.incident.options import Options
from weaklink.locate.chain import discover
from weaklink.locate.entry import log_writers
from weaklink.locate.fares import fared
from weaklink.locate.look import looks
from weaklink.locate.view import View
from weaklink.model.case import Case, grow
from weaklink.model.chain import Chain
from weaklink.model.diagnosis import Pain
from weaklink.model.evidence import Evidence
from weaklink.model.finding import Finding
from weaklink.observe.changes import changes_near
from weaklink.observe.pain import feel


def judged(case: Case, options: Options) -> Case:
    """The Case with chain, pain, evidence, findings and one more Diagnosis."""
    chain = discover(case)
    writers = log_writers(case, chain.links)
    requests = [
        msgspec.structs.replace(rows, link=writers.get(rows.source, rows.link))
        for rows in case.requests
    ]
    case = grow(case, chain=chain, requests=requests)
    felt = feel(case, options.since or 0.0, options.until or 0.0)
    case = grow(case, chain=_narrowed(chain, felt.pain), pain=felt.pain)
    found, findings = _looked(case, None)
    case = grow(case, evidence=[*felt.evidence, *found], findings=findings)
    case = grow(case, chain=fared(View(case), case.evidence))
    onset = felt.pain.onset.at if felt.pain.onset else None
    diagnosis = converge(case, case.window[1], changes_near(case.events, onset))
    named = [cause for cause in diagnosis.causes if cause.named]
    diagnosis = msgspec.structs.replace(diagnosis, plan=plan(case, named))
    return grow(case, diagnoses=[*case.diagnoses, diagnosis])


def _narrowed(chain: Chain, pain: Pain) -> Chain:
    """Only what the users who hurt can reach: another service's links are not on their chain."""
    if pain.shape.id == "none" or not pain.entry:
        return chain
    reached = {pain.entry} | chain.below(pain.entry)
    links = [
        msgspec.structs.replace(link, on_chain=link.key in reached, entry=link.key == pain.entry)
        for link in chain.links
    ]
    return Chain(links=links, hops=chain.hops)


def with_findings(case: Case, subject: str | None) -> Case:
    """The Case with the findings of a subject's looks, or of all."""
    case = grow(case, chain=discover(case))
    return grow(case, findings=_looked(case, subject)[1])


def _looked(case: Case, subject: str | None) -> tuple[list[Evidence], list[Finding]]:
    view = View(case)
    found: dict[str, Evidence] = {}
    findings: list[Finding] = []
    for registered in looks():
        if subject is not None and registered.subject != subject:
            continue
        for item in registered.run(view):
            if isinstance(item, Finding):
                findings.append(item)
            elif item.id not in found or item.strength > found[item.id].strength:
                found[item.id] = item
    return list(found.values()), findings
