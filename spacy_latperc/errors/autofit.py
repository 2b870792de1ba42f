"""Messages about training without a config."""


class Errors:
    """Error messages, by code."""

    LP860 = (
        "{path}: none of the {width} columns looks like words with tags, chunks or "
        "entities. Each line needs a token and its annotation, such as 'London B-LOC'. "
        "Name the columns with `latperc convert --columns`, and fit the result."
    )
    LP861 = (
        "{path}, line {line} is not UTF-8 ({error}). Convert the file, such as with "
        "`iconv -f latin1 -t utf-8`, or read it with `latperc convert --encoding`."
    )
    LP862 = (
        "The data has no annotation for the task '{task}', but for: {found}. Choose "
        "one of these with --task, or leave it out."
    )
    LP863 = (
        "The data has no annotation that can be learned (found: {found}). Entities, "
        "chunks, tags and dependency trees can be. For classes of whole texts, use "
        "spaCy's textcat."
    )
    LP864 = (
        "{path} has {n} annotated texts, too few to set some of them aside for "
        "development. Annotate more, or pass a development file with --dev."
    )
    LP866 = (
        "Choose the component with --component: a tagger, chunker or entity recogniser "
        "(or a judge, for `explain`). The pipeline has: {known}. Parsers have no "
        "explanation; `evaluate` scores them by relation, and the report of `fit DATA` "
        "lists their errors."
    )
    LP867 = (
        "{path} is no grid. It needs a `config`, the name of a file, and a `grid` with "
        "a list of values for each setting, such as "
        "'components.ner.model.learner.C: [0.01, 0.03]'."
    )
    LP868 = (
        "There is nothing to compare: the pipeline ({names}) has no tagger, chunker, "
        "entity recogniser or parser. Compare others."
    )
    LP869 = "{path} is no model, config or grid (.yml). Name one before the data."


class Warnings:
    """Warnings, by code."""

    LP938 = (
        "The training data ({path}) is not there, so the texts of features are "
        "unknown. Pass a file like it after the model."
    )
