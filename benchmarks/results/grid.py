"""What is published: each entry is a command, and what it shows.

In a command, {data} stands for the folder of the corpora (LATPERC_DATA), {json} for the
file that its figures go to, and {work} for a folder that entries share.
"""

from dataclasses import dataclass, field

LATPERC = "python -m spacy latperc"
PEERS = "python -m benchmarks.peers"
THREE = "--seeds 3 --json {json}"
CHUNKS = "--train {data}/conll2000/train.txt.gz --test {data}/conll2000/test.txt"


@dataclass(frozen=True)
class Entry:
    """One command whose output is published.

    Attributes:
        name: Of its file in results/.
        page: The page of the results that it is on.
        title: The question that it answers.
        commands: What is run, in this order; the output of the last one is kept.
        note: What a reader has to know to understand the figures.
        slow: More than some minutes, so it may be older than the rest.
        headline: What the front table shows: `score`, the name of a score.
        beside: The entry to compare with, where knowledge was added; the title is then
            the test set, a colon, and what was added.
    """

    name: str
    page: str
    title: str
    commands: tuple[str, ...]
    note: str = ""
    slow: bool = False
    headline: dict[str, str] = field(default_factory=dict)
    beside: str = ""


def _accuracy(
    name: str, title: str, score: str, config: str, paths: str, note: str = ""
) -> Entry:
    command = f"{LATPERC} repeat configs/{config} {paths} {THREE}"
    return Entry(name, "accuracy", title, (command,), note, headline={"score": score})


def _peer(name: str, title: str, score: str, command: str, slow: bool = False) -> Entry:
    full = f"{PEERS} {command} --json {{json}}"
    return Entry(name, "accuracy", title, (full,), slow=slow, headline={"score": score})


def _paths(train: str, test: str, columns: str, more: str = "") -> str:
    parts = (
        f"--paths.train {{data}}/{train} --paths.dev {{data}}/{test}",
        f"--corpora.train.columns {columns}",
        more,
    )
    return " ".join(part for part in parts if part)


_NP = "--corpora.train.keep_types '[\"NP\"]' --corpora.dev.keep_types '[\"NP\"]'"
_REPAIR = "--corpora.train.repair true --corpora.dev.repair true"
_MEDLINE = "--corpora.train.doc_mark '###MEDLINE:' --corpora.dev.doc_mark '###MEDLINE:'"
_CONLL2000 = _paths("conll2000/train.txt.gz", "conll2000/test.txt", "word,tag,chunk")
_EWT = _paths(
    "ud_ewt/train.tsv.gz",
    "ud_ewt/test.tsv",
    "id,word,-,tag,space",
    "--corpora.train.comment '#' --corpora.dev.comment '#'",
)
_ESP = _paths("conll2002/esp.train.gz", "conll2002/esp.testb", "word,{columns}")
_NED = _paths("conll2002/ned.train.gz", "conll2002/ned.testb", "word,{columns}")
_ESP_PEER = (
    "--train {data}/conll2002/esp.train.gz --test {data}/conll2002/esp.testb "
    "--columns word,tag,ent"
)
_NED_PEER = (
    "--train {data}/conll2002/ned.train.gz --test {data}/conll2002/ned.testb "
    "--columns word,tag,ent"
)
_WNUT_PEER = (
    "--train {data}/wnut17/train.conll --test {data}/wnut17/test.conll "
    "--columns word,ent"
)
_EWT_PEER = (
    "--train {data}/ud_ewt/train.tsv.gz --test {data}/ud_ewt/test.tsv "
    "--columns id,word,-,tag --comment '#'"
)


def _two_passes(
    name: str, title: str, beside: str, score: str, config: str, paths: str
) -> Entry:
    paths = paths.replace("--corpora.train.", "--corpora.train.corpus.")
    command = f"{LATPERC} repeat configs/{config} {paths} {THREE}"
    note = (
        "Both passes by one command, nothing but the training data. The file is cut "
        "into pieces where it marks no documents."
    )
    headline = {"score": score}
    return Entry(
        name, "knowledge", title, (command,), note, headline=headline, beside=beside
    )


