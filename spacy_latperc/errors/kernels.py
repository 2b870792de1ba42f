"""Messages about sizes and arrays."""


class Errors:
    """Error messages, by code."""

    LP500 = (
        "{labels} labels with {latent} latent values each are too many for order "
        "{order}: one table would have {cells} entries, and the limit is {most}. Use "
        "fewer labels, a smaller latent, or a lower order."
    )
    LP502 = (
        "The array {name} must have the shape {wanted}, not {found}. Pass arrays of "
        "the same batch and the same labels."
    )
    LP503 = (
        "{name} contains {value}, but values must be from {low} to {high}. Pass arrays "
        "of the same learner."
    )
    LP504 = (
        "Invalid sentence offset {value}. Offsets must increase from 0 to the number "
        "of tokens, {most}."
    )
    LP506 = (
        "These features belong to another feature space, or to one that was cleared. "
        "Extract them again."
    )
    LP507 = (
        "Incompatible models: {what}. Build both with the same labels, templates and "
        "settings."
    )
    LP508 = (
        "A chunk is not within one sentence of the batch. Pass its first token and the "
        "token after its last."
    )
    LP509 = (
        "No valid labels for the sentence that starts at token {token} of the batch: "
        "the model's constraints forbid all, or its weights overflow. Its file is "
        "damaged: load another copy, or train again."
    )
    LP640 = (
        "Out of memory: the weights of {labels} labels with {latent} latent values "
        "each take {mb:.0f} MB so far. Use a smaller latent, a lower order, fewer "
        "latent_templates, or a larger min_count."
    )


class Warnings:
    """Warnings, by code."""

    LP920 = (
        "Training will be slow: {labels} labels with {latent} latent values each, of "
        "order {order}, cost {steps} steps per token. Use fewer labels, a smaller "
        "latent or order, or spacy_latperc.Beam.v1 as search."
    )
