"""The configuration file: one TOML file a table (docs/operations.md).

Whatever is wrong with it is one sentence naming the file, the key and the remedy.
"""

import difflib
import json
import os
import re
import tomllib
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from drivers import DeviceSettings, DriverError, SerialAddress, check_device, parse_url, unread
from edge.errors import ConfigInvalid, HouseRulesInvalid
from edge.house_rules import ROLE, SUPERVISOR, HouseRules, check_house, house_text
from edge.inputs import DealerKey, Operator
from edge.upstream import MqttSettings

TABLE_ID: Final = r"^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$"
RUN_DIRECTORY: Final = Path("/run/table-edge")
"""Where systemd makes a directory for each table's daemon (systemd/README.md)."""
CONTROL_SOCKET: Final = "control.sock"
SHUFFLER: Final = "shuffler"
LEAST_RETENTION_DAYS: Final = 7
"""So long whoever repeats a request is sure of the first answer (docs/contract.md)."""
KEY_CODE: Final = re.compile(r"0|[1-9][0-9]{0,2}|0x[0-9A-Fa-f]{1,2}")
MOST_KEY_CODE: Final = 0xFF
"""A key is one byte on the wire (docs/wire.md)."""
DEVICE_ID: Final = r"^[a-z0-9][a-z0-9_-]{0,31}$"


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class DeviceConfig(_Table):
    """``[[device]]``: a device of the table."""

    id: Annotated[str, Field(pattern=DEVICE_ID)]
    url: Annotated[str, Field(min_length=1)]
    """As ``drivers.address`` reads it, by a stable name."""
    protocol: str = "table_link"
    kind: str = "shoe"
    """One that the protocol serves."""
    serial: str | None = None
    """The serial number it must have; absent: any."""
    options: dict[str, object] = Field(default_factory=dict)
    """Of the protocol."""
    capture: Path | None = None
    """The folder that everything that goes over its cable is written down in; absent: it is not."""

    def settings(self) -> DeviceSettings:
        """What its driver needs."""
        return DeviceSettings(
            id=self.id,
            url=self.url,
            protocol=self.protocol,
            kind=self.kind,
            serial=self.serial,
            options=self.options,
        )


class OperatorConfig(_Table):
    """``[[operator]]``: who may sign a supervisor's request."""

    name: Annotated[str, Field(min_length=1, max_length=64)]
    roles: tuple[Annotated[str, Field(pattern=ROLE)], ...] = (SUPERVISOR,)
    """What it may decide: whatever the house gives no role of its own, and what the house gives these."""


def _key_code(written: str) -> int:
    """The code of a key, written in decimal or as 0x with hex digits."""
    if not KEY_CODE.fullmatch(written) or int(written, 0) > MOST_KEY_CODE:
        raise ValueError(f"{written!r} under [keys] is no code of a key: write 0 to 255, or 0x00 to 0xff")
    return int(written, 0)


