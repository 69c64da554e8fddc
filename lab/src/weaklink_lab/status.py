"""What the service and its users look like now, in a few lines."""

import time

from weaklink.capacity.results import Columns, summary
from weaklink_lab import chain, client
from weaklink_lab.kernel import spawn
from weaklink_lab.state import State

WINDOW = 20.0


def felt(columns: Columns) -> str:
    """Say in one line what users felt."""
    if not len(columns):
        return "nobody asked"
    sums = summary(columns)
    return (
        f"{sums.requests} requests, {sums.rate:.1f}/s, P50 {sums.p50 * 1000:.0f} ms, "
        f"P90 {sums.p90 * 1000:.0f} ms, P99 {sums.p99 * 1000:.0f} ms, "
        f"errors {sums.error_share:.1%}{'' if sums.honest else ', GENERATOR LATE'}"
    )


def text(state: State) -> str:
    """Give the members with their processes, the load, the fault, and the last seconds."""
    spec, now = state.spec, time.time()
    lines = [
        f"seed {spec.seed}, balancing by {spec.balancing}, {spec.passive}, "
        f"timeouts {spec.front_timeout}/{spec.balancer_timeout} s, log {spec.log_style}"
    ]
    for member in spec.members:
        pids = [str(pid) for pid in chain.main_pids(state, member) if spawn.alive(pid)]
        lines.append(
            f"{member.role:9} {member.name:14} {member.address:21} {' '.join(pids) or '-'}"
        )
    lines.append(f"fault     {state.broken.fault if state.broken else 'none'}")
    recent = client.read(client.file()).between(now - WINDOW, now)
    # Those who still wait are not in it yet: under a bad fault this reads better than it is.
    lines.append(f"users     {felt(recent)} (answered, of the last {WINDOW:.0f} s)")
    return "\n".join(lines)
