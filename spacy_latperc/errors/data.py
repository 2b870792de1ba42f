"""Messages about corpora: columns, CoNLL-U, partial annotation."""


class Errors:
    """Error messages, by code."""

    LP104 = (
        "{path}, line {line}: {found} columns, but {columns} requires {needed}: "
        "'{row}'. Check the separator and the column order, or set doc_mark if the "
        "line starts a document."
    )
    LP105 = "Unknown column '{name}'. Use one of {known}, or '-' to skip a column."
    LP106 = (
        "{columns} has no column '{missing}'. List the columns in file order, with '-' "
        "for columns to skip; relations ('dep') need their heads."
    )
    LP107 = "Column '{name}' is named twice in {columns}. Use '-' to skip a column."
    LP108 = (
        "{path} has no tokens. Check that it is the right file, and that doc_mark does "
        "not match every line."
    )
    LP109 = "{path}, line {line}: empty word. Check the separator or remove the line."
    LP111 = (
        "{path}, line {line}: '{string}' in column '{column}' is neither O nor of the "
        "form LETTER-TYPE with one of the letters B, I, E, S, L, U. Check the column "
        "order, {columns}. For open labels (?, A|B), set partial = true."
    )
    LP112 = (
        "{path}, line {line}: label '{string}' in column '{column}' is invalid here in "
        "{scheme} ({count} such labels in total). {detected} fits the labels better: "
        'set {column}_scheme to "{detected}" or "auto".'
    )
    LP113 = (
        "{path}, line {line}: label '{string}' in column '{column}' is invalid here in "
        "{scheme} ({count} such labels in total). Correct the file, or set repair = "
        "true to read such labels as the CoNLL scoring script does."
    )
    LP116 = (
        "{path}, line {line}: '{string}' is not a Universal Dependencies part of "
        "speech, as token.pos requires. Name the column 'tag'."
    )
    LP117 = (
        "Input '{name}' is not among the columns {columns}. Name its column, or remove "
        "it from inputs."
    )
    LP118 = (
        "Unknown input '{name}'. Inputs are annotation that is copied to the predicted "
        "Docs. Use one of: {known}."
    )
    LP125 = (
        "{path}, line {line}: '{string}' in column '{column}' has an empty "
        "alternative. With partial = true, | separates allowed labels and ? allows "
        "any. Set partial = false if they are part of labels."
    )
    LP126 = (
        "{path}, line {line}: '{label}' in column '{column}' is not a label of "
        "{scheme}. With partial = true, labels must be O, or one of the letters "
        "{letters} and a type. Check the column's scheme and the column order."
    )
    LP127 = (
        "{path}: the scheme of column '{column}' cannot be detected from partial "
        'annotation (partial = true). Name it instead of "auto".'
    )
    LP128 = (
        "{path}, line {line}: '{string}' in column '{column}' contradicts the labels "
        "around it in {scheme} ({count} such labels in total). Correct the file, or "
        "name its scheme."
    )
    LP129 = (
        "repair = true cannot be combined with partial = true. Set one of them to "
        "false."
    )
    LP132 = (
        "{path}, line {line}: the heads of the sentence do not form a tree: {problem}. "
        "Correct the file, or skip the trees: name the columns, with '-' for head and "
        "dep."
    )
    LP134 = (
        "{path}, line {line}: expected id {wanted}, found '{string}'. Heads refer to "
        "the words of a sentence by numbers from 1. Correct the file."
    )
    LP135 = (
        "{path}, line {line}: '{string}' is not of the form Case=Nom|Number=Sing, as "
        "token.morph requires. Correct the file, or skip the column: name the columns, "
        "with '-' in its place."
    )
    LP136 = (
        "{path}, line {line}: the words of the multiword token '{form}' do not follow "
        "it in the same sentence. Correct its range."
    )
    LP138 = (
        "{path}, line {line}: the sentence has no root (a word with head 0), so its "
        "start would be lost in a Doc of several sentences. Convert with one sentence "
        'per Doc (docs = "sentence"), or add a root.'
    )
    LP139 = (
        "{path}, line {line}: the words of '{form}' have different labels in column "
        "'{column}' ({labels}), so they cannot be merged. Set multiword = \"split\", "
        "or correct the labels."
    )
    LP772 = (
        'max_sentences = {max_sentences} requires docs = "document". Set it, or omit '
        "max_sentences."
    )
    LP575 = (
        "{path} is a .spacy file, which can only be converted to CoNLL-U. Give "
        "{target} a name that ends in .conllu, or convert another file."
    )
    LP301 = (
        "The columns of {path} are unknown. Name them in file order (--columns "
        "word,tag,chunk), or rename the file to .conllu if it is CoNLL-U."
    )
    LP320 = (
        "The config has no corpus '{name}'; it has {known}. Name one of them, or pass "
        "the path of a file."
    )
    LP321 = (
        "Cannot read {path} like the config's development corpus: its reader {reader} "
        "has no path. Name a corpus of the config (corpora.test), or the columns of "
        "the file (--columns word,tag)."
    )
    LP322 = (
        "{path} is not a .spacy file, but the config's reader {reader} reads only "
        "these. Convert it (latperc convert)."
    )


class Warnings:
    """Warnings, by code."""

    LP901 = (
        "Input '{name}' is empty throughout {path}, so features that read it have no "
        "values. Remove it from inputs, or check the column."
    )
    LP902 = (
        "keep_types names '{type}', but {path} has no chunk or entity of this type. "
        "Its types are {known}."
    )
    LP903 = (
        "{path}, line {line}: {found} columns, but previous rows have {usual}. Correct "
        "the file, or set separator if words contain spaces."
    )
    LP904 = (
        "{path}, line {line}: JsonlCorpus does not read '{name}', so entities with "
        "character offsets are lost. Train with `latperc fit {path}`, which reads them."
    )
