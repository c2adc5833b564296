"""What is shown on the control socket beside the public state: the technician's look, and the pit's.

Law: nothing here is made of a card. What is shown of the table is counts, names, and sentences that hold
none; a card that lies face down is not even near.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from edge.control import details
from edge.control.commands import SUPERVISED, refusal, says, signers
from edge.events import Place
from edge.irregular import BY_ITSELF, SEEN, HouseWay, Kind, Resolution, Stage
from edge.ruling import OpenIrregularity, TableState, policy_for
from edge.status import StatusBoard
from edge.upstream import utc


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkLook:
    """A device's line, as the daemon that reads it sees it."""

    device: str
    kind: str
    url: str
    connected: bool
    trouble: str | None
    """A word for what is wrong: ``absent``, ``busy``, ``no_permission``, ``lost``, ``silent``,
    ``no_answer``, ``garbage``, ``wrong_device`` or ``gap``; None: nothing."""
    counters: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerLook:
    """The line to the broker."""

    address: str
    connected: bool
    counters: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceLook:
    """A device: its line, why that is down, and what the device last said of itself."""

    device: str
    kind: str
    url: str
    connected: bool
    trouble: str | None
    """A word for what is wrong; ``gap`` may stand beside a line that is up."""
    why: str | None
    """Why not connected: one sentence."""
    since: str | None
    """Since when that is so."""
    serial: str
    """As last heard; empty: never."""
    firmware: str
    faults: tuple[int, ...]
    counters: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasonLook:
    """One thing that is wrong, as in the topic ``status``."""

    reason: str
    sentence: str
    since: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalLook:
    """The journal, and how far the broker has it."""

    id: str
    sequence: int
    """The last event; 0: none."""
    published: int
    """The last event of which the broker has it and all before."""
    backlog: int
    """Events that wait for the broker."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusView:
    """How everything is. Made of memory alone, so a full disk or a dead broker cannot keep it back."""

    table: str
    version: str
    status: Literal["online", "degraded"]
    since: str
    reasons: tuple[ReasonLook, ...]
    devices: tuple[DeviceLook, ...]
    broker: BrokerLook
    server: str
    """What the game server says of itself: ``online``, ``offline`` or ``unknown``."""
    server_since: str
    journal: JournalLook


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolutionLook:
    """A way out, and what has to be said for it: fields of ``irregularity.resolve``, by name."""

    resolution: Resolution
    says: str
    needs: tuple[str, ...]
    may: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class IrregularityLook:
    """An open irregularity, with the sentence that says what was seen and the ways out of it."""

    id: int
    kind: Kind
    seen: str
    stage: Stage
    draw: int | None
    device: str | None
    seat: int | None
    to: Place | None
    latched: bool
    since: str | None
    """When it was raised; None: the journal has it no more, or cannot be read."""
    house: HouseWay
    """The house's own way; ``ask``: a supervisor decides."""
    resolutions: tuple[ResolutionLook, ...]
    operators: tuple[str, ...]
    """Who may sign; empty: anyone, or nobody."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportLook:
    """What the pit may report now, and what has to be said: fields of ``irregularity.report``, by name."""

    kind: Kind
    says: str
    needs: tuple[str, ...]
    may: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandLook:
    """A supervisor's command, and why it would be refused now; None: it would not."""

    command: str
    says: str
    refusal: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PitView:
    """What holds the table, what may be done about it, and who may sign."""

    table: str
    journal: str
    as_of: int
    irregularities: tuple[IrregularityLook, ...]
    reports: tuple[ReportLook, ...]
    commands: tuple[CommandLook, ...]
    operators: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """Where the technician's look comes from."""

    table: str
    version: str
    board: StatusBoard
    links: Callable[[], Sequence[LinkLook]]
    broker: Callable[[], BrokerLook]
    published: Callable[[], int]
    happened: Callable[[int], str | None]
    """When the event of this sequence was committed, as published; None: that cannot be said."""


def status_view(sources: Sources, state: TableState) -> StatusView:
    """How everything is right now."""
    board = sources.board
    reasons = tuple(
        ReasonLook(reason=each.reason, sentence=each.sentence, since=utc(each.since_ms))
        for each in board.reasons
    )
    published = sources.published()
    return StatusView(
        table=sources.table,
        version=sources.version,
        status="degraded" if board.degraded else "online",
        since=utc(board.since_ms),
        reasons=reasons,
        devices=tuple(_device(link, state, reasons) for link in sources.links()),
        broker=sources.broker(),
        server=board.server.value,
        server_since=utc(board.server_since_ms),
        journal=journal_look(state, published=published),
    )


def journal_look(state: TableState, *, published: int) -> JournalLook:
    """The journal whose last event made this state."""
    backlog = max(state.sequence - published, 0)
    return JournalLook(id=state.journal, sequence=state.sequence, published=published, backlog=backlog)


def pit_view(state: TableState, sources: Sources) -> PitView:
    """What a supervisor has before him."""
    operators = signers(state)
    return PitView(
        table=sources.table,
        journal=state.journal,
        as_of=state.sequence,
        irregularities=tuple(_irregularity(state, each, sources) for each in state.irregularities),
        reports=tuple(
            _report(state, kind) for kind in details.reportable(state, operators[0] if operators else "")
        ),
        commands=tuple(
            CommandLook(command=kind.command, says=says(kind), refusal=refusal(state, kind))
            for kind in SUPERVISED
        ),
        operators=operators,
    )


def _irregularity(state: TableState, opened: OpenIrregularity, sources: Sources) -> IrregularityLook:
    return IrregularityLook(
        id=opened.id,
        kind=opened.kind,
        seen=SEEN[opened.kind],
        stage=opened.stage,
        draw=opened.draw,
        device=opened.device,
        seat=opened.seat,
        to=opened.to,
        latched=opened.latched,
        since=sources.happened(opened.raised),
        house=opened.house,
        resolutions=tuple(_resolution(opened, each) for each in opened.allowed if each not in BY_ITSELF),
        operators=signers(state, policy_for(state, opened.kind).role),
    )


def _resolution(opened: OpenIrregularity, resolution: Resolution) -> ResolutionLook:
    asks = details.of_resolving(opened, resolution)
    return ResolutionLook(
        resolution=resolution, says=details.SAYS[resolution], needs=asks.needs, may=asks.may
    )


def _report(state: TableState, kind: Kind) -> ReportLook:
    asks = details.of_reporting(state, kind)
    return ReportLook(kind=kind, says=SEEN[kind], needs=asks.needs, may=asks.may)


def _device(link: LinkLook, state: TableState, reasons: Sequence[ReasonLook]) -> DeviceLook:
    heard = state.device(link.device)
    wrong = next((each for each in reasons if each.reason == f"device:{link.device}"), None)
    return DeviceLook(
        device=link.device,
        kind=link.kind,
        url=link.url,
        connected=link.connected,
        trouble=link.trouble,
        why=None if wrong is None else wrong.sentence,
        since=None if wrong is None else wrong.since,
        serial=heard.serial,
        firmware=heard.firmware,
        faults=tuple(heard.faults),
        counters=link.counters,
    )
