"""The house's code table: what a printed code means (docs/wire.md section 3).

A code is the text that a scanner reads from a card: it means a card, the cut card, or a function key. If the
house's cards are printed with a serial number each, a template says where in the text it stands::

    {code:4}-{serial:6}     four characters that the table knows, a hyphen, six of the card's own number
    D{serial}/{code}        the length is left open where a character of the template ends it

Law: a text that the table does not explain is a foreign card. It left the shoe, so it is not dropped, and
it is not guessed from codes that look like it.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from firmware_protocols.cards import Card, FaceDownCard
from firmware_protocols.messages import CardScan, CutCardScan, DeviceEvent, ForeignScan, KeyStroke

MAX_CODE: Final = 128
"""Characters of a printed code, its serial number included."""
_CONFIDENCE: Final = 100
_FIELD: Final = re.compile(r"\{(code|serial)(?::([1-9][0-9]?))?\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class CutCardCode:
    """The code is the cut card's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyCode:
    """The code is a function key's."""

    key: int
    """0..255."""


Meaning: TypeAlias = Card | CutCardCode | KeyCode


@dataclass(frozen=True, slots=True, kw_only=True)
class SerialTemplate:
    """Where in a printed code the card's own number stands."""

    text: str
    pattern: re.Pattern[str] = field(repr=False)
    code_width: int | None
    """Characters of the code, None: open."""
    shortest: int
    """Characters that a printed code has at least, its code counted as one if its length is open."""

    @classmethod
    def parse(cls, text: str) -> "SerialTemplate":
        """The template that this text is.

        Raises:
            ValueError: it is none; the message says what one is.
        """
        fields = dict(_FIELD.findall(text))
        literals = _FIELD.sub("", text)
        if sorted(_FIELD.findall(text)) != sorted(fields.items()) or set(fields) != {"code", "serial"}:
            raise ValueError("a template has {code} and {serial}, each once")
        if "{" in literals or "}" in literals or not (literals.isascii() and (literals + "x").isprintable()):
            raise ValueError("beside {code:4} and {serial:6} a template has printable characters only")
        if not fields["code"] and not fields["serial"] and "}{" in text:
            raise ValueError("one of two neighbours needs a length, as in {code:4}{serial}")
        pattern, at = "", 0
        for found in _FIELD.finditer(text):
            width = f"{{{found[2]}}}" if found[2] else "+?"
            pattern += re.escape(text[at : found.start()]) + f"(?P<{found[1]}>.{width})"
            at = found.end()
        widths = [int(width or 1) for width in fields.values()]
        return cls(
            text=text,
            pattern=re.compile(pattern + re.escape(text[at:])),
            code_width=int(fields["code"]) if fields["code"] else None,
            shortest=len(literals) + sum(widths),
        )

    def printed(self, code: str, serial: str) -> str:
        """What stands on the card of this code and serial number, which is cut or filled to its length."""

        def part(found: re.Match[str]) -> str:
            if found[1] == "code":
                return code
            return serial[-int(found[2]) :].rjust(int(found[2]), "0") if found[2] else serial

        return _FIELD.sub(part, self.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeTable:
    """What each printed code means."""

    source: str
    """The file it was read from, for messages."""
    meanings: Mapping[str, Meaning] = field(repr=False)
    template: SerialTemplate | None = None
    """None: cards carry no serial number."""

    def event(self, text: str) -> DeviceEvent:
        """What happened when this text was read. Never raises."""
        code, serial = self._parts(text)
        match self.meanings.get(code):
            case Card() as card:
                return CardScan(
                    card=FaceDownCard(card),
                    face_up=False,
                    reread=False,
                    confidence=_CONFIDENCE,
                    serial=serial,
                )
            case CutCardCode():
                return CutCardScan()
            case KeyCode(key=key):
                return KeyStroke(key=key)
            case None:
                return ForeignScan(card=None)

    def may_be_a_tail(self, text: str) -> bool:
        """Whether this may be the end of a code whose beginning was not heard."""
        if self.template is not None:
            return len(text) < self.template.shortest
        return any(code.endswith(text) for code in self.meanings)

    def _parts(self, text: str) -> tuple[str, str | None]:
        known = self.meanings.get(text)
        if self.template is None or isinstance(known, CutCardCode | KeyCode):
            return text, None
        found = self.template.pattern.fullmatch(text)
        return ("", None) if found is None else (found["code"], found["serial"])
