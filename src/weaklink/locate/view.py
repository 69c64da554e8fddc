"""A Case seen for judging: indexes over its facts and series, and the questions looks ask.

Nothing here reads anything: what is not in the Case is None, which is never a zero.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cached_property

from weaklink.locate.hops import Book
from weaklink.model.case import Case
from weaklink.model.chain import Chain, Link
from weaklink.model.diagnosis import Pain
from weaklink.model.fact import Cgroup, Connection, Process, Stack, Thread
from weaklink.model.requests import Requests
from weaklink.model.series import Series
from weaklink.model.target import target_key
from weaklink.stats.quantiles import median
from weaklink.stats.windows import increase, rate

BEFORE_ONSET = 5.0
"""Seconds before the onset that are left out of what was before: an onset is known to seconds."""


class View:
    """See the module. Built once a judgement, shared by all looks."""

    def __init__(self, case: Case) -> None:
        self.case = case

    @property
    def chain(self) -> Chain:
        """The chain as discovered."""
        return self.case.chain

    @property
    def pain(self) -> Pain | None:
        """What observe concluded about the users."""
        return self.case.pain

    @property
    def onset(self) -> float | None:
        """When users' pain began, epoch seconds; None without pain or where unknown."""
        return self.pain.onset.at if self.pain and self.pain.onset else None

    @cached_property
    def host_key(self) -> str:
        """Target key of the machine as a whole."""
        return target_key("host", "-", host=self.case.host.name)

    @cached_property
    def _series(self) -> dict[tuple[str, str], Series]:
        return {(row.quantity, row.target): row for row in self.case.series}

    def series(self, quantity: str, target: str) -> Series | None:
        """All readings of one quantity of one target."""
        return self._series.get((quantity, target))

    def targets_of(self, quantity: str) -> list[str]:
        """Targets that have readings of a quantity."""
        return sorted(target for name, target in self._series if name == quantity)

    def last(self, quantity: str, target: str) -> float | None:
        """The newest value."""
        row = self.series(quantity, target)
        return row.values[-1] if row and row.values else None

    def peak(self, quantity: str, target: str) -> float | None:
        """The largest value."""
        row = self.series(quantity, target)
        return max(row.values) if row and row.values else None

    def rate(self, quantity: str, target: str) -> float | None:
        """Increase of a counter per second over the window; None with fewer than two readings."""
        row = self.series(quantity, target)
        return rate(row.times, row.values) if row else None

    def grown(self, quantity: str, target: str) -> float | None:
        """Increase of a counter over the window."""
        row = self.series(quantity, target)
        return increase(row.values) if row else None

    def span(self, quantity: str, target: str) -> float:
        """Seconds between the first and the last reading."""
        row = self.series(quantity, target)
        return row.times[-1] - row.times[0] if row and row.times else 0.0

    @cached_property
    def _past(self) -> dict[tuple[str, str], Series]:
        return {(row.quantity, row.target): row for row in self.case.past}

    def remembered(self, quantity: str, target: str) -> Series | None:
        """All of its readings before the window that our own recording has."""
        return self._past.get((quantity, target))

    def past(self, quantity: str, target: str) -> Series | None:
        """Its readings before the window and before the onset, from our own recording."""
        row = self._past.get((quantity, target))
        if row is None:
            return None
        end = bisect_left(row.times, (self.onset or self.case.window[0]) - BEFORE_ONSET)
        if end < 2:
            return None
        return Series(
            quantity=quantity, target=target, times=row.times[:end], values=row.values[:end]
        )

    def rate_before(self, quantity: str, target: str) -> float | None:
        """Increase of a counter per second before the onset; None without a recording."""
        row = self.past(quantity, target)
        return rate(row.times, row.values) if row else None

    def level_before(self, quantity: str, target: str) -> float | None:
        """The median of a gauge before the onset; None without a recording."""
        row = self.past(quantity, target)
        return median(row.values) if row else None

    def past_minutes(self, quantity: str, target: str) -> float:
        """How many minutes that past is long."""
        row = self.past(quantity, target)
        return round((row.times[-1] - row.times[0]) / 60, 1) if row else 0.0

    def rates(self, quantity: str, targets: Iterable[str]) -> float | None:
        """The sum of rates; None where not one of them has a rate."""
        found = [
            value for value in (self.rate(quantity, key) for key in targets) if value is not None
        ]
        return sum(found) if found else None

    @cached_property
    def processes(self) -> dict[int, Process]:
        """The newest Process fact by pid."""
        return {process.pid: process for process in self.case.processes}

    @cached_property
    def by_key(self) -> dict[str, Process]:
        """The newest Process fact by key."""
        return {process.key: process for process in self.case.processes}

    @cached_property
    def link_of_pid(self) -> dict[int, Link]:
        """Which link a process belongs to."""
        return {pid: link for link in self.chain.links for pid in link.pids}

    @cached_property
    def link_of_address(self) -> dict[str, Link]:
        """Which link listens at `ip:port`."""
        return {address: link for link in self.chain.links for address in link.listen}

    def on_chain(self) -> list[Link]:
        """Links that users' requests reach, entry first."""
        return [link for link in self.chain.links if link.on_chain]

    @cached_property
    def book(self) -> Book:
        """Which link serves an address, from where."""
        return Book(self.case, self.chain.links)

    def members(self, link: Link) -> list[Process]:
        """Processes of a link that are still known."""
        return [self.processes[pid] for pid in link.pids if pid in self.processes]

    @cached_property
    def _threads(self) -> dict[str, list[Thread]]:
        rows: dict[str, list[Thread]] = defaultdict(list)
        for thread in self.case.threads:
            rows[thread.process].append(thread)
        return rows

    def threads_of(self, process: str) -> list[Thread]:
        """All readings of a process's threads, oldest first."""
        return self._threads.get(process, [])

    def thread_cpu(self, link: Link) -> dict[str, float]:
        """CPU seconds per second by thread name, of all processes of a link."""
        used: dict[str, float] = defaultdict(float)
        for key in link.processes:
            by_tid: dict[int, list[Thread]] = defaultdict(list)
            for thread in self._threads.get(key, []):
                by_tid[thread.tid].append(thread)
            for rows in by_tid.values():
                span = rows[-1].at - rows[0].at
                if span > 0:
                    used[rows[-1].name] += (rows[-1].cpu_seconds - rows[0].cpu_seconds) / span
        return dict(used)

    @cached_property
    def _stacks(self) -> dict[str, list[Stack]]:
        rows: dict[str, list[Stack]] = defaultdict(list)
        for stack in self.case.stacks:
            rows[stack.process].append(stack)
        return rows

    def stacks(self, link: Link) -> list[Stack]:
        """All stack dumps of a link's processes."""
        return [stack for key in link.processes for stack in self._stacks.get(key, [])]

    def libraries(self, link: Link) -> dict[str, int]:
        """Samples of a link's processes by library, kernel time under `[kernel]`."""
        found: dict[str, int] = defaultdict(int)
        for row in self.case.cpu_samples:
            if row.process in link.processes:
                found["[kernel]"] += row.kernel
                for name, count in row.libraries.items():
                    found[name] += count
        return dict(found)

    def cgroups(self, link: Link) -> list[Cgroup]:
        """Control groups that hold a process of the link, its own ones first."""
        pids = set(link.pids)
        held = [group for group in self.case.cgroups if pids & set(group.pids)]
        return sorted(held, key=lambda group: -len(group.path))

    @cached_property
    def _connections(self) -> dict[int, list[Connection]]:
        rows: dict[int, list[Connection]] = defaultdict(list)
        for connection in self.case.connections:
            rows[connection.pid].append(connection)
        return rows

    def connections(self, link: Link) -> Iterator[Connection]:
        """Connections that a process of the link holds, of every tick."""
        for pid in link.pids:
            yield from self._connections.get(pid, [])

    @cached_property
    def ticks(self) -> list[float]:
        """Moments at which connections were read."""
        return sorted({connection.at for connection in self.case.connections if connection.at})

    def logs_of(self, link: Link) -> list[Requests]:
        """Requests that a link's own access log wrote."""
        return [rows for rows in self.case.requests if rows.link == link.key]

    def cpu(self, link: Link) -> float | None:
        """CPUs that a link's processes used, in CPUs."""
        return self.rates("process_cpu_seconds_total", link.processes)
