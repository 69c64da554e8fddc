"""Settings of one member, read from the file that the environment names."""

import json
import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any


@dataclass(slots=True)
class Live:
    """Settings that operators change while the service runs; read again when the file changes."""

    path: Path
    stamp: float = 0.0
    values: dict[str, Any] | None = None

    def get(self) -> dict[str, Any]:
        """Give what the file says now; what it said before where it cannot be read."""
        try:
            stamp = self.path.stat().st_mtime
            if self.values is None or stamp != self.stamp:
                self.values, self.stamp = json.loads(self.path.read_text()), stamp
        except (OSError, ValueError):
            self.values = self.values or {}
        return self.values


@lru_cache(maxsize=1)
def fixed() -> dict[str, Any]:
    """Give the settings that hold for the life of the process."""
    loaded: dict[str, Any] = json.loads(Path(os.environ["SERVICE_CONFIG"]).read_text())
    return loaded
