"""From a set of templates to the blocks of a chain and the features that it extracts."""

from dataclasses import dataclass

from ..features.attributes import SENTENCE_COLUMN, WORD_COLUMN
from ..features.sets import FeatureSet
from ..features.templates import KINDS
from ..kernels.features import COMPUTED, PREFIX, SUFFIX, FeatureSpace, text_hash

Block = tuple[int, bool, list[int]]  # kind, latent rows or label rows, observations


@dataclass(frozen=True)
class Plan:
    """How a feature set is laid out: columns to read, observations, blocks of rows."""

    columns: list[str]  # of the Doc; the first two are the word and the sentence start
    observations: list[str]
    programs: list[tuple[int, list[tuple[int, int]]]]
    sources: list[tuple]
    blocks: list[Block]

    def make_space(self, min_count: int) -> FeatureSpace:
        return FeatureSpace(self.programs, self.sources, min_count=min_count)


def plan_blocks(features: FeatureSet, *, latent: int, order: int) -> Plan:
    """Lay out a feature set for a model with so many latent values and this order.

    Plain transitions (`edge:bias`, `tri:bias`) are always there from the order on. An
    observation is extracted once, whatever histories it is conjoined with.
    """
    wanted: dict[str, list[str]] = {kind: [] for kind in KINDS}
    parts = {"bias": ()}
    for template in features.templates:
        parts[template.observation] = template.parts
        wanted[template.kind].append(template.observation)
    for kind in KINDS[1 : order + 1]:
        if "bias" not in wanted[kind]:
            wanted[kind].append("bias")

    columns = [WORD_COLUMN, SENTENCE_COLUMN]
    attributes: dict[str, int] = {}
    sources: list[tuple] = []
    observations: list[str] = []
    programs = []
    for kind in KINDS:
        for name in wanted[kind]:
            if name in observations:
                continue
            program = []
            for part in parts[name]:
                attribute = part.attribute
                if attribute.name not in attributes:
                    attributes[attribute.name] = len(sources)
                    if attribute.column:
                        if attribute.column not in columns:
                            columns.append(attribute.column)
                        sources.append(("column", columns.index(attribute.column)))
                    elif attribute.function:
                        sources.append(("lexical", COMPUTED, 0, attribute.function))
                    else:
                        affix = PREFIX if attribute.affix == "prefix" else SUFFIX
                        sources.append(("lexical", affix, attribute.length, None))
                program.append((attributes[attribute.name], part.offset))
            observations.append(name)
            programs.append((text_hash(name), program))

    def block(kind: int, is_latent: bool, names: list[str]) -> Block:
        return kind, is_latent, [observations.index(name) for name in names]

    blocks: list[Block] = []
    full = latent > 1 and features.latent_form == "full"
    for kind in range(order + 1):
        blocks.append(block(kind, full, wanted[KINDS[kind]]))
    if latent > 1 and not full:
        named = set(features.latent_templates)
        for kind in range(order + 1):
            names = [
                name
                for name in wanted[KINDS[kind]]
                if not named
                or (name if kind == 0 else f"{KINDS[kind]}:{name}") in named
                or (kind > 0 and name == "bias")
            ]
            if names:
                blocks.append(block(kind, True, names))
    return Plan(columns, observations, programs, sources, blocks)
