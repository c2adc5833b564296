"""The corpus: inputs that once reached new code, one a line in hex, by target."""

from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parent / "corpus"


def corpus(target: str) -> list[bytes]:
    """The inputs kept for a target, oldest first."""
    file = FOLDER / f"{target}.hex"
    return [bytes.fromhex(line) for line in file.read_text().splitlines()] if file.exists() else []


def keep(target: str, inputs: list[bytes]) -> int:
    """Keep inputs that are new. Returns how many were."""
    known = corpus(target)
    fresh = [each for each in dict.fromkeys(inputs) if each not in known]
    with (FOLDER / f"{target}.hex").open("a") as file:
        file.writelines(f"{each.hex()}\n" for each in fresh)
    return len(fresh)