GRID = (
    _accuracy(
        "conll2000_all",
        "CoNLL-2000, chunks of all types",
        "chunks_f",
        "chunker.cfg",
        _CONLL2000,
        "The default chunker, 12 epochs, features seen twice or more.",
    ),
    _accuracy(
        "conll2000_np",
        "CoNLL-2000, noun phrases",
        "chunks_f",
        "chunker.cfg",
        f"{_CONLL2000} {_NP}",
    ),
    _peer(
        "conll2000_crfsuite_ap",
        "CoNLL-2000, chunks of all types: CRFsuite, averaged perceptron",
        "f",
        f"crfsuite {CHUNKS} --columns word,tag,chunk --algorithm ap",
    ),
    _peer(
        "conll2000_crfsuite_lbfgs",
        "CoNLL-2000, chunks of all types: CRFsuite, L-BFGS",
        "f",
        f"crfsuite {CHUNKS} --columns word,tag,chunk --algorithm lbfgs",
        slow=True,
    ),
    _accuracy("ud_ewt", "UD English EWT, 49 tags", "tag_acc", "tagger.cfg", _EWT),
    _peer(
        "ud_ewt_crfsuite_ap",
        "UD English EWT: CRFsuite, averaged perceptron",
        "acc",
        f"crfsuite {_EWT_PEER} --algorithm ap",
    ),
    _peer(
        "ud_ewt_nltk",
        "UD English EWT: NLTK's perceptron tagger",
        "acc",
        f"nltk {_EWT_PEER}",
    ),
    _peer(
        "ud_ewt_spacy",
        "UD English EWT: spaCy's own tagger, 10 epochs",
        "acc",
        f"spacy {_EWT_PEER} --epochs 10",
        slow=True,
    ),
    _accuracy(
        "conll2002_esp",
        "CoNLL-2002 Spanish, words only",
        "ents_f",
        "ner.cfg",
        f"{_ESP.replace('{columns}', '-,ent')} --nlp.lang es {_REPAIR}",
    ),
    _accuracy(
        "conll2002_esp_tags",
        "CoNLL-2002 Spanish, with the given tags",
        "ents_f",
        "ner_tags.cfg",
        f"{_ESP.replace('{columns}', 'tag,ent')} --nlp.lang es {_REPAIR}",
    ),
    _peer(
        "conll2002_esp_crfsuite_ap",
        "CoNLL-2002 Spanish, with the given tags: CRFsuite, averaged perceptron",
        "f",
        f"crfsuite {_ESP_PEER} --algorithm ap",
    ),
    _peer(
        "conll2002_esp_crfsuite_lbfgs",
        "CoNLL-2002 Spanish, with the given tags: CRFsuite, L-BFGS",
        "f",
        f"crfsuite {_ESP_PEER} --algorithm lbfgs",
        slow=True,
    ),
    _peer(
        "conll2002_esp_spacy",
        "CoNLL-2002 Spanish: spaCy's own entity recogniser, 10 epochs",
        "f",
        f"spacy {_ESP_PEER} --lang es --epochs 10",
        slow=True,
    ),
    _accuracy(
        "conll2002_ned",
        "CoNLL-2002 Dutch, words only",
        "ents_f",
        "ner.cfg",
        f"{_NED.replace('{columns}', '-,ent')} --nlp.lang nl {_REPAIR}",
    ),
    _accuracy(
        "conll2002_ned_tags",
        "CoNLL-2002 Dutch, with the given tags",
        "ents_f",
        "ner_tags.cfg",
        f"{_NED.replace('{columns}', 'tag,ent')} --nlp.lang nl {_REPAIR}",
    ),
    _peer(
        "conll2002_ned_crfsuite_lbfgs",
        "CoNLL-2002 Dutch, with the given tags: CRFsuite, L-BFGS",
        "f",
        f"crfsuite {_NED_PEER} --algorithm lbfgs",
        slow=True,
    ),
    _accuracy(
        "wnut17",
        "W-NUT 2017, words only",
        "ents_f",
        "ner.cfg",
        _paths("wnut17/train.conll", "wnut17/test.conll", "word,ent")
        + " --components.ner.model.learner.C 0.03",
        "C was chosen on the development part.",
    ),
    _peer(
        "wnut17_crfsuite_ap",
        "W-NUT 2017: CRFsuite, averaged perceptron",
        "f",
        f"crfsuite {_WNUT_PEER} --algorithm ap",
    ),
    _peer(
        "wnut17_crfsuite_lbfgs",
        "W-NUT 2017: CRFsuite, L-BFGS",
        "f",
        f"crfsuite {_WNUT_PEER} --algorithm lbfgs",
    ),
    _accuracy(
        "jnlpba",
        "JNLPBA, words only, trained on all 2,000 abstracts",
        "ents_f",
        "ner.cfg",
        _paths("jnlpba/train.iob2.gz", "jnlpba/test.iob2", "word,ent", _MEDLINE),
    ),
    _two_passes(
        "conll2002_esp_two_pass",
        "CoNLL-2002 Spanish: a second pass",
        "conll2002_esp",
        "ents_f",
        "ner_two_pass.cfg",
        f"{_ESP.replace('{columns}', '-,ent')} --nlp.lang es {_REPAIR}",
    ),
    _two_passes(
        "conll2002_ned_two_pass",
        "CoNLL-2002 Dutch: a second pass",
        "conll2002_ned",
        "ents_f",
        "ner_two_pass.cfg",
        f"{_NED.replace('{columns}', '-,ent')} --nlp.lang nl {_REPAIR}",
    ),
    _two_passes(
        "wnut17_two_pass",
        "W-NUT 2017: a second pass",
        "wnut17",
        "ents_f",
        "ner_two_pass.cfg",
        _paths("wnut17/train.conll", "wnut17/test.conll", "word,ent")
        + " --components.first.model.learner.C 0.03 "
        "--components.ner.model.learner.C 0.03",
    ),
    Entry(
        "bench",
        "speed",
        "Speed and memory, CoNLL-2000",
        (
            "python -m benchmarks --only training,spacy_train,tagging,memory,growth "
            "--output {json}",
        ),
        "One pinned core. CRFsuite in the same run, on the same templates.",
    ),
    Entry(
        "learners",
        "learners",
        "Every learner and CRFsuite's, CoNLL-2000, 19 base templates",
        ("python -m benchmarks --only learners,learners_np --output {json}",),
        "Settings and passes were chosen on held-out training sentences. One seed: "
        "differences below 0.1 mean nothing.",
        slow=True,
    ),
    Entry(
        "kbest",
        "speed",
        "What the n best cost",
        ("python -m benchmarks --only kbest,sums --output {json}",),
    ),
    Entry(
        "calibration",
        "confidence",
        "Probabilities before and after calibration, CoNLL-2002 Spanish",
        (
            f"{LATPERC} fit configs/ner_tags.cfg --quiet -o {{work}}/esp "
            + _paths("conll2002/esp.train.gz", "conll2002/esp.testa", "word,tag,ent")
            + f" --nlp.lang es {_REPAIR}",
            f"{LATPERC} calibrate {{work}}/esp/model-last {{data}}/conll2002/esp.testa "
            "--test {data}/conll2002/esp.testb --output {work}/esp-calibrated "
            "--json {json}",
        ),
        "Passive-aggressive learner, fitted on esp.testa, measured on esp.testb.",
    ),
    Entry(
        "search_errors",
        "learners",
        "Learning with searches that err: UD English EWT, order 2",
        (
            "python -m experiments.search_errors --data ud_ewt --widths 1,2,4,0 "
            "--json {json}",
        ),
        "The templates of Huang's lecture, 10 passes, the pass chosen on dev, 3 seeds. "
        "Beam 0 is the exact search.",
        slow=True,
    ),
    Entry(
        "hidden_states",
        "learners",
        "Labels behind which a hidden cycle turns (Sun et al. 2009, section 4)",
        ("python -m experiments.hidden_states",),
        "Generated data, three data seeds; the true model reaches 84.9.",
    ),
    Entry(
        "votes",
        "learners",
        "Five representations and their votes, CoNLL-2000",
        (
            "python -m experiments.votes configs/chunker_voting.cfg "
            "--paths.train {data}/conll2000/train.txt.gz "
            "--paths.dev {data}/conll2000/test.txt",
        ),
        slow=True,
    ),
    Entry(
        "partial_labels",
        "learners",
        "A fifth of the tags: UD English EWT",
        ("python -m experiments.partial_labels --data ud_ewt",),
        slow=True,
    ),
    Entry(
        "two_domains",
        "learners",
        "Learning a second domain without forgetting the first",
        ("python -m experiments.two_domains",),
        "A tagger over UD English EWT learns 500 sentences of GENIA three times.",
    ),
    Entry(
        "negatives",
        "grammaticality",
        "Counting and sampling",
        ("python -m benchmarks --only ngrams --output {json}",),
        slow=True,
    ),
    Entry(
        "grammaticality",
        "grammaticality",
        "Real sentences against samples of an n-gram model, one view and five",
        (
            "python -m experiments.grammaticality --negatives kn_m --tests 2 "
            "--passes 10 --evaluate 5 --run '1 view' --run '5 views, add' "
            "--json {json}",
        ),
        "50,000 + 50,000 training sentences; A is the same domain, B another one.",
        slow=True,
    ),
    Entry(
        "acceptability",
        "grammaticality",
        "What the scores say about acceptability: BLiMP and CoLA",
        (
            f"{LATPERC} negatives {{data}}/lm_text/domain_a.train.txt.gz "
            "{work}/a.spacy --n 53000 --split 50,3 --save-model {work}/ngrams",
            f"{LATPERC} fit configs/tagger.cfg --quiet --no-evaluation "
            "--output {work}/tagger --paths.train {data}/conll2000/train.txt.gz "
            "--paths.dev {data}/conll2000/test.txt --training.max_epochs 6",
            f"{LATPERC} train-grammaticality {{work}}/a-train.spacy --dev "
            "{work}/a-dev.spacy --tagger {work}/tagger/model-last --quiet "
            "--output {work}/views",
            "python -m experiments.acceptability {work}/views --ngrams {work}/ngrams "
            "--json {json}",
        ),
        "Five views, 50,000 + 50,000 training sentences, and the n-gram model that the "
        "false ones were sampled from. Shares of minimal pairs whose good sentence "
        "scores higher (chance: 50), Matthews correlations and area under the curve "
        "(chance: 0 and 0.5). Nothing was tuned on these sets.",
        slow=True,
    ),
    Entry(
        "error_places",
        "grammaticality",
        "Do the shown spans touch the error?",
        ("python -m experiments.error_places --tests 300",),
        slow=True,
    ),
)
