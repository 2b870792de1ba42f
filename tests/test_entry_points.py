"""The registered names are public API: each has a version and must resolve."""

import re
from importlib.metadata import EntryPoint, distribution

import pytest
import spacy
from project_files import read_pyproject
from thinc.api import registry as thinc_registry

# A name may be added here; it is never removed or renamed, and a change of meaning
# makes a new version beside the old one.
ENTRY_POINTS = sorted(distribution("spacy-latperc").entry_points)
VERSIONED = re.compile(r"spacy_latperc\.\w+\.v[1-9]\d*")
# E853: the name of a factory has no dots; the command line is no registry of functions.
UNVERSIONED = ("spacy_factories", "spacy_cli", "console_scripts")


def in_group(*groups: str) -> list[EntryPoint]:
    return [entry for entry in ENTRY_POINTS if entry.group in groups]


def test_entry_points_are_the_declared_names_and_have_a_version():
    project = read_pyproject()["project"]
    declared = {**project["entry-points"], "console_scripts": project["scripts"]}
    found = {(x.group, x.name, x.value) for x in ENTRY_POINTS}
    assert found == {
        (group, name, value)
        for group, entries in declared.items()
        for name, value in entries.items()
    }, "reinstall: the metadata is stale"
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
