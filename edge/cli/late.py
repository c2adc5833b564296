"""Commands whose modules are imported when they are asked for: a daemon needs none of the technician's."""

import gc
import importlib
from collections.abc import Callable, Iterator, Mapping
from types import ModuleType
from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_group


def late(commands: Mapping[str, str]) -> type[TyperGroup]:
    """A group of these commands, for ``typer.Typer(cls=...)``.

    Args:
        commands: by name, where each is: ``module:attribute``, a function or a group of commands.
    """

    class Late(TyperGroup):
        """Knows its commands by name, and makes one when it is asked for; help asks for all."""

        def __init__(self, **settings: Any) -> None:  # noqa: ANN401 - whatever typer's version has
            super().__init__(**settings)
            self.commands: Any = _Made(commands)

        def list_commands(self, ctx: Any) -> list[str]:  # noqa: ANN401 - which click it is, typer's version says
            """Their names, as given."""
            del ctx
            return list(commands)

    return Late


class _Made(Mapping[str, object]):
    """Commands by name, made when they are looked up."""

    def __init__(self, places: Mapping[str, str]) -> None:
        self._places = places

    def __getitem__(self, name: str) -> object:
        module, _, attribute = self._places[name].partition(":")
        found: typer.Typer | Callable[..., object] = getattr(_imported(module), attribute)
        alone = typer.Typer(add_completion=False, rich_markup_mode=None)
        if isinstance(found, typer.Typer):
            alone.add_typer(found, name=name)
        else:
            alone.command(name)(found)
        return get_group(alone).commands[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def _imported(name: str) -> ModuleType:
    """Import without collecting garbage: what is made stays, and the search takes a tenth of the time."""
    gc.disable()
    try:
        return importlib.import_module(name)
    finally:
        gc.enable()
