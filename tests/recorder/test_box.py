"""The black box gives back what was put in, whatever happened to it meanwhile."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from weaklink.model.event import Event
from weaklink.recorder import place, store
from weaklink.recorder.asked import Row
from weaklink.recorder.block import MISSING
from weaklink.recorder.box import BLOCK_TICKS, Box, Clock, Table
from weaklink.recorder.recording import Recording
from weaklink.recorder.tick import Head

WALL = 1_790_000_000.0
CPU = "process_cpu_seconds_total"
RESIDENT = "process_resident_bytes"


class Hands:
    """A clock that moves when told."""

    def __init__(self, wall: float = WALL, mono: float = 1000.0) -> None:
        self.wall, self.mono = wall, mono

    @property
    def clock(self) -> Clock:
        return Clock(lambda: self.wall, lambda: self.mono)

    def step(self, seconds: float = 1.0) -> None:
        self.wall += seconds
        self.mono += seconds


def head(boot: str = "b1") -> Head:
    return Head("1", "h1", boot, "r1", 0)


def process(number: int, group: str = "process") -> Table:
    return Table(f"process:h1/-/{number}@{number}", group, [(CPU, 0.01), (RESIDENT, 4096.0)])


def filled(folder: Path, ticks: int, *, tables: int = 8, seed: int = 1) -> dict[str, list[float]]:
    """A recording of some processes, and what it must give back: values by target, CPU."""
    rng = random.Random(seed)
    hands = Hands()
    box = Box(folder, head=head(), clock=hands.clock)
    own = [process(number + 1) for number in range(tables)]
    values = [[rng.randrange(1000), rng.randrange(1000)] for _ in own]
    told: dict[str, list[float]] = {table.target: [] for table in own}
    for _ in range(ticks):
        hands.step()
        for number, table in enumerate(own):
            if number % 2 == 0:
                values[number][0] += rng.randrange(7)
                values[number][1] += rng.randrange(-50, 50)
            box.put(table, tuple(values[number]))
            told[table.target].append(values[number][0] / 100)
        box.read("process")
        box.tick()
    return told


def cpu(recording: Recording) -> dict[str, list[float]]:
    return {row.target: row.values for row in recording.series(lambda q, t: q == CPU)}


def is_part_of(found: list[float], told: list[float]) -> bool:
    """Whether every sample is one that was written, in order."""
    rest = iter(told)
    return all(any(value == other for other in rest) for value in found)


def test_what_was_put_in_comes_back_over_several_blocks(tmp_path: Path) -> None:
    told = filled(tmp_path, 2 * BLOCK_TICKS + 40)
    recording = Recording.load([tmp_path])
    assert recording.seconds == 2 * BLOCK_TICKS + 40
    assert recording.damaged == 0
    assert cpu(recording) == told
    row = recording.series(lambda q, t: q == RESIDENT)[0]
    assert row.times[0] == pytest.approx(WALL + 1)
    assert row.values[0] % 4096 == 0


def test_a_span_gives_that_span_only(tmp_path: Path) -> None:
    told = filled(tmp_path, BLOCK_TICKS + 100)
    recording = Recording.load([tmp_path], WALL + 280, WALL + 320)
    rows = recording.series(lambda q, t: q == CPU, since=WALL + 280, until=WALL + 320)
    assert all(len(row.times) == 41 for row in rows)
    assert rows[0].values == told[rows[0].target][279:320]


def test_a_target_that_came_late_and_went_early_has_no_other_rows(tmp_path: Path) -> None:
    hands = Hands()
    box = Box(tmp_path, head=head(), clock=hands.clock)
    always, guest = process(1), process(2)
    for tick in range(30):
        hands.step()
        box.put(always, (tick, 5))
        if 10 <= tick < 20:
            box.put(guest, (tick, tick))
        if tick == 20:
            box.end(guest)
        box.read("process")
        box.tick()
    box.close()
    row = next(
        one
        for one in Recording.load([tmp_path]).series()
        if one.target == guest.target and one.quantity == CPU
    )
    assert row.times == pytest.approx([WALL + 11 + n for n in range(10)])
    assert row.values == [n / 100 for n in range(10, 20)]


def test_what_is_read_at_its_own_pace_has_no_samples_between(tmp_path: Path) -> None:
    hands = Hands()
    box = Box(tmp_path, head=head(), clock=hands.clock)
    table = Table("cache:h1/-/r", "slow", [("cache_keys", 1.0)])
    for tick in range(20):
        hands.step()
        if tick % 5 == 0:
            box.put(table, (tick,))
            box.read("slow")
        box.tick()
    row = Recording.load([tmp_path]).series()[0]
    assert row.values == [0.0, 5.0, 10.0, 15.0]
    assert row.times == pytest.approx([WALL + 1, WALL + 6, WALL + 11, WALL + 16])


def test_what_could_not_be_read_is_missing_and_no_zero(tmp_path: Path) -> None:
    hands = Hands()
    box = Box(tmp_path, head=head(), clock=hands.clock)
    table = process(1)
    for value in (3, MISSING, 5):
        hands.step()
        box.put(table, (value, 1))
        box.read("process")
        box.tick()
    assert cpu(Recording.load([tmp_path])) == {table.target: [0.03, 0.05]}


def test_events_requests_and_looks_around_come_back(tmp_path: Path) -> None:
    hands = Hands()
    box = Box(tmp_path, head=head(), clock=hands.clock)
    row = Row(int(WALL) + 1, "log:h1/-/a", "/v1", "10.0.0.1:80", 200, 90, 7, 3)
    for tick in range(BLOCK_TICKS + 5):
        hands.step()
        if tick in (2, BLOCK_TICKS + 2):
            box.event(Event(at=hands.wall, kind="cron-run", target="t", text="x", source="s"))
            box.asked([row])
            box.scene(b"scene %d" % tick)
        box.tick()
    recording = Recording.load([tmp_path])
    assert [event.at for event in recording.events()] == [WALL + 3, WALL + BLOCK_TICKS + 3]
    assert recording.asked() == [row, row]
    assert recording.scene(WALL + 100) == b"scene 2"
    assert recording.scene(WALL + 9999) == b"scene 302"
    assert recording.scene(0) == b"scene 2"


def test_a_clock_put_back_and_forward_makes_no_second_twice(tmp_path: Path) -> None:
    hands = Hands()
    box = Box(tmp_path, head=head(), clock=hands.clock)
    table = process(1)
    for tick in range(2 * BLOCK_TICKS):
        hands.step()
        if tick == 100:
            hands.wall -= 3600
        if tick == 400:
            hands.wall += 7200
        box.put(table, (tick, 1))
        box.read("process")
        box.tick()
    rows = Recording.load([tmp_path]).series(lambda q, t: q == CPU)
    assert len(rows) == 1
    steps = [b - a for a, b in zip(rows[0].times, rows[0].times[1:], strict=False)]
    assert steps == pytest.approx([1.0] * (2 * BLOCK_TICKS - 1))
    assert rows[0].times[-1] == pytest.approx(hands.wall)
    assert rows[0].values == sorted(rows[0].values)


def test_two_boots_keep_their_own_times(tmp_path: Path) -> None:
    first = Hands()
    box = Box(tmp_path, head=head("b1"), clock=first.clock)
    for _ in range(5):
        first.step()
        box.tick()
    box.close()
    second = Hands(WALL + 1000, 3.0)
    box = Box(tmp_path, head=head("b2"), clock=second.clock)
    for _ in range(5):
        second.step()
        box.tick()
    recording = Recording.load([tmp_path])
    assert recording.span == pytest.approx((WALL + 1, WALL + 1005))
    assert recording.seconds == 10


def test_the_oldest_is_dropped_beyond_the_cap(tmp_path: Path) -> None:
    rng = random.Random(3)
    hands = Hands()
    box = Box(tmp_path, head=head(), clock=hands.clock, cap=60_000)
    table = Table("t:h1/-/x", "g", [(CPU, 1.0)] * 20)
    for _ in range(6 * BLOCK_TICKS):
        hands.step()
        box.put(table, tuple(rng.randrange(1 << 30) for _ in range(20)))
        box.read("g")
        box.tick()
    sealed = [one for one in place.kept(tmp_path) if one.sealed]
    assert sum(one.size for one in sealed[1:]) <= 60_000
    assert box.store.dropped > 0
    assert Recording.load([tmp_path]).span[1] == pytest.approx(hands.wall)


CRASHER = """
import sys, time
from pathlib import Path
from weaklink.recorder.box import Box, Table
box = Box(Path(sys.argv[1]))
table = Table("t:h1/-/x", "g", [("process_cpu_seconds_total", 1.0)])
n = 0
while True:
    n += 1
    box.put(table, (n,)); box.read("g"); box.tick()
    sys.stdout.write(f"{n}\\n"); sys.stdout.flush()
