"""`spacy latperc knowledge clusters`."""

import typer
from wasabi import msg

from ..errors import Warnings
from ..io.outputs import check_target, write_output
from ..knowledge.clustering import (
    ENOUGH_TOKENS,
    ClusterSettings,
    Pass,
    WordClusters,
    cluster_words,
)
from . import knowledge_cli
from .failures import failures_shown
from .options import Digits, Lang, Lowercase, OutputFile, Quiet, RawTexts, TextField
from .raw_text import RawTextReader

_DEFAULT = ClusterSettings()


@knowledge_cli.command("clusters")
def knowledge_clusters_cli(
    texts: RawTexts,
    output: OutputFile,
    classes: int = typer.Option(
        _DEFAULT.classes, "--classes", "-k", help="How many clusters"
    ),
    min_count: int = typer.Option(
        _DEFAULT.min_count, help="How often a word must occur to get a cluster"
    ),
    passes: int = typer.Option(
        _DEFAULT.passes, "--passes", "-n", help="Passes over the words, at most"
    ),
    lowercase: Lowercase = False,
    digits: Digits = False,
    lang: Lang = "",
    field: TextField = "text",
    show: int = typer.Option(20, min=0, help="How many clusters to show with words"),
    threads: int = typer.Option(_DEFAULT.threads, "--threads", "-t", help="Threads"),
    quiet: Quiet = False,
) -> None:
    """
    Make clusters of words from raw text.

    Words with similar neighbours are in the same cluster, a leaf of a binary tree. Each
    line of the file has its path in bits, the word and its count, as for Brown
    clusters. Use a few million words of text of the same kind as your data.
    """
    with failures_shown():
        settings = ClusterSettings(classes, min_count, passes, threads=threads)
        settings.check()
        check_target(output, sources=texts, suffixes=[".tsv"])
        reader = RawTextReader(
            lang, field, lowercase=lowercase, digits=digits, quiet=quiet
        )
        progress = None if quiet else _show_pass
        clusters = cluster_words(reader.read(texts), settings, progress=progress)
        write_output(output, clusters.to_bytes())
    if clusters.tokens < ENOUGH_TOKENS:
        msg.warn(Warnings.LP972.format(tokens=clusters.tokens, least=ENOUGH_TOKENS))
    if not quiet:
        _show_clusters(clusters, show)
        n = f"{len(clusters.words):,} words in {classes:,} clusters"
        msg.good(f"Wrote {output}: {n}, {reader.seconds:.1f} s")


def _show_pass(report: Pass) -> None:
    if report.number:
        msg.text(
            f"{report.seconds:6.1f} s  pass {report.number:2}  "
            f"{report.bits:.4f} bits a word  {report.moved:,} words moved"
        )


def _show_clusters(clusters: WordClusters, n: int) -> None:
    """Print the most frequent words of n clusters, in the order of the tree."""
    order = sorted(range(len(clusters.paths)), key=clusters.paths.__getitem__)
    for place in range(min(n, len(order))):
        cls = order[place * len(order) // min(n, len(order))]
        words = [clusters.words[word] for word in clusters.members[cls][:8].tolist()]
        msg.text(f"{clusters.paths[cls]:<20} {' '.join(words)}")
