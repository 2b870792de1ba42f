"""Messages about `fit`, `repeat`, calibration and cards."""


class Errors:
    """Error messages, by code."""

    LP040 = (
        "Direct training needs a pipeline whose trainable components are all of "
        "spacy_latperc; '{name}' is not. Use `spacy train`, or freeze '{name}'."
    )
    LP041 = (
        "Direct training cannot let components annotate while they learn "
        "(annotating_components = {names}). Use `spacy train`."
    )
    LP042 = (
        "Direct training needs a number of epochs: set max_epochs above 0 in "
        "[training] (it is {max_epochs})."
    )
    LP043 = "The training corpus is empty. Check paths.train in the config."
    LP568 = (
        "The development corpus is empty. Check paths.dev in the config, or train "
        "without scores (--no-evaluation)."
    )
    LP569 = (
        "Cannot read the source {source} of spacy_latperc.Card.v1. Give a name, or a "
        "block with name and, if you like, url, author and license."
    )


class Warnings:
    """Warnings, by code."""

    LP930 = (
        "{path} is of an earlier training and has nothing to do with the model-last "
        "beside it. Remove it, or train with scores."
    )