class Config(_Table):
    """The whole file."""

    table: Annotated[str, Field(pattern=TABLE_ID)]
    house: str
    """A house that comes with the product, or the path of a house file."""
    journal: Path | None = None
    """Absent: ``journal.db`` in systemd's state directory, else in /var/lib/table-edge/TABLE."""
    control: Path | None = None
    """Absent: ``control.sock`` in systemd's runtime directory, else beside the journal, with a table's id."""
    retention_days: Annotated[int, Field(ge=LEAST_RETENTION_DAYS, le=3650)] = 90
    """How long the journal keeps what was delivered."""
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    decisions: Literal["server", "dealer_keys"] = "server"
    """Who says what a hand does: the game server, or the dealer by the keys of a device."""
    keys: dict[str, DealerKey] = Field(default_factory=dict)
    """What each of the dealer's keys means, by its code."""
    mqtt: MqttSettings
    device: tuple[DeviceConfig, ...] = ()
    operator: tuple[OperatorConfig, ...] = ()

    @model_validator(mode="after")
    def _each_once(self) -> "Config":
        for what, named in (
            ("devices have the id", [device.id for device in self.device]),
            ("devices have the url", [device.url for device in self.device]),
            ("operators have the name", [operator.name for operator in self.operator]),
        ):
            twice = sorted({each for each in named if named.count(each) > 1})
            if twice:
                raise ValueError(f"two {what} {twice[0]!r}: give each its own")
        return self

    @model_validator(mode="after")
    def _keys_fit(self) -> "Config":
        if self.decisions == "server" and self.keys:
            raise ValueError('[keys] is for decisions = "dealer_keys": add that, or leave the keys out')
        if self.decisions == "dealer_keys" and DealerKey.STAND not in self.keys.values():
            raise ValueError('decisions = "dealer_keys" needs a key for "stand": name it under [keys]')
        codes = [_key_code(each) for each in self.keys]
        twice = sorted({each for each in codes if codes.count(each) > 1})
        if twice:
            raise ValueError(f"two of [keys] have the code {twice[0]}: give each code one meaning")
        return self

    @property
    def dealer_keys(self) -> dict[int, DealerKey]:
        """What each of the dealer's keys means, by its code."""
        return {_key_code(code): key for code, key in self.keys.items()}

    @property
    def journal_path(self) -> Path:
        """Where the journal is."""
        if self.journal is not None:
            return self.journal
        state_directory = os.environ.get("STATE_DIRECTORY", "").split(":")[0]
        return Path(state_directory or f"/var/lib/table-edge/{self.table}") / "journal.db"

    @property
    def control_path(self) -> Path:
        """Where this daemon listens for the pit."""
        if self.control is not None:
            return self.control
        runtime_directory = os.environ.get("RUNTIME_DIRECTORY", "").split(":")[0]
        return Path(runtime_directory) / CONTROL_SOCKET if runtime_directory else self._beside_the_journal

    @property
    def control_paths(self) -> tuple[Path, ...]:
        """Where this table's daemon may listen, for whoever looks for it from outside."""
        if self.control is not None:
            return (self.control,)
        return (self._beside_the_journal, served_at(self.table))

    @property
    def _beside_the_journal(self) -> Path:
        """With the table's name: journals of two tables may lie in one folder."""
        return self.journal_path.parent / f"{self.table}.{CONTROL_SOCKET}"

    @property
    def operators(self) -> tuple[Operator, ...]:
        """Who may sign, as the ruling knows them."""
        return tuple(Operator(name=each.name, roles=each.roles) for each in self.operator)

    @property
    def shoes(self) -> tuple[str, ...]:
        """Ids of the devices that cards are dealt from: all but shufflers."""
        return tuple(each.id for each in self.device if each.kind != SHUFFLER)


def served_at(table: str) -> Path:
    """Where the daemon of a table listens that systemd runs."""
    return RUN_DIRECTORY / table / CONTROL_SOCKET


class LoadedConfig(_Table):
    """A configuration, with what it led to."""

    config: Config
    digest: str
    """SHA-256 of the file, hex: ``config_hash`` of ``edge.started``."""
    house: str
    """Text of the house file."""


def load_config(path: Path) -> LoadedConfig:
    """Read and check a configuration file, its house and its device addresses.

    Raises:
        ConfigInvalid: with a sentence naming file, key and remedy.
    """
    try:
        raw = path.read_bytes()
        said = tomllib.loads(raw.decode("utf-8"))
    except FileNotFoundError:
        raise ConfigInvalid(
            f"There is no configuration {path}.",
            hint=f'Write it: table = "{_table_named(path)}", house = "deluxe", under [mqtt] host = the '
            'broker, and a [[device]] with id = "shoe" and url = "serial:/dev/NAME"; docs/operations.md has '
            "an example and every key.",
        ) from None
    except OSError as error:
        raise ConfigInvalid(
            f"The configuration {path} cannot be read: {error.strerror}.",
            hint=unread(error, denied="Let the daemon's user read it, as docs/operations.md says under Files")
            + ".",
        ) from None
    except UnicodeDecodeError:
        raise ConfigInvalid(
            f"The configuration {path} is not UTF-8 text.", hint="Save it as UTF-8."
        ) from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigInvalid(f"{path} is not TOML: {error}.", hint="Mend that line.") from None
    try:
        config = Config.model_validate_json(json.dumps(said, default=str), strict=True)
    except ValidationError as error:
        raise ConfigInvalid(f"{path}: {_sentence(error)}") from None
    for device in config.device:
        _check_device(path, device)
    _check_ports(path, config.device)
    return LoadedConfig(config=config, digest=sha256(raw).hexdigest(), house=_checked_house(path, config))


