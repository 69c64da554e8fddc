"""One control group; target `cgroup:<host>/-/<path>`."""

from weaklink.model.quantity import declare

CGROUP_CPU_SECONDS_TOTAL = declare(
    "cgroup_cpu_seconds_total",
    "s",
    "counter",
    "none",
    "CPU seconds of the group",
)
CGROUP_CPU_PERIODS_TOTAL = declare(
    "cgroup_cpu_periods_total",
    "periods",
    "counter",
    "none",
    "enforcement periods in which the group ran",
)
CGROUP_CPU_THROTTLED_PERIODS_TOTAL = declare(
    "cgroup_cpu_throttled_periods_total",
    "periods",
    "counter",
    "up",
    "periods in which the group ran out of its CPU quota",
)
CGROUP_CPU_THROTTLED_SECONDS_TOTAL = declare(
    "cgroup_cpu_throttled_seconds_total",
    "s",
    "counter",
    "up",
    "time that the group was throttled, summed over its CPUs",
)
CGROUP_CPU_QUOTA = declare(
    "cgroup_cpu_quota",
    "cpus",
    "gauge",
    "none",
    "CPUs that the group may use",
)
CGROUP_MEMORY_USAGE_BYTES = declare(
    "cgroup_memory_usage_bytes",
    "bytes",
    "gauge",
    "none",
    "memory charged, page cache included",
)
CGROUP_MEMORY_WORKING_BYTES = declare(
    "cgroup_memory_working_bytes",
    "bytes",
    "gauge",
    "up",
    "anonymous and shared memory charged: what cannot be dropped",
)
CGROUP_MEMORY_LIMIT_BYTES = declare(
    "cgroup_memory_limit_bytes",
    "bytes",
    "gauge",
    "none",
    "memory limit",
)
CGROUP_MEMORY_FAILURES_TOTAL = declare(
    "cgroup_memory_failures_total",
    "failures",
    "counter",
    "up",
    "times that the limit was hit",
)
CGROUP_OOM_KILLS_TOTAL = declare(
    "cgroup_oom_kills_total",
    "kills",
    "counter",
    "up",
    "processes of the group killed for lack of memory",
)
CGROUP_PRESSURE_CPU_SOME_SECONDS_TOTAL = declare(
    "cgroup_pressure_cpu_some_seconds_total",
    "s",
    "counter",
    "up",
    "time in which some task of the group waited for a CPU (PSI, v2)",
)
CGROUP_PRESSURE_MEMORY_SOME_SECONDS_TOTAL = declare(
    "cgroup_pressure_memory_some_seconds_total",
    "s",
    "counter",
    "up",
    "time in which some task of the group waited for memory (PSI, v2)",
)
CGROUP_PRESSURE_IO_SOME_SECONDS_TOTAL = declare(
    "cgroup_pressure_io_some_seconds_total",
    "s",
    "counter",
    "up",
    "time in which some task of the group waited for I/O (PSI, v2)",
)
