"""House rules: one model, one TOML file a house."""

from edge.house_rules.model import (
    CARDS_IN_A_DECK,
    Dealer,
    FirstCardBurn,
    FixedBurn,
    HouseRules,
    NoBurn,
    PairBet,
    Split,
    UpCard,
)
from edge.house_rules.shelf import house_names, house_text
from edge.house_rules.text import house_digest, parse_house

__all__ = [
    "CARDS_IN_A_DECK",
    "Dealer",
    "FirstCardBurn",
    "FixedBurn",
    "HouseRules",
    "NoBurn",
    "PairBet",
    "Split",
    "UpCard",
    "house_digest",
    "house_names",
    "house_text",
    "parse_house",
]
