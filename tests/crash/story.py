"""The checker: do the shoe's own log, the journal and the consumer tell one story?

Three witnesses, each of whom wrote down what it saw: the shoe (every event it numbered, with its power-ons),
the journal (every input in the order of its commits), the game server (every event it took). Compared are:

* **Shoe and journal.** The journal heard each numbered event of the shoe once, in order, as the shoe has it.
  What it did not hear is the end of a power-on that was cut off without memory, and nothing else; and right
  where it is missing stands a reported gap.
* **Within the journal.** Each drawn card has exactly one place: dealt, burned, opening, parked, or irregular.
  What was parked is dealt later, or ends with its round or shoe, and nothing else is dealt later. The draws
  of a shoe are counted without a hole. A gap with the shoe in play is a ``scan_gap``, and each that was
  raised was resolved.
* **Journal and consumer.** The same bytes in the same order, each once; a bystander's repeats are
  byte-identical.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from drivers import Position
from edge.events import (
    CardBurned,
    CardDealt,
    CardDiscarded,
    CardParked,
    CardRetracted,
    IrregularityRaised,
    IrregularityResolved,
    RoundVoided,
    ShoeClosed,
    ShoeOpened,
)
from edge.inputs import CardDrawn, CutCardDrawn, DeviceEventsMissed, ShoeSignalled
from edge.irregular import Kind
from edge.journal import Record, read_journal
from sim_devices.audit import Auditor, Taken

_PLACES: Final = (ShoeOpened, CardBurned, CardDealt, CardParked)


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbered:
    """One thing that the shoe numbered, as it says itself."""

    boot: int
    number: int
    what: str
    """The card, ``CUT``, or what was noticed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """The shoe's own log."""

    numbered: tuple[Numbered, ...]
    boots: tuple[int, ...]
    """Its power-ons without memory, the first included, in order."""


def truth(log: Path) -> Truth:
    """Read a shoe's log, of however many shoes and power-ons."""
    numbered: list[Numbered] = []
    boots: list[int] = []
    for line in log.read_text(encoding="utf-8").splitlines():
        said = json.loads(line)
        if "powered" in said:
            boots.append(said["boot"])
        else:
            what = said.get("left", said.get("noticed"))
            numbered.append(Numbered(boot=said["boot"], number=said["number"], what=what))
    return Truth(numbered=tuple(numbered), boots=tuple(boots))


def heard_as_it_left(shoe: Truth, records: Iterable[Record]) -> tuple[list[str], int]:
    """Shoe and journal, side by side. Faults, one sentence each, and how many events were lost for good."""
    faults: list[str] = []
    place, lost = 0, 0
    gap: DeviceEventsMissed | None = None
    for record in records:
        heard = record.input
        if isinstance(heard, DeviceEventsMissed):
            gap = gap or heard
            continue
        if not isinstance(heard, CardDrawn | CutCardDrawn | ShoeSignalled) or heard.position is None:
            continue
        found = _find(shoe.numbered, place, heard.position)
        if found is None:
            faults.append(f"Record {record.number} has {heard.position}, which is out of order or never was")
            continue
        faults.extend(_skipped(shoe, place, found, gap, record.number))
        lost += found - place
        faults.extend(_otherwise(shoe.numbered[found], heard, record.number))
        place, gap = found + 1, None
    rest = len(shoe.numbered)
    faults.extend(_skipped(shoe, place, rest, gap, None))
    return faults, lost + rest - place


def _find(numbered: Sequence[Numbered], place: int, position: Position) -> int | None:
    for index in range(place, len(numbered)):
        if (numbered[index].boot, numbered[index].number) == (position.boot, position.number):
            return index
    return None


def _skipped(
    shoe: Truth, place: int, found: int, gap: DeviceEventsMissed | None, record: int | None
) -> Iterator[str]:
    """What the journal passed over: of a power-on that is over, to its end, and reported."""
    where = "at the end" if record is None else f"before record {record}"
    going_on = shoe.boots[-1] if record is None else shoe.numbered[found].boot
    for each in shoe.numbered[place:found]:
        if gap is None:
            yield f"{each} is not in the journal, and no gap is reported {where}"
        elif each.boot == going_on:
            yield f"{each} is not in the journal, though the shoe remembers it ({where})"
        elif each.boot == gap.boot and each.number < gap.first:
            yield f"{each} is not in the journal; the gap {where} begins only at {gap.first}"


def _otherwise(
    numbered: Numbered, heard: CardDrawn | CutCardDrawn | ShoeSignalled, record: int
) -> Iterator[str]:
    match heard:
        case CardDrawn():
            what = None if heard.card is None else heard.card.turned().value
        case CutCardDrawn():
            what = "CUT"
        case _:
            return
    if what is not None and what != numbered.what:
        yield f"Record {record} has another card than {numbered.boot}:{numbered.number}"


def each_in_its_place(records: Iterable[Record]) -> list[str]:
    """Every drawn card once, the draws of a shoe without a hole, every gap raised and resolved."""
    faults: list[str] = []
    draws: dict[int, int] = {}
    shoe: int | None = None
    opened: dict[int, Kind] = {}
    for record in records:
        raised = [each for each in record.ruled if isinstance(each, IrregularityRaised)]
        opened.update((each.id, each.kind) for each in raised)
        for each in record.ruled:
            if isinstance(each, IrregularityResolved):
                opened.pop(each.id, None)
        if isinstance(record.input, DeviceEventsMissed):
            gaps = [each for each in raised if each.kind is Kind.SCAN_GAP]
            if len(gaps) != (shoe is not None):
                faults.append(f"Record {record.number} has a gap, and raises {len(gaps)} with shoe {shoe}")
        if isinstance(record.input, CardDrawn):
            faults.extend(_one_place(record, shoe, draws))
        for each in record.ruled:
            if each.type == "shoe.installed":
                shoe = each.number  # type: ignore[union-attr]
            elif each.type == "shoe.closed":
                shoe = None
    faults.extend(f"Irregularity {id_} ({kind.value}) was never resolved" for id_, kind in opened.items())
    return faults


