"""Redis-like caches every five seconds: one INFO on a connection that stays open."""

from __future__ import annotations

import threading
import time

from weaklink.model.case import Case
from weaklink.parse.redis_info import Own, info_readings, read_info
from weaklink.parse.resp import NotResp
from weaklink.reach.host import NotAllowed, NotHere
from weaklink.sources.redis import Server, servers
from weaklink.sources.redis_client import RedisClient

PACE = 5.0
PATIENCE = 1.0
MAX_SERVERS = 8


class Caches:
    """Asks in a thread of its own; `take()` hands over the newest readings of each server once."""

    def __init__(self) -> None:
        self._servers: list[Server] = []
        self._clients: dict[str, RedisClient] = {}
        self._found: dict[str, dict[str, float]] = {}
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None
        self.cpu = 0.0

    def choose(self, case: Case) -> None:
        """The servers of this look around."""
        self._servers = servers(case, case.created)[0][:MAX_SERVERS]
        if self._servers and self._thread is None:
            self._thread = threading.Thread(target=self._run, name="weaklink-caches", daemon=True)
            self._thread.start()

    @property
    def keys(self) -> set[str]:
        """Process keys of the servers that are asked."""
        return {server.process.key for server in self._servers}

    def take(self) -> dict[str, dict[str, float]]:
        """Quantities by process key, of servers that answered since the last call."""
        with self._lock:
            found, self._found = self._found, {}
        return found

    def _run(self) -> None:
        while True:
            started = time.monotonic()
            for server in list(self._servers):
                values = self._ask(server)
                if values:
                    with self._lock:
                        self._found[server.process.key] = values
            self.cpu = time.thread_time()
            self._wake.wait(max(0.5, PACE - (time.monotonic() - started)))

    def _ask(self, server: Server) -> dict[str, float]:
        key = server.process.key
        try:
            client = self._clients.get(key)
            if client is None:
                client = RedisClient(server.address, pid=server.process.pid, timeout=PATIENCE)
                self._clients[key] = client
            before = sum(client.sent.values())
            reply = client.ask("INFO", "all", timeout=PATIENCE)
        except (OSError, NotResp, NotHere, NotAllowed):
            client = self._clients.pop(key, None)
            if client is not None:
                client.close()
            return {}
        if not isinstance(reply, str):
            return {}
        readings = info_readings(read_info(reply), key, 0.0, Own(commands=before, connections=1))
        return {one.quantity: one.value for one in readings}
