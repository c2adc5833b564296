import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_protocols import (
    Cable,
    CableMoved,
    Capture,
    CaptureInvalid,
    Carried,
    Entry,
    Provenance,
    Way,
    read_capture,
    write_capture,
)

TEXT = """\
# table-edge capture 1
# protocol: barcode
# kind: scanner
# line: 9600 8N1
# model: none
# option code_table: codes.csv
# option suffix: CR
0.000000 opened
0.000210 > 048430fc00
0.012873 < 41730d
7.250000 closed
"""

text = st.text(st.characters(min_codepoint=32, max_codepoint=0x2FF, categories=["L", "N", "P"]), max_size=12)
entry_kinds = st.one_of(
    st.builds(CableMoved, at_us=st.just(0), to=st.sampled_from(Cable)),
    st.builds(Carried, at_us=st.just(0), way=st.sampled_from(Way), octets=st.binary(min_size=1, max_size=20)),
)


def test_a_capture_is_read_and_written_as_it_stands() -> None:
    capture = read_capture(TEXT, source="x.log")
    assert capture == Capture(
        provenance=Provenance(
            protocol="barcode",
            kind="scanner",
            line="9600 8N1",
            model="none",
            options={"code_table": "codes.csv", "suffix": "CR"},
        ),
        entries=(
            CableMoved(at_us=0, to=Cable.OPENED),
            Carried(at_us=210, way=Way.TO_DEVICE, octets=bytes.fromhex("048430fc00")),
            Carried(at_us=12_873, way=Way.FROM_DEVICE, octets=b"As\r"),
            CableMoved(at_us=7_250_000, to=Cable.CLOSED),
        ),
    )
    assert write_capture(capture) == TEXT
    assert capture.ends_us == 7_250_000
    assert capture.carried(Way.FROM_DEVICE) == b"As\r"


@settings(derandomize=True, deadline=None, max_examples=200)
@given(
    provenance=st.builds(
        Provenance,
        protocol=text.filter(bool),
        kind=text.filter(bool),
        notes=text,
        site=text,
        options=st.dictionaries(st.sampled_from(["a", "b_c"]), text.filter(bool)),
    ),
    kinds=st.lists(st.tuples(entry_kinds, st.integers(0, 10**9))),
)
def test_what_is_written_is_read_again(provenance: Provenance, kinds: list[tuple[Entry, int]]) -> None:
    at_us, entries = 0, list[Entry]()
    for entry, later in kinds:
        at_us = min(at_us + later, 10**15 - 1)
        match entry:
            case Carried():
                entries.append(Carried(at_us=at_us, way=entry.way, octets=entry.octets))
            case CableMoved():
                entries.append(CableMoved(at_us=at_us, to=entry.to))
    capture = Capture(provenance=provenance, entries=tuple(entries))
    assert read_capture(write_capture(capture), source="x.log") == capture


@pytest.mark.parametrize(
    ("wrong", "place", "says"),
    [
        ("", "x.log, line 1: it is no capture", "# table-edge capture 1"),
        (TEXT.replace("capture 1", "capture 2"), "x.log, line 1: it is no capture", "capture 1"),
        (TEXT.replace("# protocol: barcode\n", ""), "x.log, line 1", "protocol"),
        (TEXT.replace("# kind", "# kin"), "x.log, line 3: there is no 'kin'", "firmware, site"),
        (TEXT.replace("# line:", "# kind:"), "x.log, line 4: kind is there twice", ""),
        (TEXT.replace("# model: none", "#model"), "x.log, line 5", "'# NAME: TEXT'"),
        (TEXT.replace(": none", ": none "), "x.log, line 5: model is not one line", ""),
        (TEXT.replace(": none", ": \x00"), "x.log, line 5: model is not one line", ""),
        (TEXT.replace("option suffix", "suffix"), "x.log, line 7", ""),
        (TEXT.replace("0.012873 <", "0.01 <"), "x.log, line 10: it is no entry", "six digits"),
        (TEXT.replace("41730d", "41730"), "x.log, line 10: it is no entry", "hex"),
        (TEXT.replace("0.012873", "0.000001"), "x.log, line 10: its time goes back", ""),
        (TEXT.replace("closed", "broken"), "x.log, line 11: it is no entry", "opened, closed"),
    ],
)
def test_what_is_no_capture_is_refused_with_its_line(wrong: str, place: str, says: str) -> None:
    with pytest.raises(CaptureInvalid) as refused:
        read_capture(wrong, source="x.log")
    assert str(refused.value).startswith(place)
    assert says in str(refused.value)
    assert "4173" not in str(refused.value)


@settings(derandomize=True, deadline=None, max_examples=200)
@given(st.text() | st.text().map(lambda rest: TEXT + rest))
def test_any_text_is_a_capture_or_refused(text: str) -> None:
    try:
        read_capture(text, source="x.log")
    except CaptureInvalid:
        return


def test_a_line_that_was_cut_short_is_left_out() -> None:
    whole = read_capture(TEXT, source="x.log")
    for end in range(TEXT.index("0.000000"), len(TEXT)):
        torn = read_capture(TEXT[:end], source="x.log")
        assert torn.entries == whole.entries[: len(torn.entries)]
        assert torn.torn is not TEXT[:end].endswith("\n")


def test_what_is_not_one_line_is_not_written() -> None:
    capture = Capture(provenance=Provenance(protocol="x", notes="a\nb"), entries=())
    with pytest.raises(ValueError, match="one line"):
        write_capture(capture)
    assert capture.ends_us == 0


def test_no_bytes_are_shown() -> None:
    assert "4173" not in repr(read_capture(TEXT, source="x.log"))
    assert "As" not in repr(read_capture(TEXT, source="x.log").entries[2])
