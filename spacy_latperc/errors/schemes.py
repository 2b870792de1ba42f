"""Messages about chunk representations."""


class Errors:
    """Error messages, by code."""

    LP201 = "Unknown chunk representation '{name}'. Use one of: {known}."
    LP202 = (
        "Label '{label}' is neither O nor of the form LETTER-TYPE with one of the "
        "letters B, I, E, S, L, U (B-NP, I-PER). Check which column has the labels."
    )
    LP203 = (
        "Label '{label}' at token {position} (between {before} and {after}) is invalid "
        "in {scheme}. Name the representation of the labels (see detect_scheme), or "
        "rewrite them with repair."
    )
    LP204 = (
        "Chunks {first} and {second} overlap. Remove one of them "
        "(spacy.util.filter_spans keeps the longest)."
    )
    LP205 = (
        "Chunk ({start}, {end}, '{type}') is empty or outside its sentence of {n} "
        "tokens. Starts count from 0 and ends are exclusive."
    )
    LP206 = "Chunk type '{type}' is empty or duplicated in {types}."
    LP207 = (
        "Unknown chunk type '{type}'; this inventory has {types}. Add it with "
        "add_label, or remove its chunks."
    )
