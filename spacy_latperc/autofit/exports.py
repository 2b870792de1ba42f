"""Annotated texts as annotation tools export them: Prodigy, doccano, Label Studio.

- Prodigy: `spans` of `start`, `end` and `label`, with `tokens` and `answer`; classes as
  `options` and `accept`.
- doccano: `label` with lists of start, end and label, or `entities` of `start_offset`,
  `end_offset` and `label`; classes as `label`.
- Label Studio: `annotations` with a `result` whose `value` has `labels` or `choices`,
  or `label` with such values (JSON-MIN).
- Data sets as `datasets` exports them: `tokens` with a list of labels for them, such as
  `ner_tags`.

Each record is recognised by itself, so a file may have several of these forms. The
fields `text` and, for given tokens, `tokens` are common to all.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from ..io.jsonl import MOST_OBJECT_BYTES, JsonLine, read_jsonl
from ..io.packed import open_unpacked, without_packing
from ..schemes import read_spans
from .detect import is_span_label

# Lists of spans, in the order in which they are looked for.
_SPANS = ("spans", "entities", "ents", "label", "labels")
# Lists of a label for each token.
_TOKEN_LABELS = ("ner_tags", "tags", "ner", "labels", "label")
_NOT_ACCEPTED = ("reject", "ignore")


class TextSpan(NamedTuple):
    """An annotated span of characters."""

    start: int
    end: int
    label: str


@dataclass
class AnnotatedText:
    """A text with its annotation.

    Attributes:
        path: The file.
        line: The line of the file, or the number of the record in a JSON list.
        text: The text.
        spans: Its spans; None if they are not annotated.
        classes: The classes of the text with 1 or 0; None if they are not annotated.
        words: The tokens; None to tokenise the text.
        skipped: True for records that the annotators did not accept.
        moved: True if offsets counted UTF-16 units and were converted.
    """

    path: Path
    line: int
    text: str
    spans: list[TextSpan] | None = None
    classes: dict[str, float] | None = None
    words: list[str] | None = None
    skipped: bool = False
    moved: bool = False


def read_export(path: Path) -> Iterator[AnnotatedText]:
    """Yield the annotated texts of a .jsonl file, or of a .json file with a list."""
    lines = _objects(path) if without_packing(path.name).endswith(".json") else None
    for line in lines or read_jsonl(path):
        yield _Record(line).read()


def _objects(path: Path) -> Iterator[JsonLine]:
    """Yield the objects of a list, or of an object with a list of examples."""
    with open_unpacked(path) as file:
        content = file.read(64 * MOST_OBJECT_BYTES)
    try:
        found = json.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise JsonLine(path, 1, {}).error(f"it is not JSON ({error})") from error
    if isinstance(found, dict):
        lists = [x for x in found.values() if isinstance(x, list)]
        found = lists[0] if len(lists) == 1 and "text" not in found else [found]
    for number, fields in enumerate(found if isinstance(found, list) else [found], 1):
        match fields:
            case [text, dict() as annotation]:  # spaCy's tuples
                fields = {**annotation, "text": text}
        if not isinstance(fields, dict):
            problem = f"record {number} is not a JSON object"
            raise JsonLine(path, number, {}).error(problem)
        yield JsonLine(path, number, fields)


class _Record:
    """The reader of one record."""

    def __init__(self, line: JsonLine):
        self.line, self.fields = line, line.fields

    def read(self) -> AnnotatedText:
        if isinstance(self.fields.get("data"), dict):
            return self._label_studio(self.fields["data"])
        words = self._words()
        text = self.fields.get("text")
        if text is None and words is not None:
            text = " ".join(words)
        found = self._start(text)
        found.words = words
        found.skipped = self.fields.get("answer") in _NOT_ACCEPTED
        if "options" in self.fields:
            found.classes = self._choices()
        if words is not None and self._read_token_labels(found, words):
            return found
        for name in _SPANS:
            given = self.fields.get(name)
            if isinstance(given, str):
                given = [given]
            if not isinstance(given, list):
                continue
            classes = given and all(isinstance(x, str) for x in given)
            if classes and name in ("label", "labels"):
                found.classes = dict.fromkeys(given, 1.0)
            else:
                found.spans = [self._span(span, found.text) for span in given]
                self._convert_offsets(found, [_text_of(span) for span in given])
            break
        return found

    def _start(self, text: object) -> AnnotatedText:
        if not isinstance(text, str):
            of_type = f"a text of the type {type(text).__name__}"
            what = "no text" if text is None else of_type
            raise self.line.error(f'it has {what}: "text" must be a string')
        return AnnotatedText(self.line.path, self.line.number, text)

    def _words(self) -> list[str] | None:
        """Return the tokens: strings, or objects with a text."""
        tokens = self.fields.get("tokens")
        if tokens is None:
            return None
        found: list[Any] = [
            token.get("text") if isinstance(token, Mapping) else token
            for token in (tokens if isinstance(tokens, list) else [None])
        ]
        if not all(isinstance(word, str) and word for word in found):
            raise self.line.error('"tokens" must be strings or have a "text" each')
        return found

    def _read_token_labels(self, found: AnnotatedText, words: Sequence[str]) -> bool:
        """Set the spans that labels of the tokens describe, if there are any."""
        given = {name: self.fields.get(name) for name in _TOKEN_LABELS}
        lists = {x: y for x, y in given.items() if isinstance(y, list) and y}
        for name, labels in lists.items():
            if all(_is_count(label) for label in labels):
                problem = f'"{name}" holds numbers: write the names of the labels'
                raise self.line.error(problem)
            if not all(isinstance(x, str) and is_span_label(x) for x in labels):
                continue
            if len(labels) != len(words):
                problem = f'"{name}" has {len(labels)} labels for {len(words)} tokens'
                raise self.line.error(problem)
            places, end = [], 0
            for word in words:
                start = found.text.find(word, end)
                if start < 0:
                    raise self.line.error(f'its text lacks the token "{word}"')
                places.append((start, end := start + len(word)))
            found.spans = [
                TextSpan(places[start][0], places[end - 1][1], label)
                for start, end, label in read_spans(labels)
            ]
            return True
        return False

    def _choices(self) -> dict[str, float]:
        options, accepted = self.fields["options"], self.fields.get("accept", [])
        if not isinstance(options, list) or not isinstance(accepted, list):
            raise self.line.error('"options" and "accept" must be lists')
        names = [x.get("id") if isinstance(x, Mapping) else x for x in options]
        return {str(name): float(name in accepted) for name in names}

    def _span(self, given: object, text: str) -> TextSpan:
        start: Any = None
        end = label = start
        if isinstance(given, Mapping):
            start = given.get("start", given.get("start_offset"))
            end = given.get("end", given.get("end_offset"))
            label = given.get("label", given.get("labels"))
        elif isinstance(given, list) and len(given) >= 3:
            start, end, label = given[:3]
        if isinstance(label, list) and len(label) == 1:
            label = label[0]
        if not (_is_count(start) and _is_count(end) and isinstance(label, str)):
            problem = f"a span needs start, end and a label, not {json.dumps(given)}"
            raise self.line.error(problem)
        if not 0 <= start < end <= len(text.encode("utf-16-le")) // 2 or not label:
            shown = f"[{start}, {end}, {json.dumps(label)}]"
            problem = f"span {shown} does not lie in its text of {len(text)} characters"
            raise self.line.error(problem)
        return TextSpan(start, end, label)

    def _convert_offsets(
        self, found: AnnotatedText, texts: Sequence[str | None]
    ) -> None:
        """Convert offsets that count UTF-16 units, as JavaScript does, if they run over
        the end of the text or point to other text than the export quotes."""
        spans, text = found.spans or [], found.text
        if all(ord(char) < 1 << 16 for char in text):
            return
        units = [0]
        for char in text:
            units.append(units[-1] + 1 + (ord(char) >= 1 << 16))
        places = {unit: place for place, unit in enumerate(units)}
        wrong = any(
            span.end > len(text) or quoted not in (None, text[span.start : span.end])
            for span, quoted in zip(spans, texts, strict=True)
        )
        if not wrong:
            return
        if not all(x.start in places and x.end in places for x in spans):
            raise self.line.error("spans point into the middle of a character")
        found.spans = [TextSpan(places[x.start], places[x.end], x.label) for x in spans]
        found.moved = True

    def _label_studio(self, data: Mapping[str, Any]) -> AnnotatedText:
        tasks = self.fields.get("annotations", self.fields.get("completions", []))
        if not isinstance(tasks, list):
            raise self.line.error('"annotations" must be a list')
        done = [x for x in tasks if isinstance(x, Mapping)]
        kept = [x for x in done if not x.get("was_cancelled")]
        texts = [x for x in data.values() if isinstance(x, str)]
        found = self._start(data.get("text", texts[0] if len(texts) == 1 else None))
        found.skipped = not kept
        quoted: list[str | None] = []
        for item in kept[0].get("result", []) if kept else []:
            value = item.get("value") if isinstance(item, Mapping) else None
            if not isinstance(value, Mapping):
                raise self.line.error('a "result" needs a "value"')
            if "choices" in value:
                classes = found.classes = found.classes or {}
                classes.update({str(choice): 1.0 for choice in value["choices"]})
            elif "start" in value:
                found.spans = found.spans or []
                found.spans.append(self._span(value, found.text))
                quoted.append(_text_of(value))
        if kept and found.spans is None and found.classes is None:
            found.spans = []
        self._convert_offsets(found, quoted)
        return found


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _text_of(span: object) -> str | None:
    text = span.get("text") if isinstance(span, Mapping) else None
    return text if isinstance(text, str) else None
