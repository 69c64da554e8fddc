"""A look around without a diagnosis: who runs, who listens, who calls whom, what changed.

Cheap enough to be taken every quarter of an hour: no stacks, no window, nobody is asked anything.
Later, when an incident is told from a recording, this is the stage that it played on.
"""

from __future__ import annotations

from weaklink.incident.collecting import FIRST, Collector
from weaklink.incident.options import Options, quiet
from weaklink.locate.chain import discover
from weaklink.model.case import Case

ROUNDS = ("sockets", "cgroup")
"""Of what a diagnosis reads at each tick, these once: connections that are open, quotas."""
AFTERWARDS = ("changes",)


def look_around(options: Options) -> Case:
    """A Case of facts and events; its chain is known, nothing in it is judged."""
    return _Around(options, quiet).run()


class _Around(Collector):
    def run(self) -> Case:
        for name in FIRST:
            self._look([probe for probe in self.probes if probe.name == name], 0.0)
        self._look([p for p in self._of("first") if p.name not in FIRST], 0.0)
        self._look([p for p in self.probes if p.name in ROUNDS], 0.0)
        self.gathering.chain = discover(self._case())
        self._look([p for p in self.probes if p.name in AFTERWARDS], 0.0)
        return self.gathering.case(until=self.root.now())
