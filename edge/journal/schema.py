"""The journal's file: its tables, its settings, and how a connection to it is made.

================  ==========================================================================
``meta``          ``schema``, ``journal`` (its id) and ``table``, once and for all
``records``       one input each: when it was heard, by which ruling, body, hash (chain of records)
``events``        the bytes as published (chain of events), and the record that caused them
``snapshots``     the state after a record, with a checksum; may be dropped at any time
``answers``       which record answered a request id: an index into the records
``rounds``        first and last event of a round: an index into the events
``cursors``       how far each follower of the events has come
``pruned``        one row: where both chains were when the last record was pruned, and the state then
================  ==========================================================================

Version 2 has ``pruned``; a file of version 1 is given it when its daemon opens it, and read as it is.

The version stands twice, in the header (``user_version``) and in ``meta``; a file is *newer* only if
both agree on it, so that a flipped bit in the header is corruption and not a version.
"""

import re
import sqlite3
from pathlib import Path
from typing import Final
from urllib.parse import quote

from edge.errors import JournalCorrupt, JournalNewer
from edge.journal.faults import disk_error, reported

SCHEMA_VERSION: Final = 2
WITHOUT_PRUNED: Final = 1
"""The version before ``pruned``."""

APPLICATION_ID: Final = 0x74656A31
"""``tej1``: the file's own mark (https://sqlite.org/pragma.html#pragma_application_id)."""

AUTO_CHECKPOINT_PAGES: Final = 10_000
"""About 40 MB of WAL before a commit itself moves it into the file: a safety net. Ordinarily
:func:`edge.journal.opening.checkpoint` does that off the event loop, long before."""

_FORMAT_AT: Final = 18
_FORMAT_WAL: Final = b"\x02\x02"
"""Write and read version of a file in WAL mode (https://sqlite.org/fileformat2.html#the_database_header)."""

BUSY_S: Final = 1.0
"""Seconds a statement waits for another program's lock. Nobody else should write at all."""

_PRUNED: Final = """
CREATE TABLE pruned (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    number INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    hash BLOB NOT NULL,
    head TEXT NOT NULL,
    ruling TEXT NOT NULL,
    state BLOB NOT NULL,
    checksum BLOB NOT NULL
);
"""

_TABLES: Final = f"""
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE records (
    number INTEGER PRIMARY KEY,
    at_ms INTEGER NOT NULL,
    wall_ms INTEGER NOT NULL,
    boot TEXT NOT NULL,
    ruling TEXT NOT NULL,
    body BLOB NOT NULL,
    hash BLOB NOT NULL
);
CREATE TABLE events (
    sequence INTEGER PRIMARY KEY,
    record INTEGER NOT NULL,
    published BLOB NOT NULL
);
CREATE TABLE snapshots (
    number INTEGER PRIMARY KEY,
    ruling TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    state BLOB NOT NULL,
    checksum BLOB NOT NULL
);
CREATE TABLE answers (id TEXT PRIMARY KEY, record INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE rounds (
    shoe INTEGER NOT NULL,
    round INTEGER NOT NULL,
    round_id TEXT NOT NULL UNIQUE,
    first INTEGER NOT NULL,
    last INTEGER,
    PRIMARY KEY (shoe, round)
) WITHOUT ROWID;
CREATE TABLE cursors (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
{_PRUNED}"""

TABLES: Final = frozenset(re.findall(r"CREATE TABLE (\w+)", _TABLES))
"""Their names."""


def connect(path: Path, *, mode: str) -> sqlite3.Connection:
    """A connection without implicit transactions.

    Args:
        path: of the file, which exists.
        mode: ``rw``, or ``ro`` for readers beside the daemon.

    Raises:
        StorageFailed: the disk refused.
        JournalCorrupt: the file is no database.
    """
    with reported(path):
        connection = sqlite3.connect(
            f"file:{quote(str(path))}?mode={mode}", uri=True, isolation_level=None, timeout=BUSY_S
        )
        try:
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.execute("PRAGMA cell_size_check = ON")
            if mode == "rw":
                connection.execute("PRAGMA synchronous = FULL")
                connection.execute(f"PRAGMA wal_autocheckpoint = {AUTO_CHECKPOINT_PAGES}")
        except BaseException:
            connection.close()
            raise
    return connection


def lay_out(connection: sqlite3.Connection, *, journal: str, table: str) -> None:
    """Make an empty file a journal."""
    meta = {"schema": str(SCHEMA_VERSION), "journal": journal, "table": table}
    connection.execute("PRAGMA journal_mode = DELETE")
    connection.execute("PRAGMA synchronous = FULL")
    connection.executescript(
        f"BEGIN; {_TABLES} PRAGMA application_id = {APPLICATION_ID}; "
        f"PRAGMA user_version = {SCHEMA_VERSION}; COMMIT;"
    )
    connection.execute("BEGIN")
    connection.executemany("INSERT INTO meta VALUES (?, ?)", meta.items())
    connection.execute("COMMIT")
    connection.execute("PRAGMA journal_mode = WAL")


def bring_up(connection: sqlite3.Connection, path: Path) -> None:
    """Give a journal of an older version what it lacks; nothing, where it lacks nothing.

    Raises:
        StorageFailed: the disk refused; the journal is as before.
        JournalCorrupt: the file cannot be trusted.
    """
    with reported(path):
        if _pragma(connection, "user_version") == WITHOUT_PRUNED:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute(_PRUNED)
            connection.execute("UPDATE meta SET value = ? WHERE name = 'schema'", (str(SCHEMA_VERSION),))
            connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
            connection.execute("COMMIT")


def read_meta(connection: sqlite3.Connection, path: Path) -> tuple[str, str]:
    """The journal's id and its table, once the file is known to be a journal that this version reads.

    Raises:
        JournalNewer: both version marks agree on a newer one.
        JournalCorrupt: it is no journal, or its marks disagree.
        StorageFailed: the disk refused.
    """
    with reported(path):
        application = _pragma(connection, "application_id")
        header = _pragma(connection, "user_version")
        meta: dict[object, object] = dict(connection.execute("SELECT name, value FROM meta").fetchall())
        mode = connection.execute("PRAGMA journal_mode").fetchone()[0]
    if application != APPLICATION_ID:
        raise JournalCorrupt(f"The database {path} does not have the mark of a journal.")
    if header > SCHEMA_VERSION and meta.get("schema") == str(header):
        raise JournalNewer(
            f"The journal {path} has schema {header}; this version reads up to {SCHEMA_VERSION}.",
            hint="Install the newer version again, or give this one another journal.",
        )
    if header not in {WITHOUT_PRUNED, SCHEMA_VERSION} or meta.get("schema") != str(header) or mode != "wal":
        raise JournalCorrupt(f"The marks of the journal {path} contradict each other.")
    journal, table = meta.get("journal"), meta.get("table")
    if not isinstance(journal, str) or not isinstance(table, str):
        raise JournalCorrupt(f"The journal {path} does not say whose it is.")
    return journal, table


def check_format(path: Path) -> None:
    """The two format versions in the file's header say WAL, as they have since it was made.

    SQLite takes another write version for a file of the future and makes it read-only: the disk would be
    blamed for a flipped bit, and every start would end there.

    Raises:
        JournalCorrupt: they say something else.
        StorageFailed: the disk refused.
    """
    try:
        with path.open("rb") as file:
            file.seek(_FORMAT_AT)
            found = file.read(len(_FORMAT_WAL))
    except OSError as error:
        raise disk_error(error, path) from error
    if found != _FORMAT_WAL:
        raise JournalCorrupt(f"The header of the journal {path} is not that of a journal.")


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])
