"""Device addresses.

::

    serial:/dev/table-edge/t7-shoe                    the driver's own line settings
    serial:/dev/table-edge/t7-shoe?baud=9600&parity=E others: baud, bits, parity, stop, dtr, rts, latency
    /dev/table-edge/t7-shoe                           the same as serial:
    socket://10.0.7.4:4001                            a serial device server, raw TCP; the line is set there
    rfc2217://10.0.7.4:4001?baud=4800                 one that has its line set from here
    usb:1209:0001                                     a USB device by vendor and product (hex)
    usb:1209:0001:TE-0042                             and by the serial number in its descriptor
    usb:1209:0001?port=1-1.2                          or by the port it is plugged into
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias, TypeVar
from urllib.parse import parse_qsl, unquote, urlsplit

from drivers.errors import BadUrl
from drivers.line import MAX_BAUD, LineChanges

_HINT: Final = (
    "Write serial:/dev/NAME, serial:/dev/NAME?baud=115200, socket://HOST:PORT, rfc2217://HOST:PORT or "
    "usb:VENDOR:PRODUCT"
)
V = TypeVar("V")

_MAX_PORT: Final = 65535
_DIGITS: Final = re.compile(r"[0-9]{1,8}")
_USB_PORT: Final = re.compile(r"\d+-\d+(\.\d+)*")
_USB: Final = re.compile(r"(?P<vendor>[0-9a-fA-F]{4}):(?P<product>[0-9a-fA-F]{4})(:(?P<serial>[^?]+))?")


@dataclass(frozen=True, slots=True, kw_only=True)
class SerialAddress:
    """A serial port of this computer."""

    url: str
    """As it was written."""
    path: str
    line: LineChanges = field(default_factory=LineChanges)

    @property
    def place(self) -> str:
        """What an operator calls it."""
        return self.path


@dataclass(frozen=True, slots=True, kw_only=True)
class SocketAddress:
    """A serial device server that passes bytes on."""

    url: str
    host: str
    port: int

    @property
    def place(self) -> str:
        """What an operator calls it."""
        return f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rfc2217Address:
    """A serial device server that has its line set from here (RFC 2217)."""

    url: str
    host: str
    port: int
    line: LineChanges = field(default_factory=LineChanges)

    @property
    def place(self) -> str:
        """What an operator calls it."""
        return f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True, kw_only=True)
class UsbAddress:
    """A USB device that is no serial port."""

    url: str
    vendor: int
    product: int
    serial: str | None = None
    """None: any."""
    port: str | None = None
    """As the kernel writes it: bus, then the ports of the hubs, ``1-1.2``. None: any."""

    @property
    def place(self) -> str:
        """What an operator calls it."""
        which = f" with serial number {self.serial}" if self.serial else ""
        where = f" at port {self.port}" if self.port else ""
        return f"USB device {self.vendor:04x}:{self.product:04x}{which}{where}"


PortAddress: TypeAlias = SerialAddress | SocketAddress | Rfc2217Address | UsbAddress


def parse_url(url: str) -> PortAddress:
    """The address in a device URL.

    Raises:
        BadUrl: with one sentence that says what is wrong and what would be right.
    """
    if url.startswith("/"):
        return SerialAddress(url=url, path=url)
    scheme = url.partition(":")[0] if ":" in url else ""
    parse = _SCHEMES.get(scheme)
    if parse is None:
        what = f"{scheme}: is no kind of port this version opens" if scheme else f"{url!r} is no device URL"
        raise BadUrl(url=url, sentence=what, hint=_HINT)
    return parse(url)


def _serial(url: str) -> SerialAddress:
    path, _, query = url.removeprefix("serial:").partition("?")
    path = "/" + path.lstrip("/") if path.startswith("//") else path
    if not path.startswith("/") or path == "/":
        raise BadUrl(url=url, sentence=f"{url!r} names no port", hint=_HINT)
    return SerialAddress(url=url, path=path, line=_line(url, _settings(url, query)))


def _socket(url: str) -> SocketAddress:
    host, port, query = _host_and_port(url)
    for key in _settings(url, query):
        hint = "The line is set at the device server; one that takes it from here is rfc2217://"
        raise BadUrl(url=url, sentence=f"{url!r} has a setting {key!r}", hint=hint)
    return SocketAddress(url=url, host=host, port=port)


def _rfc2217(url: str) -> Rfc2217Address:
    host, port, query = _host_and_port(url)
    return Rfc2217Address(url=url, host=host, port=port, line=_line(url, _settings(url, query)))


def _usb(url: str) -> UsbAddress:
    named, _, query = url.removeprefix("usb:").partition("?")
    found = _USB.fullmatch(named)
    if found is None:
        raise BadUrl(
            url=url,
            sentence=f"{url!r} names no USB device",
            hint="Write usb:VENDOR:PRODUCT or usb:VENDOR:PRODUCT:SERIAL, both as four hex digits",
        )
    settings = _settings(url, query)
    port = settings.pop("port", None)
    if port is not None and _USB_PORT.fullmatch(port) is None:
        hint = "Write it as the kernel does, as in port=1-1.2; table-edge devices shows it"
        raise BadUrl(url=url, sentence=f"{port!r} in {url!r} is no USB port", hint=hint)
    for key in settings:
        raise _unknown(url, key)
    serial = found["serial"]
    return UsbAddress(
        url=url,
        vendor=int(found["vendor"], 16),
        product=int(found["product"], 16),
        serial=None if serial is None else unquote(serial),
        port=port,
    )


_SCHEMES: Final[Mapping[str, Callable[[str], PortAddress]]] = {
    "serial": _serial,
    "socket": _socket,
    "rfc2217": _rfc2217,
    "usb": _usb,
}


def _host_and_port(url: str) -> tuple[str, int, str]:
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
    if not host or not port or port > _MAX_PORT or parts.path not in {"", "/"}:
        scheme = url.partition(":")[0]
        hint = f"Write {scheme}://HOST:PORT, with a port from 1 to {_MAX_PORT}"
        raise BadUrl(url=url, sentence=f"{url!r} names no host and port", hint=hint)
    return host, port, parts.query


def _settings(url: str, query: str) -> dict[str, str]:
    settings: dict[str, str] = {}
    for key, value in parse_qsl(query, keep_blank_values=True):
        if key in settings:
            raise BadUrl(url=url, sentence=f"{url!r} sets {key!r} twice", hint="Leave one of them out")
        settings[key] = value
    return settings


def _line(url: str, settings: Mapping[str, str]) -> LineChanges:
    for key in settings:
        if key not in _LINE:
            raise _unknown(url, key)
    baud = settings.get("baud")
    if baud is not None and not (_DIGITS.fullmatch(baud) and 0 < int(baud) <= MAX_BAUD):
        hint = f"Write a whole number from 1 to {MAX_BAUD}, as in baud=115200"
        raise BadUrl(url=url, sentence=f"{baud!r} in {url!r} is no line speed", hint=hint)
    return LineChanges(
        baud=None if baud is None else int(baud),
        bits=_word(url, settings, "bits", _BITS),
        parity=_word(url, settings, "parity", _PARITY),
        stop=_word(url, settings, "stop", _STOP),
        dtr=_word(url, settings, "dtr", _SWITCH),
        rts=_word(url, settings, "rts", _SWITCH),
        low_latency=_word(url, settings, "latency", _LATENCY),
    )


def _word(url: str, settings: Mapping[str, str], key: str, words: Mapping[str, V]) -> V | None:
    said = settings.get(key)
    if said is None or said in words:
        return None if said is None else words[said]
    hint = f"Write {key}= and one of {', '.join(words)}"
    raise BadUrl(url=url, sentence=f"{said!r} in {url!r} is no {key}", hint=hint)


def _unknown(url: str, key: str) -> BadUrl:
    known = "port" if url.startswith("usb:") else ", ".join(_LINE)
    return BadUrl(url=url, sentence=f"{url!r} has an unknown setting {key!r}", hint=f"There is: {known}")


_LINE: Final = ("baud", "bits", "parity", "stop", "dtr", "rts", "latency")
_BITS: Final = {"5": 5, "6": 6, "7": 7, "8": 8}
_PARITY: Final = {each: each for each in "NEOMS"}
_STOP: Final = {"1": 1.0, "1.5": 1.5, "2": 2.0}
_SWITCH: Final = {"on": True, "off": False}
_LATENCY: Final = {"low": True, "normal": False}
