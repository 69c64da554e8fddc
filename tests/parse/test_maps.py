"""Addresses of code lead to the library's plain name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weaklink.parse.maps import JIT, MAIN, library_name, read_code

MAPS = """\
55d0c0000000-55d0c0100000 r-xp 00000000 08:01 11 /usr/bin/python3.11
7f0000000000-7f0000200000 r--p 00000000 08:01 12 /x/av.libs/libavcodec-6c3c2d1d.so.61.3.100
7f0000200000-7f0000900000 r-xp 00200000 08:01 12 /x/av.libs/libavcodec-6c3c2d1d.so.61.3.100
7f0001000000-7f0001010000 rwxp 00000000 00:00 0
7fff00000000-7fff00001000 r-xp 00000000 00:00 0 [vdso]
"""


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/x/libavcodec-6c3c2d1d.so.61.3.100", "libavcodec"),
        ("/x/libopenblas64_p-r0-0cf96a72.3.23.dev.so", "libopenblas64_p-r0"),
        ("/x/libtorch_cpu.so", "libtorch_cpu"),
        ("/x/_imaging.cpython-311-x86_64-linux-gnu.so", "_imaging"),
        ("/x/tokenizers.abi3.so", "tokenizers"),
        ("/usr/lib/libjpeg.so.62.3.0 (deleted)", "libjpeg"),
        ("", JIT),
        ("[vdso]", "[vdso]"),
        ("/memfd:jit (deleted)", JIT),
    ],
)
def test_names_lose_version_and_build(path: str, name: str) -> None:
    assert library_name(path) == name


def test_an_address_leads_to_its_library() -> None:
    code = read_code(MAPS, "/usr/bin/python3.11")
    assert code.name_at(0x55D0C0000010) == MAIN
    assert code.name_at(0x7F0000300000) == "libavcodec"
    assert code.name_at(0x7F0000000010) is None  # mapped, but not as code
    assert code.name_at(0x7F0001000010) == JIT
    assert code.name_at(0) is None


@given(st.text(max_size=300))
def test_any_text_is_read(text: str) -> None:
    code = read_code(text)
    assert len(code.starts) == len(code.ends) == len(code.names)
