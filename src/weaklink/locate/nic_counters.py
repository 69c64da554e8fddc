"""Sums of a network card's counters by what they mean, whatever its driver calls them."""

from __future__ import annotations

import re
from typing import NamedTuple

PACKETS = ("rx_packets", "rx_pkts", "rx_packets_phy", "rx_ucast_packets", "rx_frames")
BROKEN = (
    "rx_crc_errors",
    "rx_crc_errors_phy",
    "rx_align_errors",
    "rx_symbol_err_phy",
    "rx_symbol_errors",
    "rx_fcs_errors",
    "rx_fcs_err_frames",
    "rx_length_errors",
    "rx_jabbers",
    "rx_in_range_len_errors_phy",
    "port.rx_crc_errors",
    "rx_crc_err",
)
"""Frames that arrived broken: cable, transceiver, port. `rx_frame_errors` is alignment again."""
DROPPED = (
    "rx_missed_errors",
    "rx_no_buffer_count",
    "rx_fifo_errors",
    "rx_over_errors",
    "rx_drops_no_frags",
    "rx_out_of_buffer",
    "rx_discards_phy",
    "rx_discards",
    "rx_no_dma_resources",
    "rx_drops",
    "rx_buf_alloc_fail",
    "alloc_rx_buff_failed",
    "rx_dropped",
    "rx_overruns",
    "rx_missed",
    "rx_overrun",
)
"""Good frames for which there was no room: ring, buffers, or a CPU that does not take them."""
ALLOWANCES = (
    "bw_in_allowance_exceeded",
    "bw_out_allowance_exceeded",
    "pps_allowance_exceeded",
    "conntrack_allowance_exceeded",
    "linklocal_allowance_exceeded",
)
"""A cloud's own limits (ENA): packets queued or dropped because the instance allows no more."""
SENDING = ("tx_errors", "tx_carrier_errors", "tx_timeout_count", "tx_aborted_errors", "tx_carrier")
_QUEUE = re.compile(r"(?:rxq?|rx_queue_|rx|q|queue_)_?\[?\d{1,4}\]?[._](?:rx_)?(.{1,60})$")


class Sums(NamedTuple):
    """Counters of one card: frames received, broken, dropped for lack of room, by name."""

    packets: int | None
    broken: dict[str, int]
    dropped: dict[str, int]
    allowances: dict[str, int]
    sending: dict[str, int]
    sent: int | None
    errors: int


def sums(counters: dict[str, int]) -> Sums:
    """Counters by meaning; those of queues are added up where the card has no total."""
    flat: dict[str, int] = {}
    queues: dict[str, int] = {}
    for name, value in counters.items():
        queue = name.rpartition(".")[2] if "." in name else ""
        per_queue = queue or (found.group(1) if (found := _QUEUE.match(name)) else "")
        if per_queue:
            key = per_queue if per_queue.startswith("rx_") else f"rx_{per_queue}"
            queues[key] = queues.get(key, 0) + value
        else:
            flat[name] = value
    for name, value in queues.items():
        flat.setdefault(name, value)
    broken = {name: flat[name] for name in BROKEN if flat.get(name)}
    if not broken and flat.get("rx_errors"):
        # `ip -s link` and `netstat -i` do not say of what kind they are.
        broken = {"rx_errors": flat["rx_errors"]}
    packets = next((flat[name] for name in PACKETS if flat.get(name)), None)
    return Sums(
        packets=packets,
        broken=broken,
        dropped={name: flat[name] for name in DROPPED if flat.get(name)},
        allowances={name: flat[name] for name in ALLOWANCES if flat.get(name)},
        sending={name: flat[name] for name in SENDING if flat.get(name)},
        sent=next((flat[n] for n in ("tx_packets", "tx_pkts") if flat.get(n)), None),
        errors=flat.get("rx_errors", 0),
    )
