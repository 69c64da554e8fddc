"""What a package is for: the guilty function is told by its frame's origin, never by its name.

`origin` of a frame is the package that its file belongs to (parse/py_spy.py); names of native
threads come from the libraries themselves. One table, each line with its reason.
"""

from __future__ import annotations

from typing import Literal

Purpose = Literal["prepare", "model", "wait", "serve", "client"]

ORIGINS: dict[str, Purpose] = {
    # decoding and resizing media, cutting text into tokens: work before the model
    "av": "prepare",
    "PIL": "prepare",
    "cv2": "prepare",
    "imageio": "prepare",
    "imageio_ffmpeg": "prepare",
    "decord": "prepare",
    "moviepy": "prepare",
    "librosa": "prepare",
    "soundfile": "prepare",
    "pydub": "prepare",
    "torchvision": "prepare",
    "torchaudio": "prepare",
    "skimage": "prepare",
    "tokenizers": "prepare",
    "tiktoken": "prepare",
    "sentencepiece": "prepare",
    "pypdf": "prepare",
    "pdfplumber": "prepare",
    "fitz": "prepare",
    # the model itself
    "torch": "model",
    "onnxruntime": "model",
    "tensorflow": "model",
    "jax": "model",
    "vllm": "model",
    "sglang": "model",
    "transformers": "model",
    "diffusers": "model",
    "tensorrt": "model",
    # clients: a thread in them waits for another link
    "redis": "client",
    "valkey": "client",
    "httpx": "client",
    "httpx2": "client",
    "httpcore": "client",
    "requests": "client",
    "urllib3": "client",
    "aiohttp": "client",
    "psycopg": "client",
    "psycopg2": "client",
    "asyncpg": "client",
    "pymongo": "client",
    "grpc": "client",
    "botocore": "client",
    "qdrant_client": "client",
    "pymilvus": "client",
    # servers and event loops: plumbing
    "uvicorn": "serve",
    "starlette": "serve",
    "fastapi": "serve",
    "gunicorn": "serve",
    "hypercorn": "serve",
    "anyio": "serve",
    "uvloop": "serve",
    "gevent": "serve",
    "flask": "serve",
    "werkzeug": "serve",
    "waitress": "serve",
    "tornado": "serve",
    "django": "serve",
    "celery": "serve",
}

THREADS: tuple[tuple[str, Purpose], ...] = (
    ("av:", "prepare"),  # FFmpeg names its codec threads av:<codec>:<kind><n>
    ("dec", "prepare"),  # ffmpeg's decoder threads since 7.0: dec0:0:h264
    ("ffmpeg", "prepare"),
    ("swscale", "prepare"),
    ("ORT", "model"),
    ("pt_", "model"),
    ("torch", "model"),
    ("cuda", "model"),
)
"""Prefixes of native threads' names, as the libraries set them."""


def purpose_of_origin(origin: str) -> Purpose | None:
    """What a frame's package is for; None for the application's own code and unknown packages."""
    return ORIGINS.get(origin)


def purpose_of_thread(name: str) -> Purpose | None:
    """What a native thread is for, told by the name that its library gave it."""
    return next((purpose for prefix, purpose in THREADS if name.startswith(prefix)), None)


LIBRARIES: tuple[tuple[str, Purpose], ...] = (
    # FFmpeg and the codecs that it calls: decoding, encoding, scaling
    ("libavcodec", "prepare"),
    ("libavformat", "prepare"),
    ("libavfilter", "prepare"),
    ("libswscale", "prepare"),
    ("libswresample", "prepare"),
    ("libdav1d", "prepare"),
    ("libvpx", "prepare"),
    ("libx264", "prepare"),
    ("libx265", "prepare"),
    ("ffmpeg", "prepare"),
    # pictures
    ("libjpeg", "prepare"),
    ("libturbojpeg", "prepare"),
    ("libpng", "prepare"),
    ("libwebp", "prepare"),
    ("libtiff", "prepare"),
    ("libheif", "prepare"),
    ("libopenjp2", "prepare"),
    ("libopencv", "prepare"),
    ("cv2", "prepare"),
    ("_imaging", "prepare"),
    ("libvips", "prepare"),
    # sound, documents, tokens
    ("libsndfile", "prepare"),
    ("libsoxr", "prepare"),
    ("libmupdf", "prepare"),
    ("tokenizers", "prepare"),
    ("_tiktoken", "prepare"),
    ("_sentencepiece", "prepare"),
    # engines of models, and the arithmetic below them
    ("libonnxruntime", "model"),
    ("onnxruntime", "model"),
    ("libtorch", "model"),
    ("libc10", "model"),
    ("libtensorflow", "model"),
    ("libggml", "model"),
    ("libllama", "model"),
    ("libtvm", "model"),
    ("libcuda", "model"),
    ("libcu", "model"),
    ("libnv", "model"),
    ("libmkl", "model"),
    ("libopenblas", "model"),
    ("libblas", "model"),
    ("libdnnl", "model"),
    ("_multiarray_umath", "model"),
    ("_umath_linalg", "model"),
)
"""Beginnings of libraries' names, as distributions and wheels call them."""


def purpose_of_library(name: str) -> Purpose | None:
    """What a mapped library is for, by the beginning of its name; None for all others."""
    return next((purpose for prefix, purpose in LIBRARIES if name.startswith(prefix)), None)
