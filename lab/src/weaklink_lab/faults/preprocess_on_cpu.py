"""The route that is never cached begins to get 4K material, and the CPU decodes all of it."""

from weaklink_lab import chain
from weaklink_lab.faults import Ground, way_in, way_out
from weaklink_lab.truth import Culprit, Truth


@way_in("preprocess-on-cpu", "an uncached route has to decode 4K on the CPU")
def enlarge(ground: Ground) -> Truth:
    """Switch the material of the route."""
    chain.write_live({"analyze_material": "uhd"})
    workers = ground.members("worker")
    guilty = ground.guilty(*workers)
    return Truth(
        cause="preprocess-on-cpu",
        shapes=("widespread-timeouts",),
        links=guilty,
        culprits=(
            *(Culprit("pid", str(pid)) for link in guilty for pid in link.pids),
            *(Culprit("listen", worker.address) for worker in workers),
            Culprit("text", ground.state.spec.routes.analyze),
        ),
    )


@way_out("preprocess-on-cpu")
def reduce(ground: Ground) -> None:
    """Give the route its small material back."""
    chain.write_live({})
