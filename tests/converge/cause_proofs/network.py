"""Causes of the network, on a made-up chain: where each is, and where it only seems to be."""

from __future__ import annotations

from msgspec import structs

from cause_proofs import prove
from weaklink.model.fact import Connection
from weaklink.model.fact_net import NetRoom, Way
from weaklink.model.target import target_key
from weaklink.testing.fake_chain import (
    END,
    FRONT,
    HOST,
    WINDOW,
    WORKERS,
    FakeChain,
    address,
    process_key,
)

SECOND = WORKERS[1]
GOOD = Way(
    netns="-",
    destination=address(SECOND).partition(":")[0],
    process=process_key(FRONT),
    device="eth0",
    kind="unicast",
    table=254,
    next_hop=["STALE", "REACHABLE"],
    mac="02:00:00:00:00:02",
    up=True,
    carrier=True,
    mtu=1500,
    home=["eth0"],
)


def way(chain: FakeChain, **other: object) -> None:
    chain.also["hardware"].append(structs.replace(GOOD, **other))


def refused_at_once(chain: FakeChain) -> None:
    chain.refused.add(SECOND)
    chain.silent.add(SECOND)


def unanswered(chain: FakeChain) -> None:
    chain.slow_members(SECOND, share=1.0, status=504)
    chain.silent.add(SECOND)
    for n in range(int(WINDOW) + 1):
        for port in (51_000, 51_001, 51_002):
            chain.open_connections.append(
                Connection(
                    local=f"10.0.0.9:{port}",
                    remote=address(SECOND),
                    netns="-",
                    pid=FRONT,
                    state="syn-sent",
                    at=END - WINDOW + n,
                )
            )


def no_route(chain: FakeChain) -> None:
    refused_at_once(chain)
    way(chain, error="EHOSTUNREACH", device="", kind="", home=[], next_hop=["", ""])


def a_way_and_a_crash(chain: FakeChain) -> None:
    """The process behind the address is gone: the way there is fine."""
    refused_at_once(chain)
    chain.listening.discard(SECOND)
    chain.refuses(SECOND, 20)
    chain.refuses(SECOND, 10)
    way(chain)


def link_down(chain: FakeChain) -> None:
    refused_at_once(chain)
    way(
        chain, error="ENETUNREACH", device="", kind="", up=None, home_down=["eth0"],
        next_hop=["", ""],
    )  # fmt: skip


def a_second_card_is_down(chain: FakeChain) -> None:
    """Two cards are in that network, and the one that packets take is up."""
    unanswered(chain)
    way(chain, home=["eth0", "eth1"], home_down=["eth1"])


def silent_neighbour(chain: FakeChain) -> None:
    unanswered(chain)
    way(chain, next_hop=["INCOMPLETE", "FAILED"], mac="")


def asked_just_now(chain: FakeChain) -> None:
    """The first look came between question and answer."""
    unanswered(chain)
    way(chain, next_hop=["INCOMPLETE", "REACHABLE"])


def wrong_egress(chain: FakeChain) -> None:
    unanswered(chain)
    way(chain, device="tun0", via="10.8.0.1", home=["eth0"], next_hop=["", ""])


def two_defaults_and_a_detour_that_works(chain: FakeChain) -> None:
    """It is called by another card, and it answers: slowly, for reasons of its own."""
    chain.slow_members(SECOND, share=1.0)
    chain.waiting(SECOND, caller=FRONT, count=4, age=1.5)
    way(chain, device="eth1", home=["eth0"])


def queue(chain: FakeChain, *, backlog: float, dropped: float) -> None:
    listener = target_key("listener", address(SECOND), host=HOST)
    chain.counter("listener_queue", listener, 0.0, start=backlog + 1)
    chain.counter("listener_backlog", listener, 0.0, start=backlog)
    chain.counter("tcp_listen_overflows_total", target_key("netns", "tcp", host=HOST), dropped)


def short_queue(chain: FakeChain) -> None:
    chain.slow_members(SECOND, share=0.7, seconds=1.1)
    queue(chain, backlog=5, dropped=8.0)


