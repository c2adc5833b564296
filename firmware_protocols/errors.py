"""What can go wrong in this package by our own fault.

::

    FirmwareProtocolError
    ├── CaptureInvalid         a text that is no capture of a cable
    ├── CodeTableInvalid       a table of printed codes that cannot be used
    └── LocalProtocolError     we broke the protocol; the far end did nothing wrong
        ├── NotEncodable       a message holds a value that its wire field cannot
        └── NotReceived        an acknowledgement of an event that never arrived

There is no remote half: whatever a device sends is a value (``Noise``, ``Reject``,
``UnknownMessage``, ``UnknownEvent``), never an exception.
"""


class FirmwareProtocolError(Exception):
    """Any error of this package.

    Attributes:
        sentence: what is wrong, and where.
        hint: what the developer or operator can do about it, one sentence.
    """

    def __init__(self, sentence: str, *, hint: str) -> None:
        super().__init__(f"{sentence}. {hint}")
        self.sentence = sentence
        self.hint = hint


class CaptureInvalid(FirmwareProtocolError):
    """A text that is no capture of a cable. Its bytes are not shown: they may be a card.

    Attributes:
        source: the file.
        line: the line.
    """

    def __init__(self, *, source: str, line: int, why: str, hint: str) -> None:
        super().__init__(f"{source}, line {line}: {why}", hint=hint)
        self.source = source
        self.line = line


class CodeTableInvalid(FirmwareProtocolError):
    """A table of printed codes that cannot be used.

    Attributes:
        source: the file.
        line: the line, None if it is the whole.
    """

    def __init__(self, *, source: str, line: int | None, why: str, hint: str) -> None:
        place = source if line is None else f"{source}, line {line}"
        super().__init__(f"{place}: {why}", hint=hint or "docs/wire.md describes the code table")
        self.source = source
        self.line = line


class LocalProtocolError(FirmwareProtocolError):
    """We tried something the protocol forbids."""


class NotEncodable(LocalProtocolError):
    """A message holds a value that its wire field cannot.

    Attributes:
        field: the field's name.
        limit: what the field can hold, in words.
    """

    def __init__(self, *, field: str, limit: str) -> None:
        super().__init__(f"{field} does not fit its place on the wire", hint=f"It holds {limit}")
        self.field = field
        self.limit = limit


class NotReceived(LocalProtocolError):
    """An acknowledgement of an event that never arrived: the device would forget what we lack.

    Attributes:
        number: the event that was to be acknowledged.
        newest: the newest event that arrived.
    """

    def __init__(self, *, number: int, newest: int) -> None:
        super().__init__(
            f"Event {number} cannot be acknowledged: the newest that arrived is {newest}",
            hint="Acknowledge only positions that a report carried",
        )
        self.number = number
        self.newest = newest
