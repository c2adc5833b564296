"""The configuration file: what is wrong with it is one sentence naming file, key and remedy."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from edge.config import load_config
from edge.errors import ConfigInvalid
from edge.house_rules import house_text
from edge.inputs import DealerKey

GOOD = """
table = "t1"
house = "deluxe"
[mqtt]
host = "127.0.0.1"
[[device]]
id = "shoe"
url = "serial:/dev/cardshoe0?baud=115200"
serial = "TE-0042"
[[operator]]
name = "mina"
"""


def _written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "t1.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_good_file_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("STATE_DIRECTORY", raising=False)
    loaded = load_config(_written(tmp_path, GOOD))

    assert loaded.config.table == "t1"
    assert loaded.config.shoes == ("shoe",)
    assert [operator.name for operator in loaded.config.operators] == ["mina"]
    assert loaded.config.journal_path == Path("/var/lib/table-edge/t1/journal.db")
    assert 'name = "deluxe"' in loaded.house


def test_under_systemd_the_journal_is_in_the_state_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STATE_DIRECTORY", "/var/lib/table-edge/t9")

    loaded = load_config(_written(tmp_path, GOOD))

    assert loaded.config.journal_path == Path("/var/lib/table-edge/t9/journal.db")


@pytest.mark.parametrize(
    ("was", "becomes", "says"),
    [
        ('host = "127.0.0.1"', 'hots = "127.0.0.1"', ["mqtt.hots", "Did you mean 'host'"]),
        ('house = "deluxe"', 'house = "luxury"', ["house", "'luxury'", "deluxe", "korean-floor"]),
        ('house = "deluxe"', 'house = "absent.toml"', ["house", "absent.toml", "cannot be read"]),
        ('host = "127.0.0.1"', 'host = "127.0.0.1"\nport = 99999', ["mqtt.port", "65535"]),
        ('host = "127.0.0.1"', 'host = "127.0.0.1"\nport = "x"', ["mqtt.port", "integer"]),
        ('host = "127.0.0.1"', 'host = "h"\npassword = "x"', ["password", "password_file"]),
        ('url = "serial:/dev/cardshoe0?baud=115200"', 'url = "seriel:/dev/x"', ["device 'shoe'", "seriel"]),
        ('url = "serial:/dev/cardshoe0?baud=115200"', 'url = "serial:/dev/x?baud=fast"', ["shoe", "fast"]),
        ('serial = "TE-0042"', 'serial = "TE-0042"\nprotocol = "morse"', ["device 'shoe'", "morse"]),
        ('serial = "TE-0042"', 'kind = "toaster"', ["device 'shoe'", "toaster", "continuous_shuffler"]),
        ('serial = "TE-0042"', "options = { copies = 3 }", ["device 'shoe'", "no option 'copies'"]),
        (
            'serial = "TE-0042"',
            'protocol = "angel_eye"\noptions = { copies = 9 }',
            ["device 'shoe'", "options.copies cannot be 9", "Write one of 1, 2, 3"],
        ),
        ('serial = "TE-0042"', 'serial = "x"\nprotocol = "angel_eye"', ["cannot tell its serial number"]),
        ('serial = "TE-0042"', 'protocol = "barcode"\nkind = "scanner"', ["options.code_table is missing"]),
        (
            'serial = "TE-0042"',
            'protocol = "barcode"\nkind = "scanner"\noptions = { code_table = "/nothing/codes.csv" }',
            ["options.code_table", "/nothing/codes.csv", "cannot be read"],
        ),
        ('url = "serial:/dev/cardshoe0?baud=115200"', 'url = "socket://server"', ["names no host and port"]),
        ('url = "serial:/dev/cardshoe0?baud=115200"', 'url = "usb:12:34"', ["names no USB device"]),
        ('id = "shoe"', 'id = "The Shoe"', ["device.1.id"]),
        ('table = "t1"', 'tabel = "t1"', ["'tabel'", "Did you mean 'table'"]),
        ('table = "t1"', "", ["'table' is missing"]),
        ('table = "t1"', 'table = "t1"\nretention_days = 6', ["retention_days", "7"]),
        ('table = "t1"', 'table = "t1"\nretention_days = 1.5', ["retention_days", "integer"]),
        ('table = "t1"', 'table = "a/b"', ["'table'"]),
        ('name = "mina"', 'name = "mina"\nroles = ["Big Boss"]', ["operator.1.roles.1", "pattern"]),
        (
            'name = "mina"',
            'name = "mina"\nroles = ["manager"]',
            ["nobody has the role 'supervisor'", "Give it"],
        ),
        ('table = "t1"', "table = ", ["not TOML", "line 2"]),
        ('host = "127.0.0.1"', 'host = "127.0.0.1"\nport = true', ["mqtt.port", "integer"]),
        ('host = "127.0.0.1"', 'host = "127.0.0.1"\nport = "1883"', ["mqtt.port", "integer"]),
        ('table = "t1"', "table = 7", ["'table'", "a text", "in quotes"]),
        ('id = "shoe"', 'id = "shoe"\ncapture = 5', ["'device.1.capture'", "a text", "in quotes"]),
    ],
)
def test_what_is_wrong_is_named_with_its_remedy(
    tmp_path: Path, was: str, becomes: str, says: list[str]
) -> None:
    path = _written(tmp_path, GOOD.replace(was, becomes))

    with pytest.raises(ConfigInvalid) as caught:
        load_config(path)

    for word in [str(path), *says]:
        assert word in str(caught.value)


def test_two_devices_of_one_id_are_refused(tmp_path: Path) -> None:
    twice = GOOD + '[[device]]\nid = "shoe"\nurl = "/dev/cardshoe1"\n'

    with pytest.raises(ConfigInvalid, match="two devices have the id 'shoe'"):
        load_config(_written(tmp_path, twice))


def test_two_devices_at_one_url_are_refused(tmp_path: Path) -> None:
    twice = GOOD + '[[device]]\nid = "other"\nurl = "serial:/dev/cardshoe0?baud=115200"\n'

    with pytest.raises(ConfigInvalid, match="two devices have the url 'serial:/dev/cardshoe0"):
        load_config(_written(tmp_path, twice))


@pytest.mark.parametrize(
    "url", ["/dev/cardshoe0", "serial:/dev/cardshoe0?baud=9600", "serial:/dev/./cardshoe0"]
)
def test_two_devices_on_one_port_are_refused_however_it_is_written(tmp_path: Path, url: str) -> None:
    twice = GOOD + f'[[device]]\nid = "other"\nurl = "{url}"\n'

    with pytest.raises(ConfigInvalid, match="device 'shoe' and device 'other' are both on /dev/cardshoe0"):
        load_config(_written(tmp_path, twice))


def test_one_operator_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigInvalid, match="two operators have the name 'mina'"):
        load_config(_written(tmp_path, GOOD + '[[operator]]\nname = "mina"\n'))


def test_a_role_of_the_houses_own_must_be_somebodys(tmp_path: Path) -> None:
    house = tmp_path / "mine.toml"
    house.write_text(
        f'{house_text("deluxe")}pushed_back = {{ role = "manager" }}\n'.replace('"deluxe"', '"mine"'), "utf-8"
    )
    text = GOOD.replace('"deluxe"', f'"{house}"')
    assert text != GOOD
    with pytest.raises(
        ConfigInvalid, match="nobody has the role 'manager', which decides pushed_back at house"
    ):
        load_config(_written(tmp_path, text))
    given = text.replace('name = "mina"', 'name = "mina"\nroles = ["supervisor", "manager"]')
    assert given != text
    (mina,) = load_config(_written(tmp_path, given)).config.operators
    assert mina.roles == ("supervisor", "manager")


def test_the_operators_role_is_supervisor_unless_said(tmp_path: Path) -> None:
    assert load_config(_written(tmp_path, GOOD)).config.operators[0].roles == ("supervisor",)


@pytest.mark.parametrize("content", [None, b"\xff\xfe", b'table = "t1"\nnonsense = 1\n'])
def test_run_ends_with_2_and_one_sentence(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "table.toml"
    if content is not None:
        path.write_bytes(content)

    ended = subprocess.run(
        [sys.executable, "-m", "edge.cli", "run", "-c", str(path)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "COLUMNS": "80"},
    )

    assert ended.returncode == 2
    assert len(ended.stderr.splitlines()) == 1
    assert str(path) in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_file_that_may_not_be_read_is_one_sentence_too(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "edge.cli", "run", "-c", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )

    assert ended.returncode == 2
    assert ended.stderr.startswith(
        f"table-edge: The configuration {tmp_path} cannot be read: Is a directory. "
        "Name a file: this is a directory."
    )


def test_every_device_that_cards_come_from_is_a_shoe_to_the_table(tmp_path: Path) -> None:
    more = '[[device]]\nid = "shuffler"\nurl = "usb:1209:0001"\nkind = "shuffler"\n'
    loaded = load_config(_written(tmp_path, GOOD + more))
    assert loaded.config.shoes == ("shoe",)
    assert [each.kind for each in loaded.config.device] == ["shoe", "shuffler"]


KEYS = """[keys]
1 = "hit"
0x02 = "stand"
255 = "seat_7"
"""


def test_the_dealers_keys_have_a_meaning_by_their_code(tmp_path: Path) -> None:
    config = load_config(_written(tmp_path, f'decisions = "dealer_keys"\n{GOOD}{KEYS}')).config
    assert config.dealer_keys == {1: DealerKey.HIT, 2: DealerKey.STAND, 255: DealerKey.SEAT_7}
    assert load_config(_written(tmp_path, GOOD)).config.dealer_keys == {}


@pytest.mark.parametrize(
    ("decisions", "keys", "says"),
    [
        ("server", KEYS, "add that, or leave the keys out"),
        ("dealer_keys", "", 'needs a key for "stand"'),
        ("dealer_keys", '[keys]\n1 = "stand"\n0x01 = "hit"\n', "two of [keys] have the code 1"),
        ("dealer_keys", '[keys]\n1 = "stand"\n256 = "hit"\n', "'256' under [keys] is no code of a key"),
        ("dealer_keys", '[keys]\n1 = "stand"\nF1 = "hit"\n', "'F1' under [keys] is no code of a key"),
        ("dealer_keys", '[keys]\n1 = "stand"\n2 = "twist"\n', "'keys.2': Input should be 'hit'"),
        ("players", KEYS, "'decisions'"),
    ],
)
def test_keys_that_do_not_fit_are_named(tmp_path: Path, decisions: str, keys: str, says: str) -> None:
    with pytest.raises(ConfigInvalid) as caught:
        load_config(_written(tmp_path, f'decisions = "{decisions}"\n{GOOD}{keys}'))
    assert says in str(caught.value)
