"""House rules: one model, one TOML file a house."""

from edge.house_rules.contradictions import Contradiction, contradictions
from edge.house_rules.lines import key_lines
from edge.house_rules.mistakes import HouseFileInvalid, Mistake
from edge.house_rules.model import (
    CARDS_IN_A_DECK,
    CutByCard,
    CutByCount,
    Dealer,
    FirstCardBurn,
    FixedBurn,
    HouseRules,
    NoBurn,
    NoCut,
    PairBet,
    Split,
    UpCard,
)
from edge.house_rules.policies import ASK, ROLE, SUPERVISOR, Policy, may_be_allowed
from edge.house_rules.shelf import house_names, house_text
from edge.house_rules.text import check_house, house_digest, parse_house

__all__ = [
    "ASK",
    "CARDS_IN_A_DECK",
    "ROLE",
    "SUPERVISOR",
    "Contradiction",
    "CutByCard",
    "CutByCount",
    "Dealer",
    "FirstCardBurn",
    "FixedBurn",
    "HouseFileInvalid",
    "HouseRules",
    "Mistake",
    "NoBurn",
    "NoCut",
    "PairBet",
    "Policy",
    "Split",
    "UpCard",
    "check_house",
    "contradictions",
    "house_digest",
    "house_names",
    "house_text",
    "key_lines",
    "may_be_allowed",
    "parse_house",
]
