"""The supervisor's commands: whatever :mod:`edge.requests` has for that desk, and nothing is listed twice.

A new command of the desk is asked, offered and looked at here without a line of its own.
"""

from dataclasses import MISSING, Field, fields
from typing import Any, Final, get_type_hints

from edge.inputs import RequestMade
from edge.requests import COMMANDS, Asked, Desk, KnownRequest
from edge.ruling import TableState, verify

SUPERVISED: Final[tuple[type[KnownRequest], ...]] = tuple(
    kind for kind in COMMANDS.values() if kind.desk is Desk.SUPERVISOR
)
"""In the contract's order."""
ROLE: Final = "supervisor"
SIGNATURE: Final = "operator"
"""The field that names who asks."""
NOBODY: Final = "Nobody may sign here: the table's configuration names no operator with the role supervisor."


def verb(kind: type[KnownRequest]) -> str:
    """What a supervisor types: ``void`` for ``round.void``."""
    return kind.command.partition(".")[2]


def says(kind: type[KnownRequest]) -> str:
    """What it does, in one sentence."""
    first = (kind.__doc__ or "").partition("\n")[0]
    sentence = first.rpartition("``: ")[2]
    return sentence[:1].upper() + sentence[1:]


def required(kind: type[KnownRequest]) -> tuple[str, ...]:
    """The fields that must be given."""
    return tuple(field.name for field in fields(kind) if _must(field))


def signers(state: TableState) -> tuple[str, ...]:
    """Who may sign."""
    return tuple(operator.name for operator in state.setup.operators or () if ROLE in operator.roles)


def refusal(state: TableState, kind: type[KnownRequest]) -> str | None:
    """Why this command would be refused now; None: it would not, or its details decide."""
    names = signers(state)
    if state.setup.operators is not None and not names:
        return NOBODY
    request = _draft(kind, names[0] if names else "")
    if request is None:
        return None
    asked = Asked(id="", desk=Desk.SUPERVISOR, request=request, digest="")
    refused = verify(state, RequestMade(asked=asked))
    return None if refused is None else refused.message


def _draft(kind: type[KnownRequest], operator: str) -> KnownRequest | None:
    """The request with nothing said in it but who asks; None: it has details of which more depends."""
    hints = get_type_hints(kind)
    if any(hints[name] is not str for name in required(kind)):
        return None
    said = {name: operator if name == SIGNATURE else "-" for name in required(kind)}
    return kind(**said)  # type: ignore[arg-type] # each is a text, as has just been seen


def _must(field: Field[Any]) -> bool:
    return field.default is MISSING and field.default_factory is MISSING
