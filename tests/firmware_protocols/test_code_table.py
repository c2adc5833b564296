import pytest

from firmware_protocols import (
    DECK,
    Card,
    CardScan,
    CodeTableForm,
    CodeTableInvalid,
    CutCardScan,
    FaceDownCard,
    ForeignScan,
    KeyStroke,
    SerialTemplate,
    read_code_table,
)
from tests.firmware_protocols.codes import PLAIN, SERIALS, plain_table, printed, serials_table

CSV = CodeTableForm.CSV
TOML = CodeTableForm.TOML


def scan(card: Card, serial: str | None = None) -> CardScan:
    return CardScan(card=FaceDownCard(card), face_up=False, reread=False, confidence=100, serial=serial)


@pytest.mark.parametrize("card", DECK)
def test_a_code_is_its_card(card: Card) -> None:
    assert plain_table().event(str(card)) == scan(card)
    assert serials_table().event(printed(card, 42)) == scan(card, "000042")


def test_cut_card_keys_and_what_the_table_does_not_know() -> None:
    for table, cut in ((plain_table(), "CUT"), (serials_table(), "CUTCUT")):
        assert table.event(cut) == CutCardScan()
        assert table.event("DEAL") == KeyStroke(key=1)
        assert table.event("X9") == ForeignScan(card=None)
        assert table.event("") == ForeignScan(card=None)


def test_with_a_template_a_card_without_a_serial_is_foreign() -> None:
    assert serials_table().event("AsAsAs") == ForeignScan(card=None)
    assert serials_table().event("AsAsAs-12345") == ForeignScan(card=None)


def test_neither_the_card_nor_its_serial_is_shown() -> None:
    shown = repr(serials_table().event(printed(Card.AS, 42)))
    assert "As" not in shown
    assert "42" not in shown


def test_several_codes_may_mean_one_card() -> None:
    table = read_code_table(PLAIN + "SPADE1,As\n", source="codes.csv", form=CSV)
    assert table.event("SPADE1") == table.event("As") == scan(Card.AS)


@pytest.mark.parametrize(
    ("template", "text", "code", "serial"),
    [
        ("{code:2}{serial:6}", "As000001", "As", "000001"),
        ("{serial}/{code}", "7/Td", "Td", "7"),
        ("D{code}-{serial}", "DAs-x-y", "As", "x-y"),
        ("{serial:3}{code}", "123CLUB", "CLUB", "123"),
    ],
)
def test_a_template_reads_code_and_serial(template: str, text: str, code: str, serial: str) -> None:
    found = SerialTemplate.parse(template).pattern.fullmatch(text)
    assert found is not None
    assert (found["code"], found["serial"]) == (code, serial)


@pytest.mark.parametrize(
    "template",
    [
        "",
        "{code}",
        "{serial:6}",
        "{code}{serial}",
        "{code}-{code}-{serial}",
        "{code}-{serial}{",
        "{code:0}-{serial}",
    ],
)
def test_what_is_no_template_is_refused(template: str) -> None:
    with pytest.raises(ValueError, match=r"template|neighbours|beside"):
        SerialTemplate.parse(template)


@pytest.mark.parametrize(
    ("text", "form", "place", "says"),
    [
        ("As,As\n", CSV, "codes, line 1", "code,means"),
        (PLAIN + "As,Kd\n", CSV, "codes, line 56", "stands in line 41 already"),
        (PLAIN + "Q1,Xx\n", CSV, "codes, line 56", "write rank then suit"),
        (PLAIN + "Q1,key 256\n", CSV, "codes, line 56", "Keys are 0 to 255"),
        (PLAIN + "Q1,key one\n", CSV, "codes, line 56", "Keys are 0 to 255"),
        (PLAIN + "Q1\n", CSV, "codes, line 56", "Two: the code, and what it means"),
        (PLAIN + "\u00c4,As\n", CSV, "codes, line 56", "printable ASCII"),
        (PLAIN + '"a,As\n', CSV, "codes, line 56", "not CSV"),
        (PLAIN.replace("As,As\n", ""), CSV, "codes:", "1 card has no code: As"),
        ("", TOML, "codes:", "Each of the 52 cards needs one"),
        ("cards = {\n", TOML, "codes", "not TOML"),
        (
            SERIALS.replace("[keys]", "[kays]"),
            TOML,
            "codes, line 3",
            "There is: serial, cut_card, cards, keys",
        ),
        (SERIALS.replace('= "As"', '= "A"'), TOML, "codes, line 45", "is no card"),
        (SERIALS.replace('= "As"', "= 7"), TOML, "codes, line 45", "is no card"),
        (SERIALS.replace('["CUTCUT"]', '"CUTCUT"'), TOML, "codes, line 2", 'cut_card = ["CODE"]'),
        (SERIALS.replace("DEAL = 1", "DEAL = true"), TOML, "codes, line 4", "Keys are 0 to 255"),
        (SERIALS.replace("AsAsAs", "As"), TOML, "codes, line 45", "the template reads 6"),
        (SERIALS.replace("{code:6}-", ""), TOML, "codes, line 1", "each once"),
        ("cards = 3\n", TOML, "codes, line 1", "Write [cards]"),
    ],
)
def test_what_is_wrong_is_refused_with_its_line_and_what_is_allowed(
    text: str, form: CodeTableForm, place: str, says: str
) -> None:
    with pytest.raises(CodeTableInvalid) as refused:
        read_code_table(text, source="codes", form=form)
    assert str(refused.value).startswith(place)
    assert says in str(refused.value)


def test_empty_lines_comments_and_a_template_in_a_csv() -> None:
    text = "# house\nserial,{code}-{serial:4}\n\n" + PLAIN.replace("code,means\n", "code,means\n# cards\n")
    table = read_code_table(text, source="codes.csv", form=CSV)
    assert table.event("Td-0001") == scan(Card.TD, "0001")
