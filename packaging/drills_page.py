"""Merges the files that drills leave and writes docs/drills.json and docs/drills.md.

    python packaging/drills_page.py DRILLS.json …

Of two rows of one drill (fault, seed, blindfold) the one in the later file is kept. What the page
says besides figures stands in docs/drills_notes.md.
"""

from __future__ import annotations

import json
import statistics
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[1] / "docs"
HEAD = """# Drills

Real faults in the small real chain of [lab/](../lab/README.md), each asked blind: `weaklink
diagnose --json` in a process of its own that is told nothing, scored by pid and address. Two cores,
Debian 12, one run a row; member names, ports, routes, log formats, the moment and the strength of
the fault come from the seed. The machine was shared with other work while these ran. The rows lie
in [drills.json](drills.json).

    sudo make drills            # all of it, resumable: hours
    sudo make drills-quick      # six faults
    sudo .venv/bin/weaklink-lab drill FAULT --seeds N --healthy 28 --out drills.json
"""
MARKS = {"cause": "cause", "link": "link", "target": "culprit", "shape": "shape"}
BINS = ((0.0, 0.5), (0.5, 0.7), (0.7, 0.85), (0.85, 0.95), (0.95, 1.01))
Row = dict[str, Any]


def merged(paths: list[Path]) -> list[Row]:
    """Give the rows of all files, the later one of the same drill, by fault and seed."""
    kept: dict[tuple[str, int, str], Row] = {}
    for path in paths:
        for row in json.loads(path.read_text())["drills"]:
            kept[(row["fault"], row["seed"], row.get("blindfold", ""))] = row
    return [kept[key] for key in sorted(kept)]


def line(row: Row) -> str:
    """Give one drill as a row of the table."""
    marks = " | ".join("yes" if row["hits"][name] else "**no**" for name in MARKS)
    said, felt = row["said"], row["hurt"]
    late = "" if said["onset"] is None else f"{said['onset'] - row['broke']:+.1f}"
    users = (
        f"P99 {felt['before']['p99']:.2f} -> {felt['during']['p99']:.2f} s, "
        f"errors {felt['during']['error_share']:.1%}"
    )
    blind = f" ({row['blindfold']})" if row.get("blindfold") else ""
    return (
        f"| {row['fault']}{blind} | {row['seed']} | {marks} | {said['cause'] or 'nothing'} "
        f"({said['probability']:.2f}) | {late} | {row['seconds']:.1f} | {users} |"
    )


def table(rows: list[Row]) -> list[str]:
    """Give rows with a head."""
    head = "| fault | seed | cause | link | culprit | shape | said | onset, s | took, s | users |"
    return [head, "| --- " * 10 + "|", *map(line, rows), ""]


def reliability(rows: list[Row]) -> list[str]:
    """Give how often what was said with a probability was right."""
    out = ["| said with | times | right |", "| --- | --- | --- |"]
    named = [row for row in rows if row["said"]["cause"]]
    for low, high in BINS:
        inside = [row for row in named if low <= row["said"]["probability"] < high]
        if inside:
            right = sum(row["hits"]["cause"] for row in inside)
            out.append(f"| {low:.2f} to {min(high, 1.0):.2f} | {len(inside)} | {right} |")
    return [*out, ""]


def controls(rows: list[Row]) -> list[str]:
    """Give the healthy runs, a line a variant."""
    by: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by[row["fault"]].append(row)
    fine = sum(row["said"]["exit"] == 0 and not row["said"]["cause"] for row in rows)
    out = [f"Exit 0 and nobody blamed in {fine} of {len(rows)} runs.\n"]
    out += ["| variant | runs | exit 0 | causes named |", "| --- | --- | --- | --- |"]
    for variant, each in sorted(by.items()):
        blamed = sorted({row["said"]["cause"] for row in each if row["said"]["cause"]})
        zero = sum(row["said"]["exit"] == 0 for row in each)
        out.append(f"| {variant} | {len(each)} | {zero} | {', '.join(blamed) or 'none'} |")
    return [*out, ""]


def summed(rows: list[Row]) -> str:
    """Give the shares of right answers in one sentence."""
    right = ", ".join(
        f"{word} {sum(row['hits'][name] for row in rows)}" for name, word in MARKS.items()
    )
    took = [row["seconds"] for row in rows]
    return (
        f"Of {len(rows)}: {right}. Command to verdict: median {statistics.median(took):.1f} s, "
        f"longest {max(took):.1f} s.\n"
    )


def page(rows: list[Row], notes: str) -> str:
    """Give the whole page."""
    pairs = [row for row in rows if "+" in row["fault"]]
    blind = [row for row in rows if row.get("blindfold") and row not in pairs]
    healthy = [row for row in rows if row["control"] and row not in blind]
    single = [row for row in rows if row not in pairs and row not in blind and not row["control"]]
    landed = [row for row in single if row.get("landed", True)]
    ahead = [row for row in single if row not in landed]
    out = [HEAD]
    commits = Counter(row.get("commit", "") or "earlier" for row in rows)
    told = ", ".join(f"{commit} ({count})" for commit, count in sorted(commits.items()))
    out.append(f"Rows by commit: {told}.\n")
    if landed:
        out += [summed(landed), *table(landed)]
        out.append("`onset` is when Weaklink says that it began, less when the fault went in.\n")
        out += ["## What a probability was worth\n", *reliability(rows)]
    if ahead:
        out.append("## Faults whose cause is not in the catalogue\n")
        out.append("The link can be right all the same; a cause that is named is wrong.\n")
        out += [summed(ahead), *table(ahead)]
    if pairs:
        both = sum(row["hits"].get("all", False) for row in pairs)
        out += ["## Two faults at once\n", f"Both named in {both} of {len(pairs)}.\n"]
        out += table(pairs)
    if blind:
        out += ["## Blindfolded\n", *table(blind)]
    if healthy:
        out += ["## Healthy chains\n", *controls(healthy)]
    return "\n".join([*out, notes]).rstrip() + "\n"


def main(words: list[str]) -> None:
    """Write both files."""
    mine = DOCS / "drills.json"
    rows = merged([path for path in (mine, *map(Path, words)) if path.exists()])
    mine.write_text(json.dumps({"schema": "weaklink/drills/1", "drills": rows}, indent=1) + "\n")
    notes = DOCS / "drills_notes.md"
    (DOCS / "drills.md").write_text(page(rows, notes.read_text() if notes.exists() else ""))


if __name__ == "__main__":
    main(sys.argv[1:])
