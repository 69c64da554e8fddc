"""What redis-cli prints beside INFO: slow log, latency, big and hot keys, clients, --stat."""

from __future__ import annotations

import re

import msgspec

from weaklink.model.fact import SlowCommand
from weaklink.model.fact_text_cache import (
    CacheClients,
    CacheCount,
    CacheKeyRow,
    CacheLatency,
    CacheProbe,
    CacheStat,
)
from weaklink.model.take import Take
from weaklink.parse.figures import as_bytes, decimal, whole
from weaklink.parse.quote import quoted
from weaklink.parse.redact import redact_key
from weaklink.parse.redis_reply import read_reply
from weaklink.parse.redis_slowlog import read_slowlog
from weaklink.parse.resp import Reply
from weaklink.parse.text_tool import Passage, tool

MAX_KEYS = 50
MAX_CLIENTS = 50_000
_NESTED = re.compile(r"\s{0,24}\d{1,7}\) ")
_COUNT = re.compile(r"\(integer\) (\d{1,18})$")
_BIG = re.compile(
    r"Biggest\s{1,4}(\S{2,12}) found (?:so far )?['\"]{1,2}(.{1,512}?)['\"]{1,2} (?:has|with) "
    r"(\d{1,18}) (\w{2,12})"
)
_HOT = re.compile(r"hot key found with counter: (\d{1,5})\s{1,8}keyname: (.{1,512})$")
_SPIKE = re.compile(
    r"\d{1,3}\. ([\w-]{2,60}): (\d{1,9}) latency spikes? \(average (\d{1,12})ms, mean deviation "
    r"(\d{1,12})ms, period (\d{1,9}\.?\d{0,4}) sec\)\. Worst all time event (\d{1,12})ms"
)
_DOCTOR = re.compile(
    r"latency spikes? (?:in|was observed)|I can't do that|Latency monitoring is dis"
)
_CLIENT = re.compile(r"(?:id=\d{1,20} )?addr=\S{1,80} ")
_PAIR = re.compile(r"([a-z-]{2,16})=(\S{0,300})")
_STAT = re.compile(
    r"(\d{1,12})\s{1,20}(\d{1,9}\.?\d{0,2}[BKMGT])\s{1,20}(\d{1,9})\s{1,20}(\d{1,9})\s{1,20}"
    r"(\d{1,18}) \(\+(\d{1,15})\)\s{1,20}(\d{1,15})"
)
_PING = re.compile(
    r"min: (\d{1,9}\.?\d{0,3}), max: (\d{1,9}\.?\d{0,3}), avg: (\d{1,9}\.?\d{0,3}) "
    r"\((\d{1,12}) samples"
)
_INTRINSIC = re.compile(r"Max latency so far: (\d{1,12}) microseconds")


@tool(
    "redis-slowlog",
    heads=("1) 1) (integer)", "1) 1) \"", "1) "),
    starts=lambda line: line.lstrip().startswith(("1) 1) (integer)", '1) 1) "')),
    goes_on=lambda line: not line.strip() or _NESTED.match(line) is not None,
    commands=("slowlog", "SLOWLOG", "latency", "LATENCY"),
)  # fmt: skip
def redis_lists(passage: Passage) -> Take | None:
    """SLOWLOG GET and LATENCY LATEST, told apart by what the rows hold."""
    reply = read_reply(passage.lines)
    slow = read_slowlog(reply, "cache:text/-/redis")
    if slow:
        return Take(slow_commands=[_with_line(row, passage.lines) for row in slow])
    rows = [row for row in reply if isinstance(row, list)]
    latest = [fact for row in rows if (fact := _latest(row))]
    return Take(software=list(latest)) if latest else None


def _with_line(row: SlowCommand, lines: list[str]) -> SlowCommand:
    """The first line that names its command, for quoting."""
    name = f'"{row.command.split(" ", 1)[0]}"'
    line = next((line for line in lines[:2000] if name in line), "")
    return msgspec.structs.replace(row, line=quoted(line))