"""


@pytest.mark.parametrize("run", range(6))
def test_killed_at_any_moment_it_opens_and_loses_the_last_tick_at_most(
    tmp_path: Path, run: int
) -> None:
    last = 0
    for _ in range(3):
        child = subprocess.Popen(
            [sys.executable, "-c", CRASHER, str(tmp_path)], stdout=subprocess.PIPE, text=True
        )
        assert child.stdout is not None
        child.stdout.readline()
        time.sleep(random.Random(run).random() * 0.3)
        child.send_signal(signal.SIGKILL)
        lines = child.communicate()[0].split("\n")
        last = max(int(line) for line in lines[:-1] if line) if len(lines) > 1 else 1
    rows = Recording.load([tmp_path]).series()
    values = rows[0].values
    begin = max(i for i, value in enumerate(values) if value == 1.0)
    run_values = values[begin:]
    assert run_values == [float(n) for n in range(1, len(run_values) + 1)]
    assert len(run_values) >= last


def test_each_byte_of_the_log_flipped_leaves_no_wrong_sample(tmp_path: Path) -> None:
    told = filled(tmp_path, 40)
    path = next(one.path for one in place.kept(tmp_path) if not one.sealed)
    data = path.read_bytes()
    for at in range(0, len(data), 7):
        path.write_bytes(data[:at] + bytes([data[at] ^ 0x41]) + data[at + 1 :])
        recording = Recording.load([tmp_path])
        assert recording.seconds >= 39
        for target, values in cpu(recording).items():
            assert is_part_of(values, told[target])


def test_a_log_cut_anywhere_opens(tmp_path: Path) -> None:
    told = filled(tmp_path, 20)
    path = next(one.path for one in place.kept(tmp_path) if not one.sealed)
    data = path.read_bytes()
    for length in range(0, len(data), 11):
        path.write_bytes(data[:length])
        for target, values in cpu(Recording.load([tmp_path])).items():
            assert values == told[target][: len(values)]


def test_each_byte_of_a_sealed_block_cut_or_flipped_is_made_good_from_its_log(
    tmp_path: Path,
) -> None:
    told = filled(tmp_path, BLOCK_TICKS + 3, tables=4)
    path = next(one.path for one in place.kept(tmp_path) if one.sealed)
    data = path.read_bytes()
    for at in range(0, len(data), max(1, len(data) // 120)):
        for broken in (data[:at], data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :]):
            path.write_bytes(broken)
            recording = Recording.load([tmp_path])
            assert recording.seconds == BLOCK_TICKS + 3
            assert cpu(recording) == told


def test_a_damaged_block_without_its_log_has_gaps_but_no_wrong_sample(tmp_path: Path) -> None:
    told = filled(tmp_path, BLOCK_TICKS + 3, tables=4)
    for one in place.kept(tmp_path):
        if not one.sealed:
            one.path.unlink()
    path = next(one.path for one in place.kept(tmp_path) if one.sealed)
    data = path.read_bytes()
    for at in range(0, len(data), max(1, len(data) // 150)):
        path.write_bytes(data[:at] + bytes([data[at] ^ 0x10]) + data[at + 1 :])
        for target, values in cpu(Recording.load([tmp_path])).items():
            assert is_part_of(values, told[target])


def test_a_folder_that_is_removed_is_said_and_memory_takes_over(tmp_path: Path) -> None:
    import shutil

    folder, spare = tmp_path / "box", tmp_path / "spare"
    hands = Hands()
    box = Box(folder, head=head(), clock=hands.clock, spare=spare)
    for tick in range(60):
        hands.step()
        if tick == 15:
            shutil.rmtree(folder)
        box.put(process(1), (tick, 1))
        box.tick()
    assert "removed" in box.store.trouble
    assert not box.store.durable
    assert Recording.load([spare]).seconds == 60


def test_without_any_place_blocks_stay_in_memory_and_go_to_disk_when_it_is_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "file" / "box"
    (tmp_path / "file").write_text("in the way")
    hands = Hands()
    box = Box(folder, head=head(), clock=hands.clock)
    table = process(1)

    def ticks(count: int) -> None:
        for _ in range(count):
            hands.step()
            box.put(table, (int(hands.mono), 1))
            box.read("process")
            box.tick()

    ticks(BLOCK_TICKS + 10)
    assert box.store.trouble
    assert len(box.store.memory) == 1
    (tmp_path / "file").unlink()
    monkeypatch.setattr(store, "RETRY_SECONDS", 0.0)
    box.store._retry = 0.0
    ticks(20)
    assert box.store.durable
    assert not box.store.trouble
    assert Recording.load([folder]).seconds == BLOCK_TICKS + 30


def test_a_disk_that_is_nearly_full_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(place, "nearly_full", lambda _: True)
    box = Box(tmp_path / "box", head=head())
    box.tick()
    assert "free" in box.store.trouble
    assert place.kept(tmp_path / "box") == []


LIMITED = """
import resource, sys
from pathlib import Path
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
from weaklink.recorder.box import Box, Table
import random
box = Box(Path(sys.argv[1]))
table = Table("t:h1/-/x", "g", [("process_cpu_seconds_total", 1.0)] * 20)
for n in range(700):
    box.put(table, tuple(random.randrange(1 << 40) for _ in range(20))); box.read("g"); box.tick()
