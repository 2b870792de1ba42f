"""Messages about chunk representations."""


class Errors:
    """Error messages, by code."""

    LP201 = "Unknown chunk representation '{name}'. Choose one of: {known}."
    LP202 = (
        "The label '{label}' is neither O nor of the form LETTER-TYPE with a letter "
        "of B, I, E, S, L, U (B-NP, I-PER). Check which column holds the labels."
    )
    LP203 = (
        "The label '{label}' at token {position} (between {before} and {after}) is "
        "not valid in {scheme}. Name the representation that the labels are in (see "
        "detect_scheme), or rewrite them with repair."
    )
    LP204 = (
        "The chunks {first} and {second} overlap, but a token can be in one chunk "
        "only. Remove one of them (spacy.util.filter_spans keeps the longest)."
    )
    LP205 = (
        "The chunk ({start}, {end}, '{type}') is empty or not within its sentence of "
        "{n} tokens. Starts count from 0 and ends are exclusive."
    )
    LP206 = (
        "The chunk type '{type}' is empty or listed twice in {types}. Give each type "
        "once."
    )
    LP207 = (
        "The chunk type '{type}' is not among the types of this inventory: {types}. "
        "Add it with add_label, or leave its chunks out."
    )
