"""A second opinion: a naive referee that plays a round again from its script, on card codes only.

It knows nothing of the ruling: it imports nothing, deals from a list, asks a list what each hand decided,
and goes through a round from top to bottom as a person would. It answers with what ``round.result`` should
say. It is slow, it knows no early decisions and no irregularities, and it is meant to stay that way.
"""

Spot = tuple[int, int]
"""Seat and hand."""
Said = tuple[str, bool]
"""What a hand decided, and whether the money was there; ``("auto", True)``: it is played for good."""


class Deluxe:
    hole = True
    peek = "AT"
    turned = "always"
    split_by = "value"
    split_aces_once = True
    both_first = True
    pairs = "four"
    pairs_anew = False
    all_21_push_under_ten = False
    from_third_base = False


class SaGaming(Deluxe):
    hole = False
    peek = ""
    pairs = "one"


class HoTramStrip(SaGaming):
    split_by = "rank"
    split_aces_once = False
    pairs_anew = True


class KoreanFloor(Deluxe):
    peek = "A"
    turned = "if needed"
    split_by = "rank"
    both_first = False
    pairs = "no"
    all_21_push_under_ten = True
    from_third_base = True


HOUSES = {
    "deluxe": Deluxe,
    "sa-gaming": SaGaming,
    "ho-tram-strip": HoTramStrip,
    "korean-floor": KoreanFloor,
}

PAYS = {
    "blackjack": [3, 2],
    "win": [1, 1],
    "even_money": [1, 1],
    "push": [0, 1],
    "lose": [-1, 1],
    "surrender": [-1, 2],
}


def points(cards: list[str]) -> tuple[int, bool]:
    """The best total, by trying every way to count the aces; and whether one counts 11."""
    totals = [(0, False)]
    for card in cards:
        rank = card[0]
        ways = [(1, False), (11, True)] if rank == "A" else [(10 if rank in "TJQK" else int(rank), False)]
        totals = [(total + way, soft or eleven) for total, soft in totals for way, eleven in ways]
    good = [each for each in totals if each[0] <= 21]
    return max(good) if good else (min(total for total, _ in totals), False)


def blackjack(cards: list[str]) -> bool:
    ranks = [card[0] for card in cards]
    return len(cards) == 2 and "A" in ranks and any(rank in "TJQK" for rank in ranks)


def pair_of(bet: str, one: str, two: str, up: str) -> object:
    if bet == "no" or one[0] != two[0]:
        return None
    if bet == "one":
        return {"kind": "pair", "odds": [11, 1]}
    if one == two == up:
        return {"kind": "suited_triple", "odds": [50, 1]}
    if one == two:
        return {"kind": "perfect", "odds": [30, 1]}
    if {one[1], two[1]} in ({"h", "d"}, {"c", "s"}):
        return {"kind": "coloured", "odds": [10, 1]}
    return {"kind": "mixed", "odds": [5, 1]}


