"""Messages about sizes and arrays: what is too large, or does not fit."""


class Errors:
    """Error messages, by code."""

    LP500 = (
        "{labels} labels with {latent} latent values each are too many for an order of "
        "{order}: one table would hold {cells} numbers, and {most} are the most. Use "
        "fewer labels, a smaller latent, or a lower order."
    )
    LP501 = "{name} is {value}. It must be a whole number from {low} to {high}."
    LP502 = (
        "The array {name} has the shape {found}. It must be {wanted}. Pass arrays that "
        "were made for the same batch and the same labels."
    )
    LP503 = (
        "{name} holds the number {value}. It must be from {low} to {high}. Pass arrays "
        "that were made for the same learner."
    )
    LP504 = (
        "{value} cannot be a bound of sentences. Bounds rise, from 0 to the number of "
        "tokens, which is {most}."
    )
    LP505 = "{name} is {value}. It must be {wanted}."
    LP506 = (
        "These features are of another feature space, or of one that was cleared "
        "since. Extract them again."
    )
    LP507 = (
        "These do not fit together: {what}. Build both with the same labels, templates "
        "and settings."
    )
    LP508 = (
        "A chunk does not lie within one sentence of the batch. Give its first token, "
        "and the token after its last."
    )
    LP509 = (
        "No labels are left for the sentence of token {token} of the batch: the rules "
        "of this model forbid all, or its weights are too large to be added. Its file "
        "is damaged; load another copy, or train again."
    )
    LP640 = (
        "The weights of {labels} labels with {latent} latent values each need more "
        "memory than there is; they take {mb:.0f} MB so far. Use a smaller latent, a "
        "lower order, fewer latent_templates, or a larger min_count."
    )


class Warnings:
    """Warnings, by code."""

    LP920 = (
        "{labels} labels with {latent} latent values each, of order {order}, cost "
        "{steps} steps for each token: training will be slow. Use fewer labels, a "
        "smaller latent or order, or spacy_latperc.Beam.v1 as search."
    )
