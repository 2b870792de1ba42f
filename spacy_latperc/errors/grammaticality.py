"""Messages about sentence classifiers, n-gram models, negatives, filtering."""


class Errors:
    """Error messages, by code."""

    LP340 = (
        "{path}: {unit} {line} {problem}. Correct or remove it, or skip such {unit}s "
        "with `filter --skip-bad` or `annotate --keep-errors`."
    )
    LP344 = (
        "One of the {n} processes ended early, possibly out of memory. Lower "
        "--processes."
    )
    LP093 = (
        "Component '{name}' cannot start from {path}: {error}. Set init_from to the "
        "directory of a trained pipeline, such as training/model-last, or to the name "
        "of an installed one."
    )
    LP094 = (
        "Component '{name}' cannot start from {path}: it has no component '{wanted}' "
        "of spacy_latperc, only {known}. Set init_component to one of these."
    )
    LP480 = (
        "{path} has no text column '{field}'; its columns are {known}. Name one of "
        "them (--field, or text in Python)."
    )
    LP481 = (
        "{path} cannot be read as Parquet ({error}). Copy it again, or set --format."
    )
    LP482 = (
        "{first} and {second} would both be written to {target}. Rename one, or "
        "process them one at a time."
    )
    LP483 = (
        "The output {target} is inside the input {source}, so it would be read again. "
        "Use another directory."
    )
    LP484 = "With several input files, '{target}' must be a directory, not {problem}."
    LP485 = (
        "According to {path}, this directory was created with other settings: "
        "{changed}. Use the same settings to continue, another directory, or "
        "--overwrite to start again."
    )
    LP486 = "{path} is damaged: {error}. Use --overwrite to start again."
    LP489 = (
        "Standard input ('-') cannot be combined with other inputs or --ray. Write it "
        "to a file first."
    )
    LP402 = (
        "min_counts must have one number per n-gram length up to order {order}, none "
        "below 1 or below the one before (such as 1,1,2), not {counts}."
    )
    LP403 = (
        "{path}: line {line} {problem}, so the file is not plain text in UTF-8. "
        "Convert it first, for example with `iconv -f LATIN1 -t UTF-8`, or pass .spacy."
    )
    LP405 = (
        "{path} has no usable sentence in its {lines} line(s). Write one sentence per "
        "line, with spaces between words."
    )
    LP406 = (
        "The text is too small for order {order}: none of its {n} sentences has "
        "{least} words or more. Use more text, or a lower order."
    )
    LP407 = "{path}: line {line}: {problem}. Write the ARPA file again."
    LP408 = (
        "An ARPA file cannot have the word '{word}': it has white space, or marks the "
        "end of sentences there. Remove it from the text."
    )
    LP409 = (
        "This n-gram model is not interpolated, so nothing can be sampled from it. "
        "Train one with `judge negatives --save-model`."
    )
    LP410 = (
        "The n-gram model generated no sentence of {shortest} to {longest} known words "
        "in 10,000 tries. Allow other lengths, use more text, or lower the minimum "
        "counts."
    )
    LP415 = (
        "Invalid range of {what}: {low} to {high}. The minimum must be 1 or more, the "
        "maximum no smaller."
    )
    LP416 = (
        "The shares of train, dev and test must be one to three numbers of 0 or more, "
        "such as 0.8,0.1,0.1, not {shares}."
    )
    LP418 = (
        "No sentence of the text is usable: none has {shortest} to {longest} words and "
        "the form of the others. Check that each line has one tokenized sentence."
    )
    LP419 = (
        "No negatives could be generated: every sample is a sentence of the text, or "
        "lacks the form or length of real ones. Use more text, or another "
        "--construction."
    )
    LP431 = "A classifier has 1 to {most} views, such as IOB2 or O+C, not {n}."
    LP432 = (
        "The weights of a chunker can initialize a view only if it has the view's "
        "labels ({wanted}) and no latent states; this one has {found}. Train it with "
        "the same representation and types."
    )
    LP433 = (
        "The chunker has no template in common with the classifier, so it cannot "
        "initialize it. Give both the same features."
    )
    LP436 = (
        "A classifier requires positive and negative sentences, but there are "
        "{positives} and {negatives}. Generate negatives with `spacy latperc "
        "judge negatives`, or check the categories of the training data."
    )
    LP437 = (
        "Scores are no longer finite after {examples} examples because the weights are "
        "too large. Lower C, or scale down the initial weights."
    )
    LP459 = "Component '{name}' has two labels, {known}, so '{label}' cannot be added."
    LP460 = (
        "Component '{name}': no Doc of the training data is {label}, but both labels "
        "are required. Check doc.cats, or generate negatives with `spacy latperc judge "
        "negatives`."
    )
    LP461 = (
        "Component '{name}' cannot be calibrated on {n} Doc(s), of which {positives} "
        "are positive: both labels are required. Pass held-out data with doc.cats."
    )
    LP462 = (
        "{where} has no chunker for the views: its representation is {scheme}, theirs "
        "are {known}. Name the chunker (init_component), or add its representation to "
        "the views."
    )
    LP490 = (
        "The shares of errors must be kinds with numbers above 0, such as "
        "form=0.3,small=0.2, not {shares}. The kinds are {known}."
    )
    LP496 = (
        "{path} has no pairs. Write an original, a tab and its correction on each line."
    )
    LP497 = (
        "Component '{name}' requires the label '{right}' for correct tokens. Add it to "
        "the labels, or infer them from the training data."
    )
    LP784 = (
        "The text has {n} sentences of 3 to 80 words, but a judge requires {least}, "
        "and 100,000 are better. Check the options that split it into sentences."
    )
    LP785 = (
        "{path}: line {line} {problem}. Each line must have {wanted}, separated by a "
        "tab."
    )
    LP786 = (
        "There is no data for the evaluation. Pass --pairs, --tokens, --clean or "
        "--wrong."
    )
    LP788 = (
        "No component scores sentences; the pipeline has: {known}. Train a judge with "
        "`spacy latperc judge train`."
    )
    LP789 = (
        "An n-gram model has no threshold of its own, and no good sentences. Pass "
        "--threshold, the lowest geometric mean of the probabilities of words, such as "
        "0.001, without --documents."
    )
    LP787 = "Component '{name}': no versions to choose from. Pass at least one Doc."
    LP780 = (
        "Component '{name}' is not trained. Train a judge with `spacy latperc judge "
        "train`."
    )
    LP782 = (
        "Component '{name}': {doc} has no features of sentences. Put latperc_errors "
        "before it, whose spans_key is '{key}'."
    )
    LP499 = (
        "The text has {n} sentences, but at least {least} are required to estimate a "
        "share. Use more text."
    )


class Warnings:
    """Warnings, by code."""

    LP917 = (
        "Component '{name}': {n} ungrammatical Doc(s) have several sentences, first "
        "{doc}. All of these train as ungrammatical: use one sentence per Doc."
    )
    LP980 = (
        "{share:.0%} of the text was filtered out. Check some of it (--below) before "
        "using the rest: the threshold may not fit this domain. --keep 0.9 chooses a "
        "threshold that keeps nine tenths."
    )
