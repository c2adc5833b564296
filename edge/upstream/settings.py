"""What the configuration file says about the broker."""

import re
from pathlib import Path
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from edge.errors import ConfigInvalid

LONGEST_SESSION_S: Final = 0xFFFF_FFFE
"""0xFFFFFFFF means for ever (MQTT 5, 3.1.2.11.2): a broker must be allowed to forget a dead table."""

PLAIN_PORT: Final = 1883
TLS_PORT: Final = 8883

_TOPIC_LEVELS: Final = re.compile(r"[^+#$/\0][^+#\0]*")


class TlsSettings(BaseModel):
    """How the broker proves itself, and we to it. An empty table: the system's own authorities."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    ca_file: Path | None = None
    """Authorities that may sign the broker's certificate; None: the system's."""
    cert_file: Path | None = None
    key_file: Path | None = None

    @model_validator(mode="after")
    def _pair(self) -> "TlsSettings":
        if (self.cert_file is None) != (self.key_file is None):
            raise ValueError("cert_file and key_file belong together: give both or neither")
        return self


class MqttSettings(BaseModel):
    """The ``[mqtt]`` table of the configuration."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    host: Annotated[str, Field(min_length=1)]
    port: Annotated[int, Field(ge=1, le=65535)] | None = None
    """None: 1883, or 8883 with TLS."""
    prefix: str = "tables"
    client_id: Annotated[str, Field(min_length=1, max_length=128)] | None = None
    """None: made of the table's id. Two clients of one id steal the session from each other."""
    username: str | None = None
    password_file: Path | None = None
    """Its first line is the password. Read at every connection, so it may be rotated."""
    tls: TlsSettings | None = None
    keepalive_s: Annotated[int, Field(ge=5, le=3600)] = 15
    session_expiry_s: Annotated[int, Field(ge=1, le=LONGEST_SESSION_S)] = 86_400
    """How long the broker keeps commands for an absent table."""
    server_acknowledges: bool = True
    """False: the server sends no ``events.acknowledge``; events are kept until published."""
    server_status: bool = True
    """False: the server says nothing of itself on ``server``; only the broker tells whether it is there."""
    telemetry_s: Annotated[int, Field(ge=1, le=3600)] = 10

    @model_validator(mode="before")
    @classmethod
    def _no_password_here(cls, given: object) -> object:
        if isinstance(given, dict) and "password" in given:
            raise ValueError(
                "a password does not belong in the configuration: write it to a file of mode 0600 "
                "and name that in password_file"
            )
        return given

    @field_validator("prefix")
    @classmethod
    def _a_prefix(cls, prefix: str) -> str:
        if not _TOPIC_LEVELS.fullmatch(prefix) or prefix.endswith("/") or "//" in prefix:
            raise ValueError(
                "a prefix is one or more topic levels, without + or #, and neither begins nor ends with /"
            )
        return prefix

    @model_validator(mode="after")
    def _whose_password(self) -> "MqttSettings":
        if self.password_file is not None and self.username is None:
            raise ValueError("password_file needs a username")
        return self

    @property
    def effective_port(self) -> int:
        """The port to connect to."""
        return self.port or (TLS_PORT if self.tls is not None else PLAIN_PORT)

    def client_name(self, table_id: str) -> str:
        """The MQTT client id."""
        return self.client_id or f"table-edge-{table_id}"

    def password(self) -> str | None:
        """The password, read from its file now.

        Raises:
            ConfigInvalid: the file cannot be read.
        """
        if self.password_file is None:
            return None
        try:
            lines = self.password_file.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
            raise ConfigInvalid(
                f"The password file {self.password_file} cannot be read: {why}.",
                hint="It must exist and be readable by the service user.",
            ) from None
        return lines[0] if lines else ""