def _latest(row: list[Reply]) -> CacheLatency | None:
    """`event, unix time, latest ms, worst ms`."""
    if len(row) < 4 or not isinstance(row[0], str):
        return None
    event, at, latest, worst = row[:4]
    if not (isinstance(event, str) and isinstance(at, int) and at > 10**8):
        return None
    if not (isinstance(latest, int) and isinstance(worst, int)):
        return None
    return CacheLatency(
        event=event[:60],
        latest=latest / 1000,
        worst=worst / 1000,
        line=f"{event[:60]} {at} {latest} {worst}",
    )


@tool("redis-count", commands=("slowlog", "SLOWLOG", "dbsize", "DBSIZE", "llen", "LLEN",
                               "xlen", "XLEN", "pubsub"))  # fmt: skip
def redis_count(passage: Passage) -> Take | None:
    """One integer, for commands of which it says something."""
    told = [line.strip() for line in passage.lines if line.strip()]
    found = _COUNT.match(told[0]) if len(told) == 1 else None
    if found is None:
        return None
    words = [word for word in passage.command.split() if word.isalpha()][-2:]
    name = " ".join(word.upper() for word in words)
    return Take(software=[CacheCount(command=name[:40], value=float(found[1]), line=told[0])])


@tool(
    "redis-latency-doctor",
    needles=("latency spikes in this", "no latency spike was observed", "I can't do that",
             "latency spikes (average"),
    starts=lambda line: _DOCTOR.search(line[:300]) is not None or "spikes (average" in line,
    commands=("doctor", "DOCTOR"),
)  # fmt: skip
def latency_doctor(passage: Passage) -> Take | None:
    """Each kind of spike, of however many lines its sentence is made."""
    text = " ".join(" ".join(passage.lines[:400]).split())
    found = [
        CacheLatency(
            event=event,
            spikes=int(spikes),
            average=int(average) / 1000,
            deviation=int(deviation) / 1000,
            period=float(period),
            worst=int(worst) / 1000,
            line=f"{event}: {spikes} latency spikes (average {average}ms, mean deviation "
            f"{deviation}ms, period {period} sec). Worst all time event {worst}ms.",
        )
        for event, spikes, average, deviation, period, worst in _SPIKE.findall(text[:40_000])
    ]
    if not found and "no latency spike was observed" in text:
        line = quoted(passage.lines[0])
        return Take(software=[CacheLatency(event="", spikes=0, line=line)])
    return Take(software=list(found)) if found else None


@tool(
    "redis-keys",
    heads=("# Scanning the entire keyspace", "Biggest ", "hot key found", "[", "-------- summary",
           "Sampled "),
    starts=lambda line: (
        "Biggest " in line or "hot key found" in line or "Scanning the entire keyspace" in line
        or line.startswith("-------- summary") or "keys in the keyspace!" in line
    ),
    goes_on=lambda line: True,
    commands=("--bigkeys", "--hotkeys", "--memkeys"),
)  # fmt: skip
def redis_keys(passage: Passage) -> Take | None:
    """Keys that --bigkeys, --memkeys and --hotkeys name, the summary's word last."""
    rows: dict[tuple[str, str], CacheKeyRow] = {}
    for line in passage.lines:
        if found := _BIG.search(line[:1000]):
            sort, name, size, unit = found.groups()
            row = CacheKeyRow(
                about="big",
                key=redact_key(name.strip("'\"")),
                sort=sort,
                size=float(size),
                unit=unit,
                line=quoted(line),
            )
            # A later find of the same type is larger; the summary repeats it.
            rows["big", sort] = row
        elif found := _HOT.search(line[:1000]):
            name = found[2].strip().strip('"')
            rows.setdefault(
                ("hot", name),
                CacheKeyRow(
                    about="hot",
                    key=redact_key(name),
                    size=float(found[1]),
                    unit="counter",
                    line=quoted(line),
                ),
            )
    return Take(software=[*list(rows.values())[:MAX_KEYS]]) if rows else None


