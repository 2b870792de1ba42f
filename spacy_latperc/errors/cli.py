"""Messages about commands, benchmarks and experiments."""


class Errors:
    LP121 = (
        "There is no data folder, so {names} cannot be checked. Set LATPERC_DATA to "
        "the folder that holds the corpora; the README beside them says where they are "
        "from."
    )
    LP303 = "Unknown data '{data}'. Choose one of: {known}."
    LP304 = (
        "CoNLL-2000 is not here. Set LATPERC_DATA to the folder that holds "
        "conll2000/train.txt.gz and conll2000/test.txt, or use --data sample."
    )
    LP305 = (
        "The measurement {task} failed; the last lines of its output are below. Run it "
        "again with --only for its section, or leave the section out.\n{error}"
    )
    LP306 = "Unknown section '{name}'. Choose among: {known}."
    LP324 = "There are no documents in {path}. Check that it is the right file."
    LP325 = (
        "Nothing could be scored: {path} carries none of the annotation that the "
        "components ({names}) predict. Check the columns and their names."
    )
    LP326 = "There is no text. Give some in quotes, or a file of texts with --file."
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
    LP423 = "Cannot read '{text}' as numbers between commas, such as {example}."
    LP439 = "The texts are not here. Set LATPERC_DATA to the folder that holds {files}."
    LP440 = (
        "There is no column {name} in this experiment. Use templates over words, their "
        "spelling, and tags."
    )
