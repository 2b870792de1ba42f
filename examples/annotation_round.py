"""A round of annotation of entities, with doccano or Prodigy.

    python examples/annotation_round.py MODEL RAW DONE TASKS

Chooses texts of the file RAW (one on each line) that are worth annotating next, leaves
out those that the exports in the folder DONE have, and writes them with the predictions
of MODEL to TASKS/doccano.jsonl and TASKS/prodigy.jsonl. Correct one of these:

    doccano   import it (sequence labelling, JSONL), export to DONE/1.jsonl
    Prodigy   prodigy ner.manual first blank:en TASKS/prodigy.jsonl --label PER,LOC
              prodigy db-out first > DONE/1.jsonl

Then teach the model, and begin again with NEW/model-best:

    latperc fit DONE --from MODEL --output NEW
"""

import sys
from pathlib import Path
from typing import Any

import spacy
import srsly

from spacy_latperc.cli import latperc_cli


def for_prodigy(record: dict[str, Any], nlp: spacy.Language) -> dict[str, Any]:
    """Return a record as Prodigy reads it: with tokens, and spans that name them."""
    doc = nlp.make_doc(record["text"])
    tokens = [
        {"text": token.text, "start": token.idx, "end": token.idx + len(token), "id": i}
        for i, token in enumerate(doc)
    ]
    spans = []
    for span in record["spans"]:
        found = doc.char_span(span["start"], span["end"])
        spans.append({**span, "token_start": found.start, "token_end": found.end - 1})
    return {**record, "tokens": tokens, "spans": spans}


def main(model: str, raw: str, done: str, tasks: str, n: str = "100") -> None:
    folder = Path(tasks)
    folder.mkdir(parents=True, exist_ok=True)
    records = (x for path in Path(done).glob("*.jsonl") for x in srsly.read_jsonl(path))
    known = {record["text"] for record in records}
    texts = [x for x in Path(raw).read_text("utf8").splitlines() if x not in known]
    left, chosen = folder / "left.txt", folder / "doccano.jsonl"
    left.write_text("\n".join(texts), "utf8")
    command = ["suggest", model, str(left), "--output", str(chosen), "-n", n]
    latperc_cli(command, standalone_mode=False)
    found = list(srsly.read_jsonl(chosen))
    rows = [{"text": x["text"], "label": x.pop("label")} for x in found]
    srsly.write_jsonl(chosen, rows)
    nlp = spacy.load(model)
    srsly.write_jsonl(folder / "prodigy.jsonl", [for_prodigy(x, nlp) for x in found])


if __name__ == "__main__":
    main(*sys.argv[1:])
