"""Where to look and when: who runs, the chain, then everything on it side by side, for a window.

Order: the machine and its processes; listeners, file systems and configurations; from these the
chain; then, for the length of the window, counters at every tick and the deep looks beside them;
last the logs, so that they include the window.
"""

from __future__ import annotations

import threading
import time

from weaklink.incident.gather import Gathering
from weaklink.incident.options import Options, Progress
from weaklink.locate.chain import discover
from weaklink.model.case import Case
from weaklink.model.message import say
from weaklink.reach.host import Reach
from weaklink.reach.registry import Phase, Probe, load_room, probes
from weaklink.reach.root import Root
from weaklink.reach.runner import Outcome, run_looks
from weaklink.words import texts

LAST_SECONDS = 1.5
"""Seconds that logs may take beyond the grace of each look: on a starved host they need it."""
TICK = 1.0
"""Seconds between readings of counters: as fine as the incident's own clock needs to be."""
GRACE = 2.0
"""Seconds that a look may take beyond its window (DESIGN section 9, 7)."""
FIRST = ("host", "process")
"""Looks that the others of the first phase build on, in this order."""

texts(
    {
        "progress.who": "who runs and listens here",
        "progress.chain": "chain of {links} links; looking for {seconds} s",
        "progress.logs": "reading logs",
        "progress.judge": "judging",
    }
)


class Collector:
    """One collection: `run()` gives the Case. See the module for the order of things."""

    def __init__(self, options: Options, progress: Progress) -> None:
        self.options = options
        self.progress = progress
        self.root = Root(options.root)
        self.probes = _all_probes()
        self.gathering = Gathering(started=self.root.now(), entry=options.entry)

    def run(self) -> Case:
        """Look, for as long as the window lasts."""
        self.progress(say("progress.who"))
        for name in FIRST:
            self._look([probe for probe in self.probes if probe.name == name], 0.0)
        self._look([p for p in self._of("first") if p.name not in FIRST], 0.0)
        self.gathering.chain = discover(self._case())
        self.progress(
            say(
                "progress.chain",
                links=sum(1 for link in self.gathering.chain.links if link.on_chain),
                seconds=round(self.options.window),
            )
        )
        self._window()
        self.progress(say("progress.logs"))
        self.gathering.chain = discover(self._case())
        self._look(self._of("last"), LAST_SECONDS)
        self.progress(say("progress.judge"))
        return self.gathering.case(until=self.root.now(), final=True)

    def _of(self, phase: Phase) -> list[Probe]:
        return [probe for probe in self.probes if probe.phase == phase]

    def _case(self) -> Case:
        return self.gathering.case(until=self.root.now())

    def _window(self) -> None:
        """Ticks of counters, with the deep looks beside them in their own threads."""
        window = self.options.window
        deep: list[Outcome] = []
        chosen = self._of("deep")
        case = self._case()
        side = threading.Thread(
            target=lambda: deep.extend(self._run(chosen, window, case)), daemon=True
        )
        side.start()
        ticking = self._of("tick")
        if self.root.frozen:
            for at in [0.0, *self.root.frames]:
                self.root.advance(at)
                self._look(ticking, 0.0)
        else:
            self._tick_live(ticking, window)
        side.join(window + GRACE + 1.0)
        for outcome in deep:
            self.gathering.add(outcome.take, [outcome.look])

    def _tick_live(self, ticking: list[Probe], window: float) -> None:
        started = time.monotonic()
        count = 0
        while True:
            self._look(ticking, 0.0)
            count += 1
            ahead = started + count * TICK
            if ahead > started + window + TICK / 2:
                return
            time.sleep(max(0.0, ahead - time.monotonic()))

    def _look(self, chosen: list[Probe], window: float) -> None:
        for outcome in self._run(chosen, window, self._case()):
            self.gathering.add(outcome.take, [outcome.look])

    def _run(self, chosen: list[Probe], window: float, case: Case) -> list[Outcome]:
        if not chosen:
            return []
        now = time.monotonic()

        def hands(probe: Probe) -> Reach:
            return Reach(
                root=self.root,
                window=window,
                until=now + window,
                deadline=now + window + GRACE,
                entry=self.options.entry,
                prometheus=self.options.prometheus,
                privileged=case.host.privileged,
            )

        return run_looks(chosen, hands, case)


def _all_probes() -> list[Probe]:
    from weaklink import probes as here
    from weaklink import sources as elsewhere

    load_room(here)
    load_room(elsewhere)
    return probes()
