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
    # FFmpeg, and the codecs that it calls: frames and sound are decoded, scaled, encoded
    ("libavcodec", "prepare"),
    ("libavformat", "prepare"),
    ("libavfilter", "prepare"),
    ("libavutil", "prepare"),
    ("libswscale", "prepare"),
    ("libswresample", "prepare"),
    ("libpostproc", "prepare"),
    ("libx264", "prepare"),
    ("libx265", "prepare"),
    ("libopenh264", "prepare"),
    ("libvpx", "prepare"),
    ("libdav1d", "prepare"),
    ("libaom", "prepare"),
    ("libSvtAv1", "prepare"),
    ("ffmpeg", "prepare"),  # the program itself, often linked statically
    ("libdecord", "prepare"),
    ("libtorchcodec", "prepare"),  # before libtorch: it decodes, it computes no model
    ("libtorchaudio", "prepare"),
    ("libdali", "prepare"),
    # NVIDIA's codecs: their share of the CPU is the feeding of the decoder, not of the model
    ("libnvcuvid", "prepare"),
    ("libnvidia-encode", "prepare"),
    ("libnvjpeg", "prepare"),
    # pictures: decoding and resizing happen before the model sees anything
    ("libjpeg", "prepare"),
    ("libturbojpeg", "prepare"),
    ("libpng", "prepare"),
    ("libwebp", "prepare"),
    ("libsharpyuv", "prepare"),
    ("libtiff", "prepare"),
    ("libheif", "prepare"),
    ("libde265", "prepare"),
    ("libavif", "prepare"),
    ("libjxl", "prepare"),
    ("libopenjp2", "prepare"),
    ("libopencv", "prepare"),
    ("cv2", "prepare"),
    ("_imaging", "prepare"),  # PIL
    ("libvips", "prepare"),
    # sound: decoding and resampling
    ("libsndfile", "prepare"),
    ("libsoxr", "prepare"),
    ("libsamplerate", "prepare"),
    ("libFLAC", "prepare"),
    ("libopus", "prepare"),
    ("libvorbis", "prepare"),
    ("libmpg123", "prepare"),
    ("libmp3lame", "prepare"),
    # documents: pages become text or pictures
    ("libmupdf", "prepare"),
    ("libpdfium", "prepare"),
    ("libpoppler", "prepare"),
    # tokens: text is cut before the model and put together after it
    ("tokenizers", "prepare"),
    ("tiktoken", "prepare"),
    ("_tiktoken", "prepare"),
    ("sentencepiece", "prepare"),
    ("_sentencepiece", "prepare"),
    ("libsentencepiece", "prepare"),
    # engines: the model itself runs in them
    ("libonnxruntime", "model"),
    ("onnxruntime", "model"),
    ("libtorch", "model"),
    ("libc10", "model"),
    ("libtensorflow", "model"),
    ("_pywrap_tensorflow", "model"),
    ("xla_extension", "model"),
    ("libtvm", "model"),
    ("libggml", "model"),
    ("libllama", "model"),
    ("libctranslate2", "model"),
    ("libopenvino", "model"),
    ("libnvinfer", "model"),
    # arithmetic below the engines; numpy's own counts as the model's: who computes a model by
    # hand does it there, and who prepares input does it in the libraries above
    ("libmkl", "model"),
    ("libopenblas", "model"),
    ("libscipy_openblas", "model"),
    ("libblas", "model"),
    ("libblis", "model"),
    ("libcblas", "model"),
    ("liblapack", "model"),
    ("libdnnl", "model"),
    ("_multiarray_umath", "model"),
    ("_umath_linalg", "model"),
    # the GPU's run time: launching kernels and waiting for them (libcu alone would be libcurl too)
    ("libcuda", "model"),
    ("libcublas", "model"),
    ("libcudnn", "model"),
    ("libcufft", "model"),
    ("libcurand", "model"),
    ("libcusolver", "model"),
    ("libcusparse", "model"),
    ("libcutensor", "model"),
    ("libnvrtc", "model"),
    ("libnccl", "model"),
)
"""Beginnings of libraries' names, as distributions and wheels call them; the first that fits."""


def purpose_of_library(name: str) -> Purpose | None:
    """What a mapped library is for, by the beginning of its name; None for all others."""
    return next((purpose for prefix, purpose in LIBRARIES if name.startswith(prefix)), None)
