"""Fuses: the daemon kills itself with SIGKILL at a chosen place, without a line for it in the product.

A *window* is a stretch in which the daemon has done one thing and not yet the next: read a card and not
committed it, committed it and not acknowledged it. A window has *points*, calls of the product's own
functions that :func:`lay_fuses` wraps from the outside; a fuse burns down at the n-th call of one point. What
was killed where is noted by the dying program itself, so a histogram counts deaths and not intentions.

SIGKILL leaves what was written to the operating system; it proves the order of things, not the disk's cache.
"""

import json
import os
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, Final

import edge.daemon
import edge.following
import edge.journal.pruning
import edge.journal.store
import edge.upkeep
from drivers import Pump
from edge.inputs import CardDrawn, EdgeStarted
from edge.journal import Pruned
from edge.journal.store import Journal
from edge.table import Table
from edge.upstream.desk import RequestDesk
from edge.upstream.lanes import EventsLane
from edge.upstream.link import Link
from edge.upstream.publisher import Publisher
from firmware_protocols import HostEnd

WINDOWS: Final[dict[str, tuple[str, ...]]] = {
    "start": ("journal opened", "starting", "started"),
    "read-commit": ("heard", "appended", "committing"),
    "commit": ("somewhere in COMMIT",),
    "commit-ack": ("committed", "acknowledging", "acknowledged, unsent"),
    "commit-publish": ("acknowledgement sent", "read from the journal", "publishing"),
    "publish-puback": ("published, unsent", "published, sent", "PUBACK read", "PUBACK noted"),
    "snapshot": ("taking", "taken", "committing it", "committed it"),
    "checkpoint": ("before a checkpoint", "somewhere in a checkpoint", "after a checkpoint"),
    "prune": (
        "before a prune",
        "base written",
        "base committed",
        "somewhere in a batch",
        "batch taken",
        "after a prune",
    ),
    "commit-answer": ("answer committed", "answered", "acknowledging the request"),
}
"""Every window of the daemon, and its points."""

