"""Invented names of people and places, built from syllables."""

from random import Random

_STARTS = """
Bel Mar Hol Dun Fen Gar Kel Lor Mor Nor Pel Quar Ras Sel Tor Ul Ver Wes Yar Zan
Bran Cor Drey Esk Fal Gry Hal Ing Jor Kest
""".split()
_MIDDLES = ["", "", "", "da", "ber", "mi", "ro", "le", "ka", "sta"]
_PERSON_ENDS = ["son", "man", "ley", "ton", "well", "er", "ski", "ford", "sen", "ez"]
_PLACE_ENDS = ["ton", "ford", "ley", "burg", "ville", "mouth", "land", "well", "stead"]
_FIRST_STARTS = "An Bo Ca De El Fa Gi Ha Il Jo Ka Li Mi Na Or Pa Ri Sa Ti Vi".split()
_FIRST_ENDS = "na ro lin mas ella vid ra ko bert lia sel nor".split()

SHARE_OF_BOTH = 0.3


class Names:
    """Lists of names; some family names are places too.

    first, family: Parts of the names of people.
    places: Cities and regions.
    """

    def __init__(self, rng: Random):
        self.first = _made(rng, 70, _FIRST_STARTS, [""], _FIRST_ENDS)
        self.family = _made(rng, 150, _STARTS, _MIDDLES, _PERSON_ENDS)
        places = _made(rng, 120, _STARTS, _MIDDLES, _PLACE_ENDS)
        both = [x for x in self.family if rng.random() < SHARE_OF_BOTH]
        own = [x for x in places if x not in self.family]
        self.places = [name for pair in zip(own, both, strict=False) for name in pair]
        self.places += own[len(both) :]
        self.nationalities = [_nationality(place) for place in self.places]


def _made(
    rng: Random, n: int, starts: list[str], middles: list[str], ends: list[str]
) -> list[str]:
    names: dict[str, None] = {}
    while len(names) < n:
        parts = (
            part[int(rng.random() * len(part))] for part in (starts, middles, ends)
        )
        names["".join(parts)] = None
    return list(names)


def _nationality(place: str) -> str:
    if place.endswith("land"):
        return place + "ic"
    return place + ("an" if place.endswith("e") else "ian")
