"""Messages about commands, benchmarks and experiments."""


class Errors:
    """Error messages, by code."""

    LP324 = "There are no documents in {path}. Check that it is the right file."
    LP325 = (
        "Nothing could be scored: {path} carries none of the annotation that the "
        "components ({names}) predict. Check the columns and their names."
    )
    LP326 = "There is no text. Give some in quotes, or a file of texts with --file."
    LP327 = (
        "The name of {path} does not say what to write: it should end with one of "
        "{suffixes}, or with .jsonl or .parquet for columns. Rename it."
    )
    LP328 = (
        "There are no trees to draw: the pipeline has no parser. Leave --output out "
        "for tables, or write a .conllu file."
    )
    LP329 = (
        "The command '{command}' is not available: {wing} is not installed. Install "
        "spacy_latperc with all of its folders."
    )
    LP330 = (
        "{path} is not a folder of a pipeline: it has no config.cfg. Give the folder "
        "that `spacy train` or `spacy latperc fit` wrote."
    )
    LP345 = "{path} has no line that can be scored among its {lines}."
    LP346 = (
        "{path} has no component of the factory {factory}. Give another config, or "
        "leave --config out."
    )
    LP347 = (
        "The pipeline {path} has a classifier of sentences already. Give one that only "
        "tags."
    )
    LP348 = (
        "{error}. Options of the command are listed by --help; a setting of the config "
        "has its section before it, such as --training.max_epochs 20."
    )
    LP350 = "{title}: {problems} Correct the config, or the options of the command."
    LP351 = "{path} must end in .spacy: readers go by the name of a file. Rename it."
    LP423 = "Cannot read '{text}' as numbers between commas, such as {example}."
