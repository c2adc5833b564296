"""``table-edge rules``: the houses, a house's sheet for the pit, and the check of a house file."""

import textwrap
from typing import Annotated, Final

import typer
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from edge.cli.sheet import Section, sheet, title
from edge.house_rules import HouseFileInvalid, HouseRules, check_house, house_names, house_text

BAD_INPUT: Final = 2
WIDTH: Final = 96
"""Columns of a sheet that goes to a file or a printer."""

rules_commands = typer.Typer(
    help="The houses: list them, show what a dealer may do when, check a house file.", no_args_is_help=True
)


@rules_commands.command("list")
def list_houses() -> None:
    """List the houses that come with the program, one line each."""
    names = house_names()
    width = max(len(name) for name in names)
    for name in names:
        typer.echo(f"{name:<{width}}  {title(check_house(house_text(name), source=name))}")


@rules_commands.command()
def show(
    house: Annotated[str, typer.Argument(help="A house that comes with the program, or a house file.")],
) -> None:
    """Show what a dealer may do when: a sheet for the pit, made from the house file."""
    rules = check_house(house_text(house), source=house)
    console = Console(highlight=False)
    if console.is_terminal:
        _to_terminal(console, rules)
    else:
        typer.echo(_plain(rules))


@rules_commands.command()
def check(
    file: Annotated[str, typer.Argument(help="A house file, ending in .toml.")],
) -> None:
    """Check a house file. Exit 2 and one line for each mistake: file, line, key, what is allowed."""
    try:
        rules = check_house(house_text(file), source=file)
    except HouseFileInvalid as error:
        for each in error.mistakes:
            place = file if each.line is None else f"{file}:{each.line}"
            typer.echo(": ".join([place, *([each.key] * bool(each.key)), each.why]), err=True)
        typer.echo(error.hint, err=True)
        raise typer.Exit(BAD_INPUT) from None
    typer.echo(f"{file}: house {rules.name} can be played: {title(rules)}.")


def _to_terminal(console: Console, rules: HouseRules) -> None:
    console.print(Text.assemble("House ", (rules.name, "bold"), f": {title(rules)}"))
    for section in sheet(rules):
        console.print()
        console.print(Text(section.heading, style="bold"))
        console.print(Padding(_bullets(section), (0, 0, 0, 2)))


def _bullets(section: Section) -> Table:
    bullets = Table.grid(padding=(0, 1))
    for line in section.lines:
        bullets.add_row("•", Text(line))
    return bullets


def _plain(rules: HouseRules) -> str:
    head = textwrap.fill(f"House {rules.name}: {title(rules)}", WIDTH)
    parts = [
        "\n".join(
            [
                section.heading,
                *(
                    textwrap.fill(line, WIDTH, initial_indent="  * ", subsequent_indent="    ")
                    for line in section.lines
                ),
            ]
        )
        for section in sheet(rules)
    ]
    return "\n\n".join([head, *parts])
