"""A record: one input, when it was heard, and what was ruled on it, in the order of folding.

Law: **records are chained**. The hash of a record covers the hash of the record before it and, by the
digest in its body, every event published so far; it is kept beside the record and nowhere published.
"""

import struct
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from typing import Final, TypeAlias

from edge.inputs import Input
from edge.notes import Ruled
from edge.requests import Reply

Hash: TypeAlias = bytes
"""32 bytes of SHA-256."""

_GENESIS: Final = b"table-edge journal"
_NUMBERS: Final = struct.Struct(">3q")
_LENGTH: Final = struct.Struct(">q")


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """When an input was heard."""

    at_ms: int
    """The table's clock: milliseconds, never backwards in one journal; deadlines are in it."""
    wall_ms: int
    """Milliseconds since 1970-01-01 UTC, as the host believed: may jump, orders nothing."""
    boot: str
    """The kernel's boot id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What the journal keeps of one input. Its repr shows no face-down card, and no nonce of one."""

    number: int
    """From 1 in each journal, without a hole."""
    at_ms: int
    wall_ms: int
    boot: str
    ruling: str
    """The ruling version that ruled."""
    input: Input = field(repr=False)
    ruled: tuple[Ruled, ...] = field(repr=False)
    """Events and notes, in the order in which they are folded."""
    sequences: tuple[int, ...]
    """Of the events among ``ruled``, in their order."""
    last_sequence: int
    """The last event of the journal once this record was in it; 0: none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a request was answered, for whoever sends it again."""

    digest: str
    """Of the request that was answered: another digest under the same id is another request."""
    reply: Reply


def first_hash(*, journal: str, table: str) -> Hash:
    """What stands for the hash before the first record: it binds the chain to its journal and table."""
    return sha256(_GENESIS + _text(journal) + _text(table)).digest()


def record_hash(previous: Hash, *, number: int, moment: Moment, ruling: str, body: bytes) -> Hash:
    """The hash of a record.

    ``sha256(previous || number || at_ms || wall_ms || boot || ruling || body)``: numbers as 8 bytes,
    signed, big-endian; texts and body preceded by their length in bytes as such a number.

    Args:
        previous: the hash of the record before it, or :func:`first_hash`.
        number: of the record.
        moment: when it was heard.
        ruling: the ruling version that ruled.
        body: input and outcomes as stored (:mod:`edge.journal.codec`).
    """
    numbers = _NUMBERS.pack(number, moment.at_ms, moment.wall_ms)
    texts = _texts(moment.boot, ruling)
    return sha256(b"%b%b%b%b%b" % (previous, numbers, texts, _LENGTH.pack(len(body)), body)).digest()


@lru_cache(maxsize=8)
def _texts(boot: str, ruling: str) -> bytes:
    """The same in every record of a daemon's life."""
    return _text(boot) + _text(ruling)


def _text(text: str) -> bytes:
    raw = text.encode()
    return _LENGTH.pack(len(raw)) + raw
