"""Session scripts: a table without hardware, one input a line (docs/contract.md, The session script).

A line is either understood whole or refused with file, line and column; nothing is guessed. What a
line asks of the table goes through the same door as a request from the broker.
"""

import json
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, fields
from hashlib import sha256
from typing import Any, Final, TypeAlias

from drivers import Absence, Signal
from edge.errors import ScriptInvalid
from edge.inputs import (
    CardDrawn,
    CutCardDrawn,
    DamagedCardSeen,
    DealerKey,
    DeviceCameOnline,
    DeviceEventsMissed,
    DeviceWentOffline,
    HostLeft,
    HostReturned,
    Input,
    KeyPressed,
    Patience,
    ShoeSignalled,
    ShuffleBegan,
    ShuffleEnded,
    ShuffleProgressed,
)
from edge.requests import Asked, Desk
from edge.upstream import CursorAsked, Malformed, read_request
from firmware_protocols import DECK, Card, FaceDownCard

DEFAULT_DEVICE: Final = "shoe"
DEFAULT_SHUFFLER: Final = "shuffler"
CUT: Final = "cut"
MAX_PATIENCE_MS: Final = 600_000

_IDS: Final = uuid.UUID("6f1a2d0e-7c55-4a3b-9a1c-0f6f5a3b2c1d")
"""Namespace of the ids of requests that give none."""

_REQUEST_KEYS: Final = ("id", "data", "if_sequence", "journal")
KEYS: Final[dict[str, tuple[str, ...]]] = {
    "draw": ("device", "reread", "foreign", "exposed", "serial", "device_ms"),
    "shoe": (),
    "command": _REQUEST_KEYS,
    "supervisor": _REQUEST_KEYS,
    "device": ("id",),
    "shuffler": ("id", "decks", "cards", "counts", "card"),
    "key": ("id",),
    "host": (),
    "edge": (),
    "patience": (),
}
"""What a line may hold beside the key that says what it is, and ``at``."""

_SIGNALS: Final = {each.value: each for each in Signal}


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeRestarted:
    """The table's computer goes down and comes up again."""


Said: TypeAlias = Input | Asked | Malformed | CursorAsked | EdgeRestarted | Patience
"""What a line comes to: a request that cannot be read is refused as the broker's would be."""


class _Twice(Exception):
    """A key that an object has twice."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    said: dict[str, Any] = {}
    for key, value in pairs:
        if key in said:
            raise _Twice(key)
        said[key] = value
    return said


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One line: when it happens, and what is heard or asked."""

    line: int
    at_ms: int | None
    """Milliseconds since the start; None: no time passes."""
    said: Said


