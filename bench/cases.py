"""Scores `weaklink read` against the corpus of real outputs, when it is there.

    python bench/cases.py [FOLDER] [KIND …] [-v]

Each figure apart: verdict right; what must be mentioned (whole words in a finding's text or its
deciding line); what must not be claimed (in no asserted finding's text).
"""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path

from weaklink.testing.case_corpus import Score, scores

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "cases"


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
