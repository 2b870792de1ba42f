"""Messages about estimators."""


class Errors:
    """Error messages, by code."""

    LP880 = "This {name} is not fitted yet. Call fit(X, y) first."
    LP881 = (
        "{place} is {found}. A token must be a dict of features, a list of strings or "
        "a list of numbers, and X a list of lists of tokens. For words set `templates`."
    )
    LP882 = (
        "X[{sentence}] must have rows of {wanted} numbers: a token has as many numbers "
        "as every other one, in fit and in predict."
    )
    LP883 = (
        "X[{sentence}][{token}] is {found}, but templates read a word, or a tuple of "
        "strings for the columns {wanted}. Name those of your tokens in `columns`."
    )
    LP884 = (
        "{what} has length {found}, but {other} has length {wanted}. There must be a "
        "list of labels for each sentence, and a label for each token."
    )
    LP885 = "y[{sentence}] must be a list of strings, not {found}."
    LP886 = "X has no tokens. Pass at least one sentence with a token and its label."
    LP887 = (
        "{learner} learns from all examples at once, so partial_fit cannot continue. "
        "Call fit with all examples, or use another learner."
    )
    LP888 = "The file holds a {found}, not a {wanted}. Use {found}.load."
    LP889 = (
        "Features of templates are known by their hashes only. For weights by name use "
        "features that are given token by token."
    )
    LP890 = (
        "Cannot read line {line} of {path}: {text}. Supported are %x[row,column], %X "
        "(lower case, of column 0), and %m of column 0 with a prefix or suffix of 1 to "
        '5 characters, such as "^.?.?". Write the others as templates by hand.'
    )


class Warnings:
    """Warnings, by code."""

    LP940 = "{name} is ignored: it has no meaning with algorithm = {algorithm!r}."
    LP941 = (
        "AROW is not implemented; passive-aggressive learning (PA-I) takes its place, "
        "which was more accurate."
    )
