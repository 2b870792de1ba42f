"""`spacy latperc knowledge contexts`."""

from wasabi import msg

from ...cli.failures import failures_shown
from ...cli.groups import wing_app
from ...cli.options import Lang, OutputFile, Quiet, RawTexts, TextField
from ...cli.raw_text import RawTextReader
from ...io.outputs import check_target
from ..evidence.context_model import ContextModel
from ..evidence.lexicon import Lexicon

app = wing_app()


@app.command("contexts")
def knowledge_contexts_cli(
    texts: RawTexts,
    output: OutputFile,
    lang: Lang = "",
    field: TextField = "text",
    quiet: Quiet = False,
) -> None:
    """Train a context model on raw text.

    The model says how probable a word is between its neighbours, and whether another
    one, one more or none would fit better. The file is what
    spacy_latperc.ContextEvidence.v1 reads, a source of attributes for the templates of
    every component.
    """
    with failures_shown():
        check_target(output, sources=texts)
        reader = RawTextReader(lang, field, quiet=quiet)
        text = reader.read(texts)
        model = ContextModel.learn(text, Lexicon(text))
        model.to_disk(output)
    if quiet:
        return
    reader.done(f"{len(model.keys):,} words and spellings")
    n = f"{model.nbytes / 1e6:.1f} MB, {reader.seconds:.1f} s"
    msg.good(f"Wrote {output}: {n}")
