"""What knowledge from outside the training data adds to the accuracy."""

import json
from collections.abc import Sequence
from typing import Any

from .entry import (
    CONLL2000,
    ESP,
    EWT,
    IOB2,
    LATPERC,
    MEDLINE,
    NED,
    NP,
    REPAIR,
    THREE,
    WNUT,
    Entry,
    corpus_paths,
)

Blocks = dict[str, dict[str, Any]]


def two_passes(
    name: str,
    title: str,
    beside: str,
    score: str,
    config: str,
    paths: str,
    more: str = "",
    before: Sequence[str] = (),
) -> Entry:
    """Two components, of which the second reads what the first one wrote."""
    paths = paths.replace("--corpora.train.", "--corpora.train.corpus.")
    command = f"{LATPERC} repeat configs/{config} {paths} {more} {THREE}"
    note = (
        "Both passes by one command. The file is cut into pieces where it marks no "
        "documents."
    )
    headline = {"score": score}
    command = " ".join(command.split())
    return Entry(
        name,
        "knowledge",
        title,
        (*before, command),
        note,
        headline=headline,
        beside=beside,
    )


def with_sources(
    title: str,
    beside: str,
    score: str,
    config: str,
    paths: str,
    sources: Blocks,
    *,
    before: Sequence[str] = (),
    note: str = "",
    name: str = "",
) -> Entry:
    """A config whose features have sources of knowledge.

    The name is made of those of the entry beside it and of the sources, if none is
    given.
    """
    component = config.removesuffix(".cfg").partition("_")[0]
    command = f"{LATPERC} repeat configs/{config} {paths} {THREE} " + _sources(
        component, sources
    )
    return Entry(
        name or "_".join([beside, *sources]),
        "knowledge",
        title,
        (*before, command),
        note,
        headline={"score": score},
        beside=beside,
    )


def _sources(component: str, sources: Blocks) -> str:
    return f"--components.{component}.model.features.sources '{json.dumps(sources)}'"


def _in_both(sources: Blocks) -> str:
    """For both passes."""
    return f"{_sources('first', sources)} {_sources('ner', sources)}"


def _file(path: str) -> dict[str, Any]:
    return {"@misc": "spacy_latperc.ClusterFile.v1", "path": path}


def _clusters(text: str, name: str, more: str = "") -> str:
    return f"{LATPERC} cluster {text} -o {{work}}/{name}.tsv --show 0 {more}".rstrip()


def _own(name: str) -> Blocks:
    return {"own": _file(f"{{work}}/{name}.tsv")}


LOOKUPS = {"@misc": "spacy_latperc.LookupClusters.v1"}
EN: Blocks = {"lookups": LOOKUPS}
FREQUENCY: Blocks = {"frequency": {"@misc": "spacy_latperc.LookupFrequency.v1"}}
TWEETS: Blocks = {"tweets": _file("{data}/clusters/ark_tweets_6mpaths.txt.gz")}
TEXT = (
    "{data}/raw_text/english.txt.gz {data}/lm_text/domain_a.train.txt.gz "
    "{data}/lm_text/domain_b.txt.gz"
)
ENGLISH = _clusters(TEXT, "english", "--lowercase --digits")
CASED = _clusters(TEXT, "cased")
LOOKUPS_NOTE = "Clusters of the Python package spacy-lookups-data."
OWN_NOTE = "Clusters of 17 million words of English text, and those of the package."
SEEN_TWICE = (
    "The test set was scored once before, with IOB2; development data then chose the "
    "default scheme."
)

_WNUT = corpus_paths("wnut17/train.conll", "wnut17/test.conll", "word,ent") + WNUT
_WNUT_TEXTS = tuple(
    f"{LATPERC} convert {{data}}/wnut17/{part}.conll {{work}}/wnut17/{part}.spacy "
    "--columns word,ent"
    for part in ("train", "dev")
)
_WNUT_JOINED = (
    "--corpora.train '"
    + json.dumps({"@readers": "spacy_latperc.DocBinCorpus.v1", "path": "{work}/wnut17"})
    + "' --paths.dev {data}/wnut17/test.conll --corpora.dev.columns word,ent"
    + WNUT
)
_ESP = f"{ESP.replace('{columns}', '-,ent')} --nlp.lang es {REPAIR}"
_NED = f"{NED.replace('{columns}', '-,ent')} --nlp.lang nl {REPAIR}"
_NED_TEXT = (
    f"{LATPERC} convert {{data}}/conll2002/ned.train.gz {{work}}/ned.spacy "
    "--columns word,-,- --repair"
)
_DUTCH = _clusters("{work}/ned.spacy", "dutch", "--lowercase --digits")
_JNLPBA_TEXT = (
    f"{LATPERC} convert {{data}}/jnlpba/train.iob2.gz {{work}}/train.spacy "
    "--columns word,- --doc-mark '###MEDLINE:'"
)
_JNLPBA_CLUSTERS = (
    _JNLPBA_TEXT,
    _clusters("{data}/raw_text/biomedical.txt.gz {work}/train.spacy", "biomedical"),
)
_JNLPBA = corpus_paths("jnlpba/train.iob2.gz", "jnlpba/test.iob2", "word,ent", MEDLINE)

