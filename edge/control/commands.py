"""The supervisor's commands: whatever :mod:`edge.requests` has for that desk, and nothing is listed twice.

A new command of the desk is asked, offered and looked at here without a line of its own.
"""

import re
from collections.abc import Iterator
from dataclasses import MISSING, Field, fields
from itertools import product
from typing import Any, Final, get_type_hints

from edge.control.details import reportable
from edge.house_rules import SUPERVISOR
from edge.inputs import RequestMade
from edge.irregular import Resolution
from edge.requests import (
    COMMANDS,
    Asked,
    Desk,
    EnterCard,
    KnownRequest,
    ReportIrregularity,
    ResolveIrregularity,
    Scan,
    belongs,
)
from edge.ruling import TableState, verify

SUPERVISED: Final[tuple[type[KnownRequest], ...]] = tuple(
    kind for kind in COMMANDS.values() if belongs(kind, Desk.SUPERVISOR)
)
"""In the contract's order."""
SIGNATURE: Final = "operator"
"""The field that names who asks."""
NOBODY: Final = "Nobody may sign here: the table's configuration names no operator with the role supervisor."
NOTHING_OPEN: Final = "No irregularity is open."
NOTHING_TO_TELL: Final = "There is nothing that could be reported now."
NOTHING_UNREAD: Final = "No card waits to be named."


def verb(kind: type[KnownRequest]) -> str:
    """What a supervisor types: ``void`` for ``round.void``."""
    return kind.command.partition(".")[2]


def says(kind: type[KnownRequest]) -> str:
    """What it does, in one sentence."""
    first = (kind.__doc__ or "").partition("\n")[0]
    sentence = re.sub(r" \(docs/[^)]*\)", "", first.rpartition("``: ")[2])
    return sentence[:1].upper() + sentence[1:]


def required(kind: type[KnownRequest]) -> tuple[str, ...]:
    """The fields that must be given; at this desk, the signature is one wherever there is one."""
    return tuple(field.name for field in fields(kind) if _must(field) or field.name == SIGNATURE)


def signers(state: TableState, role: str = SUPERVISOR) -> tuple[str, ...]:
    """Who may sign what takes this role."""
    return tuple(operator.name for operator in state.setup.operators or () if role in operator.roles)


def refusal(state: TableState, kind: type[KnownRequest]) -> str | None:
    """Why this command would be refused now, whatever is said in it; None: it would not be."""
    names = signers(state)
    if state.setup.operators is not None and not names:
        return NOBODY
    if kind is ResolveIrregularity and not state.irregularities:
        return NOTHING_OPEN
    if kind is EnterCard and not any(Resolution.ENTER in each.allowed for each in state.irregularities):
        return NOTHING_UNREAD
    if kind is ReportIrregularity and not reportable(state, names[0] if names else ""):
        return NOTHING_TO_TELL
    first = None
    for request in _drafts(kind, names[0] if names else ""):
        asked = Asked(id="", desk=Desk.SUPERVISOR, request=request, digest="")
        refused = verify(state, RequestMade(asked=asked))
        if refused is None:
            return None
        first = first or refused
    return None if first is None else first.message


def _drafts(kind: type[KnownRequest], operator: str) -> Iterator[KnownRequest]:
    """The request with nothing said in it but who asks, once for each word that must be chosen.

    None at all, where it has details of which more depends.
    """
    hints = get_type_hints(kind)
    choices: list[list[object]] = []
    for name in required(kind):
        hint = hints[name]
        if name == SIGNATURE:
            choices.append([operator])
        elif hint is str:
            choices.append(["-"])
        elif isinstance(hint, type) and issubclass(hint, Scan):
            choices.append([*hint])
        else:
            return
    for said in product(*choices):
        yield kind(**dict(zip(required(kind), said, strict=True)))  # type: ignore[arg-type] # as it asks for


def _must(field: Field[Any]) -> bool:
    return field.default is MISSING and field.default_factory is MISSING
