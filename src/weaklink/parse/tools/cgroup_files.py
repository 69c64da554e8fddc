"""Files of a control group as people print them: with names before, or in one known file.

The name of a file comes from `cat PATH`, `head`/`tail`'s `==> PATH <==`, `grep`'s `PATH:`, a bare
name on the line before, or `PATH value` on one line. Without a name only cpu.stat, memory.stat
and memory.events can be told by their contents.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from weaklink.model.fact_text_platform import CgroupFiles
from weaklink.model.take import Take
from weaklink.parse.cgroup import NO_LIMIT_BYTES, flat, parse_v1, parse_v2
from weaklink.parse.figures import whole
from weaklink.parse.text_tool import Passage, tool

_NAMES = (
    r"(?:memory\.(?:max|high|low|min|current|peak|events(?:\.local)?|stat|pressure|failcnt|"
    r"swap\.(?:max|current|high|peak)|limit_in_bytes|usage_in_bytes|max_usage_in_bytes|"
    r"memsw\.(?:limit|usage)_in_bytes|kmem\.(?:limit|usage)_in_bytes|oom_control|soft_limit_in_bytes)"
    r"|cpu\.(?:max|stat|weight|shares|pressure|cfs_quota_us|cfs_period_us)|cpuacct\.usage"
    r"|io\.(?:max|stat|pressure)|pids\.(?:max|current)|cgroup\.(?:events|freeze|procs)|freezer\.state)"
)
_PATH = re.compile(rf"((?:[\w@.:+\\-]{{0,200}}/){{0,20}}){_NAMES}(?![\w.])")
_FILE = re.compile(rf"(?:[\w@.:+\\/-]{{0,600}}/)?({_NAMES})$")
_HEADER = re.compile(r"==> (\S{1,700}) <==$")
_ON_LINE = re.compile(rf"((?:\S{{0,600}}/)?{_NAMES})[:=]?\s{{0,20}}(\S.{{0,400}})$")
MAX_VALUES = 50_000
_STAT_KEYS = (
    "nr_periods ",
    "usage_usec ",
    "nr_throttled ",
    "oom_kill ",
    "anon ",
    "oom_kill_disable ",
)
_VALUE = re.compile(
    r"(?:max|-?\d{1,20}|[a-z_.]{1,40} \d{1,20}|max \d{1,9}|-?\d{1,20} \d{1,9}|FROZEN|THAWED)$"
)


def _starts(line: str) -> bool:
    bare = line.strip()
    if _HEADER.match(bare) or _ON_LINE.match(bare):
        return _PATH.search(bare) is not None
    return _FILE.match(bare) is not None or (
        bare.startswith(_STAT_KEYS) and _VALUE.match(bare) is not None
    )


def _goes_on(line: str) -> bool:
    bare = line.strip()
    return not bare or _VALUE.match(bare) is not None or _starts(line) or _is_psi(bare)


def _is_psi(bare: str) -> bool:
    return bare.startswith(("some avg10=", "full avg10="))


@tool(
    "cgroup",
    heads=("==> ", "memory.", "cpu.", "/sys/fs/cgroup/", "cgroup.", "pids.", *_STAT_KEYS),
    starts=_starts,
    goes_on=_goes_on,
    commands=(
        *("memory.max", "memory.limit_in_bytes", "memory.current", "memory.usage_in_bytes"),
        *("memory.peak", "memory.max_usage_in_bytes", "memory.events", "memory.stat"),
        *("memory.failcnt", "memory.oom_control", "cpu.stat", "cpu.max", "cpu.cfs_quota_us"),
        *("cpu.cfs_period_us", "pids.current", "pids.max", "cgroup.freeze", "freezer.state"),
    ),
)
def cgroup_files(passage: Passage) -> Take | None:
    """The groups whose files stand in the text; None where no file can be told."""
    groups: dict[str, dict[str, list[str]]] = {}
    lines: dict[str, dict[str, str]] = {}
    for path, name, value, line in islice(_values(passage), MAX_VALUES):
        groups.setdefault(path, {}).setdefault(name, []).append(value)
        lines.setdefault(path, {}).setdefault(name, line)
        key = f"{name} {value.split(None, 1)[0]}"
        if len(lines[path]) < 200:
            lines[path][key] = line
    facts = [fact for path, files in groups.items() if (fact := _fact(path, files, lines[path]))]
    return Take(software=list(facts)) if facts else None


def _values(passage: Passage) -> Iterator[tuple[str, str, str, str]]:
    """(group, file, one line of it, what to quote) of everything that can be told."""
    path, name = "", ""
    asked = [word for word in passage.command.split() if _FILE.match(word)]
    if len(asked) == 1:
        path, name = _split(asked[0])
    elif len(asked) > 1 and len([1 for line in passage.lines if line.strip()]) == len(asked):
        # `cat a b c` of one-line files: in order.
        told = [line.strip() for line in passage.lines if line.strip()]
        for word, value in zip(asked, told, strict=True):
            path, name = _split(word)
            yield path, name, value, f"{name}: {value}"
        return
    for line in passage.lines:
        bare = line.strip()
        header = _HEADER.match(bare)
        if header:
            path, name = _split(header[1]) if _FILE.match(header[1]) else ("", "")
        elif _FILE.match(bare):
            path, name = _split(bare)
        elif (both := _ON_LINE.match(bare)) and _FILE.match(both[1]):
            own_path, own_name = _split(both[1])
            if _VALUE.match(both[2].strip()):
                yield own_path, own_name, both[2].strip(), bare
        elif _VALUE.match(bare):
            file = name or _by_content(bare)
            if file:
                one_line = len(bare.split()) == 1 or file in {"cpu.max"}
                yield path, file, bare, f"{file}: {bare}" if one_line else bare


def _split(word: str) -> tuple[str, str]:
    folder, _, name = word.rpartition("/")
    folder = re.sub(
        r"^/sys/fs/cgroup(?:/(?:memory|cpu|cpu,cpuacct|cpuacct|unified|pids))?", "", folder
    )
    return folder, name


def _by_content(bare: str) -> str:
    word = bare.partition(" ")[0]
    if word in {"nr_periods", "nr_throttled", "throttled_usec", "throttled_time", "usage_usec",
                "user_usec", "system_usec"}:  # fmt: skip
        return "cpu.stat"
    if word in {"low", "high", "max", "oom", "oom_kill", "oom_group_kill"} and " " in bare:
        return "memory.events"
    if word in {"oom_kill_disable", "under_oom"}:
        return "memory.oom_control"
    return ""


def _fact(path: str, files: dict[str, list[str]], lines: dict[str, str]) -> CgroupFiles | None:
    def read(name: str) -> bytes:
        found = files.get(name, [])
        # A file of one line that was printed again and again counts by its last state.
        keyed = name != "cpu.max" and " " in (found or [""])[0]
        return "\n".join(found if keyed else found[-1:]).encode()

    older = any(name.endswith("_in_bytes") or name.startswith("cpu.cfs") for name in files)
    stat = flat(read("cpu.stat"))
    if older or "throttled_time" in stat or "memory.oom_control" in files:
        state = parse_v1(dict.fromkeys(("cpu", "cpuacct", "memory", "freezer"), read))
        limit, usage = "memory.limit_in_bytes", "memory.usage_in_bytes"
        peak = "memory.max_usage_in_bytes"
    else:
        state = parse_v2(read)
        limit, usage, peak = "memory.max", "memory.current", "memory.peak"
    values = state.values
    memory = flat(read("memory.stat"))
    said = _one(files, limit)
    fact = CgroupFiles(
        path=path,
        limit=state.memory_limit,
        unlimited=said == "max" or (whole(said) or 0) >= NO_LIMIT_BYTES,
        usage=values.get("cgroup_memory_usage_bytes"),
        peak=_number(files, peak),
        working=values.get("cgroup_memory_working_bytes"),
        file=memory.get("file", memory.get("total_cache")),
        oom_kills=values.get("cgroup_oom_kills_total"),
        limit_hits=values.get("cgroup_memory_failures_total"),
        swap_limit=_number(files, "memory.swap.max"),
        quota=state.cpu_quota,
        no_quota=_one(files, "cpu.max").startswith("max")
        or _one(files, "cpu.cfs_quota_us") == "-1",
        periods=values.get("cgroup_cpu_periods_total"),
        throttled=values.get("cgroup_cpu_throttled_periods_total"),
        throttled_seconds=values.get("cgroup_cpu_throttled_seconds_total"),
        pids=_number(files, "pids.current"),
        pids_limit=_number(files, "pids.max"),
        frozen=state.frozen or _one(files, "cgroup.freeze") == "1",
        lines=lines | {"limit": lines.get(limit, ""), "usage": lines.get(usage, "")},
    )
    return fact if _tells(fact) else None


def _tells(fact: CgroupFiles) -> bool:
    numbers = (
        fact.limit,
        fact.usage,
        fact.peak,
        fact.oom_kills,
        fact.periods,
        fact.quota,
        fact.pids,
    )
    return fact.unlimited or fact.no_quota or fact.frozen or any(n is not None for n in numbers)


def _one(files: dict[str, list[str]], name: str) -> str:
    """A file of one line; of one that was printed several times the last."""
    found = files.get(name, [])
    return found[-1] if found else ""


def _number(files: dict[str, list[str]], name: str) -> float | None:
    value = whole(_one(files, name))
    return None if value is None else float(value)
