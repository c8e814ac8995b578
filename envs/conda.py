"""Write environment.yml from envs/requirements.lock, the user's: the same pins, for conda users."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEADER = """\
# Generated from envs/requirements.lock by `make lock`. conda installs Python; pip installs the pins of the lock file,
# so both set-ups have the same versions.
name: coldcache
channels:
  - conda-forge
  - nodefaults
dependencies:
  - python >=3.11
  - pip
  - pip:
      - --editable .
"""


def pins(lock: str) -> list[str]:
    """Return the requirements of a lock file, each ``name==version`` with its marker, without hashes."""
    return [line.removesuffix("\\").strip() for line in lock.splitlines() if line[:1].isalnum()]


def main() -> None:
    """Replace environment.yml."""
    lock = (ROOT / "envs" / "requirements.lock").read_text()
    lines = "".join(f"      - {pin}\n" for pin in pins(lock))
    (ROOT / "environment.yml").write_text(HEADER + lines)


if __name__ == "__main__":
    main()
