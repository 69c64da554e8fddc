"""Scores `weaklink read` against the corpus of real outputs, when it is there.

    python bench/cases.py [FOLDER] [KIND …] [-v]

Each figure apart: verdict right; what must be mentioned (whole words in a finding's text or its
deciding line); what must not be claimed (in no asserted finding's text).
"""

from __future__ import annotations

import json
import re
import sys
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

from weaklink.locate.reading import judge_text, verdict_of
from weaklink.parse.recognize import read_text
from weaklink.report.reading import Read1, project

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "cases"


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
    reading = read_text(path.read_bytes())
    case = judge_text([reading])
    return project(case, [reading], verdict_of(case))


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


def main(argv: list[str]) -> int:
    """Print the table; 0 if at least 95 % of the verdicts are right and nothing false is said."""
    words = [word for word in argv if not word.startswith("-")]
    folder = Path(words.pop(0)) if words and Path(words[0]).is_dir() else FOLDER
    if not folder.is_dir():
        print(f"no corpus at {folder}: nothing to score")
        return 0
    found = scores(folder, words)
    by_kind: dict[str, list[Score]] = defaultdict(list)
    for one in found:
        by_kind[one.kind].append(one)
        if one.why or "-v" in argv:
            print(f"{one.kind}/{one.name}: {one.why or 'right'}")
    print(f"{'kind':16}{'cases':>6}{'verdict':>9}{'mention':>9}{'no claim':>9}")
    for kind, rows in [*by_kind.items(), ("all", found)]:
        print(
            f"{kind:16}{len(rows):>6}{sum(row.verdict for row in rows):>9}"
            f"{sum(row.mention for row in rows):>9}{sum(row.claim for row in rows):>9}"
        )
    right = sum(row.verdict for row in found)
    return 0 if right >= 0.95 * len(found) and all(row.claim for row in found) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
