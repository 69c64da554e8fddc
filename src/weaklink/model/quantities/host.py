"""The machine as a whole; target `host:<name>/-/-`."""

from weaklink.model.quantity import declare

HOST_CPU_USER_SECONDS_TOTAL = declare(
    "host_cpu_user_seconds_total",
    "s",
    "counter",
    "up",
    "CPU seconds of all cores in user mode, niced work left out",
)
HOST_CPU_NICE_SECONDS_TOTAL = declare(
    "host_cpu_nice_seconds_total",
    "s",
    "counter",
    "none",
    "CPU seconds of all cores for niced work",
)
HOST_CPU_SYSTEM_SECONDS_TOTAL = declare(
    "host_cpu_system_seconds_total",
    "s",
    "counter",
    "up",
    "CPU seconds of all cores in the kernel",
)
HOST_CPU_IDLE_SECONDS_TOTAL = declare(
    "host_cpu_idle_seconds_total",
    "s",
    "counter",
    "down",
    "CPU seconds of all cores idle, waiting for disk left out",
)
HOST_CPU_IOWAIT_SECONDS_TOTAL = declare(
    "host_cpu_iowait_seconds_total",
    "s",
    "counter",
    "up",
    "CPU seconds of all cores idle while a disk was awaited",
)
HOST_CPU_IRQ_SECONDS_TOTAL = declare(
    "host_cpu_irq_seconds_total",
    "s",
    "counter",
    "up",
    "CPU seconds of all cores in hard and soft interrupts",
)
HOST_CPU_STEAL_SECONDS_TOTAL = declare(
    "host_cpu_steal_seconds_total",
    "s",
    "counter",
    "up",
    "CPU seconds that the hypervisor gave to others",
)
HOST_LOAD1 = declare(
    "host_load1",
    "tasks",
    "gauge",
    "up",
    "load average of one minute",
)
HOST_RUNNABLE = declare(
    "host_runnable",
    "tasks",
    "gauge",
    "up",
    "tasks on a CPU or waiting for one, now",
)
HOST_BLOCKED = declare(
    "host_blocked",
    "tasks",
    "gauge",
    "up",
    "tasks in uninterruptible sleep, now",
)
HOST_FORKS_TOTAL = declare(
    "host_forks_total",
    "processes",
    "counter",
    "none",
    "processes and threads created since boot",
)
HOST_CONTEXT_SWITCHES_TOTAL = declare(
    "host_context_switches_total",
    "switches",
    "counter",
    "none",
    "context switches since boot",
)
HOST_MEMORY_TOTAL_BYTES = declare(
    "host_memory_total_bytes",
    "bytes",
    "gauge",
    "none",
    "memory of the machine",
)
HOST_MEMORY_AVAILABLE_BYTES = declare(
    "host_memory_available_bytes",
    "bytes",
    "gauge",
    "down",
    "memory that can be had without swapping (MemAvailable)",
)
HOST_MEMORY_DIRTY_BYTES = declare(
    "host_memory_dirty_bytes",
    "bytes",
    "gauge",
    "up",
    "dirty and written-back pages",
)
HOST_SWAP_TOTAL_BYTES = declare(
    "host_swap_total_bytes",
    "bytes",
    "gauge",
    "none",
    "swap configured",
)
HOST_SWAP_USED_BYTES = declare(
    "host_swap_used_bytes",
    "bytes",
    "gauge",
    "up",
    "swap in use",
)
HOST_SWAP_IN_PAGES_TOTAL = declare(
    "host_swap_in_pages_total",
    "pages",
    "counter",
    "up",
    "pages read from swap",
)
HOST_SWAP_OUT_PAGES_TOTAL = declare(
    "host_swap_out_pages_total",
    "pages",
    "counter",
    "up",
    "pages written to swap",
)
HOST_MAJOR_FAULTS_TOTAL = declare(
    "host_major_faults_total",
    "faults",
    "counter",
    "up",
    "page faults that needed a disk",
)
HOST_OOM_KILLS_TOTAL = declare(
    "host_oom_kills_total",
    "kills",
    "counter",
    "up",
    "processes killed for lack of memory since boot",
)
HOST_PRESSURE_CPU_SOME_SECONDS_TOTAL = declare(
    "host_pressure_cpu_some_seconds_total",
    "s",
    "counter",
    "up",
    "time in which some task waited for a CPU (PSI)",
)
HOST_PRESSURE_MEMORY_SOME_SECONDS_TOTAL = declare(
    "host_pressure_memory_some_seconds_total",
    "s",
    "counter",
    "up",
    "time in which some task waited for memory (PSI)",
)
HOST_PRESSURE_MEMORY_FULL_SECONDS_TOTAL = declare(
    "host_pressure_memory_full_seconds_total",
    "s",
    "counter",
    "up",
    "time in which all tasks waited for memory (PSI)",
)
HOST_PRESSURE_IO_SOME_SECONDS_TOTAL = declare(
    "host_pressure_io_some_seconds_total",
    "s",
    "counter",
    "up",
    "time in which some task waited for I/O (PSI)",
)
HOST_PRESSURE_IO_FULL_SECONDS_TOTAL = declare(
    "host_pressure_io_full_seconds_total",
    "s",
    "counter",
    "up",
    "time in which all tasks waited for I/O (PSI)",
)
