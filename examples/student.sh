#!/bin/sh
# A fast student of a slow teacher: sh examples/student.sh GOLD DEV RAW ENCODER OUTPUT
#
# GOLD and DEV are annotated data (JSONL, columns, CoNLL-U), RAW has a sentence on each
# line, ENCODER is a folder of `latperc knowledge encoder`. Any other pipeline may teach:
# leave out the first command and name it in the second. Tags and trees want
# silver.conllu, entities silver.jsonl.
set -e
gold=$1 dev=$2 raw=$3 encoder=$4 output=$5
silver=${6:-silver.jsonl}

mkdir -p "$output/mixed"
latperc fit "$gold" --dev "$dev" --lang en --encoder "$encoder" --output "$output/teacher"
latperc annotate "$output/teacher/model-best" --file "$raw" --output "$output/mixed/$silver"

# The gold counts three times, each sentence of the silver once.
for copy in 1 2 3; do
    cp "$gold" "$output/mixed/gold-$copy.${gold##*.}"
done
latperc fit "$output/mixed" --dev "$dev" --lang en --output "$output/student"
