"""A face-down card in a record: the one place where its identity may be written, and the seal.

Dumping any noun of the edge shows null for a face-down card. Only a dump made *for the journal file*
(0600, service user) carries the identity: the dump's context must be :data:`FOR_THE_JOURNAL`.
"""

from hashlib import sha256
from typing import Annotated, Final, TypeAlias

from pydantic import PlainSerializer, PlainValidator, SerializationInfo, WithJsonSchema

from firmware_protocols import Card, FaceDownCard

FOR_THE_JOURNAL: Final = {"for": "the journal"}
"""The serialization context that may write what lies face down."""


def _written(card: FaceDownCard, info: SerializationInfo) -> str | None:
    return card.turned().value if info.context is FOR_THE_JOURNAL else None


def _read(value: object) -> FaceDownCard:
    if isinstance(value, FaceDownCard):
        return value
    try:
        return FaceDownCard(Card(str(value)))
    except ValueError:
        raise ValueError("this is not the code of a face-down card") from None


ConcealedCard: TypeAlias = Annotated[
    FaceDownCard,
    PlainValidator(_read),
    PlainSerializer(_written),
    WithJsonSchema({"type": "null"}),
]
"""A :class:`FaceDownCard` as a field of an input, a note or the state."""


def _nonce_written(nonce: str, info: SerializationInfo) -> str | None:
    return nonce if info.context is FOR_THE_JOURNAL else None


ConcealedNonce: TypeAlias = Annotated[str, PlainSerializer(_nonce_written)]
"""The nonce of a card that may lie face down: with it and the public seal anybody tries the 52 cards."""


def seal(nonce: str, card: FaceDownCard) -> str:
    """The commitment that is published instead of the card: SHA-256 of ``nonce:code``, hex."""
    return sha256(f"{nonce}:{card.turned().value}".encode()).hexdigest()
