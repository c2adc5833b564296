"""Options of a protocol: what ``[device.options]`` may say, checked before a link is made."""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from drivers.errors import BadOption

OptionValue: TypeAlias = str | int | bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One option."""

    name: str
    default: OptionValue | None
    """None: it must be given."""
    allowed: tuple[OptionValue, ...] = ()
    """None named: any text."""

    def checked(self, value: object, *, url: str) -> OptionValue:
        """The value, if it may be that.

        Raises:
            BadOption: it may not.
        """
        if self.allowed:
            for each in self.allowed:
                if type(value) is type(each) and value == each:
                    return each
            hint = f"Write one of {', '.join(_toml(each) for each in self.allowed)}"
        elif isinstance(value, str) and (value or self.default == ""):
            return value
        else:
            hint = "Write a text in quotes"
        shown = _toml(value) if isinstance(value, str | int | bool) else type(value).__name__
        raise BadOption(url=url, key=self.name, sentence=f"options.{self.name} cannot be {shown}", hint=hint)


def checked_options(
    options: Sequence[Option], given: Mapping[str, object], *, url: str, protocol: str
) -> Mapping[str, OptionValue]:
    """Every option with its value.

    Args:
        options: what the protocol has.
        given: what the configuration says.
        url: which device it is about.
        protocol: its name.

    Raises:
        BadOption: an unknown one, a value that may not be, or one that must be given and is not.
    """
    known = {each.name: each for each in options}
    for key in given:
        if key not in known:
            close = difflib.get_close_matches(key, known, n=1)
            names = ", ".join(known) or "none"
            hint = f"Did you mean {close[0]!r}" if close else f"{protocol} has these options: {names}"
            raise BadOption(url=url, key=key, sentence=f"{protocol} has no option {key!r}", hint=hint)
    values: dict[str, OptionValue] = {}
    for name, option in known.items():
        if name in given:
            values[name] = option.checked(given[name], url=url)
        elif option.default is not None:
            values[name] = option.default
        else:
            raise BadOption(
                url=url, key=name, sentence=f"options.{name} is missing", hint=f"{protocol} needs it: add it"
            )
    return values


def _toml(value: OptionValue) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f'"{value}"' if isinstance(value, str) else str(value)