class Referee:
    """One round, played when it is made; :attr:`result` and :attr:`taken` are its opinion."""

    def __init__(  # noqa: PLR0913 - a round has these six parts
        self,
        house: str,
        *,
        seats: list[int],
        cards: list[str],
        decisions: dict[Spot, list[Said]],
        insured: list[int],
        even_money: list[int],
    ) -> None:
        self.house = HOUSES[house]
        self.shoe = list(cards)
        self.seats = sorted(seats)
        self.said = {spot: list(each) for spot, each in decisions.items()}
        self.insured = insured
        self.how: dict[Spot, str] = {(seat, 1): "even_money" for seat in even_money}
        self.doubled: set[Spot] = set()
        self.automatic: set[int] = set()
        self.unseen = 0
        self._deal()
        self._play()
        self.result = self._result()
        self.taken = len(cards) - len(self.shoe)

    def _next_card(self) -> str:
        return self.shoe.pop(0)

    def _deal(self) -> None:
        self.hands: dict[Spot, list[str]] = {(seat, 1): [self._next_card()] for seat in self.seats}
        self.up = self._next_card()
        for seat in self.seats:
            self.hands[seat, 1].append(self._next_card())
        self.hole = self._next_card() if self.house.hole else ""
        self.first_two = {seat: tuple(self.hands[seat, 1]) for seat in self.seats}
        self.dealer = [self.up]
        self.up_kind = "A" if self.up[0] == "A" else "T" if self.up[0] in "TJQK" else "-"

    def _play(self) -> None:
        peeked = self.up_kind in self.house.peek
        if peeked and blackjack([self.up, self.hole]):
            self.dealer.append(self.hole)
            return
        for seat in self.seats:
            if blackjack(self.hands[seat, 1]):
                self.how.setdefault((seat, 1), "natural")
        for seat in self.seats:
            if (seat, 1) not in self.how:
                self._play_seat(seat)
        on_total = any(how in {"stand", "twenty_one", "double", "split_ace"} for how in self.how.values())
        on_natural = self.up_kind != "-" and not peeked and (self.insured or "natural" in self.how.values())
        if self.hole and (self.house.turned == "always" or on_total or on_natural):
            self.dealer.append(self.hole)
        elif self.hole:
            self.unseen = 1
        elif on_total or on_natural:
            self.dealer.append(self._next_card())
        while on_total and points(self.dealer)[0] < 17:
            self.dealer.append(self._next_card())

    def _play_seat(self, seat: int) -> None:
        """Hand 1 to its end, then hand 2 if it was split."""
        self._play_hand((seat, 1), split=False)
        if (seat, 2) in self.hands:
            if len(self.hands[seat, 2]) == 1:
                self.hands[seat, 2].append(self._next_card())
            self._play_hand((seat, 2), split=True)

    def _play_hand(self, spot: Spot, *, split: bool) -> None:
        hand = self.hands[spot]
        while spot not in self.how:
            total = points(hand)[0]
            if total > 21:
                self.how[spot] = "bust"
            elif split and self.house.split_aces_once and hand[0][0] == "A":
                self.how[spot] = "split_ace"
            elif total == 21:
                self.how[spot] = "twenty_one"
            else:
                split = self._act(spot, total) or split

    def _act(self, spot: Spot, total: int) -> bool:
        """Do what was decided; whether it was a split."""
        hand = self.hands[spot]
        low = "hit" if total <= 11 else "stand"
        action, funded = ("auto", True) if spot[0] in self.automatic else self.said[spot].pop(0)
        if action == "auto":
            self.automatic.add(spot[0])
            action = low
        if not funded:
            action = {"double": "hit", "split": low}.get(action, action)
        if action == "split":
            self.hands[spot[0], 2] = [hand.pop()]
            hand.append(self._next_card())
            if self.house.both_first:
                self.hands[spot[0], 2].append(self._next_card())
            return True
        if action in {"hit", "double"}:
            hand.append(self._next_card())
        if action == "double":
            self.doubled.add(spot)
            self.how[spot] = "bust" if points(hand)[0] > 21 else "double"
        elif action != "hit":
            self.how[spot] = action
        return False

    def _result(self) -> dict[str, object]:
        total, _ = points(self.dealer)
        seats = list(reversed(self.seats)) if self.house.from_third_base else self.seats
        return {
            "dealer": {
                "cards": self.dealer,
                "total": total,
                "natural": blackjack(self.dealer),
                "bust": total > 21,
                "unseen": self.unseen,
            },
            "seats": [self._seat(seat) for seat in seats],
        }

    def _seat(self, seat: int) -> dict[str, object]:
        won = "won" if blackjack(self.dealer) else "lost"
        first, second = self.first_two[seat]
        return {
            "seat": seat,
            "pair": pair_of(self.house.pairs, first, second, self.up),
            "insurance": won if seat in self.insured else None,
            "hands": [self._hand(spot) for spot in sorted(self.hands) if spot[0] == seat],
        }

    def _hand(self, spot: Spot) -> dict[str, object]:
        cards = self.hands[spot]
        total, soft = points(cards)
        split = (spot[0], 2) in self.hands
        outcome = self._outcome(spot, total, natural=blackjack(cards) and not split)
        anew = split and self.house.pairs_anew
        return {
            "hand": spot[1],
            "cards": cards,
            "total": total,
            "soft": soft,
            "how": self.how.get(spot),
            "outcome": outcome,
            "odds": PAYS[outcome],
            "units": 2 if spot in self.doubled else 1,
            "pair": pair_of(self.house.pairs, cards[0], cards[1], self.up) if anew else None,
        }

    def _outcome(self, spot: Spot, total: int, *, natural: bool) -> str:
        dealer, _ = points(self.dealer)
        how = self.how.get(spot, "")
        if how in {"surrender", "even_money"}:
            return how
        if total > 21:
            return "lose"
        if blackjack(self.dealer):
            every_21 = self.house.all_21_push_under_ten and self.up_kind == "T" and total == 21
            return "push" if natural or every_21 else "lose"
        if natural:
            return "blackjack"
        if dealer > 21 or total > dealer:
            return "win"
        return "push" if total == dealer else "lose"