LONGEST_COMMIT_S: Final = 0.003
"""About as long as a COMMIT of one card takes; the kill comes somewhere within."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fuse:
    """Where a life ends: at the ``nth`` call of this point."""

    window: str
    point: str
    nth: int
    seed: int = 0
    """Of the moment within COMMIT."""


class Burning:
    """The fuse of this life, and what the points must remember from one call to the next."""

    def __init__(self) -> None:
        self._fuse: Fuse | None = None
        self._notes = -1
        self._calls = 0
        self.card_is_open = False
        """A drawn card is in the open transaction."""
        self.snapshot_is_open = False
        self.event_is_unsent = False

    def light(self, fuse: Fuse, notes: int) -> None:
        """From now on it burns; its end is noted on this descriptor."""
        self._fuse, self._notes = fuse, notes

    def at(self, window: str, point: str) -> None:
        """The daemon is at this point now; with the right fuse, for the last time."""
        if self._due(window, point):
            self._die()

    def during(self, window: str, point: str) -> None:
        """What begins now is not to be finished, or only just."""
        if self._due(window, point) and self._fuse is not None:
            pause = LONGEST_COMMIT_S * (self._fuse.seed % 100) / 100

            def end() -> None:
                time.sleep(pause)
                self._die()

            threading.Thread(target=end, daemon=True).start()

    def _due(self, window: str, point: str) -> bool:
        fuse = self._fuse
        if fuse is None or (window, point) != (fuse.window, fuse.point):
            return False
        self._calls += 1
        return self._calls == fuse.nth

    def _die(self) -> None:
        assert self._fuse is not None
        note = {"window": self._fuse.window, "point": self._fuse.point, "nth": self._fuse.nth}
        os.write(self._notes, json.dumps(note).encode() + b"\n")
        os.kill(os.getpid(), signal.SIGKILL)


Before = Callable[..., None]
After = Callable[..., None]


def wrap(owner: Any, name: str, *, before: Before | None = None, after: After | None = None) -> None:
    """Replace a function: ``before`` sees its arguments, ``after`` its result and its arguments."""
    original = getattr(owner, name)

    @wraps(original)
    def wrapped(*arguments: Any, **named: Any) -> Any:
        if before is not None:
            before(*arguments, **named)
        result = original(*arguments, **named)
        if after is not None:
            after(result, *arguments, **named)
        return result

    setattr(owner, name, wrapped)


def lay_fuses(burning: Burning) -> None:
    """Wrap every point; without a lit fuse they cost nothing but a comparison."""
    _lay_start(burning)
    _lay_journal(burning)
    _lay_device(burning)
    _lay_publisher(burning)
    _lay_requests(burning)
    _lay_pruning(burning)
    wrap(
        edge.upkeep,
        "checkpoint",
        before=lambda *_: _checkpointing(burning),
        after=lambda *_: burning.at("checkpoint", "after a checkpoint"),
    )


def _checkpointing(burning: Burning) -> None:
    burning.at("checkpoint", "before a checkpoint")
    burning.during("checkpoint", "somewhere in a checkpoint")


def _lay_start(burning: Burning) -> None:
    def starts(inputs: Any) -> bool:
        return any(isinstance(each, EdgeStarted) for each in inputs)

    def before(_table: Table, inputs: Any, **_: Any) -> None:
        if starts(inputs):
            burning.at("start", "starting")

    def after(_result: None, _table: Table, inputs: Any, **_: Any) -> None:
        if starts(inputs):
            burning.at("start", "started")

    wrap(edge.daemon, "_restored", after=lambda *_: burning.at("start", "journal opened"))
    wrap(Table, "hear", before=before, after=after)


def _lay_journal(burning: Burning) -> None:
    def appended(_result: None, _journal: Journal, heard: object, *_: Any, **__: Any) -> None:
        if isinstance(heard, CardDrawn):
            burning.card_is_open = True
            burning.at("read-commit", "appended")

    def committing(_journal: Journal) -> None:
        if burning.snapshot_is_open:
            burning.at("snapshot", "committing it")
        if burning.card_is_open:
            burning.at("read-commit", "committing")
            burning.during("commit", "somewhere in COMMIT")

    def committed(_result: None, _journal: Journal) -> None:
        if burning.snapshot_is_open:
            burning.snapshot_is_open = False
            burning.at("snapshot", "committed it")
        if burning.card_is_open:
            burning.card_is_open = False
            burning.at("commit-ack", "committed")

    def rolled_back(_journal: Journal) -> None:
        burning.card_is_open = burning.snapshot_is_open = False

    def taken(*_: Any, **__: Any) -> None:
        burning.snapshot_is_open = True
        burning.at("snapshot", "taken")

    wrap(Journal, "append", after=appended)
    wrap(Journal, "commit", before=committing, after=committed)
    wrap(Journal, "rollback", before=rolled_back)
    wrap(
        edge.journal.store,
        "take_snapshot",
        before=lambda *_, **__: burning.at("snapshot", "taking"),
        after=taken,
    )


def _lay_device(burning: Burning) -> None:
    def heard(result: object, *_: Any) -> None:
        if isinstance(result, CardDrawn):
            burning.at("read-commit", "heard")

    wrap(edge.following, "heard", after=heard)
    wrap(
        Pump,
        "acknowledge",
        before=lambda *_: burning.at("commit-ack", "acknowledging"),
        after=lambda *_: burning.at("commit-publish", "acknowledgement sent"),
    )
    wrap(HostEnd, "acknowledge", after=lambda *_: burning.at("commit-ack", "acknowledged, unsent"))


def _lay_publisher(burning: Burning) -> None:
    def publishing(_link: Link, message: Any) -> None:
        if message.topic.endswith("/events"):
            burning.at("commit-publish", "publishing")

    def published(_result: int, _link: Link, message: Any) -> None:
        if message.topic.endswith("/events"):
            burning.event_is_unsent = True
            burning.at("publish-puback", "published, unsent")

    def sent(*_: Any) -> None:
        if burning.event_is_unsent:
            burning.event_is_unsent = False
            burning.at("publish-puback", "published, sent")

    def read(result: object, *_: Any) -> None:
        if result is not None:
            burning.at("commit-publish", "read from the journal")

    wrap(EventsLane, "next", after=read)
    wrap(Link, "publish", before=publishing, after=published)
    wrap(Publisher, "hurry", after=sent)
    wrap(Publisher, "pump", after=sent)
    wrap(
        EventsLane,
        "taken",
        before=lambda *_: burning.at("publish-puback", "PUBACK read"),
        after=lambda *_: burning.at("publish-puback", "PUBACK noted"),
    )


def _lay_pruning(burning: Burning) -> None:
    def batch_begins(*_: Any) -> None:
        burning.at("prune", "base committed")
        burning.during("prune", "somewhere in a batch")

    def over(pruned: Pruned, *_: Any, **__: Any) -> None:
        if pruned.records:
            burning.at("prune", "after a prune")

    pruning = edge.journal.pruning
    wrap(pruning, "write_base", after=lambda *_: burning.at("prune", "base written"))
    wrap(pruning, "_take_away", before=batch_begins, after=lambda *_: burning.at("prune", "batch taken"))
    wrap(edge.upkeep, "prune", before=lambda *_, **__: burning.at("prune", "before a prune"), after=over)


def _lay_requests(burning: Burning) -> None:
    def acknowledging(link: Link) -> None:
        if link.deliveries[0].topic.endswith(("/commands", "/supervisor")):
            burning.at("commit-answer", "acknowledging the request")

    wrap(Table, "ask", after=lambda *_: burning.at("commit-answer", "answer committed"))
    wrap(RequestDesk, "answer", after=lambda *_: burning.at("commit-answer", "answered"))
    wrap(Link, "take", before=acknowledging)
