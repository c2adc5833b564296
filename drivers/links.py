"""The links of devices without numbers, made from the options of their configuration."""

from pathlib import Path
from typing import Final

from drivers.driver import LinkWish
from drivers.errors import BadOption, unread
from drivers.link import Link
from drivers.options import Option
from firmware_protocols import (
    AngelEyeMode,
    AngelEyeOptions,
    BarcodeOptions,
    BccRange,
    CodeTable,
    CodeTableForm,
    CodeTableInvalid,
    Resent,
    Suffix,
    angel_eye_link,
    barcode_link,
    hid_pos_link,
    read_code_table,
)

_DEFAULT: Final = AngelEyeOptions()
_BCC: Final = tuple(each.value for each in BccRange)
_CODE_TABLE: Final = Option(name="code_table", default=None)

ANGEL_EYE_OPTIONS: Final = (
    Option(name="bcc_from_shoe", default=_DEFAULT.bcc_from_shoe.value, allowed=_BCC),
    Option(name="bcc_to_shoe", default=_DEFAULT.bcc_to_shoe.value, allowed=_BCC),
    Option(name="resent", default=_DEFAULT.resent.value, allowed=tuple(each.value for each in Resent)),
    Option(name="mode", default=_DEFAULT.mode.value, allowed=tuple(each.value for each in AngelEyeMode)),
    Option(name="acknowledge", default=_DEFAULT.acknowledge, allowed=(False, True)),
    Option(name="copies", default=_DEFAULT.copies, allowed=(1, 2, 3)),
)
BARCODE_OPTIONS: Final = (
    _CODE_TABLE,
    Option(name="prefix", default=""),
    Option(name="suffix", default="CR", allowed=tuple(each.name for each in Suffix)),
)
HID_POS_OPTIONS: Final = (_CODE_TABLE,)


def angel_eye(wish: LinkWish) -> Link:
    """An Angel Eye II-EX."""
    options = wish.options
    return angel_eye_link(
        AngelEyeOptions(
            bcc_from_shoe=BccRange(options["bcc_from_shoe"]),
            bcc_to_shoe=BccRange(options["bcc_to_shoe"]),
            resent=Resent(options["resent"]),
            mode=AngelEyeMode(options["mode"]),
            acknowledge=options["acknowledge"] is True,
            copies=int(options["copies"]),
        )
    )


def barcode(wish: LinkWish) -> Link:
    """A scanner on a serial line.

    Raises:
        BadOption: the code table cannot be used, or the prefix is no ASCII text.
    """
    prefix = str(wish.options["prefix"])
    if not prefix.isascii():
        raise BadOption(
            url=wish.url, key="prefix", sentence="options.prefix is not ASCII", hint="Write it in ASCII"
        )
    suffix = Suffix[str(wish.options["suffix"])]
    return barcode_link(BarcodeOptions(table=_code_table(wish), prefix=prefix.encode("ascii"), suffix=suffix))


def hid_pos(wish: LinkWish) -> Link:
    """A USB HID POS scanner.

    Raises:
        BadOption: the code table cannot be used.
    """
    return hid_pos_link(_code_table(wish))


def _code_table(wish: LinkWish) -> CodeTable:
    path = Path(str(wish.options["code_table"]))
    try:
        form = CodeTableForm(path.suffix)
        return read_code_table(path.read_text(encoding="utf-8"), source=str(path), form=form)
    except CodeTableInvalid as error:
        raise _no_table(wish, error.sentence, error.hint) from None
    except OSError as error:
        raise _no_table(
            wish,
            f"the code table {path} cannot be read: {error.strerror}",
            unread(error, denied="Let the service's user read it"),
        ) from None
    except UnicodeDecodeError:
        raise _no_table(wish, f"the code table {path} is not UTF-8 text", "Save it as UTF-8") from None
    except ValueError:
        forms = " or ".join(each.value for each in CodeTableForm)
        raise _no_table(
            wish, f"{path} is no code table by its name", f"Let its name end in {forms}"
        ) from None


def _no_table(wish: LinkWish, sentence: str, hint: str) -> BadOption:
    return BadOption(
        url=wish.url, key="code_table", sentence=f"options.code_table: {sentence}", hint=hint.rstrip(".")
    )
