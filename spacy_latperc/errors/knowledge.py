"""Messages about knowledge from outside the training data."""


class Errors:
    """Error messages, by code."""

    LP720 = (
        "Only {words} words occur {least} times or more: too few for {classes} "
        "clusters. Give more text, or use fewer clusters (--classes) or a lower "
        "--min-count."
    )
    LP721 = (
        "There is no tokenizer for the language '{lang}': {error}. Give a code that "
        "spaCy knows, such as en, or text whose words lie between spaces."
    )
    LP722 = (
        "--known says which words the training data has, and is looked at by --check "
        "alone. Name a file with --check too."
    )


class Warnings:
    """Warnings, by code."""

    LP972 = (
        "The text has {tokens:,} words. Clusters of less than about {least:,} can make "
        "a model worse. Give more text, or train with and without them and compare "
        "on held-out data."
    )
