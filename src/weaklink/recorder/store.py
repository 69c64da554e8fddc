"""Where a recording's bytes go: to disk, to a folder in memory where that fails, to none at last.

Whatever happens to the disk, the recorder goes on, says what is wrong, and tries again each minute.
"""

from __future__ import annotations

import contextlib
import errno
import os
import time
from collections import deque
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from weaklink.recorder import place as places
from weaklink.recorder.block import encode
from weaklink.recorder.case_files import write_whole
from weaklink.recorder.tick import Head, head_of, read_log

RETRY_SECONDS = 60.0
SYNC_RECORDS = 10
"""Records between two syncs: a machine that loses power loses this much, a killed process none."""

Records = Callable[[], Iterable[bytes]]


class Store:
    """One recording's files. `records` gives those of the open block, to write its log anew."""

    def __init__(
        self, folder: Path | None, spare: Path | None, records: Records, *, cap: int, hours: float
    ) -> None:
        self.folder, self.spare = folder, spare
        self.cap, self.hours = cap, hours
        self.trouble = ""
        """Why nothing is written to disk now; '' where it is."""
        self.dropped = 0
        """Files and blocks that were dropped to stay within the caps."""
        self.memory: deque[bytes] = deque()
        """Sealed blocks that no folder takes."""
        self.place: Path | None = None
        self.head = Head("", "", "", "", 0)
        self._records = records
        self._log = -1
        self._written = 0
        self._retry = 0.0

    @property
    def durable(self) -> bool:
        """Whether it is kept on disk now."""
        return self.place is not None and self.place == self.folder

    def begin(self, head: Head) -> None:
        """A new block: its log, in the first place that takes us."""
        self._close()
        self.head = head
        if self.place is None:
            self._settle()
        else:
            self._next_number(self.place)
            self._start_log()

    def append(self, record: bytes) -> None:
        """One record more to the open block's log."""
        if not self.durable and time.monotonic() >= self._retry:
            self._come_back()
        if self._log < 0:
            return
        try:
            self._write(record)
            self._written += 1
            if self._written % SYNC_RECORDS == 0:
                os.fdatasync(self._log)
                if os.fstat(self._log).st_nlink == 0:
                    raise _error(errno.ENOENT, "its folder was removed")
        except OSError as error:
            self._lost(error)

    def keep(self, block: bytes) -> None:
        """A sealed block; to memory where no place takes it."""
        for _ in range(2):
            place = self.place
            if place is None:
                break
            try:
                if places.nearly_full(place):
                    raise _full()
                write_whole(self._path(place, places.BLOCK), block)
                self._clear(place)
            except OSError as error:
                self._lost(error)
            else:
                return
        self.memory.append(block)
        while sum(map(len, self.memory)) > places.MEMORY_BYTES:
            self.memory.popleft()
            self.dropped += 1

    def close(self) -> None:
        """The block is sealed: its log is not needed any more."""
        self._close()
        if self.place is not None:
            with contextlib.suppress(OSError):
                self._path(self.place, places.LOG).unlink()

    def _settle(self) -> None:
        """The first place that takes us: the disk, memory, or none."""
        self.trouble = ""
        for place in (self.folder, self.spare):
            if place is None:
                continue
            try:
                places.make(place)
            except OSError as error:
                self.trouble = self.trouble or _why(place, error)
                continue
            self.place = place
            recover(place)
            self._next_number(place)
            self._start_log()
            if self.place is not None:
                break
        self._retry = time.monotonic() + RETRY_SECONDS

    def _next_number(self, place: Path) -> None:
        files = places.kept(place)
        if files and files[-1].sequence >= self.head.sequence:
            self.head = msgspec.structs.replace(self.head, sequence=files[-1].sequence + 1)

    def _start_log(self) -> None:
        """The open block's log, from its first record on: a kill loses nothing."""
        if self.place is None:
            return
        path = self._path(self.place, places.LOG)
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            self._log = os.open(path, flags, 0o600)
            self._write(head_of(self.head))
            for record in self._records():
                self._write(record)
        except OSError as error:
            self._lost(error)

    def _write(self, data: bytes) -> None:
        if os.write(self._log, data) != len(data):
            raise _full()

    def _lost(self, error: OSError) -> None:
        """This place does not take us any more."""
        lost, self.place = self.place, None
        self._close()
        if lost is not None:
            self.trouble = _why(lost, error)
        self._retry = time.monotonic() + RETRY_SECONDS
        if lost == self.folder and self.spare is not None:
            with contextlib.suppress(OSError):
                places.make(self.spare)
                self.place = self.spare
                self._next_number(self.spare)
                self._start_log()

    def _come_back(self) -> None:
        """Try the disk again; what memory holds goes with us."""
        self._retry = time.monotonic() + RETRY_SECONDS
        if self.folder is None:
            return
        try:
            places.make(self.folder)
        except OSError as error:
            self.trouble = _why(self.folder, error)
            return
        self.close()
        spare = self.place
        self.place = self.folder
        self.trouble = ""
        recover(self.folder)
        try:
            self._bring_home(spare)
        except OSError as error:
            self._lost(error)
            return
        self._next_number(self.folder)
        self._start_log()

    def _bring_home(self, spare: Path | None) -> None:
        place = self.place
        if place is None:
            return
        for one in places.kept(spare) if spare is not None else []:
            if one.sealed:
                self._next_number(place)
                write_whole(self._path(place, places.BLOCK), one.path.read_bytes())
                one.path.unlink()
        while self.memory:
            self._next_number(place)
            write_whole(self._path(place, places.BLOCK), self.memory[0])
            self.memory.popleft()

    def _path(self, place: Path, suffix: str) -> Path:
        return place / f"{self.head.sequence:08d}{suffix}"

    def _clear(self, place: Path) -> None:
        """Drop what is beyond the cap, and logs of blocks older than the last but one."""
        for one in places.kept(place):
            if not one.sealed and one.sequence < self.head.sequence:
                with contextlib.suppress(OSError):
                    one.path.unlink()
        cap = self.cap if place == self.folder else places.MEMORY_BYTES
        self.dropped += places.trim(place, cap, time.time() - 3600 * self.hours)

    def _close(self) -> None:
        if self._log >= 0:
            with contextlib.suppress(OSError):
                os.close(self._log)
        self._log = -1


def recover(place: Path) -> int:
    """Seal what the logs of a run that was killed hold; how many blocks that made.

    A log whose block is there is a second copy of it, kept until the next block is sealed.
    """
    files = places.kept(place)
    sealed = {one.sequence for one in files if one.sealed}
    made = 0
    for one in files:
        if one.sealed or one.sequence in sealed:
            continue
        with contextlib.suppress(OSError):
            head, ticks = read_log(one.path.read_bytes())
            if head is not None and ticks:
                write_whole(one.path.with_suffix(places.BLOCK), encode(head, ticks))
                made += 1
            else:
                one.path.unlink()
    return made


def _why(place: Path, error: OSError) -> str:
    return f"{place}: {error.strerror or type(error).__name__}"


def _error(number: int, text: str) -> OSError:
    return OSError(number, text)


def _full() -> OSError:
    return _error(errno.ENOSPC, "less than 5 % of its file system is free")