KNOWLEDGE = (
    with_sources(
        "W-NUT 2017: clusters and frequencies of spacy-lookups-data",
        "wnut17",
        "ents_f",
        "ner.cfg",
        _WNUT + IOB2,
        {**EN, **FREQUENCY},
        note="Clusters and frequencies of the Python package spacy-lookups-data. On "
        "development data the scheme IOB2 is better here and without clusters, the "
        "default with clusters of tweets.",
    ),
    with_sources(
        "W-NUT 2017: clusters of tweets",
        "wnut17",
        "ents_f",
        "ner.cfg",
        _WNUT,
        TWEETS,
        note="Brown clusters of Owoputi et al. 2013.",
    ),
    with_sources(
        "W-NUT 2017: clusters of spacy-lookups-data, of tweets and of own text",
        "wnut17",
        "ents_f",
        "ner.cfg",
        _WNUT,
        {**EN, **TWEETS, **_own("english")},
        before=(ENGLISH,),
        note=f"{OWN_NOTE} {SEEN_TWICE}",
    ),
    with_sources(
        "W-NUT 2017: the same clusters, development part joined to the training data",
        "wnut17",
        "ents_f",
        "ner.cfg",
        _WNUT_JOINED,
        {**EN, **TWEETS, **_own("english")},
        before=(*_WNUT_TEXTS, ENGLISH),
        note=f"{OWN_NOTE} {SEEN_TWICE}",
        name="wnut17_joined",
    ),
    with_sources(
        "CoNLL-2002 Spanish: clusters of spacy-lookups-data",
        "conll2002_esp",
        "ents_f",
        "ner.cfg",
        _ESP,
        EN,
        note=LOOKUPS_NOTE,
    ),
    two_passes(
        "conll2002_esp_lookups_two_pass",
        "CoNLL-2002 Spanish: clusters of spacy-lookups-data and a second pass",
        "conll2002_esp",
        "ents_f",
        "ner_two_pass.cfg",
        _ESP,
        _in_both(EN),
    ),
    with_sources(
        "CoNLL-2002 Dutch: clusters of too little text",
        "conll2002_ned",
        "ents_f",
        "ner.cfg",
        _NED,
        _own("dutch"),
        before=(_NED_TEXT, _DUTCH),
        note="Clusters of the words of the training data themselves.",
    ),
    with_sources(
        "UD English EWT: clusters of spacy-lookups-data",
        "ud_ewt",
        "tag_acc",
        "tagger.cfg",
        EWT,
        EN,
        note=LOOKUPS_NOTE,
    ),
    with_sources(
        "UD English EWT: clusters and frequencies of spacy-lookups-data, clusters of "
        "tweets and of own text",
        "ud_ewt",
        "tag_acc",
        "tagger.cfg",
        EWT,
        {**EN, **FREQUENCY, **TWEETS, **_own("english")},
        before=(ENGLISH,),
        note=OWN_NOTE,
    ),
    with_sources(
        "CoNLL-2000, all types: clusters of spacy-lookups-data and of own text",
        "conll2000_all",
        "chunks_f",
        "chunker.cfg",
        CONLL2000,
        {**EN, **_own("cased")},
        before=(CASED,),
        note=OWN_NOTE,
    ),
    with_sources(
        "CoNLL-2000, noun phrases: clusters of spacy-lookups-data and of own text",
        "conll2000_np",
        "chunks_f",
        "chunker.cfg",
        f"{CONLL2000} {NP}",
        {**EN, **_own("cased")},
        before=(CASED,),
        note=OWN_NOTE,
    ),
    with_sources(
        "JNLPBA: clusters of biomedical text",
        "jnlpba",
        "ents_f",
        "ner.cfg",
        _JNLPBA,
        _own("biomedical"),
        before=_JNLPBA_CLUSTERS,
        note="Clusters of three million words of abstracts and articles, and of the "
        "words of the training data.",
    ),
    two_passes(
        "jnlpba_own_two_pass",
        "JNLPBA: clusters of biomedical text and a second pass",
        "jnlpba",
        "ents_f",
        "ner_two_pass.cfg",
        _JNLPBA,
        _in_both(_own("biomedical")),
        before=_JNLPBA_CLUSTERS,
    ),
    two_passes(
        "conll2002_esp_two_pass",
        "CoNLL-2002 Spanish: a second pass",
        "conll2002_esp",
        "ents_f",
        "ner_two_pass.cfg",
        f"{ESP.replace('{columns}', '-,ent')} --nlp.lang es {REPAIR}",
    ),
    two_passes(
        "conll2002_ned_two_pass",
        "CoNLL-2002 Dutch: a second pass",
        "conll2002_ned",
        "ents_f",
        "ner_two_pass.cfg",
        f"{NED.replace('{columns}', '-,ent')} --nlp.lang nl {REPAIR}",
    ),
    two_passes(
        "wnut17_two_pass",
        "W-NUT 2017: a second pass",
        "wnut17",
        "ents_f",
        "ner_two_pass.cfg",
        f"{_WNUT + IOB2} --components.first.model.learner.C 0.03 "
        "--components.first.scheme IOB2",
    ),
    Entry(
        "vectors",
        "knowledge",
        "Word vectors as numbers and as buckets, W-NUT 2017 (development data)",
        ("python -m experiments.vector_values",),
        "Vectors are made of the raw text by counting; the best of several passes.",
        slow=True,
    ),
    Entry(
        "gazetteers",
        "knowledge",
        "Lists of other corpora, and the trap of a list made from the training data",
        ("python -m experiments.gazetteers",),
        "On development data.",
        slow=True,
    ),
)
