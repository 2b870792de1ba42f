"""Coded, friendly messages: what happened, the likely cause, the next step.

LP0xx models, learners, components · LP1xx data files · LP2xx representations · LP3xx
command line and project · LP4xx n-gram models, grammaticality · LP9xx warnings.
"""


class _Coded(type):
    """Prefixes every message with its own code, as spaCy's errors do."""

    def __getattribute__(cls, code: str) -> str:
        message = super().__getattribute__(code)
        return message if code.startswith("__") else f"[{code}] {message}"


class Errors(metaclass=_Coded):
    LP001 = (
        "Unknown attribute '{name}' in template '{template}'. Known attributes: "
        "{known}, '_.name' for a custom extension, 'spans.key' for labels of "
        "doc.spans['key']."
    )
    LP002 = (
        "Affix '{name}' in template '{template}' is out of range: prefixes and "
        "suffixes have 1 to {n} characters."
    )
    LP003 = (
        "Unknown prefix '{prefix}:' in template '{template}'. Use 'edge:' to conjoin "
        "with the previous label, 'tri:' with the two previous ones, or none."
    )
    LP004 = (
        "Cannot read '{part}' in template '{template}'. Write an attribute and an "
        "offset, such as 'w[0]' or 'suf3[-1]', joined by '|', or 'bias'."
    )
    LP005 = (
        "Offset {offset} in template '{template}' is out of range: templates look at "
        "most {n} tokens to either side."
    )
    LP006 = "Template '{template}' occurs twice. Remove one of the two."
    LP007 = "The list of templates is empty. Name at least one, such as 'w[0]'."
    LP008 = "min_count is {min_count}. It must be 1 (keep every feature) or more."
    LP009 = "Unknown latent_form '{form}'. Choose one of: {known}."
    LP010 = (
        "latent_templates names '{template}', which is not among the templates of the "
        "set. Add it there or remove it here."
    )
    LP040 = (
        "Direct training needs a pipeline whose trainable components are all of "
        "spacy_latperc; '{name}' is not. Use `spacy train`, or freeze '{name}'."
    )
    LP041 = (
        "Direct training cannot let components annotate while they learn "
        "(annotating_components = {names}). Use `spacy train`."
    )
    LP042 = (
        "Direct training needs a number of epochs: set max_epochs above 0 in "
        "[training] (it is {max_epochs})."
    )
    LP043 = "The training corpus is empty. Check paths.train in the config."
    LP044 = "Unknown step '{step}'. Choose one of: {known}."
    LP045 = (
        "The scores of sentence {sentence} of the batch are not finite any more, after "
        "{examples} examples. Its update was left out; the weights are the last good "
        "ones. Lower the learn rate."
    )
    LP046 = (
        "A mask of allowed labels has {found} entries for {wanted} labels, or allows "
        "none at all. Allow at least one label per token."
    )
    LP050 = (
        "k is {k}: there is at least one best label sequence. Ask for k = 1 or more."
    )
    LP051 = (
        "The beam is {width} wide. It must keep 1 history (greedy search) or more; for "
        "exact search use spacy_latperc.Viterbi.v1."
    )
    LP052 = "Unknown method of violation fixing '{method}'. Choose one of: {known}."
    LP055 = (
        "The temperature is {temperature}. It divides all scores: give a finite number "
        "above 0 (1 leaves them as they are)."
    )
    LP056 = (
        "n of the search is {n}: decode = 'label_sequence' chooses among the n best "
        "label sequences. Set n = 1 or more."
    )
    LP057 = (
        "vote = true keeps every update, and there are {updates} by now: more than "
        "{most}, for voting is for small models. Set vote = false (averaging is nearly "
        "as good), learn from fewer sentences or in fewer passes."
    )
    LP058 = (
        "vote = true lets every weight vector decode by itself: it does not go with "
        "{setting}. {advice}"
    )
    LP059 = (
        "A voting learner cannot {what}: it has many weight vectors and no single one. "
        "Set vote = false."
    )
    LP075 = (
        "Component '{name}': n_best is {n_best}. It must be 1 (the best analysis "
        "alone) or more."
    )
    LP076 = "Component '{name}': unknown scores '{scores}'. Choose one of: {known}."
    LP077 = (
        "Component '{name}': threshold is {threshold}. It must be from 0 to 1 with "
        'scores = "marginal", and 0 or a finite number above it with "margin".'
    )
    LP078 = "Unknown share '{share}' of probabilities. Choose one of: {known}."
    LP079 = (
        "Component '{name}' has a threshold ({threshold}) but no scores to compare "
        'with it. Set scores = "marginal" or "margin", or threshold = 0.'
    )
    LP080 = (
        "Component '{name}' answers nothing on the held-out data that is annotated, "
        "so there is nothing to calibrate. Check that the data carries its annotation, "
        "and that the component is trained."
    )
    LP081 = (
        "The pipeline has no component '{name}' that can be calibrated; it has: "
        "{known}. Name one of them (--component NAME)."
    )
    LP082 = (
        "The pipeline has several components that can be calibrated: {known}. Name one "
        "of them (--component NAME)."
    )
    LP085 = "Unknown {name} '{value}'. Choose one of: {known}."
    LP086 = "{name} is {value}. It must be {low} or more."
    LP060 = (
        "The learner '{name}' needs whole passes over a corpus of known size, since it "
        "learns from all examples together. Set max_epochs above 0 in [training] and "
        "initialise with the training examples, or choose another learner."
    )
    LP061 = (
        "The scores of sentence {sentence} of the pass are not finite. Learning ended "
        "there; the weights are the last good ones. Raise l2, or look for extreme "
        "weights in the model that it started from."
    )
    LP062 = (
        "refit_l2 fits again what an L1 penalty selected, but l1 is 0. Set l1 above 0, "
        "or leave refit_l2 out."
    )
    LP063 = (
        "A hidden Markov model is counted for latent = 1 and order = 1 or 2, not for "
        "latent = {latent} and order = {order}. Change these, or choose a CRF."
    )
    LP064 = (
        "A hidden Markov model has no place for the template '{template}'. Use "
        "spacy_latperc.HMMFeatures.v1, or one template that looks at the token (w[0]), "
        "one that looks one token back (is_space[-1]), and bias."
    )
    LP065 = (
        "The hidden Markov model lacks its {role} template. Use "
        "spacy_latperc.HMMFeatures.v1, which has all of them: w[0] (word), "
        "is_space[-1] (start) and bias."
    )
    LP070 = (
        "Component '{name}': the label set at token {token} of {doc} has '{label}', "
        "which is none of its labels: {known}. Correct it, or call add_label first."
    )
    LP071 = (
        "Component '{name}': contradicting annotation at token {token} of {doc}: "
        "{first}, but {second}. Correct or remove one of the two."
    )
    LP072 = (
        "Component '{name}': cannot read {entry} in doc.user_data['latperc_allowed', "
        "'{layer}'] of {doc}. It is a dict from token numbers (0 to {n}) to lists of "
        "labels; for spans the key 'scheme' may name their representation."
    )
    LP073 = (
        "Component '{name}': the label set {labels} ({scheme}) at token {token} of "
        "{doc} cannot be said in {own}, the scheme of the component. Use scheme = "
        '"{scheme}" or "O+C" there, or allow all labels of the type.'
    )
    LP074 = (
        "Component '{name}': incorrect_spans_key needs a scheme whose labels say where "
        'an entity begins or ends, and {scheme} does not. Use "O+C".'
    )
    LP047 = "Unknown optimizer '{optimizer}'. Choose one of: {known}."
    LP048 = "A CRF restarts from no average: choose average = none or average."
    LP049 = (
        "An average of sparse weights is not sparse: with l1 above 0 choose "
        "average = none."
    )
    LP093 = (
        "Component '{name}' cannot begin from {path}: {error}. Give init_from the "
        "folder of a trained pipeline, such as training/model-last, or the name of an "
        "installed one."
    )
    LP094 = (
        "Component '{name}' cannot begin from {path}: there is no component "
        "'{wanted}' of spacy_latperc in it; there are: {known}. Name the right one by "
        "init_component."
    )
    LP095 = (
        "The model of {where} has labels that this one has not: {missing}. Add them "
        "(labels in [initialize.components], or add_label), or begin from a model with "
        "fewer."
    )
    LP096 = (
        "The model of {where} has templates that this one has not: {missing}. Add them "
        "to the features block (edge: and tri: templates need order 1 and 2), or begin "
        "from a model with fewer."
    )
    LP097 = (
        "The model of {where} does not fit: {what} is {found} there and {wanted} here. "
        "Use the same here (latent may be higher here)."
    )
    LP098 = (
        "Component '{name}': init_component is '{component}', but init_from is not "
        "set. Give the folder of a trained pipeline in init_from."
    )
    LP101 = "There is no file {path}. Check the path (in a config: [paths])."
    LP102 = (
        "{path}, line {line}: the byte {byte} at offset {offset} is not {encoding}. "
        'Name the encoding of the file (encoding = "latin-1"), or convert it.'
    )
    LP103 = (
        "Unknown encoding '{encoding}'. Use a name that Python knows, such as utf-8 or "
        "latin-1."
    )
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
    LP110 = (
        "{path} is packed with gzip but cannot be unpacked to its end: {error}. It may "
        "have been cut off; get it again."
    )
    LP111 = (
        "{path}, line {line}: '{label}' in the column '{column}' is neither O nor of "
        "the form LETTER-TYPE with a letter of B, I, E, S, L, U. Check the order of "
        "the columns, {columns}; open labels, ? and A|B, need partial = true."
    )
    LP112 = (
        "{path}, line {line}: the label '{label}' in the column '{column}' may not "
        "stand here in {scheme} ({count} such labels in all). The labels fit "
        '{detected} better: set the scheme of the column to it, or to "auto".'
    )
    LP113 = (
        "{path}, line {line}: the label '{label}' in the column '{column}' may not "
        "stand here in {scheme} ({count} such labels in all). Correct the file, or set "
        "repair = true to read such labels as the CoNLL scoring script does."
    )
    LP011 = "Unknown average '{average}'. Choose one of: {known}."
    LP012 = (
        "The learn rate is {rate} after {examples} examples. It must be a finite "
        "number above 0: check learn_rate in the learner block."
    )
    LP013 = "pass_size is {pass_size}. It must be 1 or more, or null to count it."
    LP014 = (
        "restart_every is {restart_every}. It must be 1 or more passes; the paper "
        "uses 2 to 8."
    )
    LP015 = "{name} is {value}. It must be a finite number {low}."
    LP016 = "latent is {latent}. It must be 1 (no latent states) or more."
    LP017 = "order is {order}. It must be from 0 to {n}."
    LP018 = (
        "Template '{template}' needs order {lowest} or more, but the model has order "
        "{order}. Raise `order` in the model block or remove the template."
    )
    LP019 = (
        "Labels can be added to a model but not removed or moved: it has {old}, and "
        "was given {new}."
    )
    LP020 = (
        "These are not the bytes of a spacy_latperc model: they begin otherwise. Load "
        "the directory that `nlp.to_disk` wrote, with the config that trained it."
    )
    LP021 = (
        "The model file ({size} bytes) is cut short or damaged: its checksum does not "
        "fit. Copy or save it again."
    )
    LP022 = (
        "The model was saved in format {found}; this version of spacy_latperc reads up "
        "to format {known}. Upgrade spacy_latperc."
    )
    LP023 = "The model file has the right checksum but bad contents: {error}."
    LP024 = (
        "The model has no labels yet. Call nlp.initialize with examples, or add_label "
        "and then nlp.initialize, or load a trained pipeline."
    )
    LP025 = (
        "The model file holds a model of kind '{kind}', not a chain. Load it into the "
        "component that saved it."
    )
    LP026 = (
        "The model file does not fit the config: {name} is {found} in the file and "
        "{wanted} in the config. Use the config that trained the model."
    )
    LP027 = (
        "The model file ({size} bytes) cannot be read: {error}. It is cut short or "
        "damaged, or another kind of component saved it. Copy or save it again."
    )
    LP028 = (
        "learn_rate is {rate}. It must be a number, a schedule, or a function of the "
        "number of examples seen."
    )
    LP114 = (
        "The corpus has no path. Set it in the config, or on the command line: "
        "--paths.train FILE --paths.dev FILE."
    )
    LP115 = (
        "The folder {path} has no files whose names end with '{suffix}'. Check the "
        "path and the suffix of the reader."
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
    LP119 = "docs = '{docs}' is not known. Choose one of: {known}."
    LP120 = (
        "{path} cannot be read as a .spacy file ({error}). Write it again with `spacy "
        "latperc convert`, or use the column reader for text files."
    )
    LP030 = (
        "A template reads the extension '_.{name}', which tokens do not have. Register "
        "it with Token.set_extension before the pipeline runs."
    )
    LP031 = "Component '{name}' cannot have an empty label."
    LP032 = (
        "Component '{name}' found no labels in the examples. Check that the reference "
        "Docs carry its annotation (and, for chunks, that spans_key is the key they "
        "use), or give labels in [initialize.components.{name}]."
    )
    LP033 = (
        "Component '{name}': what is already annotated leaves no valid label at token "
        "{token} of {doc}: it allows {here} there, where the tokens around it allow "
        "{possible}. Remove one of the contradicting annotations."
    )
    LP034 = (
        "Component '{name}' has no gradient and no get_loss: it learns in `update`, "
        "which reports the loss."
    )
    LP035 = (
        "Component '{name}': label '{label}' of {doc} is not one of its labels: "
        "{known}. Give all training examples to initialize, or call add_label first."
    )
    LP036 = (
        "Component '{name}': overlapping gold spans in {doc}: tokens {first} and "
        "{second}. A chunker and an entity recogniser need spans that do not overlap."
    )
    LP037 = (
        "Unknown attribute '{attribute}' for component '{name}'. A tagger sets 'tag' "
        "or 'pos'."
    )
    LP038 = (
        "'{label}' is not a universal part-of-speech tag, as component '{name}' with "
        'attribute = "pos" needs. Use attribute = "tag" for other tag sets.'
    )
    LP039 = "Component '{name}' stopped learning at the Doc {doc}. {error}"
    LP121 = (
        "There is no data folder, so {names} cannot be checked. Set LATPERC_DATA to "
        "the folder that holds the corpora; the README beside them says where they are "
        "from."
    )
    LP125 = (
        "{path}, line {line}: '{label}' in the column '{column}' has an empty "
        "alternative. With partial = true, | stands between labels that are possible "
        "and ? for any; leave partial out if they are labels themselves."
    )
    LP126 = (
        "{path}, line {line}: '{label}' in the column '{column}' is no label of "
        "{scheme}: with partial = true it must be O or have one of the letters "
        "{letters} and a type. Check the scheme of the column, and the columns."
    )
    LP127 = (
        "{path}: the representation of the column '{column}' cannot be found out when "
        'labels are open (partial = true). Name it in place of "auto".'
    )
    LP128 = (
        "{path}, line {line}: '{label}' in the column '{column}' cannot stand beside "
        "the labels around it in {scheme} ({count} such places in all). Correct the "
        "file, or name the representation it is in."
    )
    LP129 = (
        "repair = true and partial = true cannot be used together: what is open cannot "
        "be repaired. Leave one of them out."
    )
    LP130 = "Unknown part '{part}' of a corpus. Choose one of: {known}."
    LP131 = (
        "every is {every}. To hold out every n-th document it must be 2 or more; leave "
        'part = "all" to read all of them.'
    )
    LP132 = (
        "{path}, line {line}: the heads of the sentence are no tree: {problem}. "
        "Correct the file, or leave the trees out: name the columns, with '-' in the "
        "places of head and dep."
    )
    LP133 = (
        "The columns {columns} have relations ('dep') but no heads. Name the column of "
        "the heads 'head', or write '-' in place of 'dep'."
    )
    LP134 = (
        "{path}, line {line}: the id is '{found}' where {wanted} should be: heads "
        "refer to the words of a sentence by numbers from 1. Correct the file."
    )
    LP135 = (
        "{path}, line {line}: '{string}' are no features of the form "
        "Case=Nom|Number=Sing, which token.morph needs. Correct the file, or skip the "
        "column: name the columns, with '-' in its place."
    )
    LP136 = (
        "{path}, line {line}: the words of the multiword token '{form}' do not follow "
        "it in its sentence, or belong to another one too. Correct its range."
    )
    LP137 = "multiword = '{multiword}' is not known. Choose one of: {known}."
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
    LP201 = "Unknown chunk representation '{name}'. Choose one of: {known}."
    LP202 = (
        "The label '{label}' is neither O nor of the form LETTER-TYPE with a letter "
        "of B, I, E, S, L, U (B-NP, I-PER). Check which column holds the labels."
    )
    LP203 = (
        "The label '{label}' at token {position} (between {before} and {after}) is "
        "not valid in {scheme}. Name the representation that the labels are in (see "
        "detect_scheme), or rewrite them with repair."
    )
    LP204 = (
        "The chunks {first} and {second} overlap, but a token can be in one chunk "
        "only. Remove one of them (spacy.util.filter_spans keeps the longest)."
    )
    LP205 = (
        "The chunk ({start}, {end}, '{type}') is empty or not within its sentence of "
        "{n} tokens. Starts count from 0 and ends are exclusive."
    )
    LP206 = (
        "The chunk type '{type}' is empty or listed twice in {types}. Give each type "
        "once."
    )
    LP207 = (
        "The chunk type '{type}' is not among the types of this inventory: {types}. "
        "Add it with add_label, or leave its chunks out."
    )
    LP301 = (
        "The columns of {path} are not known. Name them in the order of the file "
        "(--columns word,tag,chunk), or call the file .conllu if it is CoNLL-U."
    )
    LP302 = (
        "Both {first} and {second} would become {output}. Convert them one by one, or "
        "rename one of them."
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
    LP330 = (
        "{path} is not a folder of a pipeline: it has no config.cfg. Give the folder "
        "that `spacy train` or `spacy latperc fit` wrote."
    )
    LP331 = (
        "{path} is there already and is no pipeline. Remove it, or save elsewhere "
        "(--output)."
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
        "{path} is no .spacy file, which is all that {reader} of the config reads. "
        "Name its columns (--columns word,tag,chunk), or convert it (spacy latperc "
        "convert)."
    )
    LP323 = (
        "{path} is a .spacy file and has no columns. Leave out --columns, or give the "
        "column file."
    )
    LP324 = "There are no documents in {path}. Check that it is the right file."
    LP325 = (
        "Nothing could be scored: {path} carries none of the annotation that the "
        "components ({names}) predict. Check the columns and their names."
    )
    LP326 = "There is no text. Give some in quotes, or a file of texts with --file."
    LP340 = (
        "{path}: line {line} {problem}. Mend it, or leave such lines out with "
        "--skip-bad."
    )
    LP341 = (
        "Which component is to score? These of the pipeline can: {known}. Name one "
        "with --component, or give a pipeline with latperc_grammaticality."
    )
    LP342 = (
        "Cannot write {path}: {error}. Nothing was left under its name; free some "
        "space or choose another place."
    )
    LP343 = "Unknown format '{format}'. Choose one of: {known}."
    LP344 = (
        "One of the {n} processes ended before its work was done: out of memory? Try "
        "fewer (--processes 1)."
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
    LP455 = (
        "Component '{name}': the labels are {labels}. Give two different ones, one for "
        "good sentences and one for the others."
    )
    LP456 = (
        "Component '{name}': doc is '{doc}', which says what a Doc of several "
        "sentences gets. Choose one of: {known}."
    )
    LP457 = (
        "Component '{name}': the threshold is {threshold}. It is a probability: give a "
        "number from 0 to 1."
    )
    LP458 = (
        "Component '{name}': span_length and span_count must be 1 or more, but one of "
        "them is {least}. To have no spans, set explain = false."
    )
    LP459 = (
        "Component '{name}' has two labels, {known}, so '{label}' cannot be added. Set "
        "positive_label and negative_label in the config."
    )
    LP460 = (
        "Component '{name}': no Doc of the training data is {label}, so there is "
        "nothing to tell apart. Check doc.cats, positive_label and negative_label; "
        "make negatives with `spacy latperc negatives`."
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
    LP348 = (
        "{error}. Options of the command are listed by --help; a setting of the config "
        "has its section before it, such as --training.max_epochs 20."
    )
    LP349 = "{path} is a file: a pipeline needs a folder. Save it elsewhere (--output)."
    LP470 = (
        "{path}: line {line} cannot be read: {problem}. Each line is a JSON object "
        'such as {{"text": "The dog sleeps .", "cats": {{"GRAMMATICAL": 1.0}}}}.'
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
    LP476 = (
        "Several components can be calibrated: {known}. Name the one in the config, "
        "[training.before_to_disk] component; those of frozen_components are passed "
        "over."
    )
    LP477 = (
        "{path} is to be a folder of .spacy files, but {other} is there, which would "
        "be lost. Give another name (OUT.spacy), or more sentences for each file "
        "(--docs-per-file)."
    )
    LP400 = "Unknown smoothing '{name}'. Choose one of: {known}."
    LP401 = (
        "The order of an n-gram model is {order}. It must be from {low} to {high}: 3 "
        "looks at two words before each."
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
        "{path}: line {line} has a NUL character, so this is no plain text (UTF-16, or "
        "a binary file?). Give UTF-8 text with one sentence on each line, or .spacy."
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
        "`spacy latperc negatives --save-model` wrote."
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
    LP411 = "Unknown construction '{name}'. Choose one of: {known}."
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
    LP417 = "Unknown vocabulary '{name}'. Choose one of: {known}."
    LP418 = (
        "No sentence of the text can be a positive: none has {shortest} to {longest} "
        "words and looks like the others. Check that there is one tokenised sentence "
        "on each line, or allow other lengths."
    )
    LP419 = (
        "No negative could be made: every sample is a sentence of the text itself, or "
        "does not have the form or the lengths of real ones. Give more text, or "
        "another --construction or --smoothing."
    )
    LP421 = "The labels are '{labels}'. Give two different ones, such as GOOD,BAD."
    LP422 = "{path} must end in .spacy: it names the files for train, dev and test."
    LP423 = "Cannot read '{text}' as numbers between commas, such as {example}."
    LP424 = "{path} holds no sentence. Give a .spacy file that has Docs with words."
    LP430 = (
        "A view's own vote cannot count {votes}. Give a number from 0 (the paper's) to "
        "{most:g}; each of the other views has one vote."
    )
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
    LP434 = (
        "hash_bits is {bits}. Give a number from 8 to 30 (18 makes models of about 20 "
        "MB), or leave it out for exact features."
    )
    LP435 = "There is no view {view}: they are numbered from 0, and there are {n}."
    LP436 = (
        "There are {positives} positive and {negatives} negative sentences, but a "
        "classifier needs both. Make negatives with `spacy latperc negatives`, or "
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
    LP439 = "The texts are not here. Set LATPERC_DATA to the folder that holds {files}."
    LP440 = (
        "There is no column {name} in this experiment. Use templates over words, their "
        "spelling, and tags."
    )
    LP450 = (
        "Component '{name}': scheme is '{scheme}' and schemes are {schemes}. Give "
        "scheme for one chain, or schemes for several that vote, but not both."
    )
    LP451 = (
        "Component '{name}': the weights of the votes are {weights}. Give a positive "
        "number for each of {schemes}, in that order, or null for equal ones."
    )
    LP452 = (
        "Component '{name}': schemes are {schemes}. A vote needs two or more different "
        "ones, such as IOB1, IOB2, IOE1, IOE2 and O+C."
    )
    LP453 = (
        "Several schemes do not offer {what}. Use a single scheme for it; of a vote, "
        "scores may be agreement or marginal."
    )
    LP454 = (
        "The model file holds chains for {found}, but the config wants a vote of "
        "{wanted}. Give the schemes with which it was trained, in the same order."
    )
    LP520 = (
        "Component '{name}': {label} cannot be a label, since it cannot be written as "
        "UTF-8. Remove the lone surrogates from it."
    )
    LP521 = (
        "Component '{name}': {where} cannot be used: {problem}. The file was damaged "
        "or changed by hand: copy the whole pipeline again, or train it again."
    )
    LP523 = (
        "Component '{name}': its {size} bytes are not what to_bytes of a component "
        "gave ({error}). They were cut short or changed on the way."
    )
    LP525 = (
        "Component '{name}': {where} does not belong to the model beside it. The "
        "labels are {cfg} by cfg, and {model} by the model. The folder mixes two "
        "pipelines, as after an interrupted copy: copy the whole pipeline again."
    )
    LP526 = (
        "Component '{name}': the config says {key} = {mine}, but {where} was trained "
        "with {saved}. The weights are tied to it: set {key} to {saved} in the config, "
        "or train again."
    )
    LP528 = (
        "The model was given a {kind}. It takes a Batch of columns; a component that "
        "it belongs to lets it take Docs."
    )

    LP560 = (
        "Cannot write {path}: {error}. What was there before is as it was. Free some "
        "space, or choose another place."
    )
    LP561 = (
        "{path} is a folder, but a file is to be written there. Give the name of a "
        "file."
    )
    LP562 = (
        "Component '{name}': {path} is missing. The pipeline was not saved or copied "
        "to its end: save or copy it again, or load another one (model-best beside "
        "model-last)."
    )
    LP563 = (
        "Component '{name}': {path} cannot be read: {error}. It was not saved or "
        "copied to its end, or was changed: save or copy the pipeline again, or load "
        "another one (model-best beside model-last)."
    )
    LP564 = "{path} is packed with {format}; plain text and gzip can be read. {advice}."
    LP565 = (
        "Component '{name}': {path} is not the model that was saved with the cfg "
        "beside it. It was cut off, or is of another save: save or copy the pipeline "
        "again, or load another one (model-best beside model-last)."
    )
    LP566 = (
        "Cannot load the pipeline of {path}: its file {file} is {problem}. It was not "
        "saved or copied to its end: save or copy it again, or load another one "
        "(model-best beside model-last)."
    )
    LP568 = (
        "The development corpus is empty. Check paths.dev in the config, or train "
        "without scores (--no-evaluation)."
    )
    LP569 = (
        "Cannot read the source {source} of spacy_latperc.Card.v1. Give a name, or a "
        "block with name and, if you like, url, author and license."
    )

    LP540 = (
        "The extension attribute '{name}' is a {type} at token {token} of {doc}. A "
        "template reads strings, bools and whole numbers, and compares them as text. "
        "Set the attribute to a string: of a number, say, the name of its range "
        "('low', 'high')."
    )


class Warnings(metaclass=_Coded):
    LP923 = (
        "Components '{other}' and '{name}' both write to doc.spans['{key}']: '{name}' "
        "replaces what '{other}' wrote. Give one of them another spans_key, or set "
        "keep_spans = true in '{name}'."
    )
    LP901 = (
        "The input '{name}' is empty throughout {path}, so the features that read it "
        "see nothing. Leave it out of inputs, or check the column."
    )
    LP902 = (
        "No chunk or entity of {path} is of the type '{type}' that keep_types names; "
        "there are {known}."
    )
    LP914 = (
        "The extension {owner}._.{name} is registered already, by somebody else. It "
        "stays as it is; read our scores with "
        "spacy_latperc.pipeline.extensions.{getter}."
    )
    LP915 = (
        "Component '{name}' is calibrated on {n} answers, of which {right} are right: "
        "too few to tell. Use more held-out data, none of it seen in training."
    )
    LP911 = (
        "Component '{name}' has templates over {column}, which is empty in a whole "
        "batch. Put {component} before it in the pipeline (and into "
        "annotating_components while training), or let the corpus reader put the "
        "column on its input."
    )
    LP912 = (
        "Component '{name}': {n} gold span(s) cross a sentence boundary or do not fall "
        "on token boundaries, first in {doc}. Their tokens count as not annotated."
    )
    LP913 = (
        "Component '{name}': {n} sentence(s) have gold labels that cannot follow each "
        "other, first in {doc}. They are left out of training."
    )
    LP917 = (
        "Component '{name}': {n} ungrammatical Doc(s) have several sentences, first "
        "{doc}. All of them are learned as ungrammatical; give each Doc one sentence."
    )
    LP930 = (
        "{path} is of an earlier training and has nothing to do with the model-last "
        "beside it. Remove it, or train with scores."
    )
