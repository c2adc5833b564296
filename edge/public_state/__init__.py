"""What anyone may see of the table: the retained ``state`` topic (docs/contract.md, State and status).

Law: a card that lies face down, or is set aside, is ``null`` or not even mentioned here; so is everything
that would give it away.
"""

from edge.public_state.showing import public_state, written_state
from edge.public_state.views import HandView, IrregularityView, ParkedView, PublicState, RoundView

__all__ = [
    "HandView",
    "IrregularityView",
    "ParkedView",
    "PublicState",
    "RoundView",
    "public_state",
    "written_state",
]
