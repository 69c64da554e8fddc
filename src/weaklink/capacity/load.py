"""Load that does not wait for the service: each request starts when its user would start it.

A closed loop asks again only after an answer, so a service that freezes is asked less just when
it is slow, and its worst moments are not in the figures (coordinated omission). Here the moments
are fixed beforehand, every latency counts from the moment the request was MEANT to start, and
the generator reports how late it was itself.
"""

import asyncio
import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from weaklink.capacity import results
from weaklink.capacity.results import Columns, Sample
from weaklink.capacity.schedule import Arrivals, Stage, intended_starts
from weaklink.capacity.wire import Connection, StaleConnectionError, ask, connect


@dataclass(frozen=True, slots=True)
class Ask:
    """One request to send: `route` is the name under which it is counted."""

    path: str
    route: str
    method: str = "GET"
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()

    def head(self, host: str, port: int) -> bytes:
        """Give the request's first bytes."""
        lines = [f"{self.method} {self.path} HTTP/1.1", f"Host: {host}:{port}"]
        lines += [f"{name}: {value}" for name, value in self.headers]
        if self.body or self.method in ("POST", "PUT", "PATCH"):
            lines.append(f"Content-Length: {len(self.body)}")
        return ("\r\n".join(lines) + "\r\n\r\n").encode()


@dataclass(frozen=True, slots=True)
class Plan:
    """A test: where, how often, and what the n-th request is."""

    host: str
    port: int
    stages: tuple[Stage, ...]
    nth: Callable[[int], Ask]
    arrivals: Arrivals = "poisson"
    seed: int = 0
    timeout: float = 30.0
    """How long a user waits, from the intended start, before giving up (seconds)."""
    max_connections: int = 2000
    """A user beyond this many waits for a free connection; the wait is in the latency."""


@dataclass(slots=True)
class _Running:
    plan: Plan
    epoch: float
    zero: float
    tell: Callable[[Sample], None]
    room: asyncio.Semaphore
    idle: list[Connection] = field(default_factory=list)
    tasks: set[asyncio.Task[None]] = field(default_factory=set)


async def run(
    plan: Plan,
    *,
    tell: Callable[[Sample], None] | None = None,
    stop: asyncio.Event | None = None,
    grace: float | None = None,
) -> Columns:
    """Run the plan and give its columns; `tell` gets each sample as it ends.

    When `stop` is set no more requests are started. What still waits then is given `grace`
    seconds (None: until its own timeout) and is counted as abandoned after that.
    """
    columns = Columns()

    def note(sample: Sample) -> None:
        columns.add(sample)
        if tell is not None:
            tell(sample)

    # One pair of clocks, read together once: a step of the wall clock must not bend latencies.
    running = _Running(
        plan, time.time(), time.monotonic(), note, asyncio.Semaphore(plan.max_connections)
    )
    for number, at in enumerate(intended_starts(plan.stages, plan.arrivals, plan.seed)):
        if await _stopped(stop, running.zero + at - time.monotonic()):
            break
        task = asyncio.create_task(_one(running, at, plan.nth(number)))
        running.tasks.add(task)
        task.add_done_callback(running.tasks.discard)
    if running.tasks:
        _, late = await asyncio.wait(running.tasks, timeout=grace)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)
    for connection in running.idle:
        connection.close()
    return columns


async def _stopped(stop: asyncio.Event | None, seconds: float) -> bool:
    if stop is None or seconds <= 0:
        # Late already: yield to the answers that are due, but do not sleep.
        await asyncio.sleep(max(0.0, seconds))
        return stop is not None and stop.is_set()
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(stop.wait(), seconds)
    return stop.is_set()


async def _one(running: _Running, at: float, what: Ask) -> None:
    due = running.zero + at
    sent, status, size, outcome = due, 0, 0, results.ABANDONED
    try:
        sent = time.monotonic()
        async with asyncio.timeout(due + running.plan.timeout - sent), running.room:
            status, size = await _exchange(running, what)
            outcome = results.ANSWERED
    except TimeoutError:
        outcome = results.TIMED_OUT
    except ConnectionRefusedError:
        outcome = results.REFUSED
    except (OSError, ValueError):
        outcome = results.BROKEN
    finally:
        running.tell(
            Sample(
                intended=running.epoch + at,
                lag=max(0.0, sent - due),
                latency=time.monotonic() - due,
                status=status,
                outcome=outcome,
                route=what.route,
                bytes=size,
            )
        )


async def _exchange(running: _Running, what: Ask) -> tuple[int, int]:
    plan = running.plan
    head = what.head(plan.host, plan.port)
    while True:
        kept = running.idle.pop() if running.idle else None
        connection = kept or await connect(plan.host, plan.port)
        try:
            answer = await ask(connection, head, what.body)
        except StaleConnectionError:
            connection.close()
            continue
        except BaseException:
            connection.close()
            raise
        if answer.keep:
            running.idle.append(connection)
        else:
            connection.close()
        return answer.status, answer.bytes
