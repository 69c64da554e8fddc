"""What the Python processes of the chain are doing: a few stacks of each, spread over the window.

Always `--nonblocking`: the process is read while it runs, so that looking never stops it, and one
that is stopped or frozen can be read as well. Never locals (they are secrets), never `--native`.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import zip_longest

from weaklink.model.case import Case
from weaklink.model.fact import Process, Stack
from weaklink.model.look import Look, Outcome
from weaklink.model.message import Message, say
from weaklink.model.take import Take
from weaklink.parse.py_spy import DumpError, failure, read_dump
from weaklink.reach.exec import find_tool, run
from weaklink.reach.host import NotAllowed, NotHere, Reach, TooLate
from weaklink.reach.registry import probe
from weaklink.words import texts

texts(
    {
        "stacks.none": "no Python process on the chain",
        "stacks.denied": "Python stacks of {name} (pid {pid}): not allowed",
        "stacks.gone": "Python stacks of {name} (pid {pid}): it ended",
        "stacks.late": "Python stacks of {name} (pid {pid}): no answer in time",
        "stacks.torn": "Python stacks of {name} (pid {pid}): could not be read",
        "stacks.not-python": "Python stacks of {name} (pid {pid}): its Python is not known",
        "stacks.more": "Python stacks of {count} more processes: only {limit} were looked at",
    }
)

ROLES = ("app", "inference", "unknown", "job")
MAX_PROCESSES = 8
MAX_DUMPS = 24
"""In all; a dump costs about 25 ms of CPU, so this is 0.6 s at most."""
DUMPS = (3, 6)
"""Least and most dumps a process."""
DUMP_SECONDS = 2.0
RETRIES = 2
MAX_OUTPUT = 8 << 20
REMEDY = "run as root, or: sudo setcap cap_sys_ptrace+ep $(command -v py-spy)"


@probe(
    "python-stacks",
    subject="stacks",
    phase="deep",
    about="stacks of the Python processes on the chain (py-spy, without stopping them)",
    touches="reads the memory of up to 8 Python processes, 3 to 6 times each",
    frozen=False,
)
def python_stacks(reach: Reach, case: Case) -> Take:
    """Stack facts. Raises NotHere where no Python process is on the chain or py-spy is missing."""
    wanted = choose(case)
    if not wanted:
        raise NotHere(say("stacks.none"))
    tool = find_tool("py-spy")
    looks: list[Look] = []
    if len(wanted) > MAX_PROCESSES:
        count = len(wanted) - MAX_PROCESSES
        reason = say("stacks.more", count=count, limit=MAX_PROCESSES)
        looks.append(_look(reach, "", "absent", reason))
    chosen = wanted[:MAX_PROCESSES]
    stacks: list[Stack] = []
    problems: dict[str, Look] = {}
    seen: set[str] = set()
    for moment in _moments(reach, len(chosen)):
        reach.pause(max(0.0, moment - time.monotonic()))
        for one in chosen:
            before = problems.get(one.key)
            if (before is not None and before.outcome != "failed") or reach.left() < 0.2:
                continue  # what is denied, gone or hung stays so; a torn stack is tried again
            stack, problem = _dump(reach, tool, one)
            if stack is not None:
                stacks.append(stack)
                seen.add(one.key)
            elif problem is not None:
                problems[one.key] = problem
    told = [look for key, look in problems.items() if key not in seen]
    return Take(stacks=stacks, looks=looks + told)


def choose(case: Case) -> list[Process]:
    """Python processes of the chain, the busiest first, no link left out for another's sake."""
    by_pid = {process.pid: process for process in case.processes}
    children: dict[int, list[int]] = defaultdict(list)
    for process in case.processes:
        children[process.ppid].append(process.pid)
    busy = _busy(case)
    groups: list[list[Process]] = []
    taken: set[int] = set()
    for link in case.chain.links:
        if not link.on_chain or link.role not in ROLES:
            continue
        pids = [pid for pid in _with_children(link.pids, children) if pid not in taken]
        taken.update(pids)
        found = [by_pid[pid] for pid in pids if pid in by_pid and _is_python(by_pid[pid])]
        groups.append(sorted(found, key=lambda p: (-busy(p), p.pid)))
    groups.sort(key=lambda group: -busy(group[0]) if group else 0.0)
    return [process for row in zip_longest(*groups) for process in row if process is not None]


def _with_children(pids: list[int], children: dict[int, list[int]]) -> list[int]:
    """These and what they started: pools work in children that own no listener."""
    found = list(dict.fromkeys(pids))
    for pid in found:
        if len(found) < 200:
            found += [child for child in children.get(pid, []) if child not in found]
    return found


def _is_python(process: Process) -> bool:
    base = process.exe.rpartition("/")[2]
    return process.python or base.startswith("python") or "python" in process.libraries


def _busy(case: Case) -> Callable[[Process], float]:
    """CPUs in use plus connections that wait in front of it."""
    cpu: dict[str, float] = {}
    for row in case.series:
        if row.quantity == "process_cpu_seconds_total" and len(row.times) > 1:
            span = row.times[-1] - row.times[0]
            cpu[row.target] = (row.values[-1] - row.values[0]) / span if span > 0 else 0.0
    waiting: dict[int, int] = {}
    for listener in case.listeners:
        for pid in listener.pids:
            waiting[pid] = max(waiting.get(pid, 0), listener.waiting)

    def busy(process: Process) -> float:
        return cpu.get(process.key, 0.0) + waiting.get(process.pid, 0)

    return busy


def _moments(reach: Reach, count: int) -> Iterator[float]:
    """Monotonic moments of the rounds, evenly over the window."""
    rounds = max(DUMPS[0], min(DUMPS[1], MAX_DUMPS // max(1, count)))
    begin = time.monotonic()
    end = max(begin, reach.until - 0.05 * count - 0.1)
    for number in range(rounds):
        yield begin + (end - begin) * number / max(1, rounds - 1)


def _dump(reach: Reach, tool: str, process: Process) -> tuple[Stack | None, Look | None]:
    """One stack, or why not: a torn one is tried again, everything else is not."""
    argv = [tool, "dump", "--json", "--nonblocking", "--pid", str(process.pid)]
    word = "stacks.torn"
    outcome: Outcome = "failed"
    for _ in range(1 + RETRIES):
        at = reach.now()
        deadline = min(time.monotonic() + DUMP_SECONDS, reach.deadline - 0.1)
        try:
            ran = run(argv, deadline, MAX_OUTPUT)
        except TooLate:
            word, outcome = "stacks.late", "timeout"
            break
        except NotAllowed as error:
            return None, _look(reach, process.key, "denied", error.reason, error.remedy)
        if ran.returncode == 0:
            try:
                return read_dump(ran.stdout, process.key, at), None
            except DumpError:
                continue
        why = failure(ran.stderr)
        if why == "denied":
            word, outcome = "stacks.denied", "denied"
            break
        if why in ("gone", "not-python"):
            word, outcome = f"stacks.{why}", "absent"
            break
    reason = say(word, name=process.name, pid=process.pid)
    remedy = REMEDY if outcome == "denied" else ""
    return None, _look(reach, process.key, outcome, reason, remedy)


def _look(reach: Reach, target: str, outcome: Outcome, reason: Message, remedy: str = "") -> Look:
    return Look(
        name="python-stacks",
        target=target,
        outcome=outcome,
        at=reach.now(),
        reason=reason,
        remedy=remedy,
    )
