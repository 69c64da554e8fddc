"""Volumes and swap of a lab: files that are mounted, and taken back by looking, not by memory."""

import contextlib
import os
import shutil
import subprocess
from pathlib import Path

SWAP = "swapfile"


def make(image: Path, megabytes: int, at: Path, inodes: int) -> None:
    """Make a file, a file system in it, and mount it."""
    with image.open("wb") as out:
        out.truncate(megabytes << 20)
    _run("mkfs.ext4", "-q", "-F", "-m", "0", "-N", str(inodes), str(image))
    at.mkdir(parents=True, exist_ok=True)
    _run("mount", "-o", "loop", str(image), str(at))


def swap_on(folder: Path, megabytes: int) -> None:
    """Give the machine more swap, in a file of the folder."""
    path = folder / SWAP
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
    os.posix_fallocate(descriptor, 0, megabytes << 20)
    os.close(descriptor)
    _run("mkswap", str(path))
    _run("swapon", str(path))


def left(folder: Path) -> list[str]:
    """Give the mounts, loop devices and swap files that live below a folder."""
    found = [path for path in _second(Path("/proc/mounts"), 1) if _below(path, folder)]
    found += [path for path in _second(Path("/proc/swaps"), 0) if _below(path, folder)]
    for backing in Path("/sys/block").glob("loop*/loop/backing_file"):
        with contextlib.suppress(OSError):
            if _below(backing.read_text().strip(), folder):
                found.append(f"/dev/{backing.parts[3]}")
    return found


def remove(folder: Path) -> None:
    """Take all of them back, the innermost mount first."""
    for what in sorted(left(folder), key=len, reverse=True):
        if what.startswith("/dev/loop"):
            _try("losetup", "-d", what)
        elif Path(what).name == SWAP:
            _try("swapoff", what)
            Path(what).unlink(missing_ok=True)
        else:
            _try("umount", "-l", what)


def _second(table: Path, column: int) -> list[str]:
    try:
        lines = table.read_text().splitlines()
    except OSError:
        return []
    return [line.split()[column] for line in lines if len(line.split()) > column]


def _below(path: str, folder: Path) -> bool:
    return path.startswith(f"{folder}/")


def _tool(name: str) -> str:
    return shutil.which(name, path="/usr/sbin:/sbin:/usr/bin:/bin") or name


def _run(*words: str) -> None:
    done = subprocess.run(
        [_tool(words[0]), *words[1:]], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(words)}: {done.stderr.strip()}")


def _try(*words: str) -> None:
    subprocess.run([_tool(words[0]), *words[1:]], capture_output=True, check=False)