def _is_client(line: str) -> bool:
    return _CLIENT.match(line.strip()) is not None


@tool("redis-clients", heads=("id=", "addr="), starts=_is_client, goes_on=_is_client,
      commands=("CLIENT", "client"))  # fmt: skip
def redis_clients(passage: Passage) -> Take | None:
    """CLIENT LIST, summed up."""
    rows = [
        dict(_PAIR.findall(line[:2000])) for line in passage.lines[:MAX_CLIENTS] if _is_client(line)
    ]
    rows = [row for row in rows if "age" in row and "idle" in row]
    if not rows:
        return None
    hosts: dict[str, int] = {}
    unused: list[int] = []
    plain = 0
    for at, row in enumerate(rows):
        host = row.get("addr", "").rpartition(":")[0]
        hosts[host] = hosts.get(host, 0) + 1
        flags = row.get("flags", "N")
        subscriber = row.get("sub", "0") != "0" or row.get("psub", "0") != "0"
        if flags.strip("Nr") == "" and not subscriber:
            plain += 1
            age, idle = whole(row["age"]), whole(row["idle"])
            if age is not None and idle is not None and age >= 60 and idle >= age - 1:
                unused.append(at)
    busiest = max(hosts, key=lambda host: (hosts[host], host))
    idles = [whole(row["idle"]) or 0 for row in rows]
    outputs = [whole(row.get("omem", "0")) or 0 for row in rows]
    quote = unused[0] if unused else outputs.index(max(outputs))
    fact = CacheClients(
        clients=len(rows),
        blocked=sum("b" in row.get("flags", "") for row in rows),
        subscribers=len(rows) - plain,
        never_used=len(unused),
        idle_hour=sum(idle >= 3600 for idle in idles),
        oldest_idle=float(max(idles)),
        busiest=busiest[:64],
        busiest_count=hosts[busiest],
        largest_output=float(max(outputs)),
        line=quoted([line for line in passage.lines if _is_client(line)][quote]),
    )
    return Take(software=[fact])


@tool("redis-stat", heads=("------- data ------", "keys       mem"),
      goes_on=lambda line: _STAT.match(line.strip()) is not None
      or line.startswith(("keys ", "------- data")),
      commands=("--stat",))  # fmt: skip
def redis_stat(passage: Passage) -> Take | None:
    """--stat: the last line, and what came in between its lines (one a second)."""
    rows = [found for line in passage.lines if (found := _STAT.match(line.strip()))]
    if not rows:
        return None
    last = rows[-1]
    steps = [int(row[6]) for row in rows[1:]]
    new = int(last[7]) - int(rows[0][7])
    return Take(
        software=[
            CacheStat(
                keys=float(last[1]),
                memory=as_bytes(last[2]) or 0.0,
                clients=int(last[3]),
                blocked=int(last[4]),
                requests=sum(steps) / len(steps) if steps else None,
                connections=new / len(steps) if steps and new >= 0 else None,
                line=last[0].strip(),
            )
        ]
    )


@tool("redis-latency", needles=(" samples)", "Max latency so far"),
      starts=lambda line: _PING.search(line[:300]) is not None or "Max latency so far" in line,
      commands=("--latency", "--intrinsic-latency"))  # fmt: skip
def redis_latency(passage: Passage) -> Take | None:
    """--latency (milliseconds) and --intrinsic-latency (microseconds, of the machine itself)."""
    found: list[CacheProbe] = []
    for line in passage.lines:
        if ping := _PING.search(line[:300]):
            found = [
                CacheProbe(
                    kind="round-trip",
                    maximum=(decimal(ping[2]) or 0.0) / 1000,
                    average=(decimal(ping[3]) or 0.0) / 1000,
                    samples=int(ping[4]),
                    line=line.strip()[:200],
                )
            ]
        elif alone := _INTRINSIC.search(line[:200]):
            found = [
                CacheProbe(kind="intrinsic", maximum=int(alone[1]) / 1e6, line=line.strip()[:200])
            ]
    return Take(software=list(found)) if found else None