print(len(box.store.memory), box.store.trouble)
"""


def test_a_limit_on_file_sizes_ends_no_run(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(tmp_path)], capture_output=True, text=True, check=True
    )
    blocks, _, trouble = done.stdout.partition(" ")
    assert int(blocks) >= 1
    assert trouble.strip()


@pytest.mark.needs("root")
def test_a_tmpfs_of_one_megabyte_is_never_filled(tmp_path: Path) -> None:
    mount = ["/bin/mount", "-t", "tmpfs", "-o", "size=1m", "none", str(tmp_path)]
    if subprocess.run(mount, check=False).returncode:
        pytest.skip("no tmpfs can be mounted here")
    hands = Hands()
    box = Box(tmp_path / "box", head=head(), clock=hands.clock)
    try:
        rng = random.Random(1)
        table = Table("t:h1/-/x", "g", [(CPU, 1.0)] * 90)
        for _ in range(5 * BLOCK_TICKS):
            hands.step()
            box.put(table, tuple(rng.randrange(1 << 50) for _ in range(90)))
            box.read("g")
            box.tick()
        assert box.store.trouble
        assert box.store.memory
        assert Recording.load([tmp_path / "box"]).damaged == 0
    finally:
        box.close()
        subprocess.run(["/bin/umount", str(tmp_path)], check=True)


def test_only_its_owner_can_read_it(tmp_path: Path) -> None:
    filled(tmp_path / "box", 5)
    assert (tmp_path / "box").stat().st_mode & 0o077 == 0
    assert all(one.path.stat().st_mode & 0o077 == 0 for one in place.kept(tmp_path / "box"))
