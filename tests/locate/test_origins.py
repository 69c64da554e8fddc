"""What a mapped library is for, by its plain name."""

from __future__ import annotations

import pytest

from weaklink.locate.origins import LIBRARIES, Purpose, purpose_of_library
from weaklink.parse.maps import library_name


@pytest.mark.parametrize(
    ("file", "purpose"),
    [
        ("libavcodec-6c3c2d1d.so.61.3.100", "prepare"),
        ("libswscale.so.5.9.100", "prepare"),
        ("libx264-a1b2c3d4.so.164", "prepare"),
        ("libopencv_imgproc.so.406", "prepare"),
        ("cv2.abi3.so", "prepare"),
        ("_imaging.cpython-311-x86_64-linux-gnu.so", "prepare"),
        ("libturbojpeg.so.0.2.0", "prepare"),
        ("tokenizers.abi3.so", "prepare"),
        ("_tiktoken.cpython-312-x86_64-linux-gnu.so", "prepare"),
        ("libnvjpeg.so.12", "prepare"),
        ("libtorchcodec_core7.so", "prepare"),
        ("ffmpeg-linux-x86_64-v7.0.2", "prepare"),
        ("libopenblas64_p-r0-0cf96a72.3.23.dev.so", "model"),
        ("libscipy_openblas64_-ff651d7f.so", "model"),
        ("onnxruntime_pybind11_state.cpython-311-x86_64-linux-gnu.so", "model"),
        ("libonnxruntime.so.1.20.1", "model"),
        ("libtorch_cpu.so", "model"),
        ("libmkl_avx512.so.2", "model"),
        ("libcublasLt.so.12", "model"),
        ("libcudart.so.12", "model"),
        ("libcuda.so.550.54.15", "model"),
        ("libggml-cpu-haswell.so", "model"),
        ("libcurl.so.4.8.0", None),
        ("libnvme.so.1", None),
        ("libcrypto.so.3", None),
        ("libc.so.6", None),
        ("libgomp-a34b3233.so.1.0.0", None),
        ("python3.11", None),
    ],
)
def test_purpose_of_a_file(file: str, purpose: Purpose | None) -> None:
    assert purpose_of_library(library_name(f"/x/{file}")) == purpose


@pytest.mark.parametrize("name", ["", "?", "[jit]", "[vdso]", "[kernel]"])
def test_what_is_no_library_has_none(name: str) -> None:
    assert purpose_of_library(name) is None


def test_no_line_of_the_table_is_hidden_by_another() -> None:
    names = [prefix for prefix, _ in LIBRARIES]
    for n, name in enumerate(names):
        assert not [other for other in names[:n] if name.startswith(other)], name
