"""/proc/PID/maps: which libraries a process has, how many maps, what was replaced under it."""

from __future__ import annotations

import re
from collections import Counter

from weaklink.model.fact_text_host import MapsDigest
from weaklink.model.take import Take
from weaklink.parse.quote import quoted
from weaklink.parse.text_tool import Passage, tool

_MAP = re.compile(
    r"([0-9a-f]{6,16})-([0-9a-f]{6,16}) ([r-][w-][x-][ps]) [0-9a-f]{6,16} "
    r"[0-9a-f]{2,4}:[0-9a-f]{2,4} \d{1,20}\s{0,60}(.{0,1000})$"
)
TELLING = ("libcuda.so", "libcudart", "libnccl", "libtorch", "libonnxruntime", "libnvinfer",
           "libavcodec", "libtensorflow", "libjvm.so", "libpython", "librocm", "libhip", "libmkl",
           "libopenblas")  # fmt: skip
_PROGRAM = re.compile(r"\.so(?:[.\d]|$)|/bin/|/sbin/")


def _is_map(line: str) -> bool:
    return _MAP.match(line) is not None


@tool("proc-maps", heads=tuple("0123456789abcdef"), starts=_is_map, goes_on=_is_map,
      commands=("maps",))  # fmt: skip
def proc_maps(passage: Passage) -> Take | None:
    """One digest of all maps in the block."""
    libraries: dict[str, str] = {}
    deleted: dict[str, str] = {}
    sizes: Counter[str] = Counter()
    count = 0
    for line in passage.lines:
        found = _MAP.match(line)
        if found is None:
            continue
        count += 1
        path = found[4].strip()
        if path.startswith("/"):
            sizes[path] += int(found[2], 16) - int(found[1], 16)
            name = path.rpartition("/")[2]
            tag = next((word for word in TELLING if word in name), "")
            if tag and tag not in libraries:
                libraries[tag] = line
            plain = path.removesuffix(" (deleted)")
            if plain != path and _PROGRAM.search(plain) and len(deleted) < 50:
                deleted.setdefault(plain, line)
    if count < 2:
        return None
    largest, size = sizes.most_common(1)[0] if sizes else ("", 0)
    line = next(iter(deleted.values()), "") or next(iter(libraries.values()), "")
    fact = MapsDigest(
        maps=count,
        libraries=[name.removesuffix(".so") for name in libraries],
        deleted=[quoted(path) for path in deleted],
        largest=quoted(largest),
        largest_bytes=float(size),
        line=quoted(line),
    )
    return Take(software=[fact])