def long_queue_of_a_slow_one(chain: FakeChain) -> None:
    """Five hundred wait: no queue is long enough for who does not accept."""
    chain.slow_members(SECOND, share=0.7)
    chain.waiting(SECOND, caller=FRONT, count=6, age=1.5)
    queue(chain, backlog=511, dropped=8.0)


def stopped_with_a_short_queue(chain: FakeChain) -> None:
    chain.state(SECOND, "T")
    chain.cpu(SECOND, 0.0)
    chain.slow_members(SECOND, share=1.0, status=504)
    chain.waiting(SECOND, caller=FRONT, count=6, age=6.0)
    queue(chain, backlog=5, dropped=8.0)


prove("no-route", no_route, near_miss=a_way_and_a_crash)
prove("link-down", link_down, near_miss=a_second_card_is_down)
prove("neighbour-unresolved", silent_neighbour, near_miss=asked_just_now)
prove("wrong-egress", wrong_egress, near_miss=two_defaults_and_a_detour_that_works)
prove("listen-overflow", short_queue, near_miss=long_queue_of_a_slow_one)
prove("listen-overflow", short_queue, near_miss=stopped_with_a_short_queue)


def sends_again(chain: FakeChain, *, connections: int, again: int, probes: float) -> None:
    """Short connections to one member, of which some send again, and what the kernel counts."""
    for n in range(connections):
        at = END - WINDOW + 1 + n % int(WINDOW)
        local = f"10.0.0.9:{52_000 + n}"
        chain.open_connections.append(
            Connection(
                local=local,
                remote=address(SECOND),
                netns="-",
                pid=FRONT,
                sent_age=0.1,
                received_age=0.05,
                retransmits=1 if n < again else 0,
                at=at,
            )
        )
    tcp = target_key("netns", "tcp", host=HOST)
    chain.counter("tcp_retransmits_total", tcp, 12.0)
    chain.counter("tcp_loss_probes_total", tcp, probes)
    chain.counter("tcp_segments_sent_total", tcp, 1000.0)


def loss(chain: FakeChain) -> None:
    chain.slow_members(SECOND, share=0.4, seconds=0.4)
    sends_again(chain, connections=40, again=14, probes=1.0)


def loss_probes(chain: FakeChain) -> None:
    """What was sent again were probes: nothing was lost."""
    chain.slow_members(SECOND, share=0.4, seconds=0.4)
    sends_again(chain, connections=40, again=14, probes=12.0)


prove("packet-loss", loss, near_miss=loss_probes)


ROOM = NetRoom(
    netns="-",
    process=process_key(FRONT),
    port_low=32_768,
    port_high=60_999,
    destination=address(SECOND),
    ports_used=28_230,
    time_wait=28_100,
    tracked=900,
    tracked_most=262_144,
    dropped=0,
)


def no_port_left(chain: FakeChain) -> None:
    refused_at_once(chain)
    chain.also["hardware"].append(ROOM)


def many_ports_are_waiting(chain: FakeChain) -> None:
    """Half of the range in TIME_WAIT is what a busy proxy without keep-alive looks like."""
    refused_at_once(chain)
    chain.also["hardware"].append(structs.replace(ROOM, ports_used=15_000, time_wait=14_900))


def table_full(chain: FakeChain) -> None:
    chain.slow_members(*WORKERS, share=0.6, seconds=1.1)
    chain.also["hardware"].append(
        structs.replace(ROOM, ports_used=40, tracked=262_144, dropped=900)
    )


def table_dropped_something_else(chain: FakeChain) -> None:
    """Half full: a dropped packet or two has another reason."""
    chain.slow_members(*WORKERS, share=0.6, seconds=1.1)
    chain.also["hardware"].append(structs.replace(ROOM, ports_used=40, tracked=131_000, dropped=2))


prove("port-exhaustion", no_port_left, near_miss=many_ports_are_waiting)
prove("conntrack-full", table_full, near_miss=table_dropped_something_else)
