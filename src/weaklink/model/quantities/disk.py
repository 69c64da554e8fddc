"""One block device, `device:<host>/-/<name>`; one file system, `mount:<host>/-/<path>`."""

from weaklink.model.quantity import declare

DISK_READS_TOTAL = declare(
    "disk_reads_total",
    "requests",
    "counter",
    "none",
    "reads completed",
)
DISK_WRITES_TOTAL = declare(
    "disk_writes_total",
    "requests",
    "counter",
    "none",
    "writes completed",
)
DISK_READ_BYTES_TOTAL = declare(
    "disk_read_bytes_total",
    "bytes",
    "counter",
    "none",
    "bytes read",
)
DISK_WRITTEN_BYTES_TOTAL = declare(
    "disk_written_bytes_total",
    "bytes",
    "counter",
    "none",
    "bytes written",
)
DISK_READ_SECONDS_TOTAL = declare(
    "disk_read_seconds_total",
    "s",
    "counter",
    "up",
    "time that reads took, summed",
)
DISK_WRITE_SECONDS_TOTAL = declare(
    "disk_write_seconds_total",
    "s",
    "counter",
    "up",
    "time that writes took, summed",
)
DISK_BUSY_SECONDS_TOTAL = declare(
    "disk_busy_seconds_total",
    "s",
    "counter",
    "none",
    "time in which the device had something to do",
)
DISK_QUEUE_SECONDS_TOTAL = declare(
    "disk_queue_seconds_total",
    "s",
    "counter",
    "up",
    "time in flight, summed: its rate is the queue length",
)
DISK_AWAIT_SECONDS = declare(
    "disk_await_seconds",
    "s",
    "gauge",
    "up",
    "mean time of a request, where a text gives only that",
)
DISK_UTILISATION_RATIO = declare(
    "disk_utilisation_ratio",
    "ratio",
    "gauge",
    "none",
    "share of time busy, where a text gives only that",
)
DISK_QUEUE_LENGTH = declare(
    "disk_queue_length",
    "requests",
    "gauge",
    "up",
    "mean queue, where a text gives only that",
)
FILESYSTEM_FREE_BYTES = declare(
    "filesystem_free_bytes",
    "bytes",
    "gauge",
    "down",
    "bytes that an ordinary user may still write",
)
FILESYSTEM_SIZE_BYTES = declare(
    "filesystem_size_bytes",
    "bytes",
    "gauge",
    "none",
    "size",
)
FILESYSTEM_FREE_INODES = declare(
    "filesystem_free_inodes",
    "inodes",
    "gauge",
    "down",
    "inodes left",
)
