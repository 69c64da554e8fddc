"""Rows of drills: kept in a file, summed up, printed as a table."""

import statistics
from dataclasses import dataclass
from pathlib import Path

import msgspec

from weaklink_lab.hurt import Hurt
from weaklink_lab.score import Hits, Said
from weaklink_lab.truth import Truth


@dataclass(frozen=True, slots=True)
class Row:
    """One drill: what was true, what was said, what users felt."""

    fault: str
    seed: int
    control: bool
    truth: Truth
    said: Said
    hits: Hits
    seconds: float
    hurt: Hurt
    broke: float
    onset_error: float | None
    trouble: str = ""
    blindfold: str = ""
    commit: str = ""
    landed: bool = True
    """Whether the catalogue of that commit has the cause at all."""

    @property
    def key(self) -> tuple[str, int, str]:
        """Give what makes it one drill: asked again, it takes the place of the row before."""
        return self.fault, self.seed, self.blindfold


@dataclass(frozen=True, slots=True)
class Drills:
    """The file that drills are kept in."""

    drills: tuple[Row, ...]
    schema: str = "weaklink/drills/1"


def save(path: Path, rows: list[Row]) -> None:
    """Write all rows; a crash leaves the old file or the new one."""
    unfinished = path.with_name(f".{path.name}.part")
    unfinished.write_bytes(msgspec.json.format(msgspec.json.encode(Drills(tuple(rows)))) + b"\n")
    unfinished.replace(path)


def load(path: Path) -> list[Row]:
    """Read the rows back."""
    return list(msgspec.json.decode(path.read_bytes(), type=Drills).drills)


def line(row: Row) -> str:
    """Give a row as one line of the table."""
    hits = row.hits
    marks = " ".join(
        name if hit else "-" * len(name)
        for name, hit in (
            ("cause", hits.cause),
            ("link", hits.link),
            ("target", hits.target),
            ("shape", hits.shape),
            ("exit", hits.exit),
        )
    )
    if hits.link_second:
        marks = marks.replace("----", "2nd ", 1) if not hits.link else marks
    felt = row.hurt
    onset = "" if row.onset_error is None else f" onset {row.onset_error:+.1f} s"
    return (
        f"{row.fault:24} {row.seed:3} {marks} {row.seconds:5.1f} s"
        f"  said {row.said.cause or 'nothing'} ({row.said.probability:.2f})"
        f"  hurt {'yes' if felt.yes else 'no'}: P99 {felt.before.p99:.2f} -> {felt.during.p99:.2f}"
        f" s, errors {felt.during.error_share:.1%}{onset}"
        f"{'  TROUBLE ' + row.trouble if row.trouble else ''}"
    )


def table(rows: list[Row]) -> str:
    """Give all rows and the shares of right answers."""
    lines = [line(row) for row in rows]
    faults = [row for row in rows if not row.control]
    controls = [row for row in rows if row.control]
    if faults:
        count = len(faults)
        lines.append(
            f"faults: {count}; right: cause {_share([r.hits.cause for r in faults])}, "
            f"link {_share([r.hits.link for r in faults])}, "
            f"culprit {_share([r.hits.target for r in faults])}, "
            f"shape {_share([r.hits.shape for r in faults])}; "
            f"median {statistics.median(r.seconds for r in faults):.1f} s; "
            f"users hurt in {sum(r.hurt.yes for r in faults)}"
        )
    if controls:
        lines.append(
            f"controls: {len(controls)}; exit 0 in {sum(r.hits.exit for r in controls)}, "
            f"nobody blamed in {sum(r.hits.cause for r in controls)}"
        )
    return "\n".join(lines)


def _share(hits: list[bool]) -> str:
    return f"{sum(hits)}/{len(hits)}"