def _one_place(record: Record, shoe: int | None, draws: dict[int, int]) -> Iterator[str]:
    places = [each for each in record.ruled if isinstance(each, _PLACES)]
    irregular = any(isinstance(each, IrregularityRaised) for each in record.ruled)
    if len(places) != 1:
        yield f"The card of record {record.number} has {len(places)} places (irregular: {irregular})"
        return
    draw = places[0].draw if not isinstance(places[0], ShoeOpened) else 1
    if shoe is None:
        if draw is not None:
            yield f"The card of record {record.number} is draw {draw} of no shoe"
        return
    if draw != draws.get(shoe, 0) + 1:
        yield f"The card of record {record.number} is draw {draw} of shoe {shoe}, after {draws.get(shoe, 0)}"
    draws[shoe] = draw or 0


def each_parked_card_ends(records: Iterable[Record]) -> list[str]:
    """A card that was set aside is dealt, leaves play or ends with its round or shoe; no other comes late."""
    faults: list[str] = []
    aside: set[int] = set()
    for record in records:
        drawn = int(isinstance(record.input, CardDrawn))
        for each in record.ruled:
            match each:
                case CardParked(draw=int(draw)):
                    aside.add(draw)
                case CardDealt(draw=draw) if draw not in aside:
                    drawn -= 1
                    if drawn < 0:
                        faults.append(f"Record {record.number} deals draw {draw}, which nobody drew")
                case CardDealt(draw=draw):
                    aside.discard(draw)
                case CardDiscarded(draw=int(draw)) | CardRetracted(draw=draw):
                    aside.discard(draw)
                case RoundVoided():
                    aside.difference_update(each.parked or ())
                case ShoeClosed():
                    aside.clear()
                case _:
                    pass
    faults.extend(f"Draw {draw} was set aside, and that was the end of it" for draw in sorted(aside))
    return faults


def taken_as_published(journaled: Sequence[bytes], received: Sequence[bytes]) -> list[str]:
    """Journal and consumer: the same bytes, in the same order, each once; chain and seals hold."""
    faults = []
    if list(received) != list(journaled):
        same = next(
            (n for n, (one, other) in enumerate(zip(received, journaled, strict=False)) if one != other),
            min(len(received), len(journaled)),
        )
        faults.append(
            f"The consumer has {len(received)} events, the journal {len(journaled)}; they part after {same}"
        )
    auditor = Auditor()
    for raw in received:
        auditor.take(Taken.read(raw))
    return faults + auditor.faults


def repeated_unchanged(journaled: Sequence[bytes], heard: Iterable[bytes]) -> list[str]:
    """Whatever a bystander heard, repeats included, is what the journal has under that number."""
    return [
        f"Event {Taken.read(raw).sequence} was published with other bytes than the journal has"
        for raw in heard
        if raw != journaled[Taken.read(raw).sequence - 1]
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What the comparison of the three came to."""

    faults: tuple[str, ...]
    cards: int
    """Cards that the journal heard."""
    lost: int
    """Events of the shoe that a power-on without memory took with it, each within a reported gap."""
    gaps: int
    events: int


class Archive:
    """Everything a journal ever had, although it is pruned: to be asked to look before anything leaves."""

    def __init__(self) -> None:
        self.records: list[Record] = []
        self.events: list[bytes] = []

    def look(self, journal: Path) -> None:
        """Take what is new."""
        with read_journal(journal) as reader:
            self.records.extend(reader.records(len(self.records) + 1))
            last = self.records[-1].last_sequence if self.records else 0
            self.events.extend(raw for _, raw in reader.events_between(len(self.events) + 1, last))

    def faults(self, journal: Path) -> Iterator[str]:
        """What is missing here, and what is in the journal otherwise than it was."""
        if [record.number for record in self.records] != list(range(1, len(self.records) + 1)):
            yield "Records were pruned before they were archived"
        with read_journal(journal) as reader:
            kept = list(reader.records())
            events = [raw for _, raw in reader.events_between(1, reader.last_sequence)]
        if kept != self.records[len(self.records) - len(kept) :]:
            yield "The records that are kept are not those that were written"
        if events != self.events[len(self.events) - len(events) :]:
            yield "The events that are kept are not those that were written"


def compare(
    *, shoe_log: Path, journal: Path, received: Sequence[bytes], heard: Sequence[bytes], archive: Archive
) -> Verdict:
    """Hold the three witnesses against each other."""
    archive.look(journal)
    records, journaled = archive.records, archive.events
    faults, lost = heard_as_it_left(truth(shoe_log), records)
    faults += archive.faults(journal)
    faults += each_in_its_place(records)
    faults += each_parked_card_ends(records)
    faults += taken_as_published(journaled, received)
    faults += repeated_unchanged(journaled, heard)
    return Verdict(
        faults=tuple(faults),
        cards=sum(isinstance(record.input, CardDrawn) for record in records),
        lost=lost,
        gaps=sum(isinstance(record.input, DeviceEventsMissed) for record in records),
        events=len(journaled),
    )
