"""One listener; target `listener:<host>/<netns>/<address>`. TCP as a whole in one network
namespace (`tcp_*`); target `netns:<host>/<netns>/tcp`."""

from weaklink.model.quantity import declare

LISTENER_QUEUE = declare(
    "listener_queue",
    "connections",
    "gauge",
    "up",
    "connections that wait to be accepted",
)
LISTENER_BACKLOG = declare(
    "listener_backlog",
    "connections",
    "gauge",
    "none",
    "how many may wait",
)
TCP_LISTEN_OVERFLOWS_TOTAL = declare(
    "tcp_listen_overflows_total",
    "connections",
    "counter",
    "up",
    "connections dropped because an accept queue was full",
)
TCP_LISTEN_DROPS_TOTAL = declare(
    "tcp_listen_drops_total",
    "connections",
    "counter",
    "up",
    "connections dropped at a listener for any reason",
)
TCP_RETRANSMITS_TOTAL = declare(
    "tcp_retransmits_total",
    "segments",
    "counter",
    "up",
    "segments sent again",
)
TCP_LOSS_PROBES_TOTAL = declare(
    "tcp_loss_probes_total",
    "segments",
    "counter",
    "none",
    "segments sent again on suspicion alone, before a timeout: no loss by themselves",
)
TCP_SYN_RETRANSMITS_TOTAL = declare(
    "tcp_syn_retransmits_total",
    "segments",
    "counter",
    "up",
    "beginnings of connections that were sent again",
)
TCP_SEGMENTS_SENT_TOTAL = declare(
    "tcp_segments_sent_total",
    "segments",
    "counter",
    "none",
    "segments sent",
)
TCP_TIME_WAIT = declare(
    "tcp_time_wait",
    "sockets",
    "gauge",
    "up",
    "sockets in TIME_WAIT",
)
TCP_ACCEPTED_TOTAL = declare(
    "tcp_accepted_total",
    "connections",
    "counter",
    "none",
    "connections that came in and were made (PassiveOpens)",
)
TCP_OPENED_TOTAL = declare(
    "tcp_opened_total",
    "connections",
    "counter",
    "none",
    "connections that were begun from here (ActiveOpens)",
)
TCP_FAILED_OPENS_TOTAL = declare(
    "tcp_failed_opens_total",
    "connections",
    "counter",
    "up",
    "connections that were not made: refused or not answered (AttemptFails)",
)
TCP_ESTABLISHED = declare(
    "tcp_established",
    "connections",
    "gauge",
    "none",
    "connections that are open",
)
