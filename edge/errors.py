"""What can go wrong in the edge, apart from play: irregular play is an event, not an exception.

::

    EdgeError                 what, where, and what to do (``hint``)
    +-- ConfigInvalid         the configuration file: file, key, remedy
    +-- HouseRulesInvalid     a house file: file, key, remedy
    +-- ScriptInvalid         a session script: file, line, column
    +-- ControlDeaf           nobody answers at the control socket, or not to this user
        +-- ControlUnsure     what was asked there was sent, and may have been done
    +-- DeviceUnreadable      a device, or a capture of one, cannot be read (commands)
    +-- CaptureClosed         a capture may name cards that still lie face down
    +-- PartDied              a part of the daemon, by a bug: its type and place, no values
    +-- JournalError
        +-- JournalTaken      another daemon has it
        +-- JournalMisplaced  what lies in its place is no journal: refused, untouched
        +-- JournalNewer      written by a newer version: refused, untouched
        +-- JournalCorrupt    cannot be trusted: to be moved aside, never deleted
        +-- StorageFailed     the disk refused: full, read-only, failing
"""


class EdgeError(Exception):
    """Something a person must know: one sentence and what to do about it."""

    def __init__(self, sentence: str, *, hint: str = "") -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.sentence} {self.hint}".strip()


class ConfigInvalid(EdgeError):
    """The configuration cannot be used."""


class HouseRulesInvalid(EdgeError):
    """A house file cannot be used."""


class ScriptInvalid(EdgeError):
    """A session script has a line that cannot be understood."""


class ControlDeaf(EdgeError):
    """Nobody answers at the control socket, or not to this user."""


class ControlUnsure(ControlDeaf):
    """What was asked was sent, and no answer came: it may have been done."""


class DeviceUnreadable(EdgeError):
    """A device, or a capture of one, cannot be read."""


class CaptureClosed(EdgeError):
    """A capture may name cards that still lie face down."""


class PartDied(EdgeError):
    """A part of the daemon ended that should not have."""


class JournalError(EdgeError):
    """The journal cannot be used as it is."""


class JournalTaken(JournalError):
    """Another daemon holds this journal."""


class JournalMisplaced(JournalError):
    """What lies in the journal's place is no journal, and is left as it is."""


class JournalNewer(JournalError):
    """This journal was written by a newer version."""


class JournalCorrupt(JournalError):
    """This journal's bytes cannot be trusted."""


class StorageFailed(JournalError):
    """The disk refused a write."""
