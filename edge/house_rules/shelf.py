"""The houses that come with the product, and those a casino writes: their files, found and read."""

from importlib import resources
from pathlib import Path

from edge.errors import HouseRulesInvalid


def house_names() -> tuple[str, ...]:
    """The houses that come with the product, in alphabetical order."""
    files = resources.files("edge.house_rules").iterdir()
    return tuple(sorted(file.name.removesuffix(".toml") for file in files if file.name.endswith(".toml")))


def house_text(house: str) -> str:
    """The text of a house file, by the name of a house that comes with the product or by a path.

    Raises:
        HouseRulesInvalid: no such house, or the file cannot be read.
    """
    if house in house_names():
        return resources.files("edge.house_rules").joinpath(f"{house}.toml").read_text(encoding="utf-8")
    path = Path(house)
    if path.suffix != ".toml":
        raise HouseRulesInvalid(
            f"There is no house {house!r}.",
            hint=f"Write one of {', '.join(house_names())}, or the path of a house file ending in .toml.",
        )
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise HouseRulesInvalid(
            f"The house file {house} cannot be read: {error.strerror}.", hint="Check its path and rights."
        ) from None
    except UnicodeDecodeError:
        raise HouseRulesInvalid(
            f"The house file {house} is not UTF-8 text.", hint="Save it as UTF-8."
        ) from None
