"""`python -m tools.docs_reference`: the documentation with its reference pages.

Learners, components, commands, public names and error codes are described where they
are defined, and nowhere a second time. The script writes them beside a copy of docs/,
from which any builder makes the site.
"""

import importlib
import inspect
import json
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import srsly
import tomllib

from spacy_latperc.cli.groups import DATA, LOOK, TEXT, TRAIN, one_line
from spacy_latperc.features.sets import FeatureSet, make_set, with_history
from spacy_latperc.learners.learner_settings import LearnerSettings
from tools.messages import messages_by_code

LEARNERS = ("LearnerSettings", "ClassifierSettings")
ROOT = Path(__file__).resolve().parent.parent
_ENTRY = re.compile(r"^(?P<name>\w+): (?P<text>.*)$")
_ENTRIES = re.compile(r"^(?P<name>\w+(, \w+)*): (?P<text>.*)$")
_LIST = ("- ", "  ")
_MODULES = re.compile(
    r"\b(?:numpy|typing|collections|pathlib|confection|spacy\w*|thinc)\.(?:\w+\.)*(?=\w)"
)
_ARRAY = re.compile(r"ndarray\[tuple\[Any, \.\.\.\], dtype\[(\w+)\]\]")
# Where a docstring begins with its registered name, which the page has anyway.
_REGISTERED = re.compile(r"^Registered as [\w.]+[:,] (\w)")
_OBJECT = re.compile(r" = .*<.*")


def main() -> None:
    """Write all pages to build/docs."""
    folder = ROOT / "build" / "docs"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "docs", folder)
    for name, text in {**generated_pages(), **files_for_programs()}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def files_for_programs() -> dict[str, str]:
    """The messages as JSON, and a list of all pages (https://llmstxt.org)."""
    site = srsly.read_yaml(ROOT / "mkdocs.yml")
    lines = [f"# {site['site_name']}", f"> {site['site_description']}"]
    for section in site["nav"]:
        for title, pages in section.items():
            lines += [f"## {title}", "\n".join(_listed(pages))]
    text = "\n\n".join(lines) + "\n"
    return {"reference/errors.json": errors_as_json(), "llms.txt": text}


def _listed(pages: list) -> Iterator[str]:
    """The pages of a part of the navigation as links."""
    for entry in pages:
        title, below = entry, entry
        if isinstance(entry, dict):
            ((title, below),) = entry.items()
        if isinstance(below, list):
            yield from _listed(below)
        else:
            title = Path(title).stem if title == below else title
            yield f"- [{title}]({below.removesuffix('.md')}.html)"


def generated_pages() -> dict[str, str]:
    """All generated pages, by their path in the site."""
    return {
        **learner_pages(),
        "reference/components.md": components_page(),
        "reference/blocks.md": blocks_page(),
        "reference/cli.md": commands_page(),
        "reference/python.md": python_page(),
        "reference/errors.md": errors_page(),
    }


