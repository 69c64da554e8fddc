"""What the black box costs itself; target `agent:<host>/-/watch`."""

from weaklink.model.quantity import declare

AGENT_CPU_SECONDS_TOTAL = declare(
    "agent_cpu_seconds_total", "s", "counter", "up", "CPU seconds of the watching process"
)
AGENT_RESIDENT_BYTES = declare(
    "agent_resident_bytes", "bytes", "gauge", "up", "memory of the watching process"
)
AGENT_TICK_SECONDS = declare(
    "agent_tick_seconds", "s", "gauge", "up", "time that the last tick took"
)
AGENT_WRITTEN_BYTES_TOTAL = declare(
    "agent_written_bytes_total", "bytes", "counter", "up", "bytes that it made a disk write"
)
AGENT_TURNS = declare(
    "agent_turns", "ticks", "gauge", "none", "every how many ticks a sleeping process is read"
)
