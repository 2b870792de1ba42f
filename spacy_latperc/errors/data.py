"""Messages about corpora: columns, CoNLL-U, partial annotation."""


class Errors:
    """Error messages, by code."""

    LP104 = (
        "{path}, line {line}: {found} columns where {columns} need {needed}: '{row}'. "
        "Check the separator and the order of the columns; lines that are not tokens "
        "can be named by doc_mark or comment."
    )
    LP105 = "Unknown column '{name}'. Use one of {known}, or '-' for a column to skip."
    LP106 = (
        "No column is called 'word' in {columns}. List the columns in the order of the "
        "file, with '-' for those to skip."
    )
    LP107 = (
        "The column '{name}' is named twice in {columns}. Use '-' for a column to skip."
    )
    LP108 = (
        "{path} has no tokens. Check that it is the right file, and that comment and "
        "doc_mark do not match all of its lines."
    )
    LP109 = (
        "{path}, line {line}: the word is empty. Check the separator, or remove the "
        "line."
    )
    LP111 = (
        "{path}, line {line}: '{string}' in the column '{column}' is neither O nor of "
        "the form LETTER-TYPE with a letter of B, I, E, S, L, U. Check the order of "
        "the columns, {columns}; open labels, ? and A|B, need partial = true."
    )
    LP112 = (
        "{path}, line {line}: the label '{string}' in the column '{column}' may not "
        "stand here in {scheme} ({count} such labels in all). The labels fit "
        '{detected} better: set {column}_scheme to "{detected}", or to "auto".'
    )
    LP113 = (
        "{path}, line {line}: the label '{string}' in the column '{column}' may not "
        "stand here in {scheme} ({count} such labels in all). Correct the file, or set "
        "repair = true to read such labels as the CoNLL scoring script does."
    )
    LP116 = (
        "{path}, line {line}: '{string}' is not a part of speech of Universal "
        "Dependencies, which token.pos needs. Call the column 'tag'."
    )
    LP117 = (
        "The input '{name}' is not among the columns {columns}. Name its column, or "
        "leave it out of inputs."
    )
    LP118 = (
        "Unknown input '{name}'. Inputs are annotation that the predicted Docs are "
        "given: {known}."
    )
    LP125 = (
        "{path}, line {line}: '{string}' in the column '{column}' has an empty "
        "alternative. With partial = true, | stands between labels that are possible "
        "and ? for any; leave partial out if they are labels themselves."
    )
    LP126 = (
        "{path}, line {line}: '{label}' in the column '{column}' is not a label of "
        "{scheme}: with partial = true it must be O or have one of the letters "
        "{letters} and a type. Check the scheme of the column, and the columns."
    )
    LP127 = (
        "{path}: the representation of the column '{column}' cannot be detected when "
        'labels are open (partial = true). Name it in place of "auto".'
    )
    LP128 = (
        "{path}, line {line}: '{string}' in the column '{column}' cannot stand beside "
        "the labels around it in {scheme} ({count} such places in all). Correct the "
        "file, or name the representation it is in."
    )
    LP129 = (
        "repair = true and partial = true cannot be used together: what is open cannot "
        "be repaired. Leave one of them out."
    )
    LP132 = (
        "{path}, line {line}: the heads of the sentence do not form a tree: {problem}. "
        "Correct the file, or leave the trees out: name the columns, with '-' in the "
        "places of head and dep."
    )
    LP133 = (
        "The columns {columns} have relations ('dep') but no heads. Name the column of "
        "the heads 'head', or write '-' in place of 'dep'."
    )
    LP134 = (
        "{path}, line {line}: the id is '{string}' where {wanted} should be: heads "
        "refer to the words of a sentence by numbers from 1. Correct the file."
    )
    LP135 = (
        "{path}, line {line}: '{string}' are not features of the form "
        "Case=Nom|Number=Sing, which token.morph needs. Correct the file, or skip the "
        "column: name the columns, with '-' in its place."
    )
    LP136 = (
        "{path}, line {line}: the words of the multiword token '{form}' do not follow "
        "it in its sentence, or belong to another one too. Correct its range."
    )
    LP138 = (
        "{path}, line {line}: the sentence has no root (a word whose head is 0). In a "
        ".spacy file with several sentences in a Doc, its beginning would be lost. "
        'Convert with one Doc per sentence (docs = "sentence"), or name its root.'
    )
    LP139 = (
        "{path}, line {line}: the words of '{form}' have different labels in the "
        "column '{column}' ({labels}), so that it cannot be one token. Read its words "
        'as tokens, with multiword = "split", or correct the labels.'
    )
    LP772 = (
        "max_sentences = {max_sentences} needs documents, but each Doc is to be a "
        'sentence. Set docs = "document", or leave max_sentences out.'
    )
    LP575 = (
        "{path} is a .spacy file, which becomes CoNLL-U and nothing else: give "
        "{target} a name that ends in .conllu, or convert another file."
    )
    LP301 = (
        "The columns of {path} are unknown. Name them in the order of the file "
        "(--columns word,tag,chunk), or call the file .conllu if it is CoNLL-U."
    )
    LP302 = (
        "Both {first} and {second} would become {output}. Convert them one by one, or "
        "rename one of them."
    )
    LP303 = (
        "CoNLL-U has no chunks, so {path} cannot have any. Name a .spacy file, or "
        "leave --chunks-from-ud out."
    )
    LP304 = (
        "{path} has no trees to make chunks of. Name its columns pos, head and dep, or "
        "leave --chunks-from-ud out."
    )
    LP320 = (
        "The config has no corpus '{name}', it has: {known}. Name one of them, or give "
        "the path of a file."
    )
    LP321 = (
        "The config's development corpus is read by {reader}, which takes no path, so "
        "{path} cannot be read like it. Name a corpus of the config (corpora.test), or "
        "the columns of the file (--columns word,tag)."
    )
    LP322 = (
        "{path} is not a .spacy file, which is all that {reader} of the config reads. "
        "Name its columns (--columns word,tag,chunk), or convert it (spacy latperc "
        "convert)."
    )
    LP323 = (
        "{path} is a .spacy file and has no columns. Leave out --columns, or give the "
        "column file."
    )


class Warnings:
    """Warnings, by code."""

    LP901 = (
        "The input '{name}' is empty throughout {path}, so the features that read it "
        "see nothing. Leave it out of inputs, or check the column."
    )
    LP902 = (
        "No chunk or entity of {path} is of the type '{type}' that keep_types names; "
        "there are {known}."
    )
    LP903 = (
        "{path}, line {line}: {found} columns, where the rows before have {usual}. "
        "Correct the file, or set separator if words have spaces in them, comment if "
        "the line is no token."
    )
    LP904 = (
        "{path}, line {line}: JsonlCorpus does not read '{name}', so entities with "
        "character offsets are lost. Add them to Docs with doc.char_span, save these "
        "with DocBin, and read the .spacy file with DocBinCorpus."
    )