def read_script(text: str, *, source: str, seed: int) -> Iterator[Step]:
    """The steps of a session script.

    Args:
        text: JSON Lines; empty lines are passed over.
        source: what to call the script in an error.
        seed: of the nonces that seal face-down cards.

    Raises:
        ScriptInvalid: a line cannot be understood; it names file, line and column.
    """
    draws = at_ms = 0
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            step = _Line(
                line=line, number=number, source=source, seed=seed, draws=draws, after_ms=at_ms
            ).step()
            draws += isinstance(step.said, CardDrawn)
            at_ms = at_ms if step.at_ms is None else step.at_ms
            yield step


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    line: str
    number: int
    source: str
    seed: int
    draws: int
    """Draws in the lines before it: a nonce belongs to a draw, whatever else the script says."""
    after_ms: int
    """The time that the lines before it have reached."""

    def step(self) -> Step:
        said = self._object()
        at_ms = self._at(said)
        kind = next((key for key in KEYS if key in said), None)
        if kind is None:
            raise self._refused(f"it says none of {', '.join(KEYS)}", next(iter(said), None))
        for key in said:
            if key not in (kind, "at", *KEYS[kind]):
                raise self._refused(f"{key!r} does not belong beside {kind!r}", key)
        match kind:
            case "draw":
                heard: Said = self._draw(said)
            case "shoe":
                heard = self._shoe(said)
            case "command":
                heard = self._request(said, "command", Desk.SERVER)
            case "supervisor":
                heard = self._request(said, "supervisor", Desk.SUPERVISOR)
            case "shuffler":
                heard = self._shuffler(said)
            case "key":
                heard = self._key(said)
            case "host":
                heard = self._host(said)
            case "edge":
                heard = self._edge(said)
            case "patience":
                heard = self._patience(said)
            case _:
                heard = self._device(said)
        return Step(line=self.number, at_ms=at_ms, said=heard)

    def _object(self) -> dict[str, Any]:
        try:
            said = json.loads(self.line, object_pairs_hook=_each_once)
            json.dumps(
                said, ensure_ascii=False, allow_nan=False
            ).encode()  # what cannot be written is no event
        except json.JSONDecodeError as error:
            raise self._refused(f"it is not JSON ({error.msg})", None, column=error.colno) from None
        except _Twice as twice:
            raise self._refused(f"{twice.key!r} is there twice", twice.key) from None
        except RecursionError:
            raise self._refused("it is nested too deeply", None) from None
        except ValueError:
            raise self._refused("it has a number or a text that nothing can be made of", None) from None
        if not isinstance(said, dict):
            raise self._refused("it is not a JSON object", None)
        return said

    def _at(self, said: dict[str, Any]) -> int | None:
        if "at" not in said:
            return None
        seconds = said["at"]
        if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 <= seconds < 1e9:  # noqa: PLR2004 - 30 years
            raise self._refused("'at' must be seconds since the start, 0 or more", "at")
        at_ms = round(seconds * 1000)
        if at_ms < self.after_ms:
            raise self._refused(f"'at' goes back: the line before it was at {self.after_ms / 1000:g}", "at")
        return at_ms

    def _draw(self, said: dict[str, Any]) -> Input:
        drawn = said["draw"]
        device = self._text(said, "device", DEFAULT_DEVICE)
        if drawn == CUT:
            return CutCardDrawn(device=device, position=None, device_ms=self._number(said, "device_ms"))
        return CardDrawn(
            device=device,
            position=None,
            device_ms=self._number(said, "device_ms"),
            card=None if drawn is None else FaceDownCard(self._card(drawn)),
            reread=self._flag(said, "reread"),
            foreign=self._flag(said, "foreign"),
            exposed=self._flag(said, "exposed"),
            serial=self._text(said, "serial", "") if "serial" in said else None,
            nonce=sha256(f"{self.seed}:{self.draws}".encode()).hexdigest()[:32],
        )

    def _card(self, drawn: object) -> Card:
        if not isinstance(drawn, str):
            raise self._refused(
                '\'draw\' must be a card such as "9h", "cut", or null for an unread card', "draw"
            )
        try:
            return Card.parse(drawn)
        except ValueError as error:
            raise self._refused(str(error), "draw") from None

    def _shoe(self, said: dict[str, Any]) -> Said:
        shoe = said["shoe"]
        if not isinstance(shoe, dict) or list(shoe) != ["install"] or not isinstance(shoe["install"], dict):
            raise self._refused('\'shoe\' must be {"install": {"decks": 8}}', "shoe")
        return self._ask({"command": "shoe.install", "data": shoe["install"]}, Desk.SERVER)

    def _request(self, said: dict[str, Any], key: str, desk: Desk) -> Said:
        self._text(said, key, "")
        asked: dict[str, Any] = {name: said[name] for name in _REQUEST_KEYS if name in said}
        return self._ask({**asked, "command": said[key]}, desk)

    def _ask(self, request: dict[str, Any], desk: Desk) -> Said:
        given = {"id": str(uuid.uuid5(_IDS, f"{self.seed}:{self.number}")), **request}
        return read_request(json.dumps(given).encode(), desk)

    def _device(self, said: dict[str, Any]) -> Input:
        happened = self._text(said, "device", "")
        device = self._text(said, "id", DEFAULT_DEVICE)
        if happened in _SIGNALS:
            return ShoeSignalled(device=device, position=None, signal=_SIGNALS[happened])
        match happened:
            case "offline":
                return DeviceWentOffline(device=device, absence=Absence.LOST, detail="Said by the script.")
            case "online":
                return DeviceCameOnline(
                    device=device, kind="shoe", serial="SCRIPT", firmware="0.0.0", position=None, skipped=0
                )
            case "gap":
                return DeviceEventsMissed(device=device, boot=1, first=1, last=None, position=None)
        known = ", ".join(["offline", "online", "gap", *_SIGNALS])
        raise self._refused(f"a device does not {happened!r}; it may be {known}", "device")

    def _shuffler(self, said: dict[str, Any]) -> Input:
        happened = self._text(said, "shuffler", "")
        device = self._text(said, "id", DEFAULT_SHUFFLER)
        match happened:
            case "started":
                return ShuffleBegan(device=device, position=None, decks=self._number(said, "decks") or 8)
            case "progressed":
                return ShuffleProgressed(device=device, position=None, cards=self._number(said, "cards") or 0)
            case "finished":
                cards = self._number(said, "cards") or 0
                counts = self._counts(said, cards)
                return ShuffleEnded(device=device, position=None, cards=cards, counts=counts)
            case "damaged":
                card = None if said.get("card") is None else FaceDownCard(self._card(said["card"]))
                return DamagedCardSeen(device=device, position=None, card=card)
            case "jam" | "hatch_opened" | "hatch_closed":
                return ShoeSignalled(device=device, position=None, signal=_SIGNALS[happened])
        known = "started, progressed, finished, damaged, jam, hatch_opened, hatch_closed"
        raise self._refused(f"a shuffler does not {happened!r}; it may be {known}", "shuffler")

    def _counts(self, said: dict[str, Any], cards: int) -> tuple[int, ...]:
        """52 counts; where the line gives none, the cards are whole decks."""
        given = said.get("counts")
        if given is None:
            return (cards // len(DECK),) * len(DECK)
        if not isinstance(given, dict):
            raise self._refused("'counts' must be {\"As\": 8, ...}", "counts")
        counts = [0] * len(DECK)
        for code, copies in given.items():
            if isinstance(copies, bool) or not isinstance(copies, int) or not 0 <= copies <= 255:  # noqa: PLR2004 - a byte
                raise self._refused("a count is a whole number, 0 to 255", "counts")
            counts[self._card(code).index] = copies
        return tuple(counts)

    def _key(self, said: dict[str, Any]) -> Input:
        device = self._text(said, "id", DEFAULT_DEVICE)
        try:
            return KeyPressed(device=device, position=None, key=DealerKey(said["key"]))
        except ValueError:
            known = ", ".join(key.value for key in DealerKey)
            raise self._refused(f"there is no key {said['key']!r}; there are {known}", "key") from None

    def _host(self, said: dict[str, Any]) -> Input:
        match said["host"]:
            case "offline":
                return HostLeft(why="server_offline")
            case "no_broker":
                return HostLeft(why="no_broker")
            case "online":
                return HostReturned()
        raise self._refused("'host' is offline, no_broker or online", "host")

    def _edge(self, said: dict[str, Any]) -> Said:
        if said["edge"] != "restart":
            raise self._refused("'edge' can only be restart", "edge")
        return EdgeRestarted()

    def _patience(self, said: dict[str, Any]) -> Said:
        given = said["patience"]
        names = [each.name for each in fields(Patience)]
        if not isinstance(given, dict) or not given or any(key not in names for key in given):
            raise self._refused(f"'patience' has {', '.join(names)}", "patience")
        for value in given.values():
            if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MAX_PATIENCE_MS:
                raise self._refused("patience is whole milliseconds, up to ten minutes", "patience")
        return Patience(**given)

    def _number(self, said: dict[str, Any], key: str) -> int | None:
        value = said.get(key)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
            raise self._refused(f"{key!r} must be a whole number, 0 or more", key)
        return value

    def _text(self, said: dict[str, Any], key: str, default: str) -> str:
        value = said.get(key, default)
        if not isinstance(value, str) or not value:
            raise self._refused(f"{key!r} must be a text", key)
        return value

    def _flag(self, said: dict[str, Any], key: str) -> bool:
        value = said.get(key, False)
        if not isinstance(value, bool):
            raise self._refused(f"{key!r} must be true or false", key)
        return value

    def _refused(self, why: str, key: str | None, *, column: int | None = None) -> ScriptInvalid:
        place = self.line.find(json.dumps(key)) + 1 if key is not None else 1
        return ScriptInvalid(
            f"{self.source}, line {self.number}, column {column or max(place, 1)}: {why}.",
            hint="docs/contract.md describes the session script.",
        )
