"""File systems for a scene, which can be filled, unmounted, replaced and turned read-only."""

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scene import Scene


class Disk:
    """An ext4 file system for a scene: a file on a loop device, mounted on a folder of the scene.

    Parameters
    ----------
    scene : Scene
        Whose folder it is.
    name : str
        The folder.
    megabytes : int
        Its size in MiB.
    options : str
        For `mkfs.ext4`.
    """

    def __init__(self, scene: Scene, name: str, megabytes: int = 128, options: str = ""):
        self.place, self._image = scene.folder / name, scene.folder / f"{name}.image"
        self._size, self._options = megabytes * 2**20, options.split()
        self.device = ""

    def __enter__(self) -> "Disk":
        with self._image.open("wb") as file:
            file.truncate(self._size)
        attach = ["losetup", "--find", "--show", str(self._image)]
        self.device = subprocess.run(attach, capture_output=True, text=True, check=True).stdout.strip()
        self.place.mkdir(exist_ok=True)
        try:
            subprocess.run(["mkfs.ext4", "-q", "-m", "0", *self._options, self.device], check=True)
            self.mount()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.unmount()
        subprocess.run(["losetup", "--detach", self.device], check=False)

    def mount(self) -> None:
        """Mount it."""
        subprocess.run(["mount", self.device, str(self.place)], check=True)

    def unmount(self) -> None:
        """Unmount it, even while it is used."""
        subprocess.run(["umount", "--lazy", str(self.place)], check=False, stderr=subprocess.DEVNULL)

    def abort(self) -> None:
        """Report a disk error to ext4, as its own tests do: it turns read-only even with open files."""
        subprocess.run(["mount", "-o", "remount,abort", str(self.place)], check=False, stderr=subprocess.DEVNULL)

    def repair(self) -> None:
        """Unmount it, check it, and mount it again."""
        self.unmount()
        for _ in range(100):
            # Lazily unmounted, it is busy until the last process has let go of it.
            if not subprocess.run(["e2fsck", "-fy", self.device], check=False, capture_output=True).returncode & 8:
                break
            time.sleep(0.05)
        self.mount()


@contextmanager
def covered(place: Path) -> Iterator[None]:
    """Mount an empty file system over a folder, and unmount it again."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=32m", "none", str(place)], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)
