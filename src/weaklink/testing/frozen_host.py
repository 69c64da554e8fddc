"""Builds a frozen host for a test: a folder of /proc, /sys and /etc, with moments after the first.

    host = FrozenHost(tmp_path)
    host.process(100, name="nginx", sockets=[7]).listen("0.0.0.0:80", inode=7)
    host.process(100, name="nginx", cpu_seconds=2.0, at=1.0)
    reach = host.reach()

Every look reads it through `weaklink.reach.root.Root`, exactly as with `--root DIR`. What the
builder does not say, it leaves out, as a machine without that file would.
"""

from __future__ import annotations

import ipaddress
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from weaklink.model.case import Case
from weaklink.model.fact import Host
from weaklink.reach.host import Reach
from weaklink.reach.root import Root

HOME_NETNS = 4026531840
"""Inode of the network namespace of the host's init process."""
FROZEN_AT = 1_700_000_000.0
UPTIME = 100_000.0
TICKS = 100
PAGE = 4096


@dataclass(frozen=True)
class _Row:
    netns: int
    local: str
    remote: str
    state: int
    inode: int
    unread: int = 0
    unsent: int = 0


class FrozenHost:
    """A folder that looks like a machine. `at` is always seconds after its first moment."""

    def __init__(self, path: Path, *, name: str = "h1", cpus: int = 2, now: float = FROZEN_AT):
        self.path = path
        self.name = name
        self.cpus = cpus
        self.boot = now - UPTIME
        self._alive: dict[int, tuple[float, float]] = {}
        self._netns: dict[int, int] = {}
        self._rows: dict[float, list[_Row]] = {}
        self.write("frozen-at", f"{now}\n")
        self.write("/proc/sys/kernel/hostname", f"{name}\n")
        self.write("/proc/sys/kernel/osrelease", "6.1.0-test\n")
        self.cpu()
        self.memory()
        self.link("/proc/self/ns/net", f"net:[{HOME_NETNS}]")

    def folder(self, at: float = 0.0) -> Path:
        """Where the files of a moment lie."""
        return self.path if at <= 0 else self.path / "frames" / f"{at:g}"

    def write(self, path: str, text: str | bytes, *, at: float = 0.0) -> FrozenHost:
        """One file."""
        file = self.folder(at) / path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
        self._sync()
        return self

    def link(self, path: str, target: str, *, at: float = 0.0) -> FrozenHost:
        """One symbolic link, which may point at nothing (`socket:[7]`)."""
        file = self.folder(at) / path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.unlink(missing_ok=True)
        file.symlink_to(target)
        return self

    def cpu(
        self,
        *,
        user: float = 1000.0,
        nice: float = 0.0,
        system: float = 100.0,
        idle: float = 50_000.0,
        iowait: float = 10.0,
        steal: float = 0.0,
        running: int = 1,
        blocked: int = 0,
        at: float = 0.0,
    ) -> FrozenHost:
        """/proc/stat: CPU seconds of all cores since boot, tasks running and blocked."""
        seconds = (user, nice, system, idle, iowait, 0.0, 0.0, steal, 0.0, 0.0)
        ticks = " ".join(str(int(each * TICKS)) for each in seconds)
        one = "".join(f"cpu{n} 0 0 0 0 0 0 0 0 0 0\n" for n in range(self.cpus))
        text = f"cpu  {ticks}\n{one}ctxt 1000\nbtime {int(self.boot)}\nprocesses 5000\n"
        text += f"procs_running {running}\nprocs_blocked {blocked}\n"
        return self.write("/proc/stat", text, at=at)

    def memory(
        self,
        *,
        total: float = 8e9,
        available: float = 4e9,
        swap_total: float = 0.0,
        swap_free: float = 0.0,
        at: float = 0.0,
    ) -> FrozenHost:
        """/proc/meminfo, bytes."""
        rows = {
            "MemTotal": total,
            "MemFree": available / 2,
            "MemAvailable": available,
            "Dirty": 0.0,
            "Writeback": 0.0,
            "SwapTotal": swap_total,
            "SwapFree": swap_free,
        }
        text = "".join(f"{name}: {int(size) // 1024:>14} kB\n" for name, size in rows.items())
        return self.write("/proc/meminfo", text, at=at)

    def pressure(
        self, resource: str, *, some: float, full: float = 0.0, at: float = 0.0
    ) -> FrozenHost:
        """/proc/pressure/<cpu|memory|io>: stalled seconds since boot."""
        text = "".join(
            f"{kind} avg10=0.00 avg60=0.00 avg300=0.00 total={int(seconds * 1e6)}\n"
            for kind, seconds in (("some", some), ("full", full))
        )
        return self.write(f"/proc/pressure/{resource}", text, at=at)

    def process(  # noqa: PLR0913 - a process has many sides, and a test names those it needs
        self,
        pid: int,
        *,
        name: str = "python3",
        command: Sequence[str] | None = None,
        exe: str = "",
        start_ticks: int = 1000,
        cpu_seconds: float = 0.0,
        run_delay: float = 0.0,
        io_delay: float = 0.0,
        state: str = "S",
        ppid: int = 1,
        uid: int = 1000,
        nice: int = 0,
        threads: Mapping[str, float] | None = None,
        resident: float = 50e6,
        major_faults: int = 0,
        cgroup: Mapping[str, str] | None = None,
        netns: int = HOME_NETNS,
        sockets: Sequence[int] = (),
        files: Sequence[str] = (),
        libraries: Sequence[str] = (),
        wchan: str = "0",
        kernel_thread: bool = False,
        at: float = 0.0,
    ) -> FrozenHost:
        """A process from that moment on. `threads` gives CPU seconds by name, main thread too."""
        first = self._alive.get(pid, (at, 0.0))[0]
        self._alive[pid] = (min(first, at), float("inf"))
        self._netns[pid] = netns
        own = f"/proc/{pid}"
        tasks = dict(threads) if threads else {name: cpu_seconds}
        flags = 0x0020_0000 if kernel_thread else 0x0040_0000

        def stat(number: int, title: str, cpu: float) -> str:
            fields = [
                *(state, ppid, pid, pid, 0, -1, flags, 10, 0, major_faults, 0),
                *(int(cpu * TICKS), 0, 0, 0, 20 + nice, nice, len(tasks), 0, start_ticks),
                *(1 << 28, int(resident) // PAGE, *([0] * 17), int(io_delay * TICKS), 0, 0),
            ]
            return f"{number} ({title}) " + " ".join(str(field) for field in fields) + "\n"

        write = self.write
        write(f"{own}/stat", stat(pid, name, cpu_seconds), at=at)
        write(f"{own}/schedstat", f"{int(cpu_seconds * 1e9)} {int(run_delay * 1e9)} 1\n", at=at)
        for number, (title, cpu) in enumerate(tasks.items()):
            task = f"{own}/task/{pid + number}"
            write(f"{task}/stat", stat(pid + number, title, cpu), at=at)
            share = int(run_delay * 1e9 / len(tasks))
            write(f"{task}/schedstat", f"{int(cpu * 1e9)} {share} 1\n", at=at)
        if kernel_thread:
            return self
        argv = list(command) if command is not None else [exe or name]
        write(f"{own}/cmdline", "".join(f"{argument}\0" for argument in argv), at=at)
        write(f"{own}/status", f"Name:\t{name}\nUid:\t{uid}\t{uid}\t{uid}\t{uid}\n", at=at)
        paths = cgroup if cgroup is not None else {}
        groups = [
            f"{number}:{'' if controller == 'unified' else controller}:{path}"
            for number, (controller, path) in enumerate(paths.items())
        ]
        write(f"{own}/cgroup", "\n".join([*groups, ""]), at=at)
        write(f"{own}/wchan", wchan, at=at)
        maps = [f"7f0000000000-7f0000001000 r-xp 00000000 08:01 1 {file}\n" for file in libraries]
        write(f"{own}/maps", "".join(maps), at=at)
        self.link(f"{own}/exe", exe or f"/usr/bin/{name}", at=at)
        self.link(f"{own}/ns/net", f"net:[{netns}]", at=at)
        held = [f"socket:[{inode}]" for inode in sockets] + list(files)
        for number, target in enumerate(held):
            self.link(f"{own}/fd/{number + 3}", target, at=at)
        self._tables()
        return self

    def exit(self, pid: int, *, at: float) -> FrozenHost:
        """The process is gone from that moment on."""
        self._alive[pid] = (self._alive[pid][0], at)
        self.folder(at).joinpath("proc").mkdir(parents=True, exist_ok=True)
        self._sync()
        return self

    def listen(
        self,
        address: str,
        *,
        inode: int,
        waiting: int = 0,
        netns: int = HOME_NETNS,
        at: float = 0.0,
    ) -> FrozenHost:
        """A TCP listener; give its inode to the processes that hold it (`sockets=`)."""
        zero = "[::]:0" if address.startswith("[") else "0.0.0.0:0"
        return self._socket(_Row(netns, address, zero, 10, inode, waiting), at)

    def connection(
        self,
        local: str,
        remote: str,
        *,
        inode: int,
        unread: int = 0,
        unsent: int = 0,
        state: int = 1,
        netns: int = HOME_NETNS,
        at: float = 0.0,
    ) -> FrozenHost:
        """One end of a TCP connection; `state` by number (1 established, 6 TIME_WAIT)."""
        return self._socket(_Row(netns, local, remote, state, inode, unread, unsent), at)

    def root(self, at: float = 0.0) -> Root:
        """What looks read from, at that moment."""
        root = Root(str(self.path))
        root.advance(at)
        return root

    def reach(self, *, window: float = 1.0, root: Root | None = None) -> Reach:
        """Hands for one look."""
        now = time.monotonic()
        return Reach(
            root=root or self.root(), window=window, until=now + window, deadline=now + window + 2
        )

    def case(self) -> Case:
        """A Case that knows this host and nothing else."""
        host = Host(name=self.name, boot=self.boot, cpus=self.cpus, memory_bytes=8e9, frozen=True)
        return Case(
            schema="weaklink/case/1",
            id="frozen",
            created=FROZEN_AT,
            version="0",
            host=host,
            window=(FROZEN_AT, FROZEN_AT),
        )

    def _socket(self, row: _Row, at: float) -> FrozenHost:
        rows = self._rows.setdefault(at, [])
        rows[:] = [
            each
            for each in rows
            if replace(each, unread=0, unsent=0) != replace(row, unread=0, unsent=0)
        ]
        rows.append(row)
        self._tables()
        return self

    def _tables(self) -> None:
        """Write each process's view of the sockets of its namespace, at every moment that has one.

        A socket of an earlier moment stays: the same inode and ends replace it.
        """
        standing: dict[tuple[int, str, str, int], _Row] = {}
        for at in sorted(self._rows):
            for row in self._rows[at]:
                standing[row.netns, row.local, row.remote, row.inode] = row
            for pid, (since, until) in self._alive.items():
                if since <= at < until or (at == 0.0 and since <= 0):
                    mine = [row for row in standing.values() if row.netns == self._netns[pid]]
                    self._table(pid, mine, at)

    def _table(self, pid: int, rows: list[_Row], at: float) -> None:
        head = "  sl  local_address rem_address   st tx_queue:rx_queue tr tm->when\n"
        v4 = [row for row in rows if not row.local.startswith("[")]
        v6 = [row for row in rows if row.local.startswith("[")]
        for name, group in (("tcp", v4), ("tcp6", v6)):
            text = head + "".join(_tcp_line(n, row) for n, row in enumerate(group))
            self.write(f"/proc/{pid}/net/{name}", text, at=at)

    def _sync(self) -> None:
        """Every moment with processes of its own lists all that live then."""
        frames = self.path / "frames"
        if not frames.is_dir():
            return
        for frame in frames.iterdir():
            if not (frame / "proc").is_dir():
                continue
            at = float(frame.name)
            for pid, (since, until) in self._alive.items():
                own = frame / "proc" / str(pid)
                if since <= at < until:
                    own.mkdir(exist_ok=True)
                elif own.is_dir() and not os.listdir(own):  # noqa: PTH208
                    own.rmdir()


def _tcp_line(number: int, row: _Row) -> str:
    queues = f"{row.unsent:08X}:{row.unread:08X}"
    ends = f"{_hex(row.local)} {_hex(row.remote)}"
    return f"{number:4}: {ends} {row.state:02X} {queues} 00:00000000 00000000 0 0 {row.inode} 1\n"


def _hex(address: str) -> str:
    host, _, port = address.rpartition(":")
    raw = ipaddress.ip_address(host.strip("[]")).packed
    turned = b"".join(raw[n : n + 4][::-1] for n in range(0, len(raw), 4))
    return f"{turned.hex().upper()}:{int(port):04X}"
