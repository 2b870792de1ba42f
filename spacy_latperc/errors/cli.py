"""Messages of commands, benchmarks and experiments."""


class Errors:
    """Error messages, by code."""

    LP323 = (
        "--min-score requires probabilities, but no component of the pipeline gives "
        "any ({names}). Use a pipeline with a tagger, chunker or entity recogniser of "
        "this package."
    )
    LP324 = "{path} contains no Docs with tokens. Check that it is the right file."
    LP325 = (
        "No scores can be computed: {path} has none of the annotation that the "
        "components ({names}) predict. Check the columns and their names."
    )
    LP326 = "No text given. Pass it in quotes, or pass a file with --file."
    LP327 = (
        "Cannot infer the output format from {path}. The name must end in .conllu or "
        ".spacy, or in .jsonl or .parquet for columns."
    )
    LP328 = (
        "{path} cannot leave tokens unlabelled (--min-score). Write a .spacy file, or "
        "filter the columns by their scores."
    )
    LP329 = (
        "The command '{command}' is not available: {wing} is not installed. Install "
        "spacy_latperc with all of its folders."
    )
    LP330 = (
        "{path} is not a pipeline directory: it has no config.cfg. Pass a directory "
        "written by `spacy train` or `spacy latperc fit`."
    )
    LP348 = (
        "{error}. Use --help to list the options. Prefix config settings with their "
        "section, as in --training.max_epochs 20."
    )
    LP350 = "{title}: {problems} Correct the config or the command's options."
    LP351 = "{path} must end in {wanted}: the suffix decides the format. Rename it."
    LP423 = "Cannot read '{text}' as comma-separated numbers, such as {example}."
