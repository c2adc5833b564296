"""Where in a TOML text its keys stand: the standard library's reader does not tell.

Theory of operation: the text has been read by :mod:`tomllib` already, so it is valid, and following it
takes no more than to know where keys, strings, arrays and inline tables begin and end. A path is as in a
validation error: table and key names, and the index of an item in an array.
"""

import re
import tomllib
from bisect import bisect_right
from collections.abc import Mapping
from contextlib import suppress
from typing import Final, TypeAlias

Path: TypeAlias = tuple[str | int, ...]

_BLANK: Final = re.compile(r"(?:[ \t\n]|#[^\n]*)*")
_INDENT: Final = re.compile(r"[ \t]*")
_KEY: Final = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'|[A-Za-z0-9_-]+')
_STRING: Final = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'', re.DOTALL
)
_SCALAR: Final = re.compile(r"[^,\]}\n#]*")


def key_lines(text: str) -> dict[Path, int]:
    """The line, from 1, of every table, key and array item of a valid TOML text.

    A text that this reader cannot follow to its end gives the keys up to there.
    """
    reader = _Reader(text.replace("\r\n", "\n"))
    with suppress(_LostError, RecursionError):
        reader.read()
    return reader.found


def line_of(path: Path, lines: Mapping[Path, int]) -> int | None:
    """A key's own line, or that of the table it stands in, or should; None: nothing of it is in the file."""
    return next((lines[path[:end]] for end in range(len(path), 0, -1) if path[:end] in lines), None)


class _LostError(Exception):
    """The text is not what was expected here."""


class _Reader:
    """One pass over the text."""

    def __init__(self, text: str) -> None:
        self.found: dict[Path, int] = {}
        self._text = text
        self._at = 0
        self._breaks = [match.start() for match in re.finditer("\n", text)]
        self._lengths: dict[Path, int] = {}

    def read(self) -> None:
        table: Path = ()
        self._take(_BLANK)
        while self._at < len(self._text):
            if self._text.startswith("[", self._at):
                table = self._header()
            else:
                self._pair(table)
            self._take(_BLANK)

    def _header(self) -> Path:
        line = self._line()
        array = self._text.startswith("[[", self._at)
        self._at += 2 if array else 1
        path: Path = ()
        names = self._dotted()
        for number, name in enumerate(names, start=1):
            path = (*path, name)
            if number == len(names) and array:
                self._lengths[path] = self._lengths.get(path, 0) + 1
            self.found.setdefault(path, line)
            if path in self._lengths:
                path = (*path, self._lengths[path] - 1)
                self.found.setdefault(path, line)
        self._expect("]]" if array else "]")
        return path

    def _pair(self, table: Path) -> None:
        line = self._line()
        path = table
        for name in self._dotted():
            path = (*path, name)
            self.found.setdefault(path, line)
        self._expect("=")
        self._value(path)

    def _value(self, path: Path) -> None:
        self._take(_INDENT)
        match self._text[self._at : self._at + 1]:
            case '"' | "'":
                self._take(_STRING)
            case "[":
                self._items(path)
            case "{":
                self._inline(path)
            case _:
                self._take(_SCALAR)

    def _items(self, path: Path) -> None:
        self._expect("[")
        index = 0
        while not self._closes("]"):
            self.found[*path, index] = self._line()
            self._value((*path, index))
            self._take(_BLANK)
            if self._text.startswith(",", self._at):
                self._at += 1
            index += 1

    def _inline(self, path: Path) -> None:
        self._expect("{")
        while not self._closes("}"):
            self._pair(path)
            self._take(_BLANK)
            if self._text.startswith(",", self._at):
                self._at += 1

    def _closes(self, bracket: str) -> bool:
        self._take(_BLANK)
        if self._text.startswith(bracket, self._at):
            self._at += 1
            return True
        if self._at >= len(self._text):
            raise _LostError
        return False

    def _dotted(self) -> list[str]:
        names = []
        while True:
            self._take(_INDENT)
            name = self._take(_KEY)
            if not name:
                raise _LostError
            names.append(_bare(name))
            self._take(_INDENT)
            if not self._text.startswith(".", self._at):
                return names
            self._at += 1

    def _expect(self, mark: str) -> None:
        self._take(_INDENT)
        if not self._text.startswith(mark, self._at):
            raise _LostError
        self._at += len(mark)

    def _take(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self._text, self._at)
        if match is None:
            raise _LostError
        self._at = match.end()
        return match[0]

    def _line(self) -> int:
        return bisect_right(self._breaks, self._at - 1) + 1


def _bare(name: str) -> str:
    """The key without its quotes."""
    return str(tomllib.loads(f"key = {name}")["key"]) if name[0] in "\"'" else name
