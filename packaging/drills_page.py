"""Writes docs/drills.md from the files that drills leave.

    python packaging/drills_page.py DRILLS.json … < controls.txt > docs/drills.md

Standard input holds one line a run on a healthy chain: variant, seed, exit code and causes named,
separated by tabs.
"""

from __future__ import annotations

import json
import statistics
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

HEAD = """# Drills

Real faults in the small real chain of [lab/](../lab/README.md), each asked blind: `weaklink
diagnose --json` in a process of its own that is told nothing, scored by pid and address. Two cores,
Debian 12, one run a row; member names, ports, routes, log formats, the moment and the strength of
the fault come from the seed. The machine was shared with other work while these ran.

    sudo .venv/bin/weaklink-lab drill FAULT --seeds N --healthy 28 --out drills.json
"""
MARKS = {"cause": "cause", "link": "link", "target": "culprit", "shape": "shape"}


def rows(paths: list[str]) -> list[dict[str, Any]]:
    """Rows of all files, by fault and seed."""
    found = [row for path in paths for row in json.loads(Path(path).read_text())["drills"]]
    return sorted(found, key=lambda row: (row["fault"], row["seed"]))


def line(row: dict[str, Any]) -> str:
    """One drill as a row of the table."""
    marks = " | ".join("yes" if row["hits"][name] else "**no**" for name in MARKS)
    said = row["said"]
    onset = said["onset"]
    late = "" if onset is None else f"{onset - row['broke']:+.1f}"
    felt = row["hurt"]
    users = (
        f"P99 {felt['before']['p99']:.2f} -> {felt['during']['p99']:.2f} s, "
        f"errors {felt['during']['error_share']:.1%}"
    )
    return (
        f"| {row['fault']} | {row['seed']} | {marks} | {said['cause'] or 'nothing'} "
        f"({said['probability']:.2f}) | {late} | {row['seconds']:.1f} | {users} |"
    )


def main(paths: list[str]) -> None:
    """Print the page."""
    drills = rows(paths)
    out = [HEAD]
    total = len(drills)
    right = {name: sum(row["hits"][name] for row in drills) for name in MARKS}
    seconds = statistics.median(row["seconds"] for row in drills)
    out.append(
        f"Of {total}: "
        + ", ".join(f"{word} {right[name]}" for name, word in MARKS.items())
        + f". Command to verdict: median {seconds:.1f} s, "
        f"longest {max(row['seconds'] for row in drills):.1f} s.\n"
    )
    out.append(
        "| fault | seed | cause | link | culprit | shape | said | onset, s | took, s | users |"
    )
    out.append("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    out += [line(row) for row in drills]
    out.append("\n`onset` is when Weaklink says that it began, less when the fault went in.\n")
    out.append("## Healthy chains\n")
    controls: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for text in sys.stdin:
        parts = text.rstrip("\n").split("\t")
        if len(parts) >= 4:
            controls[parts[0]].append((parts[2], parts[3]))
    runs = [run for each in controls.values() for run in each]
    fine = sum(1 for code, named in runs if code == "0" and named == "[]")
    out.append(f"Exit 0 and nobody blamed in {fine} of {len(runs)} runs.\n")
    out.append("| variant | runs | exit 0 | causes named |")
    out.append("| --- | --- | --- | --- |")
    for variant, each in sorted(controls.items()):
        blamed = {named for _, named in each if named != "[]"}
        zero = sum(1 for code, _ in each if code == "0")
        out.append(f"| {variant} | {len(each)} | {zero} | {', '.join(sorted(blamed)) or 'none'} |")
    sys.stdout.write("\n".join(out) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
