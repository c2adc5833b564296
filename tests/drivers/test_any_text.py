"""Whatever a configuration, a device or a wire says: a value, or one sentence; never another exception."""

from hypothesis import given
from hypothesis import strategies as st

from drivers import BadUrl, DeviceSettings, parse_url, recognise
from firmware_protocols import Capture, read_capture, write_capture

PIECES = st.sampled_from(
    [
        *("serial:", "socket://", "rfc2217://", "usb:", "/dev/x", "1209:0001", "[::1]", ":4001", "host"),
        *("?", "&", "baud=", "parity=", "port=", "stop=1.5", "9" * 5000, "%", "\0", "é", " ", ":", "#", "@"),
    ]
)


@given(st.one_of(st.text(), st.lists(PIECES, max_size=8).map("".join)))
def test_any_url_is_an_address_or_a_sentence(url: str) -> None:
    try:
        address = parse_url(url)
    except BadUrl:
        return
    assert address.url == url
    assert address.place


@given(
    st.one_of(
        st.binary(max_size=600),
        st.lists(st.sampled_from([b"\x05", b"\x02", b"\x00", b"1D\x81\xb8\x0346"])).map(b"".join),
    )
)
def test_any_bytes_are_some_protocol_or_none(octets: bytes) -> None:
    protocol, frames, said = recognise(octets)
    assert (protocol is None) == (frames == 0)
    assert said.isprintable()


@given(st.text(), st.text(), st.text(), st.dictionaries(st.sampled_from(["prefix", "code_table"]), st.text()))
def test_any_text_can_stand_in_the_head_of_a_faults_capture(
    url: str, serial: str, sentence: str, options: dict[str, str]
) -> None:
    settings = DeviceSettings(id="shoe", url=url, serial=serial, options=options)
    text = write_capture(Capture(provenance=settings.provenance(sentence), entries=()))
    assert read_capture(text, source="a test").provenance.protocol == "table_link"
