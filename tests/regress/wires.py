"""What a wire does to the bytes of a capture: the same for the same seed, on the capture's own time."""

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from firmware_protocols import Cable, CableMoved, Capture, Carried, Entry, Way

STALL_S: Final = 20.0
PER_BYTE: Final = 0.01

Piece: TypeAlias = tuple[float, bytes]
"""Seconds, and the bytes that one read brings then."""
Wire: TypeAlias = Callable[[Sequence[Piece], random.Random], list[Piece]]
"""What becomes of the pieces that a device wrote on one connection."""


def whole(pieces: Sequence[Piece], chance: random.Random) -> list[Piece]:
    del chance
    return list(pieces)


def byte_by_byte(pieces: Sequence[Piece], chance: random.Random) -> list[Piece]:
    del chance
    return [(at, bytes((octet,))) for at, piece in pieces for octet in piece]


def random_splits(pieces: Sequence[Piece], chance: random.Random) -> list[Piece]:
    found: list[Piece] = []
    for at, piece in pieces:
        cuts = sorted(chance.sample(range(len(piece) + 1), min(3, len(piece))))
        parts = [
            piece[start:end]
            for start, end in zip([0, *cuts], [*cuts, len(piece)], strict=True)
            if start < end
        ]
        found += [(at + nth * 0.001, part) for nth, part in enumerate(parts)]
    return found


def coalesced(pieces: Sequence[Piece], chance: random.Random) -> list[Piece]:
    del chance
    return [(pieces[-1][0], b"".join(piece for _, piece in pieces))] if pieces else []


def drops(pieces: Sequence[Piece], chance: random.Random) -> list[Piece]:
    kept = [(at, bytes(octet for octet in piece if chance.random() >= PER_BYTE)) for at, piece in pieces]
    return [piece for piece in kept if piece[1]]


def flips(pieces: Sequence[Piece], chance: random.Random) -> list[Piece]:
    return [
        (
            at,
            bytes(
                octet ^ (1 << chance.randrange(8)) if chance.random() < PER_BYTE else octet for octet in piece
            ),
        )
        for at, piece in pieces
    ]


def noise_before(pieces: Sequence[Piece], chance: random.Random) -> list[Piece]:
    return [(pieces[0][0], chance.randbytes(20)), *pieces] if pieces else []


def noise_between(pieces: Sequence[Piece], chance: random.Random) -> list[Piece]:
    found: list[Piece] = []
    for at, piece in pieces:
        if chance.random() < 0.3:
            found.append((at, chance.randbytes(chance.randint(1, 6))))
        found.append((at, piece))
    return found


def doubled(pieces: Sequence[Piece], chance: random.Random) -> list[Piece]:
    del chance
    return [(at, piece * 2) for at, piece in pieces]


def stall_then_burst(pieces: Sequence[Piece], chance: random.Random) -> list[Piece]:
    """From some byte on nothing comes for 20 s, and then everything that waited, at once."""
    singles = byte_by_byte(pieces, chance)
    if not singles:
        return []
    at = chance.randrange(len(singles))
    held_until = singles[at][0] + STALL_S
    waiting = b"".join(octet for when, octet in singles[at:] if when <= held_until)
    return [*singles[:at], (held_until, waiting), *(each for each in singles[at:] if each[0] > held_until)]


def cut_end(pieces: Sequence[Piece], chance: random.Random) -> list[Piece]:
    if not pieces:
        return []
    *before, (at, last) = pieces
    return [*before, (at, last[: chance.randrange(1, len(last))])]


WIRES: Final[dict[str, Wire]] = {
    "whole": whole,
    "one byte at a time": byte_by_byte,
    "random splits": random_splits,
    "coalesced": coalesced,
    "1 % drops": drops,
    "1 % flips": flips,
    "noise before": noise_before,
    "noise between": noise_between,
    "doubled frames": doubled,
    "stall then burst": stall_then_burst,
    "cut end": cut_end,
}


def over(capture: Capture, wire: Wire, seed: int) -> Capture:
    """The capture as it comes over such a wire."""
    chance = random.Random(seed)
    entries: list[Entry] = []
    pieces: list[Piece] = []
    for entry in capture.entries:
        match entry:
            case Carried(way=Way.FROM_DEVICE):
                pieces.append((entry.at_us / 1e6, entry.octets))
            case Carried():
                entries.append(entry)
            case CableMoved(to=Cable.CLOSED):
                # What a wire still holds when the port closes is gone with it.
                entries += [each for each in _carried(wire(pieces, chance)) if each.at_us <= entry.at_us]
                pieces = []
                entries.append(entry)
            case CableMoved():
                entries.append(entry)
    entries += _carried(wire(pieces, chance))
    entries.sort(key=lambda entry: entry.at_us)
    return replace(capture, entries=tuple(entries))


def _carried(pieces: Sequence[Piece]) -> list[Carried]:
    return [Carried(at_us=round(at * 1e6), way=Way.FROM_DEVICE, octets=octets) for at, octets in pieces]
