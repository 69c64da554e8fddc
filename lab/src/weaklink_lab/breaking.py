"""Put a fault into the service that is up, and take it out, with the state written first."""

import random
import time

from weaklink_lab import faults
from weaklink_lab import state as states
from weaklink_lab.draw import Wants, draw
from weaklink_lab.faults import Fault, Ground
from weaklink_lab.parts_of import roles
from weaklink_lab.spec import Spec
from weaklink_lab.state import Broken, State
from weaklink_lab.truth import Truth


def wants_of(fault: Fault, seed: int) -> Wants:
    """Give what a fault needs of the service, the same for the same seed."""
    return fault.wants(random.Random(f"wants-{fault.id}-{seed}"))


def misfit(spec: Spec, wants: Wants) -> str:
    """Say why the service does not suit a fault; nothing where it does."""
    trouble = []
    if wants.members is not None and len(spec.of("worker")) != wants.members:
        trouble.append(f"{wants.members} worker(s), not {len(spec.of('worker'))}")
    if wants.balancing is not None and spec.balancing != wants.balancing:
        trouble.append(f"balancing by {wants.balancing}, not by {spec.balancing}")
    if wants.passive is not None and spec.passive != wants.passive:
        trouble.append(f"{wants.passive}, not {spec.passive}")
    if wants.hot_share is not None and spec.traffic.hot_share != wants.hot_share:
        trouble.append(f"a share of {wants.hot_share} for one video")
    if wants.slots is not None and spec.rendering.slots != wants.slots:
        trouble.append(f"{wants.slots} decoding slot(s) a worker")
    if spec.rendering.accelerator_seconds != wants.accelerator_seconds:
        trouble.append(f"{wants.accelerator_seconds} s of an accelerator a miss")
    missing = [role for role in roles(wants.parts) if not spec.has(role)]
    if missing:
        trouble.append(f"the parts {', '.join(wants.parts)}")
    if "disk" in wants.parts and not spec.store_volume:
        trouble.append("a volume for the store (`--with disk`)")
    rate = draw(spec.seed).traffic.rate * wants.rate_factor
    if abs(spec.traffic.rate - rate) > 0.01:
        trouble.append(f"{rate:.0f} requests/s, not {spec.traffic.rate:.0f}")
    return "; ".join(trouble)


def enter(state: State, fault: Fault, seed: int) -> Truth:
    """Put a fault in; raises where one is in already."""
    if state.broken is not None:
        raise FileExistsError(f"{state.broken.fault} is in already: `weaklink-lab mend` first")
    state.broken = Broken(fault.id, seed, time.time())
    states.save(state)
    ground = Ground(state, random.Random(f"fault-{fault.id}-{seed}"))
    truth = fault.enter(ground)
    state.broken.truth = truth
    states.save(state)
    return truth


def mend(state: State) -> str:
    """Take the fault out that is in; gives its id, or nothing where none is."""
    if state.broken is None:
        return ""
    fault = state.broken.fault
    ground = Ground(state, random.Random(0), dict(state.broken.notes))
    faults.leave(ground, fault)
    state.broken = None
    states.save(state)
    return fault
