"""One process; target `process:<host>/<netns>/<pid>@<start ticks>`."""

from weaklink.model.quantity import declare

PROCESS_CPU_SECONDS_TOTAL = declare(
    "process_cpu_seconds_total",
    "s",
    "counter",
    "none",
    "CPU seconds, user and system, of all its threads",
)
PROCESS_RUN_DELAY_SECONDS_TOTAL = declare(
    "process_run_delay_seconds_total",
    "s",
    "counter",
    "up",
    "time that its threads were runnable but waited for a CPU (schedstat)",
)
PROCESS_IO_DELAY_SECONDS_TOTAL = declare(
    "process_io_delay_seconds_total",
    "s",
    "counter",
    "up",
    "time that it waited for block I/O (delayacct_blkio_ticks)",
)
PROCESS_RESIDENT_BYTES = declare(
    "process_resident_bytes",
    "bytes",
    "gauge",
    "up",
    "resident memory",
)
PROCESS_THREADS = declare(
    "process_threads",
    "threads",
    "gauge",
    "none",
    "threads",
)
PROCESS_MAJOR_FAULTS_TOTAL = declare(
    "process_major_faults_total",
    "faults",
    "counter",
    "up",
    "page faults that needed a disk",
)
PROCESS_READ_BYTES_TOTAL = declare(
    "process_read_bytes_total",
    "bytes",
    "counter",
    "none",
    "bytes that it made a disk read",
)
PROCESS_WRITTEN_BYTES_TOTAL = declare(
    "process_written_bytes_total",
    "bytes",
    "counter",
    "none",
    "bytes that it made a disk write",
)
PROCESS_OPEN_FILES = declare(
    "process_open_files",
    "files",
    "gauge",
    "up",
    "open descriptors",
)
PROCESS_OPEN_FILES_LIMIT = declare(
    "process_open_files_limit",
    "files",
    "gauge",
    "none",
    "soft limit of open descriptors",
)
