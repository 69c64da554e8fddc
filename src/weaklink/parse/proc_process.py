"""Reads what else `/proc/PID` says: status, cmdline, cgroup, io, and what its libraries tell."""

from __future__ import annotations

import functools

from weaklink.parse.clean import clean_text

MAX_ARGUMENTS = 64
MAX_ARGUMENT_CHARACTERS = 512
"""Enough for a program, its script and its options; a prompt or a payload is cut."""

LIBRARY_TAGS: tuple[tuple[str, tuple[bytes, ...]], ...] = (
    ("cuda", (b"libcuda.", b"libcudart", b"libcublas")),
    ("torch", (b"libtorch",)),
    ("onnxruntime", (b"libonnxruntime", b"onnxruntime_pybind")),
    ("tensorrt", (b"libnvinfer",)),
    ("tensorflow", (b"libtensorflow", b"_pywrap_tensorflow")),
    ("av", (b"libavcodec", b"libavformat")),
    ("opencv", (b"libopencv", b"cv2.")),
    ("tokenizers", (b"tokenizers.",)),
    ("jax", (b"xla_extension", b"libjax")),
    ("java", (b"libjvm.",)),
    ("python", (b"libpython",)),
)
"""How the names of mapped files begin, by tag. They tell what a process does, whoever named it."""

PROGRAM_TAGS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("python", ("python", "pypy")),
    ("ffmpeg", ("ffmpeg", "ffprobe")),
    ("java", ("java",)),
)
"""How the executable's name begins, by tag, for programs that are linked statically."""


def parse_uid(status: bytes) -> int:
    """The real user of `/proc/PID/status`, -1 where it does not say.

    The owner of /proc/PID itself would be root for every process that may not be dumped.
    """
    start = status.find(b"\nUid:")
    words = status[start + 5 : start + 40].split(None, 1)[:1] if start >= 0 else []
    return int(words[0]) if words and words[0].isdigit() else -1


def parse_cmdline(raw: bytes) -> list[str]:
    """The arguments, capped in number and length; empty for kernel threads and zombies.

    A process may have written its title over them (nginx, gunicorn, postgres): then the title is
    the only argument. Not redacted: `redact_argv` comes next.
    """
    if not raw.strip(b"\x00 "):
        return []
    found = raw.rstrip(b"\x00").split(b"\x00")[:MAX_ARGUMENTS]
    return [clean_text(argument[:MAX_ARGUMENT_CHARACTERS]) for argument in found]


@functools.lru_cache(maxsize=512)  # most processes of a machine share a few of these texts
def parse_cgroup_of(raw: bytes) -> dict[str, str]:
    """`/proc/PID/cgroup`: path by controller; the v2 tree's under `unified`.

    Named v1 hierarchies without a controller (`name=systemd`) are kept under their name.
    """
    paths: dict[str, str] = {}
    for line in raw.split(b"\n"):
        number, _, rest = line.partition(b":")
        controllers, colon, path = rest.partition(b":")
        if not colon or not number.isdigit():
            continue
        text = clean_text(path)
        if not controllers:
            paths["unified"] = text
        for controller in controllers.split(b","):
            if controller:
                paths[clean_text(controller).removeprefix("name=")] = text
    return paths


def parse_io(raw: bytes) -> tuple[float, float] | None:
    """`/proc/PID/io`: bytes that it made a disk read and write; cancelled writes subtracted."""
    found: dict[bytes, int] = {}
    for line in raw.split(b"\n"):
        name, _, value = line.partition(b":")
        if value.strip().isdigit():
            found[name] = int(value[:24])
    if b"read_bytes" not in found or b"write_bytes" not in found:
        return None
    written = found[b"write_bytes"] - found.get(b"cancelled_write_bytes", 0)
    return float(found[b"read_bytes"]), float(max(0, written))


def library_tags(maps: bytes, program: str = "") -> list[str]:
    """Tags of what is mapped (`/proc/PID/maps`) and of the executable's name, sorted."""
    names = set()
    for line in maps.split(b"\n"):
        slash = line.rfind(b"/")
        if slash >= 0:
            names.add(line[slash + 1 :])
    tags = {
        tag
        for tag, beginnings in LIBRARY_TAGS
        if any(name.startswith(beginnings) for name in names)
    }
    return sorted(tags | program_tags(program))


def program_tags(program: str) -> set[str]:
    """Tags that the executable's path alone gives."""
    base = program.rpartition("/")[2]
    return {tag for tag, beginnings in PROGRAM_TAGS if base.startswith(beginnings)}
