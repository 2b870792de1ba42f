"""Messages about the classifier of sentences, n-gram models, negatives, filter."""


class Errors:
    """Error messages, by code."""

    LP340 = (
        "{path}: {unit} {line} {problem}. Correct or remove it; `filter --skip-bad` "
        "and `annotate --keep-errors` leave such {unit}s out."
    )
    LP341 = (
        "Which component is to score? These of the pipeline can: {known}. Name one "
        "with --component, or give a pipeline with latperc_grammaticality."
    )
    LP344 = (
        "One of the {n} processes ended before its work was done: out of memory? Try "
        "fewer (--processes 1)."
    )
    LP480 = (
        "{path} has no column '{field}' of text. It has: {known}. Name one of them "
        "with --field."
    )
    LP481 = (
        "{path} cannot be read as Parquet ({error}). Get it again, or say what it is "
        "with --format."
    )
    LP482 = (
        "{second} and {first} would both become {target}. Give them other names, or "
        "filter them one after the other."
    )
    LP483 = (
        "{target} is within {source}, which is read: what was written would be read "
        "again. Choose another folder."
    )
    LP484 = "Several files become several: '{target}' must be a folder, not {problem}."
    LP485 = (
        "{path} says that this folder was made with other settings: {changed}. Use the "
        "same ones to go on, another folder, or --overwrite to start again."
    )
    LP486 = "{path} is damaged: {error}. Use --overwrite to start again."
    LP489 = (
        "The standard input ('-') is read alone. Write it to a file first, or run the "
        "command twice."
    )
    LP402 = (
        "The minimum counts {counts} do not fit order {order}. Give one number for "
        "each length of n-gram, 1 or more and none below the one before, such as 1,1,2."
    )
    LP403 = (
        "{path}: line {line} is not UTF-8. Convert the file first, for example with "
        "`iconv -f LATIN1 -t UTF-8`."
    )
    LP404 = (
        "{path}: line {line} has a NUL character, so this is not plain text (UTF-16, "
        "or a binary file?). Give UTF-8 text with one sentence on each line, or "
        ".spacy."
    )
    LP405 = (
        "{path} has no sentence among its {lines} line(s). Give one sentence on each "
        "line, words between spaces."
    )
    LP406 = (
        "The text is too small for n-grams of order {order}: none of its {n} sentences "
        "has {least} words or more. Give more text, or a lower order."
    )
    LP408 = (
        "The file holds no n-gram model but something else ({kind}). Give one that "
        "`spacy latperc judge negatives --save-model` wrote."
    )
    LP409 = (
        "The file says that it holds an n-gram model, but that is not sound: {error}. "
        "Make the model again."
    )
    LP410 = (
        "The n-gram model gives no sentence of {shortest} to {longest} known words in "
        "10,000 tries. Allow other lengths, give more text, or lower the counts that "
        "n-grams must have."
    )
    LP412 = (
        "Cannot read '{part}' as noise. Write kinds and their shares, such as "
        "swap=0.2,deletion=0.1; there are {known}."
    )
    LP413 = (
        "The shares of noise come to {total:g}. They must not exceed 1; what is left "
        "is for n-gram samples."
    )
    LP414 = (
        "Noise of the kind 'tag' puts in words with the same tag, and there are no "
        "tags. Read a .spacy file with tags, or name a pipeline with --tagger."
    )
    LP415 = (
        "The lengths from {shortest} to {longest} do not make sense. The shortest must "
        "be 1 or more, and the longest no shorter."
    )
    LP416 = (
        "The shares {shares} of train, dev and test do not make sense. Give one to "
        "three numbers that are not negative, such as 0.8,0.1,0.1."
    )
    LP418 = (
        "No sentence of the text can be used: none has {shortest} to {longest} "
        "words and looks like the others. Check that there is one tokenised sentence "
        "on each line, or allow other lengths."
    )
    LP419 = (
        "No false sentence could be made: every sample is a sentence of the text "
        "itself, or does not have the form or the lengths of real ones. Give more "
        "text, or another --construction or --smoothing."
    )
    LP421 = "The labels are '{labels}'. Give two different ones, such as GOOD,BAD."
    LP422 = "{path} must end in .spacy: it names the files for train, dev and test."
    LP424 = "{path} holds no sentence. Give a .spacy file that has Docs with words."
    LP431 = (
        "There are {n} views. Name from 1 to {most} representations, such as IOB2 or "
        "O+C."
    )
    LP432 = (
        "The weights of a chunker can begin a view only if it has the labels of that "
        "view ({wanted}) and no latent states; this one has {found}. Train it with the "
        "same representation and types."
    )
    LP433 = (
        "The chunker and the classifier have no template in common, so that there is "
        "nothing to begin with. Give both the same features."
    )
    LP435 = "There is no view {view}: they are numbered from 0, and there are {n}."
    LP436 = (
        "There are {positives} positive and {negatives} negative sentences, but a "
        "classifier needs both. Make negatives with `spacy latperc judge negatives` or "
        "check the categories of the training data."
    )
    LP437 = (
        "Scores are not finite any more after {examples} examples: the weights have "
        "grown too large. Give a smaller C, or a smaller range for weights that were "
        "begun from."
    )
    LP438 = (
        "The model file holds a model of the kind '{kind}', not a latent classifier. "
        "Load it with the component that wrote it."
    )
    LP455 = (
        "Component '{name}': the labels are {labels}. Give two different ones, one for "
        "good sentences and one for the others."
    )
    LP459 = (
        "Component '{name}' has two labels, {known}, so '{label}' cannot be added. Set "
        "positive_label and negative_label in the config."
    )
    LP460 = (
        "Component '{name}': no Doc of the training data is {label}, so there is "
        "nothing to tell apart. Check doc.cats, positive_label and negative_label; "
        "make negatives with `spacy latperc judge negatives`."
    )
    LP461 = (
        "Component '{name}' cannot be calibrated on {n} Doc(s), of which {positives} "
        "are positive: it needs both kinds. Give held-out data with doc.cats."
    )
    LP462 = (
        "{where} has no chunker to begin with: its representation is {scheme}, those "
        "of the views are {known}. Name the chunker (init_component), or its "
        "representation among the views."
    )
    LP471 = (
        "{path} is neither .spacy nor .jsonl, nor a folder of .spacy files. For text, "
        "give the bad sentences too (--negatives), or make some first (spacy latperc "
        "negatives)."
    )
    LP472 = (
        "Component '{name}' has min_count above 1, for which sentences would have to "
        "be read twice. Set min_count = 1 (hash_bits bounds the memory), or use "
        "`spacy latperc fit`."
    )
    LP473 = (
        "Component '{name}' has templates over {column}, which is empty. Put "
        "{component} before it (--tagger PIPELINE), or take words alone (--words-only)."
    )
    LP474 = (
        "Component '{name}': some sentences have {column} and others have none at all "
        "({doc}), which tells them apart by itself. Give all of them tags from one "
        "source: --tagger PIPELINE, --tags with another field, or --words-only."
    )
    LP475 = "The seed is {seed}. Give a whole number from 0 to 2 ** 63 - 1 (--seed)."
    LP477 = (
        "{path} is to be a folder of .spacy files, but {other} is there, which would "
        "be lost. Give another name (OUT.spacy), or more sentences for each file "
        "(--docs-per-file)."
    )
    LP490 = (
        "The shares of errors are {shares}. Write kinds and numbers above 0, such as "
        "form=0.3,small=0.2; there are {known}."
    )
    LP491 = (
        "A sentence is to have {low} to {high} errors. The fewest must be 1 or more, "
        "and the most no fewer (--fewest, --most)."
    )
    LP492 = (
        "The share of clean sentences is {clean}. Give a number from 0 to below 1 "
        "(--clean)."
    )
    LP493 = (
        "Errors of the kind 'foreign' alone are asked for, and there are no foreign "
        "words. Name a text in another language (--foreign)."
    )
    LP494 = (
        "{path} must end in .spacy or .jsonl (which may be packed, as in .jsonl.gz), "
        "which says how sentences are written."
    )
    LP495 = (
        "{path}: line {line} has {n} column(s). Write two on each line: an original, a "
        "tab, and its correction, with spaces between words."
    )
    LP496 = (
        "{path} has no pair. Write on each line an original, a tab, and its correction."
    )
    LP497 = (
        "The component '{name}' needs the label '{right}' for tokens that are right. "
        "Give it among the labels, or let them be found in the training data."
    )
    LP498 = (
        "Which component is to be recalibrated? These of the pipeline judge text: "
        "{known}. Name one with --component, or give a pipeline that `spacy latperc "
        "judge` made."
    )
    LP784 = (
        "The text has {n} sentences of 3 to 80 words: a judge needs {least}, and is "
        "better with 100,000. Was it split into lines as the options say?"
    )
    LP785 = (
        "{path}: line {line} {problem}. Each line must have {wanted}, with a tab in "
        "between."
    )
    LP786 = (
        "There is nothing to try the judge on. Give files with --pairs, --grades, "
        "--tokens, --clean or --wrong, or set LATPERC_DATA to a folder of corpora."
    )
    LP787 = (
        "Component '{name}': there are no versions to choose from. Give at least one "
        "Doc."
    )
    LP780 = (
        "evidence is {evidence}. Name at least one kind, and each once, such as "
        '["ngram", "errors", "length"].'
    )
    LP782 = "Component '{name}': there is no evidence '{kind}' for {doc}. {advice}"
    LP783 = (
        "Component '{name}': the joined model of {where} is for the columns {saved}, "
        "but the evidence of now gives {mine}. Use the config that trained it."
    )
    LP499 = (
        "The text has {n} {judged}, and {least} or more are needed to tell a share of "
        "them. Give more text."
    )


class Warnings:
    """Warnings, by code."""

    LP917 = (
        "Component '{name}': {n} ungrammatical Doc(s) have several sentences, first "
        "{doc}. All of them are learned as ungrammatical; give each Doc one sentence."
    )
    LP980 = (
        "{share:.0%} of the text was left out. Look at some of it (--below) before you "
        "use the rest: the threshold may not fit this kind of text. --keep 0.9 chooses "
        "one that keeps nine tenths."
    )
