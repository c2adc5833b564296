"""A ``round.result`` as it comes: the table's own noun, an envelope as published, or its data as JSON."""

import json
from collections.abc import Mapping
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from edge.envelope import parse
from edge.events import Odds, RoundResult, SeatResult
from edge.settlement.errors import ResultUnreadable

_RESULTS: Final = TypeAdapter(RoundResult)
_HINT: Final = "Give the round.result as it was published, or its data."


def read_result(result: RoundResult | Mapping[str, Any] | bytes | str) -> RoundResult:
    """The result, read strictly, and found to be one that a table can publish.

    Args:
        result: the noun; the envelope, or its ``data``, as bytes or text of JSON, or as a parsed object.

    Raises:
        ResultUnreadable: it is none of these, or says what no table says.
    """
    read = result if isinstance(result, RoundResult) else _from_json(result)
    for seat in read.seats:
        _check_seat(seat)
    numbers = [seat.seat for seat in read.seats]
    if not numbers or len(set(numbers)) < len(numbers):
        raise ResultUnreadable("The result has no seat, or one seat twice.", hint=_HINT)
    return read


def _from_json(given: Mapping[str, Any] | bytes | str) -> RoundResult:
    try:
        text = given if isinstance(given, bytes | str) else json.dumps(given)
        content = json.loads(text)
        if not isinstance(content, dict):
            raise ResultUnreadable("The result is JSON but no object.", hint=_HINT)
        if "specversion" in content:
            event = parse(text if isinstance(text, bytes) else text.encode()).event
            if not isinstance(event, RoundResult):
                raise ResultUnreadable(f"This is a {event.type}, not a round.result.", hint=_HINT)
            return event
        return _RESULTS.validate_json(text, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"])) or "its root"
        raise ResultUnreadable(f"The result is wrong at {where}: {first['msg']}.", hint=_HINT) from None
    except RecursionError:
        raise ResultUnreadable("The result is nested too deeply.", hint=_HINT) from None
    except (TypeError, ValueError) as error:
        raise ResultUnreadable(f"The result cannot be read: {error}.", hint=_HINT) from None


def _check_seat(seat: SeatResult) -> None:
    hands = tuple(hand.hand for hand in seat.hands)
    if hands not in {(1,), (1, 2)}:
        raise ResultUnreadable(f"Seat {seat.seat} has hands {hands}; they are 1, or 1 and 2.", hint=_HINT)
    paid = [hand.odds for hand in seat.hands]
    paid += [pair.odds for pair in (seat.pair, *(hand.pair for hand in seat.hands)) if pair is not None]
    if not all(_sound(odds) for odds in paid) or any(hand.units not in {1, 2} for hand in seat.hands):
        raise ResultUnreadable(
            f"Seat {seat.seat} has odds or units that no table publishes: odds lose no more than the stake, "
            "units are 1 or 2.",
            hint=_HINT,
        )


def _sound(odds: Odds) -> bool:
    won, per = odds
    return per > 0 and won >= -per
