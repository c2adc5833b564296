"""Code tables for tests: one of plain codes, one whose codes carry their card's serial number."""

from typing import Final

from firmware_protocols import DECK, Card, CodeTable, CodeTableForm, read_code_table

PLAIN: Final = "code,means\n" + "".join(f"{card},{card}\n" for card in DECK) + "CUT,cut\nDEAL,key 1\n"


def checked_code(card: Card) -> str:
    """A code of six characters that no single fault turns into another's: the card three times over."""
    return f"{card}{card}{card}"


SERIALS: Final = (
    'serial = "{code:6}-{serial:6}"\ncut_card = ["CUTCUT"]\n[keys]\nDEAL = 1\n[cards]\n'
    + "".join(f'{checked_code(card)} = "{card}"\n' for card in DECK)
)


def plain_table() -> CodeTable:
    return read_code_table(PLAIN, source="codes.csv", form=CodeTableForm.CSV)


def serials_table() -> CodeTable:
    return read_code_table(SERIALS, source="codes.toml", form=CodeTableForm.TOML)


def printed(card: Card, number: int) -> str:
    """What is printed on one card."""
    return f"{checked_code(card)}-{number:06}"