def entry_points(group: str) -> dict[str, Callable]:
    """The functions that pyproject.toml registers in a group, by name."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    table = tomllib.loads(text)["project"]["entry-points"][group]
    found = {}
    for name, target in table.items():
        module, _, attribute = target.partition(":")
        found[name] = getattr(importlib.import_module(module), attribute)
    return found


# Learners -----------------------------------------------------------------------------


def learner_pages() -> dict[str, str]:
    """One page for each learner, and a table of them."""
    rows = ["| learner | in one line |", "| --- | --- |"]
    pages = {}
    for name, function in sorted(entry_points("spacy_misc").items()):
        if not returns_learner(function):
            continue
        short = name.removeprefix("spacy_latperc.").removesuffix(".v1")
        module = importlib.import_module(function.__module__)
        body = [
            f"# {short}",
            _config_block(name, function),
            _paragraphs(inspect.getdoc(module) or ""),
            "## Settings",
            _summary(function),
            settings_table(function),
        ]
        pages[f"reference/learners/{short}.md"] = "\n\n".join(body) + "\n"
        line = _cell(_summary(function))
        rows.append(f"| [`{short}.v1`]({short}.md) | {line} |")
    intro = (
        "# Learners\n\n`PassiveAggressive.v1` is the default and a good choice. Take "
        "`CRF.v1` where probabilities matter most, `ViolationFixing.v1` with a beam, "
        "and `HMM.v1` for a baseline in a second.\n\nA learner is one block of the "
        "config; everything else stays as it is. In the config every name begins with "
        "`spacy_latperc.`. Unless their page says otherwise, learners work with any "
        "number of latent states, with `order` 0, 1 or 2, and with partial annotation. "
        "`LatentPA` and `LCLR` are for `latperc_grammaticality`, "
        "`DynamicOracle` is for greedy parsers, all others for the components that "
        "label tokens. Parsers with a beam learn by `ViolationFixing`.\n\n"
        "The pages name five papers by short keys (LVP, PP, MV, SL, DSL): see "
        "[Architecture](../../dev/architecture.md#from-the-papers-to-the-files).\n"
    )
    pages["reference/learners/index.md"] = intro + "\n" + "\n".join(rows) + "\n"
    return pages


def returns_learner(function: Callable) -> bool:
    """True if a registered function makes a learner."""
    return _returns(function, *LEARNERS)


def _returns(function: Callable, *names: str) -> bool:
    returned = inspect.signature(function).return_annotation
    name = returned if isinstance(returned, str) else getattr(returned, "__name__", "")
    return name in names


def _config_block(name: str, function: Callable) -> str:
    lines = ["```ini", "[components.NAME.model.learner]", f'@misc = "{name}"']
    for parameter in inspect.signature(function).parameters.values():
        lines.append(f"{parameter.name} = {_as_config(parameter.default)}")
    return "\n".join([*lines, "```"])


def _as_config(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value}"'
    return str(value)


# Docstrings ---------------------------------------------------------------------------


def described(function: Callable) -> tuple[str, dict[str, str]]:
    """The text of a docstring before its arguments, and what it says of each."""
    text: list[str] = []
    arguments: dict[str, str] = {}
    current = None
    names = set(inspect.signature(function).parameters)
    for line in (inspect.getdoc(function) or "").splitlines():
        stripped = line.strip()
        entry = _ENTRY.match(stripped)
        if stripped in ("Args:", "Attributes:", "Returns:", "Raises:"):
            current = None if stripped in ("Args:", "Attributes:") else ""
        elif entry and entry["name"] in names:
            current = entry["name"]
            arguments[current] = entry["text"]
        elif current and stripped:
            arguments[current] += " " + stripped
        elif current is None:
            text.append(line)
    return "\n".join(text).strip(), arguments


def setting_texts(function: Callable) -> dict[str, str]:
    """The description of each parameter, also where many functions share one."""
    text, arguments = described(function)
    common = {
        name: sentence
        for name in inspect.signature(function).parameters
        for sentence in re.split(r"(?<=\.)\s", " ".join(text.split()))
        if f"`{name}`" in sentence
    }
    for shared in (with_history, make_set, FeatureSet):
        if _returns(function, "FeatureSet"):
            common |= described(shared)[1]
    if returns_learner(function):
        common = described(LearnerSettings)[1]
    names = inspect.signature(function).parameters
    return {name: arguments.get(name) or common.get(name, "") for name in names}


def settings_table(function: Callable) -> str:
    """The parameters of a registered function as a table."""
    arguments = setting_texts(function)
    if _returns(function, "FeatureSet") and "templates" not in arguments:
        # What all named sets have is said once on the page.
        for name in FeatureSet.__dataclass_fields__.keys() & arguments.keys():
            arguments[name] = "See [Templates](#templates)."
    rows = ["| setting | default | meaning |", "| --- | --- | --- |"]
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            continue
        default = parameter.default
        shown = "" if default is parameter.empty else f"`{_as_config(default)}`"
        meaning = _cell(arguments.get(parameter.name, ""))
        rows.append(f"| `{parameter.name}` | {shown} | {meaning} |")
    return "\n".join(rows)


def _summary(function: Callable) -> str:
    text, _ = described(function)
    return " ".join(text.split("\n\n")[0].split())


def _cell(text: str) -> str:
    """Text in a cell of a table."""
    return text.replace("<", "&lt;").replace("|", "\\|")


def _paragraphs(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.splitlines())


# Components ---------------------------------------------------------------------------


def components_page() -> str:
    """The factories, their settings and what they assign."""
    from spacy.language import Language

    parts = ["# Components", "All but `latperc_judge` are a `TrainablePipe` of spaCy."]
    for name, function in entry_points("spacy_factories").items():
        meta = Language.get_factory_meta(name)
        text, arguments = described(function)
        rows = ["| setting | default | meaning |", "| --- | --- | --- |"]
        for setting, default in meta.default_config.items():
            shown = _as_config(default)
            if isinstance(default, dict):
                shown = next((default[key] for key in default if key[0] == "@"), "{}")
            meaning = _cell(arguments.get(setting, ""))
            rows.append(f"| `{setting}` | `{shown}` | {meaning} |")
        weights = ", ".join(f"`{key}`" for key in meta.default_score_weights)
        parts += [
            f"## {name}",
            text,
            f"Assigns: {', '.join(f'`{item}`' for item in meta.assigns)}. "
            f"Scores: {weights}.",
            "\n".join(rows),
        ]
        if model := meta.default_config.get("model"):
            block = ["```ini", *_blocks(f"components.{name}.model", model), "```"]
            parts += ["The default model:", "\n".join(block)]
    return "\n\n".join(parts) + "\n"


def _blocks(name: str, block: dict[str, Any]) -> Iterator[str]:
    """A block of a config and those inside it, line by line."""
    yield f"[{name}]"
    for key, value in block.items():
        if not isinstance(value, dict):
            yield f"{key} = {_as_config(value)}"
    for key, value in block.items():
        if isinstance(value, dict):
            yield ""
            yield from _blocks(f"{name}.{key}", value)


# Blocks -------------------------------------------------------------------------------

# The groups of registered functions: title, what a config calls them by, introduction.
GROUPS: dict[str, tuple[str, str, str]] = {
    "spacy_architectures": (
        "Models",
        "@architectures",
        "The `model` block of a component. [The model block](config.md) explains it.",
    ),
    "spacy_misc": (
        "Parts of models",
        "@misc",
        "[Learners](learners/index.md) have pages of their own. [Templates]"
        "(templates.md) says what the named sets are good for.",
    ),
    "spacy_readers": (
        "Corpora",
        "@readers",
        "The blocks below `[corpora]`. [Prepare data](../guides/data.md) has examples.",
    ),
    "spacy_callbacks": (
        "Callbacks",
        "@callbacks",
        "For the places of a config that call functions, such as "
        "`[initialize.after_init]` and `[training.before_to_disk]`.",
    ),
    "spacy_scorers": ("Scorers", "@scorers", "The `scorer` of a component."),
    "thinc_schedules": ("Schedules", "@schedules", "In place of a learn rate."),
    "thinc_optimizers": (
        "Optimizers",
        "@optimizers",
        "The block `[training.optimizer]`.",
    ),
}


def blocks_page() -> str:
    """Every registered function that is neither a learner nor a component."""
    known = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    groups = [
        group
        for group in known["project"]["entry-points"]
        if group not in ("spacy_factories", "spacy_cli")
    ]
    parts = [
        "# Blocks of a config",
        "All functions that a config can name, each with the line that names it.",
    ]
    for group in sorted(groups, key=[*GROUPS, *groups].index):
        title, key, intro = GROUPS.get(group, (group, f"@{group}", ""))
        parts += [f"## {title}", f"`{key}`. {intro}".rstrip()]
        functions = {
            name: function
            for name, function in entry_points(group).items()
            if not returns_learner(function)
        }
        for name, function in functions.items():
            text, _ = described(function)
            parts += [
                f"### {_heading(name, functions)}",
                f'`{key} = "{name}"`',
                _cell(_REGISTERED.sub(lambda found: found[1].upper(), text)),
            ]
            if inspect.signature(function).parameters:
                parts.append(settings_table(function))
    return "\n\n".join(parts) + "\n"


def _heading(name: str, names: Iterable[str]) -> str:
    """A registered name without what all have; with its version if it has several."""
    base = name.rpartition(".")[0]
    several = sum(other.rpartition(".")[0] == base for other in names) > 1
    return (name if several else base).removeprefix("spacy_latperc.")


# Commands -----------------------------------------------------------------------------


def commands_page() -> str:
    """Every command with its arguments and options."""
    from typer.main import get_command

    from spacy_latperc.cli import latperc_cli

    group: Any = get_command(latperc_cli)
    commands: dict[str, list[tuple[str, Any]]] = {}
    for first, command in group.commands.items():
        title = command.rich_help_panel
        for last in getattr(command, "commands", [""]):
            found = group.get_command(None, first)
            found = found.get_command(None, last) if last else found
            commands.setdefault(title, []).append((f"{first} {last}".strip(), found))
    parts = ["# Command line", "`latperc` and `python -m spacy latperc` are the same."]
    rows = ["| | command | |", "| --- | --- | --- |"]
    order = [TRAIN, LOOK, DATA, TEXT, *commands]
    for title, members in sorted(commands.items(), key=lambda one: order.index(one[0])):
        for name, command in members:
            anchor = name.replace(" ", "-")
            rows.append(f"| {title} | [`{name}`](#{anchor}) | {one_line(command)} |")
            parts += [f"## {name}", _help(command), _options_table(command)]
    parts.insert(2, "\n".join(rows))
    return "\n\n".join(parts) + "\n"


def _help(command: Any) -> str:
    return inspect.cleandoc(command.help or "")


def _options_table(command: Any) -> str:
    rows = ["| argument or option | default | meaning |", "| --- | --- | --- |"]
    for parameter in command.params:
        if parameter.name == "help":
            continue
        argument = parameter.param_type_name == "argument"
        options = [o.upper() if argument else o for o in parameter.opts]
        names = ", ".join(f"`{option}`" for option in options)
        default = parameter.default
        nothing = default in (None, (), False, "", ...) or callable(default)
        shown = "" if nothing else f"`{default}`"
        meaning = _cell(getattr(parameter, "help", None) or "")
        rows.append(f"| {names} | {shown} | {meaning} |")
    return "\n".join(rows)


# Python -------------------------------------------------------------------------------


# The names of spacy_latperc.api by what they are for; others come last.
TOPICS: dict[str, tuple[str, ...]] = {
    "Train, save, shrink, calibrate": (
        *("fit", "fit_and_save", "load_pipeline", "save_pipeline", "compact"),
        *("Compacted", "CompactReport", "calibrate", "Calibration", "Report"),
    ),
    "Data": (
        *("column_corpus", "conllu_corpus", "docbin_corpus", "jsonl_corpus"),
        *("convert", "Converted", "allow"),
    ),
    "Components": (
        *("LatpercTagger", "LatpercChunker", "LatpercNER", "LatpercGrammaticality"),
        *("Analysis", "register_extensions"),
    ),
    "Chunk representations": (
        *("get_scheme", "detect_scheme", "repair", "Scheme", "LabelInventory"),
    ),
    "Sentences and n-grams": ("NgramModel",),
    "Sources of attributes": ("Source", "Reading", "Givens", "Tokens"),
    "Chains over arrays": ("ChainLearner", "Prepared", "FeatureSet"),
    "For components of your own": (
        *("ChainPipe", "LearnerPipe", "Batch", "Prediction", "LatentClassifier"),
        *("build_chain_model", "build_latent_classifier"),
    ),
}


def python_page() -> str:
    """The public names of spacy_latperc.api, by topic."""
    api = importlib.import_module("spacy_latperc.api")
    listed = {name for names in TOPICS.values() for name in names}
    others = tuple(name for name in api.__all__ if name not in listed)
    parts = ["# Python", _as_text(api)]
    overview = ["| for | names |", "| --- | --- |"]
    for topic, names in [*TOPICS.items(), ("More", others)]:
        if names:
            links = ", ".join(f"[`{name}`](#{name.lower()})" for name in names)
            overview.append(f"| {topic} | {links} |")
            parts.append(f"## {topic}")
        for name in names:
            parts += [f"### {name}", *_described_thing(getattr(api, name))]
    parts.insert(2, "\n".join(overview))
    sequence = importlib.import_module("spacy_latperc.sequence")
    parts += ["## Estimators", "In `spacy_latperc.sequence`:", _as_text(sequence)]
    for name in sequence.__all__:
        parts += [f"### {name}", *_described_thing(getattr(sequence, name))]
    return "\n\n".join(parts) + "\n"


def _described_thing(thing: Any) -> Iterator[str]:
    registered = {
        function: f"{group}: {name}"
        for group in ("spacy_readers", "spacy_architectures")
        for name, function in entry_points(group).items()
    }
    if inspect.isfunction(thing) and thing in registered:
        name = registered[thing].rpartition(".v")[0].rpartition(".")[2]
        yield f"{_summary(thing)} Arguments: [{name}](blocks.md#{name.lower()})."
        return
    if inspect.isfunction(thing):
        yield f"```text\n{thing.__name__}{_signature(thing)}\n```"
    yield _as_text(thing)
    if inspect.isclass(thing):
        members = [
            f"| `{name}` | {_cell(_first_sentence(member))} |"
            for name, member in _own_members(thing)
        ]
        if members:
            yield "\n".join(["| | |", "| --- | --- |", *members])


def _own_members(thing: type) -> Iterator[tuple[str, Any]]:
    """Public methods and properties, without those that every component has."""
    from spacy.pipeline import TrainablePipe

    known = set(dir(TrainablePipe)) if issubclass(thing, TrainablePipe) else set()
    for base in thing.__mro__:
        if base.__module__.startswith("spacy_latperc"):
            for name, member in vars(base).items():
                if name not in known and not name.startswith("_") and member.__doc__:
                    known.add(name)
                    if inspect.isroutine(member) or isinstance(member, property):
                        yield name, member


def _first_sentence(thing: Any) -> str:
    """The first sentence of a docstring, without the signature of a compiled method."""
    text = inspect.getdoc(thing) or ""
    first = text.partition("\n\n")[0]
    sentence = re.match(r".*?\.(?=\s|$)", " ".join(first.split()))
    return sentence[0] if sentence else " ".join(first.split())


def _signature(thing: Any) -> str:
    """A signature without the modules of its types; a long one line by line."""
    signature = inspect.signature(thing)
    one_line = _plain_types(str(signature)).removesuffix(" -> None")
    if len(thing.__name__ + one_line) <= 80:
        return one_line
    lines, star = [], False
    for parameter in signature.parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and not star:
            lines.append("*")
        star = star or parameter.kind is not parameter.POSITIONAL_OR_KEYWORD
        # Objects that are defaults have no text that says anything.
        lines.append(_OBJECT.sub(" = ...", _plain_types(str(parameter))))
    _, arrow, returned = one_line.rpartition(") -> ")
    body = "".join(f"    {line},\n" for line in lines)
    return f"(\n{body}){arrow[1:]}{returned if arrow else ''}"


def _plain_types(text: str) -> str:
    return _ARRAY.sub(r"NDArray[\1]", _MODULES.sub("", text)).replace("'None'", "None")


def _as_text(thing: Any) -> str:
    """A docstring as Markdown: lists of arguments, and examples as code."""
    lines: list[str] = []
    example = False
    for line in [*(inspect.getdoc(thing) or "").splitlines(), ""]:
        stripped = line.strip() if example else line.strip().replace("<", "&lt;")
        entry = _ENTRIES.match(stripped)
        if example or stripped.startswith(">>>"):
            if not example:
                lines.append("```pycon")
            elif not stripped:
                lines.append("```")
            example = bool(stripped)
            lines.append(line)
        elif re.fullmatch(
            r"(Args|Attributes|Example|Raises|Returns|Yields):", stripped
        ):
            lines += [f"**{stripped}**", ""]
        elif entry and (line.startswith("    ") or entry["name"].islower()):
            if lines and not lines[-1].startswith(("- ", "  ")):
                lines.append("")
            names = ", ".join(f"`{name}`" for name in entry["name"].split(", "))
            lines.append(f"- {names}: {entry['text']}")
        elif stripped and line.startswith(" ") and lines and lines[-1][:2] in _LIST:
            lines.append("  " + stripped)
        else:
            lines.append(stripped)
    return "\n".join(lines).rstrip()


# Errors -------------------------------------------------------------------------------


def errors_page() -> str:
    """Every coded message, with an anchor that can be linked."""
    parts = [
        "# Errors and warnings",
        "Every message of this package begins with its code. *Words like this* stand "
        "for what was found. Programs find the same in "
        "`errors.json`, beside this page.",
    ]
    topic = ""
    for one in messages_by_code().values():
        if one.topic != topic:
            topic = one.topic
            links = ", ".join(_page_link(page) for page in one.pages)
            parts.append(f"## {topic[0].upper()}{topic[1:]}\n\nSee {links}.")
        kind = "Warning. " if one.kind == "warning" else ""
        parts.append(f"### {one.code}\n\n{kind}{_message(one.text)}")
    return "\n\n".join(parts) + "\n"


def errors_as_json() -> str:
    """Every coded message, for programs."""
    messages = [asdict(one) for one in messages_by_code().values()]
    return json.dumps({one.pop("code"): one for one in messages}, indent=1)


def _message(text: str) -> str:
    """A message in Markdown: its fields stand out, and nothing else does."""
    text = text.replace("}{", "} {")
    plain = re.sub(r"([*_<>|`\[\]])", r"\\\1", text).replace("\\<", "&lt;")
    return re.sub(r"\{(\w+)[^}]*\}", r"*\1*", plain).replace("\\_", "_")


def _page_link(page: str) -> str:
    """A link from a page of the reference, named as the navigation names it."""
    path = page.removesuffix(".html") + ".md"
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    named = re.search(rf"- ([^:\n]+): {re.escape(path)}$", navigation, re.M)
    return f"[{named[1] if named else 'Learners'}](../{path})"


if __name__ == "__main__":
    main()
