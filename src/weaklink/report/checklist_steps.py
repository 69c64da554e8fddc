"""What a person would type, in which order, for each shape: commands as data, words by key.

`{pid}`, `{device}`, `{address}`, `{port}`, `{interface}`, `{destination}` are filled in with
`--here`; a step without a value for them keeps the word in capitals. Steps that can hurt say how.
"""

from __future__ import annotations

from typing import NamedTuple

from weaklink.words import texts

OUTAGE, TIMEOUTS, SPIKES, SEMANTIC = (
    "total-outage",
    "widespread-timeouts",
    "intermittent-spikes",
    "semantic-anomaly",
)
SHAPES = (OUTAGE, TIMEOUTS, SPIKES, SEMANTIC)
ALL = SHAPES
SLOW = (TIMEOUTS, SPIKES)


class CheckStep(NamedTuple):
    """One command. Keys: `check.<id>.shows`, and `check.<id>.hurts` where `hurts`."""

    id: str
    subject: str
    command: str
    shapes: tuple[str, ...]
    hurts: bool = False

    @property
    def tool(self) -> str:
        """The program that must be installed."""
        first = self.command.split()[0]
        return "" if first in ("cat", "grep", "ls", "cd", "for") else first


_ROWS: tuple[tuple[str, str, str, tuple[str, ...], str, str], ...] = (
    # id, subject, command, shapes, what it must show, how it can hurt ('' where it cannot)
    ("listens", "chain", "ss -ltnp", (OUTAGE, TIMEOUTS),
     "every link listens; Recv-Q of a listener near 0: what waits there is not accepted", ""),
    ("refused", "chain", "ss -tnp state syn-sent", (OUTAGE, TIMEOUTS),
     "nothing: what stays in syn-sent gets no answer, look at the address", ""),
    ("entry-log", "chain", "tail -n 500 ACCESS_LOG", ALL,
     "status, request and upstream times by route and member: which of them stands out", ""),
    ("error-log", "chain", "tail -n 100 ERROR_LOG", ALL,
     "refused, timed out, no live upstreams, worker_connections: the address says which link", ""),
    ("queues", "chain", "ss -tnpi state established", SLOW,
     "Recv-Q of a server's sockets: bytes that it has not read are requests that wait in it", ""),
    ("load", "cpu", "uptime", ALL, "load beside the number of CPUs; rising or falling", ""),
    ("cpu", "cpu", "mpstat -P ALL 1 3", SLOW,
     "one core at 100 % (one thread), %steal, %soft on one core, %iowait", ""),
    ("pressure", "cpu", "grep . /proc/pressure/cpu /proc/pressure/memory /proc/pressure/io", SLOW,
     "avg10 of `some` and `full`: time that tasks stood still, and for lack of what", ""),
    ("quota", "cpu", "cat /sys/fs/cgroup/cpu.stat", SLOW,
     "nr_throttled growing: the quota stops the group although CPUs are idle", ""),
    ("threads", "threads", "top -H -b -n1 -p {pid}", SLOW,
     "which threads burn CPU, by name: av:, omp, ORT, main", ""),
    ("states", "threads", "ps -L -o pid,tid,stat,wchan:30,comm -p {pid}", (OUTAGE, TIMEOUTS),
     "T: stopped; D: waits for a disk; all in futex: waits for a lock", ""),
    ("stack", "stacks", "py-spy dump --nonblocking --pid {pid}", (*SLOW, OUTAGE),
     "the same line in three dumps: where it waits; the loop must be in select", ""),
    ("jstack", "stacks", "jstack {pid}", (*SLOW, OUTAGE),
     "BLOCKED threads and who holds the lock; `Found one Java-level deadlock`",
     "waits for a safepoint and stops all threads until it has one"),
    ("gc", "stacks", "jstat -gcutil {pid} 1000 5", SLOW,
     "FGC and FGCT growing while O stays near 100: full collections that free nothing", ""),
    ("syscalls", "system calls", "strace -c -f -p {pid}", SLOW,
     "which call takes the time: futex, fsync, read, connect",
     "slows its target ten times and more: seconds only, never under load"),
    ("iostat", "disk", "iostat -x 1 3", SLOW,
     "r_await and w_await beside aqu-sz: %util 100 with 0.2 ms is no trouble", ""),
    ("iotop", "disk", "iotop -b -o -n 3", SLOW, "who reads and writes", ""),
    ("df", "disk", "df -h", (OUTAGE, TIMEOUTS), "no file system at 100 %", ""),
    ("inodes", "disk", "df -i", (OUTAGE,), "no file system without free inodes", ""),
    ("raid", "RAID", "cat /proc/mdstat", SLOW,
     "[UU]: a missing U is a lost disk, a rebuild slows all", ""),
    ("controller", "RAID", "storcli64 /c0 show all J", SLOW,
     "no VD that is Dgrd, no PD with errors; which slot belongs to the disk", ""),
    ("smart", "SMART", "smartctl -a /dev/{device}", SLOW,
     "reallocated, pending, uncorrectable: 0; behind a controller with -d megaraid,N", ""),
    ("kernel", "kernel", "dmesg -T --level=err,warn", ALL,
     "OOM kills, I/O errors, Xid, link down, hung tasks: with their moments", ""),
    ("memory", "memory", "free -m", (OUTAGE, TIMEOUTS), "available, not free; swap in use", ""),
    ("swap", "memory", "vmstat 1 5", SLOW,
     "si and so both above 0 all the time: thrashing; r beyond the CPUs; wa", ""),
    ("limits", "memory", "grep -H . /sys/fs/cgroup/memory.events", (OUTAGE, TIMEOUTS),
     "oom_kill and max growing: the group's own limit", ""),
    ("descriptors", "files", "ls /proc/{pid}/fd | wc -l; grep files /proc/{pid}/limits",
     (OUTAGE, TIMEOUTS), "far below the limit", ""),
    ("links", "network", "ip -s link", ALL,
     "state UP, no growing errors or drops on the NIC that the chain uses", ""),
    ("route", "network", "ip route get {destination}", (OUTAGE, TIMEOUTS),
     "the NIC and the next hop that are meant: business and storage nets differ", ""),
    ("rules", "network", "ip rule; ip route show default", (OUTAGE, TIMEOUTS),
     "one default, or several with different metrics; no rule that nobody knows", ""),
    ("neighbours", "network", "ip neigh", (OUTAGE, TIMEOUTS),
     "REACHABLE or STALE for the next hop; FAILED gets no packets; two addresses with one MAC", ""),
    ("tcp", "network", "nstat -az TcpRetransSegs TcpExtListenOverflows TcpExtTCPTimeouts", SLOW,
     "run it twice: retransmits over 1 % of what is sent, overflows above 0", ""),
    ("names", "network", "getent hosts NAME", (OUTAGE, TIMEOUTS),
     "at once: a name that takes seconds makes each new connection take them", ""),
    ("capture", "network", "tcpdump -ni {interface} -s 96 -c 2000 port {port}", SLOW,
     "retransmits, resets, zero windows; time from request to first byte on each hop",
     "takes CPU on a busy link, and holds addresses: with -c, headers only"),
    ("gpu", "GPU", "nvidia-smi", (*SLOW, SEMANTIC),
     "power and SM beside memory: a full memory is normal for engines, SM 100 % proves little", ""),
    ("gpu-time", "GPU", "nvidia-smi dmon -s pucm -c 5", SLOW,
     "sm, enc, dec, power over time: who rests while users wait", ""),
    ("gpu-who", "GPU", "nvidia-smi pmon -c 3", SLOW, "a process that does not belong there", ""),
    ("engine", "application", "curl -s http://{address}/metrics", ALL,
     "waiting requests, KV usage, preemptions, finish reasons, tokens a second", ""),
    ("app-log", "application", "journalctl -u SERVICE -n 200 --no-pager", ALL,
     "what began at the onset: tracebacks, timeouts, 429, pool limits", ""),
    ("answer", "application", "curl -sv http://{address}/ROUTE", (SEMANTIC, OUTAGE),
     "what users get: empty, cut, another language, another version", ""),
    ("deploy", "application", "ls -lt --time-style=full-iso APP_FOLDER | head", ALL,
     "nothing that is younger than the onset minus a few minutes", ""),
    ("cron", "application", "grep CRON /var/log/syslog | tail", SLOW,
     "a job that began just before the onset, and its period", ""),
    ("cache", "cache", "redis-cli info all", SLOW,
     "hits beside misses, evicted, expired, rejected, latest_fork_usec; errorstat_*", ""),
    ("cache-slow", "cache", "redis-cli slowlog get 20", SLOW,
     "KEYS, SORT, scripts, big ranges since the onset, and who sends them", ""),
    ("cache-latency", "cache", "redis-cli --latency -i 1", SLOW, "below a millisecond", ""),
    ("cache-bigkeys", "cache", "redis-cli --bigkeys -i 0.1", (SPIKES,),
     "one key that is far larger than the others",
     "walks over all keys: slows every client; on a replica, with -i"),
)  # fmt: skip

texts({f"check.{row[0]}.shows": row[4] for row in _ROWS})
texts({f"check.{row[0]}.hurts": row[5] for row in _ROWS if row[5]})

STEPS = tuple(CheckStep(row[0], row[1], row[2], row[3], bool(row[5])) for row in _ROWS)


def steps_for(shape: str) -> list[CheckStep]:
    """The steps of one shape in their order; of all shapes for ''."""
    return [step for step in STEPS if not shape or shape in step.shapes]
