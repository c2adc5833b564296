"""A ``round.result`` as it comes: the table's own noun, an envelope as published, or its data as JSON."""

import json
from collections.abc import Mapping
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from edge.envelope import parse
from edge.events import RoundResult
from edge.settlement.errors import ResultUnreadable
from edge.settlement.possible import check_result

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
    check_result(read)
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
