"""Resolved: the event that ends an irregularity, whoever ended it."""

from edge.events import IrregularityResolved
from edge.irregular import Resolution
from edge.ruling.ruling import Ruling
from edge.ruling.state import OpenIrregularity


def rule_resolved(  # noqa: PLR0913 - who, what, why, and how it stands to the house
    ruling: Ruling,
    opened: OpenIrregularity,
    resolution: Resolution,
    *,
    operator: str | None = None,
    reason: str | None = None,
    override: bool = False,
) -> None:
    """Close one irregularity; what it means for the table is the caller's.

    It is an override where the house has a way of its own and this is another (HTS-I12), or where
    ``override`` says that it was forced past a check.
    """
    clears = None
    if resolution is Resolution.CLEAR and operator is not None:
        before = next((each.count for each in ruling.state.past.clears if each.operator == operator), 0)
        clears = before + 1
    another = operator is not None and opened.house not in {"ask", resolution}
    ruling.rule(
        IrregularityResolved(
            **ruling.where,
            id=opened.id,
            kind=opened.kind,
            resolution=resolution,
            operator=operator,
            reason=reason,
            override=another or override,
            clears=clears,
        )
    )
