"""The journal: every input and what was ruled on it, on disk before anything else happens.

``open_journal`` gives the daemon its :class:`Journal`; ``read_journal`` lets others read beside it;
``verify`` proves that it is as it was written. What is where: :mod:`edge.journal.schema`.
"""

from edge.journal.links import Finding
from edge.journal.opening import OpenedJournal, checkpoint, distrust, open_journal, replace_corrupt
from edge.journal.pruning import Pruned, prune
from edge.journal.reading import JournalReader, read_journal
from edge.journal.record import Answer, Moment, Record
from edge.journal.showing import shown
from edge.journal.store import Journal
from edge.journal.verify import Verdict, verify

__all__ = [
    "Answer",
    "Finding",
    "Journal",
    "JournalReader",
    "Moment",
    "OpenedJournal",
    "Pruned",
    "Record",
    "Verdict",
    "checkpoint",
    "distrust",
    "open_journal",
    "prune",
    "read_journal",
    "replace_corrupt",
    "shown",
    "verify",
]
