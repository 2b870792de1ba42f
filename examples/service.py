r"""A service that finds entities in texts.

    MODEL=ner/model-best uvicorn --app-dir examples service:app
    curl localhost:8000/entities -H 'content-type: application/json' \
        -d '{"texts": ["Mr. Hale sleeps in Marleford."]}'

Requires `pip install fastapi uvicorn`; the Dockerfile beside it has all. The server
answers in threads, which share one pipeline.
"""

import os
import threading

import spacy
from fastapi import FastAPI
from pydantic import BaseModel, Field

from spacy_latperc.pipeline.extensions import entity_score

nlp = spacy.load(os.environ.get("MODEL", "model"))
nlp.get_pipe("ner").scores = "marginal"  # the exact probability of each entity
app = FastAPI(title="Entities")
# A zone belongs to the vocabulary: when one ends, no other request may be inside.
zone = threading.Lock()


class Texts(BaseModel):
    """A request."""

    texts: list[str] = Field(max_length=1000)


class Entity(BaseModel):
    """An entity of a text."""

    start: int
    end: int
    label: str
    score: float


@app.post("/entities")
def find_entities(request: Texts) -> list[list[Entity]]:
    """Return the entities of each text. New words are forgotten with the answer."""
    with zone, nlp.memory_zone():
        return [
            [
                Entity(
                    start=ent.start_char,
                    end=ent.end_char,
                    label=ent.label_,
                    score=entity_score(ent),
                )
                for ent in doc.ents
            ]
            for doc in nlp.pipe(request.texts)
        ]


@app.get("/health")
def is_alive() -> dict[str, str]:
    """Return the name of the pipeline."""
    return {"pipeline": nlp.meta["name"]}
