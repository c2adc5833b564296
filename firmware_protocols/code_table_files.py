"""Reading a code table: TOML or CSV, understood whole or refused with its line and what is allowed.

::

    # TOML                                  # CSV: these two columns
    serial = "{code:2}-{serial:6}"          serial,{code:2}-{serial:6}
    cut_card = ["CUT"]                      code,means
                                            SA,As
    [cards]                                 CUT,cut
    SA = "As"                               OK,key 1

    [keys]
    OK = 1

Every card of the deck must have at least one code, and no code may mean two things: a card without a code
would come out as foreign, one with another's as another. Whatever reads the file hands its text in.
"""

import csv
import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from firmware_protocols.cards import DECK, Card
from firmware_protocols.code_table import (
    MAX_CODE,
    CodeTable,
    CutCardCode,
    KeyCode,
    Meaning,
    SerialTemplate,
)
from firmware_protocols.errors import CodeTableInvalid

_TOML_KEYS: Final = ("serial", "cut_card", "cards", "keys")
_LARGEST_KEY: Final = 255
_COLUMNS: Final = 2


class CodeTableForm(Enum):
    """How a code table is written, by the end of its file's name."""

    TOML = ".toml"
    CSV = ".csv"


@dataclass(slots=True, kw_only=True)
class _Draft:
    """A table as far as it was read."""

    source: str
    meanings: dict[str, Meaning] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    template: SerialTemplate | None = None

    def add(self, code: object, meaning: Meaning, line: int) -> None:
        if not isinstance(code, str) or not _writable(code):
            raise self.refused(
                line,
                f"{code!r} is no code",
                f"A code is 1 to {MAX_CODE} printable ASCII characters, no blank at either end",
            )
        if code in self.meanings:
            raise self.refused(
                line, f"code {code!r} stands in line {self.lines[code]} already", "A code means one thing"
            )
        self.meanings[code] = meaning
        self.lines[code] = line

    def add_card(self, code: object, card: object, line: int) -> None:
        try:
            self.add(code, Card.parse(card if isinstance(card, str) else repr(card)), line)
        except ValueError as error:
            raise self.refused(line, f"code {code!r}: {error}", "") from None

    def add_key(self, code: object, key: object, line: int) -> None:
        if isinstance(key, bool) or not isinstance(key, int) or not 0 <= key <= _LARGEST_KEY:
            raise self.refused(line, f"code {code!r}: {key!r} is no key", f"Keys are 0 to {_LARGEST_KEY}")
        self.add(code, KeyCode(key=key), line)

    def set_template(self, text: object, line: int) -> None:
        try:
            self.template = SerialTemplate.parse(text if isinstance(text, str) else repr(text))
        except ValueError as error:
            raise self.refused(line, f"serial: {error}", "") from None

    def finished(self) -> CodeTable:
        missing = [card for card in DECK if card not in self.meanings.values()]
        if missing:
            named = ", ".join(str(card) for card in missing[:5]) + (" ..." if len(missing) > 5 else "")  # noqa: PLR2004 - enough to find them
            raise self.refused(
                None,
                f"{len(missing)} {'card has' if len(missing) == 1 else 'cards have'} no code: {named}",
                "Each of the 52 cards needs one",
            )
        width = None if self.template is None else self.template.code_width
        for code, meaning in self.meanings.items():
            if width is not None and isinstance(meaning, Card) and len(code) != width:
                raise self.refused(
                    self.lines[code],
                    f"code {code!r} has {len(code)} characters, and the template reads {width}",
                    "Give all cards codes of that length, or leave the length open: {code}",
                )
        return CodeTable(source=self.source, meanings=self.meanings, template=self.template)

    def refused(self, line: int | None, why: str, hint: str) -> CodeTableInvalid:
        return CodeTableInvalid(source=self.source, line=line, why=why, hint=hint)


def read_code_table(text: str, *, source: str, form: CodeTableForm) -> CodeTable:
    """The code table that this text is.

    Args:
        text: what stands in the file.
        source: what to call the file in an error.
        form: how it is written.

    Raises:
        CodeTableInvalid: it cannot be used; the error names file, line and what is allowed.
    """
    return _READERS[form](text, _Draft(source=source))


def _read_toml(text: str, draft: _Draft) -> CodeTable:
    try:
        said = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"at line (\d+)", str(error))
        raise draft.refused(None if line is None else int(line[1]), f"it is not TOML: {error}", "") from None
    for key in said:
        if key not in _TOML_KEYS:
            raise draft.refused(
                _line_of(text, key), f"there is no key {key!r}", f"There is: {', '.join(_TOML_KEYS)}"
            )
    if "serial" in said:
        draft.set_template(said["serial"], _line_of(text, "serial"))
    cut = said.get("cut_card", [])
    if not isinstance(cut, list):
        raise draft.refused(_line_of(text, "cut_card"), "cut_card is no list", 'Write cut_card = ["CODE"]')
    for code in cut:
        draft.add(code, CutCardCode(), _line_of(text, "cut_card"))
    for section, add in (("cards", draft.add_card), ("keys", draft.add_key)):
        entries = said.get(section, {})
        if not isinstance(entries, dict):
            raise draft.refused(_line_of(text, section), f"{section} is no table", f"Write [{section}]")
        for code, meant in entries.items():
            add(code, meant, _line_of(text, code))
    return draft.finished()


def _line_of(text: str, key: str) -> int:
    """The line where a key stands; 1 if it is written in a way that is not found."""
    written = re.compile(rf"^\s*(?:\[\s*)?[\"']?{re.escape(key)}[\"']?\s*[\]=]")
    return next((at for at, line in enumerate(text.splitlines(), start=1) if written.match(line)), 1)


def _read_csv(text: str, draft: _Draft) -> CodeTable:
    headed = False
    for line, row in _rows(text, draft):
        if len(row) != _COLUMNS:
            raise draft.refused(
                line,
                f"it has {len(row)} column{'' if len(row) == 1 else 's'}",
                "Two: the code, and what it means",
            )
        code, means = row
        if not headed and code == "serial":
            draft.set_template(means, line)
        elif not headed:
            if (code, means) != ("code", "means"):
                raise draft.refused(line, "the head of the columns is missing", "It is: code,means")
            headed = True
        elif means == "cut":
            draft.add(code, CutCardCode(), line)
        elif means.startswith("key "):
            number = means.removeprefix("key ").strip()
            draft.add_key(code, int(number) if number.isascii() and number.isdigit() else number, line)
        else:
            draft.add_card(code, means, line)
    return draft.finished()


def _rows(text: str, draft: _Draft) -> Iterator[tuple[int, list[str]]]:
    for line, content in enumerate(text.splitlines(), start=1):
        if not content.strip() or content.startswith("#"):
            continue
        try:
            yield line, [cell.strip() for cell in next(csv.reader([content], strict=True))]
        except csv.Error as error:
            raise draft.refused(line, f"it is not CSV: {error}", "") from None


def _writable(code: str) -> bool:
    return 1 <= len(code) <= MAX_CODE and code.isascii() and code.isprintable() and code == code.strip()


_READERS: Final[dict[CodeTableForm, Callable[[str, _Draft], CodeTable]]] = {
    CodeTableForm.TOML: _read_toml,
    CodeTableForm.CSV: _read_csv,
}
