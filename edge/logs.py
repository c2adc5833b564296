"""Operators' logs: one line a happening on standard error; the journal is for facts.

No card, no payload and no secret is ever logged. Under systemd a line is JSON, on a terminal it is
for eyes.
"""

import logging
import sys
from typing import Final

import structlog

LEVELS: Final = {"debug": 10, "info": 20, "warning": 30, "error": 40}


def set_up_logs(level: str) -> None:
    """Send structlog's lines to standard error.

    Args:
        level: debug, info, warning or error.
    """
    for_eyes = sys.stderr.isatty()
    renderer: structlog.typing.Processor = (
        structlog.dev.ConsoleRenderer() if for_eyes else structlog.processors.JSONRenderer()
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            # Tracebacks without the values of variables: one of them could be a card.
            structlog.processors.format_exc_info,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(LEVELS[level]),
        logger_factory=structlog.PrintLoggerFactory(file=sys.stderr),
        cache_logger_on_first_use=True,
    )
    logging.captureWarnings(capture=True)
