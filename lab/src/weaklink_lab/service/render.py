"""Make a preview of a video: decode real frames, look at them with a small network, encode one."""

import io
import time
from collections.abc import Iterator
from fractions import Fraction

import av
import numpy as np
from numpy.typing import NDArray

Plane = NDArray[np.float32]

_KERNELS: NDArray[np.float32] = np.random.default_rng(7).normal(size=(4, 3, 3)).astype(np.float32)


def decoded(path: str, frames: int, threads: int) -> Iterator[av.VideoFrame]:
    """Give so many decoded frames, starting the clip over when it is shorter."""
    given = 0
    while given < frames:
        with av.open(path) as clip:
            stream = clip.streams.video[0]
            stream.thread_type = "AUTO"
            stream.codec_context.thread_count = threads
            for frame in clip.decode(stream):
                yield frame
                given += 1
                if given >= frames:
                    return


def score(plane: Plane) -> float:
    """Say how interesting a picture is: a small convolution, a rectifier, a mean."""
    height, width = plane.shape
    total = 0.0
    for kernel in _KERNELS:
        out = np.zeros((height - 2, width - 2), dtype=np.float32)
        for row in range(3):
            for column in range(3):
                window = plane[row : row + height - 2, column : column + width - 2]
                out += kernel[row, column] * window
        total += float(np.maximum(out, 0.0).mean())
    return total


def preview(path: str, frames: int, threads: int, accelerator_seconds: float = 0.0) -> bytes:
    """Give the JPEG of the most interesting frame of a clip.

    `accelerator_seconds` stand for a large model on an accelerator (SIMULATED: it only waits).
    """
    best, best_score = None, -1.0
    for number, frame in enumerate(decoded(path, frames, threads)):
        if number % 6:
            continue
        small = frame.reformat(width=320, height=180, format="yuvj420p")
        plane = small.to_ndarray()[:180].astype(np.float32) / 255.0
        found = score(plane)
        if found > best_score:
            best, best_score = small, found
    if accelerator_seconds:
        time.sleep(accelerator_seconds)
    if best is None:
        raise ValueError(f"{path} has no frames")
    return _jpeg(best)


def scenes(path: str, frames: int, threads: int) -> list[float]:
    """Give how much the picture changes from frame to frame."""
    changes, before = [], None
    for frame in decoded(path, frames, threads):
        plane = frame.reformat(width=160, height=90, format="gray").to_ndarray().astype(np.float32)
        if before is not None:
            changes.append(float(np.abs(plane - before).mean()))
        before = plane
    return changes


def _jpeg(frame: av.VideoFrame) -> bytes:
    encoder = av.CodecContext.create("mjpeg", "w")
    encoder.width, encoder.height = frame.width, frame.height
    encoder.pix_fmt = "yuvj420p"
    encoder.time_base = Fraction(1, 25)
    out = io.BytesIO()
    frame.pts = 0
    for packet in [*encoder.encode(frame), *encoder.encode(None)]:
        out.write(bytes(packet))
    return out.getvalue()