def _table_named(path: Path) -> str:
    """The table that a configuration of this name is for."""
    return path.stem if re.match(TABLE_ID, path.stem) else "t1"


def _check_device(path: Path, device: DeviceConfig) -> None:
    try:
        check_device(device.settings())
    except DriverError as error:
        raise ConfigInvalid(f"{path}: device {device.id!r}: {error}") from None


def _check_ports(path: Path, devices: Sequence[DeviceConfig]) -> None:
    """No two devices at one port, however its address is written."""
    at: dict[str, str] = {}
    for device in devices:
        address = parse_url(device.url)
        place = os.path.realpath(address.path) if isinstance(address, SerialAddress) else address.place
        other = at.setdefault(place, device.id)
        if other != device.id:
            raise ConfigInvalid(
                f"{path}: device {other!r} and device {device.id!r} are both on {place}. "
                "Give each its own port."
            )


def _checked_house(path: Path, config: Config) -> str:
    try:
        text = house_text(config.house)
        rules = check_house(text, source=config.house)
    except HouseRulesInvalid as error:
        raise ConfigInvalid(f"{path}: house: {error}") from None
    if config.operator:
        _check_roles(path, config, rules)
    return text


def _check_roles(path: Path, config: Config, rules: HouseRules) -> None:
    """Where there are operators, each role that this house gives a decision to is somebody's."""
    have = {role for operator in config.operator for role in operator.roles}
    wanted = {SUPERVISOR: "all that it gives no other role"}
    wanted |= {policy.role: kind.value for kind, policy in rules.irregularities.items()}
    for role, what in wanted.items():
        if role not in have:
            raise ConfigInvalid(
                f"{path}: operator.roles: nobody has the role {role!r}, which decides {what} at house "
                f"{rules.name}. Give it to an operator."
            )


def _sentence(error: ValidationError) -> str:
    """The first mistake, as one sentence with its remedy."""
    mistakes = error.errors(include_url=False, include_input=False)
    # An unknown key is often a known one misspelt, and then the reason why that one is missing.
    mistake = next((each for each in mistakes if each["type"] == "extra_forbidden"), mistakes[0])
    where = ".".join(str(step + 1) if isinstance(step, int) else step for step in mistake["loc"])
    match mistake["type"]:
        case "extra_forbidden":
            return f"unknown key {where!r}. {_did_you_mean(mistake['loc'])}"
        case "missing":
            return f"{where!r} is missing. Add it; docs/operations.md has an example."
        case "value_error":
            reason = mistake["msg"].removeprefix("Value error, ")
            return f"{where}: {reason}." if where else f"{reason}."
        case "path_type" | "string_type":
            return f"{where!r}: it must be a text. Write it in quotes."
        case _:
            return f"{where!r}: {mistake['msg']}. docs/operations.md lists what is allowed."


def _did_you_mean(loc: tuple[int | str, ...]) -> str:
    models: dict[str, type[BaseModel]] = {
        "": Config,
        "mqtt": MqttSettings,
        "device": DeviceConfig,
        "operator": OperatorConfig,
    }
    table = models.get(str(loc[0]) if len(loc) > 1 else "", Config)
    known = sorted(table.model_fields)
    close = difflib.get_close_matches(str(loc[-1]), known, n=1)
    return f"Did you mean {close[0]!r}?" if close else f"Known here: {', '.join(known)}."
