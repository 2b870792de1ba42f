"""Messages about knowledge from outside the training data."""


class Errors:
    """Error messages, by code."""

    LP752 = (
        "A function takes no argument, but its name is followed by ':{argument}'. Make "
        "a source of its own for each function."
    )
    LP753 = (
        "The function {name} gave {values} values for the {tokens} tokens of {doc}. It "
        "must give one for each token; None stands for nothing."
    )
    LP755 = (
        "The numbers of vectors take no argument, but their name is followed by "
        "':{argument}'. Write `vec.NAME[0]`."
    )
    LP756 = (
        "The model has learned from vectors of {width} numbers, and those of the "
        "pipeline have {found}. Load the pipeline with the vectors that it was trained "
        "with; they are saved with its vocabulary."
    )
    LP704 = (
        "{path}, line {line}: '{text}' is not {wanted}. Check the file, or name its "
        'format (format = "pairs").'
    )
    LP705 = "{path} has no lines: there are no classes of words in it."
    LP706 = (
        "There is no prefix of '{argument}' bits. Write a number from 1 to {most} "
        "after the colon, such as cl.NAME:4[0], or no colon for the whole class."
    )
    LP707 = (
        "A template asks for ':{argument}' of the classes of {path}. The file has "
        "neither bit paths nor {argument} clusterings: its first class is '{first}'. "
        "If these are clusters of words, set prefixes = [] in the block of the source, "
        "and name no number in templates. If the file is an annotated corpus, make "
        "clusters first: `spacy latperc knowledge clusters` reads raw text."
    )
    LP708 = (
        "{path} does not say how often words were seen, so min_count = {min_count} "
        "cannot be applied. Leave min_count out, or take Brown paths "
        "(path<TAB>word<TAB>count)."
    )
    LP709 = (
        "A frequency takes no argument, but its name is followed by ':{argument}'. Set "
        "the step in the block of the source."
    )
    LP710 = (
        "The source '{name}' needs the table '{table}' for the language '{lang}'. It "
        "is neither in the vocabulary nor in the package spacy-lookups-data. Run `pip "
        "install spacy-lookups-data` (it has English, German and Spanish), or make "
        "clusters from text with `spacy latperc knowledge clusters` and name the file "
        "in spacy_latperc.ClusterFile.v1."
    )
    LP711 = (
        "The source '{name}' needs word vectors, and the vocabulary has none. Name a "
        "pipeline or a folder with vectors in the config: [initialize] vectors = "
        '"en_core_web_md", or make one of a text file of vectors with `python -m spacy '
        "init vectors LANG FILE FOLDER`."
    )
    LP712 = (
        "Row {row} of the word vectors has a number that is not finite. Make the "
        "vectors again without it (`python -m spacy init vectors`)."
    )
    LP714 = (
        "The source '{name}' finds directions of floret vectors by the words of the "
        "training data. Start training by nlp.initialize, or by a command."
    )
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
    LP730 = (
        "The gazetteer '{name}' has no phrase. Give it files with phrases (paths) or a "
        "list of them (phrases). Check that `labels` names labels that the patterns "
        "have."
    )
    LP731 = (
        "The gazetteer '{name}' cannot split its phrases into words, since there is no "
        "pipeline. Start training by nlp.initialize, or by a command."
    )
    LP732 = (
        "{where} has {n} words, and a phrase has 1 to {most}. A list has one phrase a "
        "line."
    )
    LP733 = (
        "{where} is not a phrase: it has a tab or a null character. A list of phrases "
        "has no columns. Keep the column with the phrases, as with `cut -f1`."
    )
    LP735 = (
        "{where} has no pattern that a gazetteer can take. 'pattern' must be a string, "
        "or a list of token patterns."
    )
    LP736 = (
        "{where} has the token pattern {pattern}, which is not a plain word. A "
        'gazetteer takes strings and tokens such as {{"TEXT": "York"}}, '
        '{{"ORTH": "York"}} or {{"LOWER": "york"}}. Leave this pattern to the '
        "entity_ruler."
    )
    LP737 = (
        "{where} has a token pattern with LOWER, and this gazetteer is case-sensitive. "
        "Set fold_case = true, or write the word with TEXT."
    )
    LP738 = "Gazetteers and patterns take no argument. Leave ':{argument}' out."
    LP739 = "{setting} is {value}. A phrase has at least one word."
    LP740 = (
        "{setting}: pattern {number}, {pattern}, is not a regular expression: {error}. "
        "Correct it there; in a config, a backslash is written twice."
    )
    LP747 = (
        "{where} is not text: {text} has half of a character. Write the phrase again, "
        "in UTF-8."
    )
    LP748 = (
        "{where} has {n} characters, and a phrase has at most {most}. A list has one "
        "phrase a line."
    )
    LP745 = (
        "{setting}: pattern {number}, {pattern}, has '$', which is written twice "
        "whenever a config is saved. Write \\x24 for the sign, and \\Z for the end of "
        "the text; in a config, a backslash is written twice."
    )
    LP746 = (
        "{setting}: the phrase {phrase} has '$', which is written twice whenever a "
        "config is saved. Write the phrase into a file, and name that in `paths`."
    )
    LP741 = "{setting} is {value}. Give it at least one regular expression."
    LP742 = (
        "The component '{name}' has no gazetteer '{wanted}'. It has: {known}. A "
        "gazetteer is a source of its templates: a block such as [components.{name}"
        ".model.features.sources.NAME] with spacy_latperc.Gazetteer.v1."
    )
    LP743 = (
        "A phrase is a string, a list of words, a Doc or a Span, and this is a {type}."
    )
    LP744 = (
        "{where} cannot be split into words, since the component '{name}' was made "
        "without a pipeline. Give it as a list of words, or as a Doc."
    )
    LP760 = (
        "The table of n-grams may have {megabytes:g} MB, which is too little for the "
        "{words:,} different words of the text and its sentences. Allow more "
        "(--megabytes), or leave out the sentences (--no-sentences)."
    )
    LP761 = "The text has no words to be counted. Give text with sentences."
    LP762 = (
        "The file holds no counts of n-grams but something else ({kind}). Give one "
        "that `spacy latperc knowledge ngrams` wrote."
    )
    LP763 = (
        "The file says that it holds counts of n-grams, but these are not sound: "
        "{error}. Make the file again (`spacy latperc knowledge ngrams`)."
    )
    LP764 = "{path} cannot be read as counts of n-grams: {error}"
    LP765 = (
        "There is no attribute ':{argument}' of n-gram evidence. Write one of {known} "
        "after the name of the source."
    )
    LP766 = (
        "The source of n-gram evidence has no counts yet. Train the component, or load "
        "the trained pipeline."
    )
    LP767 = (
        "The source '{name}' names no file with counts. Make one with `python -m spacy "
        "latperc knowledge ngrams TEXT -o FILE`, and name it in `path`."
    )
    LP791 = (
        "There is no attribute ':{argument}' of trees. Write the name of the source "
        "alone, as in tree.NAME[0]."
    )
    LP792 = (
        "The source TreeEvidence.v1 has no source with counts of n-grams or a model of "
        "contexts beside it. Add NgramEvidence.v1 to the same `sources`, before it."
    )
    LP793 = (
        "The source '{name}' has nothing to learn from: no example has errors marked "
        "in doc.spans['{key}']. Give such examples, or a file of trees in `path`."
    )
    LP794 = (
        "The trees of a file or a model are not sound: {error}. Train them again, or "
        "take the file that was written first."
    )
    LP795 = (
        "A model of contexts has rows of {known} numbers, and not of {size}. Choose "
        "one of these."
    )
    LP796 = (
        "The model of contexts of a file or a pipeline is not sound: {error}. Make it "
        "again, or take the file that was written first."
    )
    LP797 = (
        "There is no attribute ':{argument}' of a model of contexts. Write one of "
        "{known} after the name of the source."
    )
    LP798 = (
        "The source ContextEvidence.v1 has no model yet. Train the component, or load "
        "the trained pipeline."
    )
    LP799 = (
        "The source '{name}' names no file with a model of contexts. Make one with "
        "`spacy latperc knowledge contexts TEXT -o FILE`, and name it in `path`."
    )


class Warnings:
    """Warnings, by code."""

    LP972 = (
        "The text has {tokens:,} words. Clusters of less than about {least:,} can make "
        "a model worse. Give more text, or train with and without them and compare "
        "on held-out data."
    )
    LP973 = (
        "{path} looks like a file of {columns} columns, and was read as text: "
        "everything in its lines counts as words. Convert it first with `python -m "
        "spacy latperc convert {path} words.spacy --columns word,...`."
    )
    LP979 = (
        "The gazetteer '{name}' has {share:.0%} of what is labelled {label} in the "
        "training data. If it was made from this annotation, a model learns to trust "
        "it blindly: make it from something else. If it knows as much of new text, all "
        "is well."
    )
