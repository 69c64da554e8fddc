"""One GET, no more: whatever the other side does, it ends in one word and in time."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weaklink.reach.host import NotAllowed
from weaklink.reach.http import MAX_BODY, Answer, get, parse_head

Serve = Callable[[Callable[[socket.socket], None]], str]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Starts a server that hands its one connection to a function; gives the URL."""
    servers: list[tuple[socket.socket, threading.Thread]] = []

    def start(answer: Callable[[socket.socket], None]) -> str:
        server = socket.create_server(("127.0.0.1", 0))

        def run() -> None:
            try:
                link, _ = server.accept()
            except OSError:
                return
            with link:
                answer(link)

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        servers.append((server, thread))
        return f"http://127.0.0.1:{server.getsockname()[1]}/a/b?c=d"

    yield start
    for server, thread in servers:
        server.close()
        thread.join(5)


def ask(url: str, seconds: float = 5.0, **more: str) -> Answer:
    return get(url, deadline=time.monotonic() + seconds, **more)  # type: ignore[arg-type]


def saying(data: bytes) -> Callable[[socket.socket], None]:
    def answer(link: socket.socket) -> None:
        link.recv(65536)
        link.sendall(data)

    return answer


def test_what_is_asked_is_plain_and_says_who_asks(serve: Serve) -> None:
    seen: list[bytes] = []

    def answer(link: socket.socket) -> None:
        seen.append(link.recv(65536))
        link.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-A: b\r\n\r\nhi")

    url = serve(answer)
    got = ask(url)
    assert (got.status, got.error, got.body, got.whole) == (200, "", b"hi", True)
    assert got.headers["x-a"] == "b"
    assert got.first_byte is not None
    assert 0 < got.first_byte <= got.total
    head = seen[0].decode().split("\r\n")
    assert head[0] == "GET /a/b?c=d HTTP/1.1"
    assert f"Host: {url.split('/')[2]}" in head
    assert "User-Agent: weaklink/0.1.0" in head
    assert "Connection: close" in head


def test_a_redirect_is_an_answer_and_is_not_followed(serve: Serve) -> None:
    url = serve(
        saying(
            b"HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/\r\nContent-Length: 0\r\n\r\n"
        )
    )
    assert ask(url).status == 302


def test_a_body_without_end_is_cut(serve: Serve) -> None:
    got = ask(serve(saying(b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * (MAX_BODY + 5000))))
    assert (got.status, len(got.body), got.whole) == (200, MAX_BODY, False)


def test_chunks(serve: Serve) -> None:
    got = ask(
        serve(saying(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n"))
    )
    assert (got.status, got.error, got.whole) == (200, "", True)


def test_a_stream_that_never_ends_is_a_timeout_with_a_status(serve: Serve) -> None:
    release = threading.Event()

    def answer(link: socket.socket) -> None:
        link.recv(65536)
        link.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n")
        release.wait(20)

    got = ask(serve(answer), 0.5)
    release.set()
    assert (got.status, got.error) == (200, "timeout")


def test_no_answer_at_all_is_a_timeout(serve: Serve) -> None:
    release = threading.Event()

    def answer(link: socket.socket) -> None:
        release.wait(20)

    got = ask(serve(answer), 0.5)
    release.set()
    assert (got.status, got.error, got.first_byte) == (0, "timeout", None)


def test_one_byte_at_a_time_does_not_outlast_the_deadline(serve: Serve) -> None:
    def answer(link: socket.socket) -> None:
        link.recv(65536)
        try:
            for _ in range(200):
                link.sendall(b"H")
                time.sleep(0.05)
        except OSError:
            return

    begun = time.monotonic()
    assert ask(serve(answer), 0.5).error == "timeout"
    assert time.monotonic() - begun < 5


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"", "closed"),
        (b"SSH-2.0-OpenSSH\r\n\r\n", "broken"),
        (b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 9000, "broken"),
        (b"HTTP/1.1 999999 x\r\n\r\n", "broken"),
    ],
)
def test_what_is_no_http(serve: Serve, data: bytes, error: str) -> None:
    got = ask(serve(saying(data)))
    assert (got.status, got.error) == (0, error)


def test_a_body_cut_short_says_so(serve: Serve) -> None:
    got = ask(serve(saying(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nhalf")))
    assert (got.status, got.error, got.body, got.whole) == (200, "closed", b"half", False)


def test_nobody_listens() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    assert ask(f"http://127.0.0.1:{port}/").error == "refused"


def test_a_name_that_nobody_knows() -> None:
    assert ask("http://no-such-host.invalid/").error == "unresolved"


def test_https_to_something_that_speaks_no_tls(serve: Serve) -> None:
    url = serve(saying(b"HTTP/1.1 400 plain\r\n\r\n")).replace("http:", "https:")
    assert ask(url).error == "tls"


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "ftp://a/",
        "gopher://a/",
        "http://",
        "//a/b",
        "http://169.254.169.254/latest/meta-data",
        "http://[::ffff:169.254.169.254]/",
        "http://a/b c",
        "http://a/\r\nX: y",
        "http://a:99999/",
        "http://[::1/",
    ],
)
def test_what_is_never_asked(url: str) -> None:
    with pytest.raises(NotAllowed):
        ask(url)


def test_a_header_cannot_be_smuggled(serve: Serve) -> None:
    url = serve(saying(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))
    with pytest.raises(NotAllowed):
        get(url, deadline=time.monotonic() + 2, headers={"Host": "a\r\nX: y"})


def test_the_address_may_be_told_apart_from_the_url(serve: Serve) -> None:
    url = serve(saying(b"HTTP/1.1 204 No\r\n\r\n"))
    got = get(
        "http://shop.example/x",
        deadline=time.monotonic() + 5,
        address=url.split("/")[2],
    )
    assert got.status == 204


def test_no_proxy_of_the_environment_is_used(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    assert ask(serve(saying(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))).status == 200


@given(st.binary(max_size=400))
def test_no_head_raises(head: bytes) -> None:
    status, _ = parse_head(head)
    assert 0 <= status <= 599
