#!/bin/sh
# doc.noun_chunks for a language that spaCy has none for, learned from a treebank:
# sh examples/noun_chunks.sh LANG TRAIN.conllu DEV.conllu OUTPUT
set -e
lang=$1 train=$2 dev=$3 output=$4

mkdir -p "$output"
cat > "$output/noun_chunks.cfg" <<CONFIG
[nlp]
lang = "$lang"
pipeline = ["tagger", "chunker"]

[nlp.after_pipeline_creation]
@callbacks = "spacy_latperc.NounChunks.v1"
spans_key = "chunks"
labels = ["NP"]

[components]

[components.tagger]
factory = "latperc_tagger"

[components.chunker]
factory = "latperc_chunker"

[corpora]

[corpora.train]
@readers = "spacy_latperc.Jackknifed.v1"
component = "tagger"

[corpora.train.corpus]
@readers = "spacy_latperc.ConlluCorpus.v1"
path = "$train"
chunks_from_ud = true

[corpora.dev]
@readers = "spacy_latperc.ConlluCorpus.v1"
path = "$dev"
chunks_from_ud = true

[training]
max_epochs = 8
CONFIG
latperc fit "$output/noun_chunks.cfg" --output "$output"
