"""Messages about dependency parsing."""


class Errors:
    """Error messages, by code."""

    LP800 = (
        "Parser template '{template}': '{part}' is not an attribute at a position. "
        "Write word[s0], tag[b0], relation[s0.l1], lefts[s0] or gap[s0,b0], joined by "
        "|."
    )
    LP801 = (
        "Parser template '{template}': '{part}' has an unknown position. Use one of: "
        "{known}."
    )
    LP802 = (
        "Learner '{name}' cannot train a parser. In the model "
        "block use spacy_latperc.ViolationFixing.v1 or, for a greedy parser, "
        "spacy_latperc.DynamicOracle.v1."
    )
    LP803 = (
        "Search '{name}' does not support parsers. In the model block use "
        "spacy_latperc.Beam.v1."
    )
    LP804 = (
        "'{template}' is not a parser template. In the features block of a parser use "
        "spacy_latperc.ParserFeatures.v1, whose templates are such as word[s0]."
    )
    LP805 = (
        "Parsers do not support attributes with several values per token (n-grams of "
        "characters, gazetteers, patterns, lists in extensions). Remove templates that "
        "read them."
    )
    LP807 = (
        "{name} cannot learn from the document {doc}: token {token} ('{word}'): "
        "{problem}. Correct its head, or remove the relations so that they count as "
        "not annotated."
    )
    LP811 = (
        "'{template}' is a parser template, but this model is a chain. In its features "
        "block use templates such as word[0]."
    )
    LP812 = (
        "spacy_latperc.DynamicOracle.v1 requires a greedy parser, not search "
        "'{search}'. Use spacy_latperc.Beam.v1 with width = 1, or the learner "
        "spacy_latperc.ViolationFixing.v1."
    )
    LP813 = (
        "spacy_latperc.DynamicOracle.v1 requires a parser (latperc_parser), but this "
        "model is a chain. Use another learner, such as "
        "spacy_latperc.PassiveAggressive.v1."
    )
