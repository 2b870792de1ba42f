#!/bin/sh
# A fast student of a slow teacher: sh examples/student.sh GOLD DEV RAW ENCODER OUTPUT
#
# GOLD and DEV are annotated data (JSONL, columns, CoNLL-U), RAW has a sentence on each
# line, ENCODER is a folder of `latperc knowledge encoder`. Any other pipeline may teach:
# leave out the first command and name it in the second.
set -e
gold=$1 dev=$2 raw=$3 encoder=$4 output=$5

latperc fit "$gold" --dev "$dev" --lang en --encoder "$encoder" --output "$output/teacher"
latperc annotate "$output/teacher/model-best" --file "$raw" --output "$output/silver.spacy"
latperc fit "$gold" --dev "$dev" --lang en --silver "$output/silver.spacy" --output "$output/student"
