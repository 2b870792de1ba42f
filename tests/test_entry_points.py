"""The registered names are public API: pinned here, and each must resolve."""

import re
from importlib.metadata import EntryPoint, distribution

import pytest
import spacy
from thinc.api import registry as thinc_registry

# A name may be added here; it is never removed or renamed, and a change of meaning
# makes a new version beside the old one.
PUBLIC = {
    "spacy_factories": {
        "latperc_chunker",
        "latperc_errors",
        "latperc_grammaticality",
        "latperc_judge",
        "latperc_ner",
        "latperc_parser",
        "latperc_tagger",
    },
    "spacy_architectures": {
        "spacy_latperc.ChainModel.v1",
        "spacy_latperc.LatentClassifier.v1",
        "spacy_latperc.ParserModel.v1",
    },
    "spacy_misc": {
        "spacy_latperc.AROW.v1",
        "spacy_latperc.Beam.v1",
        "spacy_latperc.MIRA.v1",
        "spacy_latperc.CRFBatch.v1",
        "spacy_latperc.Gazetteer.v1",
        "spacy_latperc.GrammaticalityFeatures.v1",
        "spacy_latperc.Function.v1",
        "spacy_latperc.NgramEvidence.v1",
        "spacy_latperc.ContextEvidence.v1",
        "spacy_latperc.VectorValues.v1",
        "spacy_latperc.Patterns.v1",
        "spacy_latperc.HMM.v1",
        "spacy_latperc.ClusterFile.v1",
        "spacy_latperc.Lookups.v1",
        "spacy_latperc.LCLR.v1",
        "spacy_latperc.LatentPA.v1",
        "spacy_latperc.ErrorFeatures.v1",
        "spacy_latperc.NERFeatures.v1",
        "spacy_latperc.PaperFeatures.v1",
        "spacy_latperc.CRF.v1",
        "spacy_latperc.DynamicOracle.v1",
        "spacy_latperc.OutsideScores.v1",
        "spacy_latperc.ParserFeatures.v1",
        "spacy_latperc.PassiveAggressive.v1",
        "spacy_latperc.Perceptron.v1",
        "spacy_latperc.ProbabilisticPerceptron.v1",
        "spacy_latperc.RichChunkingFeatures.v1",
        "spacy_latperc.TaggingFeatures.v1",
        "spacy_latperc.Templates.v1",
        "spacy_latperc.ViolationFixing.v1",
        "spacy_latperc.Viterbi.v1",
    },
    "thinc_optimizers": {"spacy_latperc.NoOptimizer.v1"},
    "thinc_schedules": {"spacy_latperc.InverseDecay.v1"},
    "spacy_readers": {
        "spacy_latperc.ColumnCorpus.v1",
        "spacy_latperc.ConlluCorpus.v1",
        "spacy_latperc.DocBinCorpus.v1",
        "spacy_latperc.Jackknifed.v1",
        "spacy_latperc.JsonlCorpus.v1",
    },
    "spacy_scorers": {"spacy_latperc.scorer.v1"},
    "spacy_callbacks": {
        "spacy_latperc.Calibrate.v1",
        "spacy_latperc.SaveWhole.v1",
        "spacy_latperc.NounChunks.v1",
    },
    "spacy_cli": {"latperc"},
    "console_scripts": {"latperc"},
}
ENTRY_POINTS = sorted(distribution("spacy-latperc").entry_points)
VERSIONED = re.compile(r"spacy_latperc\.\w+\.v[1-9]\d*")
# E853: the name of a factory has no dots; the command line is no registry of functions.
UNVERSIONED = ("spacy_factories", "spacy_cli", "console_scripts")


def in_group(*groups: str) -> list[EntryPoint]:
    return [entry for entry in ENTRY_POINTS if entry.group in groups]


def test_entry_points_are_the_public_names_and_have_a_version():
    found: dict[str, set[str]] = {}
    for entry in ENTRY_POINTS:
        found.setdefault(entry.group, set()).add(entry.name)
    assert found == PUBLIC
    for entry in ENTRY_POINTS:
        if entry.group in UNVERSIONED:
            assert entry.name == "latperc" or entry.name.startswith("latperc_")
        else:
            assert VERSIONED.fullmatch(entry.name), entry.name


def test_entry_points_import_and_resolve_through_the_registry():
    assert not [entry for entry in ENTRY_POINTS if not callable(entry.load())]
    for entry in ENTRY_POINTS:
        if entry.group not in UNVERSIONED:
            library, _, table = entry.group.partition("_")
            registry = spacy.registry if library == "spacy" else thinc_registry
            assert registry.get(table, entry.name) is entry.load()


@pytest.mark.parametrize(
    "entry", in_group("spacy_factories"), ids=lambda entry: entry.name
)
def test_entry_points_factories_make_a_component(entry):
    nlp = spacy.blank("en")
    assert nlp.has_factory(entry.name)
    assert nlp.get_factory_meta(entry.name).factory == entry.name
    nlp.add_pipe(entry.name)
    assert nlp.pipe_names == [entry.name]


def test_entry_points_command_line_is_a_plug_in_of_spacy():
    from typer.testing import CliRunner

    command = in_group("spacy_cli")[0].load()
    result = CliRunner().invoke(command, ["--help"])
    assert result.exit_code == 0
