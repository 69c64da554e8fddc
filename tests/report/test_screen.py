"""The screen says the sentence first, only what has a source, and never more than 80 columns."""

from __future__ import annotations

import re

import pytest
from msgspec import structs

from weaklink.model.case import Case, grow
from weaklink.model.diagnosis import Diagnosis, Pain, Shape, Unexplained
from weaklink.model.look import Look
from weaklink.model.message import say
from weaklink.report.markdown import markdown
from weaklink.report.nagios import nagios_line
from weaklink.report.screen import Wish
from weaklink.report.text import screen
from weaklink.report.verdict import exit_code, nagios_code, verdict
from weaklink.report.wrap import width
from weaklink.testing.recorded_case import NOW, healthy, worked_incident

ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


def labels(text: str) -> list[str]:
    return [line[:11].strip() for line in text.splitlines() if line[:1].strip()]


def rejudged(case: Case, **changes: object) -> Case:
    last = structs.replace(case.diagnoses[-1], **changes)
    return grow(case, diagnoses=[last], pain=last.pain)


def test_sentence_and_action_come_first() -> None:
    text = screen(worked_incident())
    assert labels(text)[:4] == ["WEAK LINK", "BECAUSE", "DO NOW", "FELT"]
    assert text.splitlines()[0].startswith("WEAK LINK  inference (3 of 3 members)")
    assert "stop the next run of renew_previews" in text
    assert "INFERENCE x3" in text


@pytest.mark.parametrize("verbose", [False, True])
@pytest.mark.parametrize("columns", [80, 60])
def test_no_line_is_wider_than_the_terminal(verbose: bool, columns: int) -> None:
    for case in (worked_incident(), healthy()):
        for line in screen(case, Wish(verbose=verbose), columns=columns).splitlines():
            command = line.startswith("             ") and any(sign in line for sign in "/#|=")
            assert command or width(line) <= columns, line


def test_colour_changes_no_word() -> None:
    case = worked_incident()
    coloured = screen(case, colour=True)
    assert "\x1b[" in coloured
    assert ESCAPE.sub("", coloured).split() == screen(case).split()


def test_no_probability_is_printed() -> None:
    text = screen(worked_incident(), Wish(verbose=True))
    assert "0.968" not in text
    assert "96.8" not in text
    assert "very likely" in text


def test_nothing_that_hurts_is_calm_and_says_what_was_looked_at() -> None:
    text = screen(healthy())
    assert labels(text)[0] == "VERDICT"
    assert "nothing that hurts users" in text
    assert "LOOKED AT" in text
    assert "91 % full" in text
    assert exit_code(healthy()) == 0


def test_not_looked_at_is_never_healthy() -> None:
    unknown = Pain(shape=Shape(id="none", confidence=0.0), looked_at=False)
    case = rejudged(healthy(), pain=unknown)
    text = screen(case)
    assert "nothing that hurts" not in text
    assert "healthy" not in text
    assert "nothing told how users fare" in text
    assert exit_code(case) == 3
    assert nagios_code(case) == 3


def test_too_blind_names_one_command() -> None:
    case = rejudged(healthy(), too_blind=True)
    assert "sudo weaklink" in screen(case)
    assert verdict(case) == "too-blind"


def test_unexplained_names_the_link_and_what_stands_out() -> None:
    case = worked_incident()
    link = case.diagnoses[-1].causes[0].link
    odd = Unexplained(link=link, score=3.0, evidence=["e4", "gone"])
    text = screen(rejudged(case, causes=[], unexplained=odd))
    assert "unexplained, no cause of the catalogue fits" in " ".join(text.split())
    assert "STANDS OUT" in text
    assert "(1 of 3 members) at 10.9.0.2:8100, pid 930" in text
    assert "BECAUSE" not in text


def test_pain_without_a_link_says_not_enough_seen() -> None:
    text = screen(rejudged(worked_incident(), causes=[]))
    assert "no link stands out" in text
    assert "WEAK LINK" not in text


def test_two_causes_are_both_said() -> None:
    case = worked_incident()
    first, second = case.diagnoses[-1].causes
    text = screen(rejudged(case, causes=[first, structs.replace(second, named=True)]))
    assert labels(text).count("WEAK LINK") == 2


def test_hostile_names_stay_harmless_everywhere() -> None:
    case = worked_incident()
    evil = "a\x1b]0;x\x07\u202e`$(id)`|\n"
    links = [structs.replace(link, name=evil) for link in case.chain.links]
    case = grow(case, chain=structs.replace(case.chain, links=links), note=evil)
    for text in (screen(case, Wish(verbose=True)), markdown(case, Wish()), nagios_line(case)):
        assert "\x1b" not in text
        assert "\x07" not in text
        assert "\u202e" not in text
    assert nagios_line(case).count("|") == 1
    assert nagios_line(case).count("\n") == 1


def test_what_could_not_be_seen_is_grouped_with_its_remedy() -> None:
    denied = [
        Look(
            name="python-stacks",
            target=f"process:h1/-/{pid}@1",
            outcome="denied",
            at=NOW,
            reason=say("recorded.need-root"),
            remedy="sudo weaklink",
        )
        for pid in range(5)
    ]
    case = worked_incident()
    text = screen(grow(case, looks=[*case.looks, *denied]))
    assert "python-stacks (5 times): needs root -> sudo weaklink" in text


def test_absent_is_not_unseen() -> None:
    absent = Look(name="redis", target="", outcome="absent", at=NOW)
    assert "redis" not in screen(grow(healthy(), looks=[absent])).partition("UNSEEN")[2]


def test_why_a_case_is_not_filed_is_said() -> None:
    assert "disk is full" in screen(worked_incident(), Wish(not_filed="disk is full"))


def test_a_look_shows_findings_only() -> None:
    case = grow(healthy(), diagnoses=[], pain=None)
    text = screen(case)
    assert "FINDINGS" in text
    assert "nothing wrong was seen" in text
    assert exit_code(case) == 0


def test_a_critical_finding_is_exit_1_even_when_nobody_hurts() -> None:
    case = healthy()
    critical = structs.replace(case.findings[0], verdict="critical")
    case = grow(case, findings=[critical])
    assert exit_code(case) == 1
    assert "a critical finding; users do not feel it so far" in screen(case)


def test_monitoring_gets_one_line_with_figures() -> None:
    line = nagios_line(worked_incident())
    assert line.startswith("WEAKLINK CRITICAL - inference (3 of 3 members)")
    assert line.endswith("| p99=10.3s errors=8.1% rate=41.2\n")
    assert nagios_code(worked_incident()) == 2
    assert nagios_code(healthy()) == 1  # a latent warning


def test_markdown_carries_the_commands() -> None:
    text = markdown(worked_incident(), Wish())
    assert "```" in text
    assert "limit_conn weaklink_hold 4" in text
    assert text.count("```") % 2 == 0


def test_a_case_without_anything_is_shown_too() -> None:
    case = grow(healthy(), chain=structs.replace(healthy().chain, links=[], hops=[]), looks=[])
    case = grow(case, findings=[], evidence=[])
    diagnosis = Diagnosis(at=NOW, pain=Pain(shape=Shape(id="total-outage", confidence=0.5)))
    for one in (case, grow(case, diagnoses=[diagnosis], pain=diagnosis.pain)):
        assert screen(one, Wish(verbose=True)).startswith("VERDICT")
