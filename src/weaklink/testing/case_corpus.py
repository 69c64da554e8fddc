"""Holds readings against a corpus of real outputs, whose sidecars say what a right one is.

A case is `<kind>/<name>.txt` with `<name>.json` beside it: `verdict`, `must_mention`,
`must_not_claim`. Each figure is kept apart.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import NamedTuple

from weaklink.report.reading import Read1
from weaklink.testing.pasted import read_pasted


class Score(NamedTuple):
    """One case: what was right, and in words what was not."""

    kind: str
    name: str
    verdict: bool
    mention: bool
    claim: bool
    why: str


def holds(text: str, phrase: str) -> bool:
    """Whether a phrase stands in the text as whole tokens, upper and lower case alike."""
    before = r"(?<![\w])" if phrase[:1].isalnum() else ""
    after = r"(?![\w])" if phrase[-1:].isalnum() else ""
    return re.search(before + re.escape(phrase) + after, text, re.IGNORECASE) is not None


def read_case(path: Path) -> Read1:
    """The reading of one text, as its JSON form."""
    return read_pasted(path.read_bytes())


def score(path: Path) -> Score:
    """One case held against its sidecar."""
    wanted = json.loads(path.with_suffix(".json").read_text("utf-8"))
    got = read_case(path)
    seen = "\n".join(f"{one.text}\n{one.line}" for one in got.findings)
    missing = [phrase for phrase in wanted["must_mention"] if not holds(seen, phrase)]
    claimed = [
        phrase
        for phrase in wanted["must_not_claim"]
        if any(holds(one.text, phrase) for one in got.findings)
    ]
    right = got.verdict == wanted["verdict"]
    why = []
    if not right:
        why.append(f"said {got.verdict}, is {wanted['verdict']}")
    if missing:
        why.append(f"does not mention {missing}")
    if claimed:
        why.append(f"claims {claimed}")
    return Score(path.parent.name, path.stem, right, not missing, not claimed, "; ".join(why))


def scores(folder: Path, kinds: list[str]) -> list[Score]:
    """All cases of these kinds (prefixes; none: all), by kind and name."""
    return [
        score(path)
        for path in sorted(folder.glob("*/*.txt"))
        if path.with_suffix(".json").exists()
        and (not kinds or any(path.parent.name.startswith(kind) for kind in kinds))
    ]
