"""Messages about dependency parsing."""


class Errors:
    """Error messages, by code."""

    LP800 = (
        "Template '{template}' of a parser: '{part}' is no attribute at a place. Write "
        "word[s0], tag[b0], relation[s0.l1], lefts[s0] or gap[s0,b0], joined by |."
    )
    LP801 = (
        "Template '{template}' of a parser: '{part}' looks at no place of a state. "
        "Choose one of: {known}."
    )
    LP802 = (
        "The learner '{name}' with these settings cannot train a parser. In the model "
        "block take spacy_latperc.ViolationFixing.v1 or, for a greedy parser, "
        "spacy_latperc.DynamicOracle.v1, with pull = 0."
    )
    LP803 = (
        "The search '{name}' is not for parsers. In the model block take "
        "spacy_latperc.Beam.v1."
    )
    LP804 = (
        "'{template}' is no template of a parser. In the features block of a parser "
        "take spacy_latperc.ParserFeatures.v1, or spacy_latperc.ParserTemplates.v1 "
        "with templates such as word[s0]."
    )
    LP805 = (
        "Parsers cannot read attributes that have several values at a token. Leave "
        "templates of such attributes (gazetteers, patterns, lists in extensions) out."
    )
    LP806 = (
        "The model file holds a model of kind '{kind}', not a parser. Load it into the "
        "component that saved it."
    )
    LP807 = (
        "{name} cannot learn from the document {doc}: token {token} ('{word}'): "
        "{problem}. Correct the heads there, or remove their relations, so that they "
        "count as not annotated."
    )
    LP808 = (
        "{name}: some heads are set on the document {doc}, and only a parser with "
        'system = "arc_hybrid" can keep them. Set overwrite = true, or train such a '
        "parser."
    )
    LP809 = (
        "{name} cannot keep the heads that are set on the document {doc}: token "
        "{token} ('{word}'): {problem}. Correct or remove them, or set overwrite = "
        "true."
    )
    LP811 = (
        "'{template}' is a template over states of a parser, and this model is a "
        "chain. In its features block take a set of templates such as word[0]."
    )
    LP812 = (
        "spacy_latperc.DynamicOracle.v1 is for greedy parsers with system = "
        "\"arc_hybrid\", and this one has the search '{search}' and the system "
        "'{system}'. Take spacy_latperc.Beam.v1 with width = 1, or learn with "
        "spacy_latperc.ViolationFixing.v1."
    )
    LP813 = (
        "spacy_latperc.DynamicOracle.v1 is a learner for latperc_parser, and this "
        "model is a chain. Take another learner, such as "
        "spacy_latperc.PassiveAggressive.v1."
    )
