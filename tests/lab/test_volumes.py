"""What a lab mounted is found by where it lies, so that a crash cannot hide it."""

from pathlib import Path

import pytest

from weaklink_lab.kernel import volumes


@pytest.fixture
def tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "mounts").write_text(
        "/dev/vda / ext4 rw 0 0\n"
        "/dev/loop3 /run/lab/depot/objects ext4 rw 0 0\n"
        "/dev/loop4 /run/lab-of-somebody-else/depot/objects ext4 rw 0 0\n"
    )
    (tmp_path / "swaps").write_text(
        "Filename Type Size Used Priority\n/run/lab/swapfile file 786428 0 -2\n"
    )
    real = Path

    def moved(text: str | Path) -> Path:
        name = str(text)
        return tmp_path / Path(name).name if name.startswith("/proc/") else real(name)

    monkeypatch.setattr(volumes, "Path", moved)
    return tmp_path


@pytest.mark.usefixtures("tables")
def test_only_what_lies_below_the_labs_folder_is_its_own() -> None:
    assert volumes.left(Path("/run/lab")) == ["/run/lab/depot/objects", "/run/lab/swapfile"]
    assert volumes.left(Path("/run/la")) == []
