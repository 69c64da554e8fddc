"""The videos that members decode: real H.264, made once and kept in a cache folder."""

import os
import shutil
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import av
import numpy as np


@dataclass(frozen=True, slots=True)
class Clip:
    """One video to make: its size, and how many frames (decoders start over at the end)."""

    name: str
    width: int
    height: int
    frames: int


CLIPS = (
    Clip("sd", 640, 360, 24),
    Clip("hd", 1920, 1080, 24),
    Clip("uhd", 3840, 2160, 12),
)


def folder() -> Path:
    """Give the folder where clips are kept between runs; `down --purge` removes it."""
    base = os.environ.get("XDG_CACHE_HOME") or "/var/cache"
    return Path(base) / "weaklink-lab"


def swap_folder(seed: int) -> Path:
    """Give where a lab keeps a swap file: not on tmpfs, where its other files may lie."""
    path = folder() / f"swap-{seed}"
    path.mkdir(parents=True, exist_ok=True)
    return path


def paths() -> dict[str, Path]:
    """Give where each clip is, or will be."""
    return {
        clip.name: folder() / f"{clip.name}-{clip.width}x{clip.height}-{clip.frames}.mp4"
        for clip in CLIPS
    }


def ensure() -> dict[str, Path]:
    """Make the clips that are missing (seconds, once) and give where they are."""
    found = paths()
    folder().mkdir(parents=True, exist_ok=True)
    for clip in CLIPS:
        path = found[clip.name]
        if not path.exists():
            unfinished = path.with_suffix(".part.mp4")
            _make(clip, unfinished)
            unfinished.rename(path)
    return found


def _make(clip: Clip, path: Path) -> None:
    dice = np.random.default_rng(clip.width)
    shape = (clip.height // 16 + 16, clip.width // 16 + 16, 3)
    blocks = dice.integers(0, 255, shape, dtype=np.uint8).repeat(16, 0).repeat(16, 1)
    with av.open(str(path), "w") as out:
        stream = out.add_stream("libx264", rate=Fraction(30))
        stream.width, stream.height, stream.pix_fmt = clip.width, clip.height, "yuv420p"
        stream.options = {"preset": "superfast", "crf": "26", "g": "24"}
        for number in range(clip.frames):
            # A moving picture with noise: a still one would cost the decoder nothing.
            top, left = number % 48, (3 * number) % 64
            picture = blocks[top : top + clip.height, left : left + clip.width].copy()
            noise = dice.integers(0, 24, (clip.height // 4, clip.width // 4, 1), dtype=np.uint8)
            picture ^= noise.repeat(4, 0).repeat(4, 1)
            frame = av.VideoFrame.from_ndarray(picture, format="rgb24")
            out.mux(stream.encode(frame))
        out.mux(stream.encode(None))


def purge() -> None:
    """Remove the clips and their folder."""
    shutil.rmtree(folder(), ignore_errors=True)
