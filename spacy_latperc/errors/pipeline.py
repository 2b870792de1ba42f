"""Messages about components: their settings, labels and what stands on a Doc."""


class Errors:
    """Error messages, by code."""

    LP031 = "Component '{name}' cannot have an empty label."
    LP032 = (
        "Component '{name}' found no labels in the examples. Check that the reference "
        "Docs carry its annotation (and, for chunks, that spans_key is the key they "
        "use), or give labels in [initialize.components.{name}]."
    )
    LP033 = (
        "Component '{name}': what is already annotated leaves no valid label at token "
        "{token} of {doc}: it allows {here} there, where the tokens around it allow "
        "{possible}. Remove one of the contradicting annotations."
    )
    LP034 = (
        "Component '{name}' has no gradient and no get_loss: it learns in `update`, "
        "which reports the loss."
    )
    LP035 = (
        "Component '{name}': label '{label}' of {doc} is not one of its labels: "
        "{known}. Give all training examples to initialize, or call add_label first."
    )
    LP036 = (
        "Component '{name}': overlapping gold spans in {doc}: tokens {first} and "
        "{second}. A chunker and an entity recogniser need spans that do not overlap."
    )
    LP044 = (
        "Component '{name}': a gold span of {doc} is empty: it begins at token {start} "
        "and ends before token {end}. Remove it, or correct its end."
    )
    LP037 = (
        "'{label}' are not features of the form Case=Nom|Number=Sing, in alphabetic "
        "order, as component '{name}' with attribute = \"morph\" needs ('_' for none). "
        'Use attribute = "tag" for other tag sets.'
    )
    LP038 = (
        "'{label}' is not a universal part-of-speech tag, as component '{name}' with "
        'attribute = "pos" needs. Use attribute = "tag" for other tag sets.'
    )
    LP039 = "Component '{name}' stopped learning at the Doc {doc}. {error}"
    LP070 = (
        "Component '{name}': the label set at token {token} of {doc} has '{label}', "
        "which is not one of its labels: {known}. Correct it, or call add_label first."
    )
    LP071 = (
        "Component '{name}': contradicting annotation at token {token} of {doc}: "
        "{first}, but {second}. Correct or remove one of the two."
    )
    LP072 = (
        "Component '{name}': cannot read {entry} in doc.user_data['latperc_allowed', "
        "'{layer}'] of {doc}. It is a dict from token numbers (0 to {n}) to lists of "
        "labels; for spans the key 'scheme' may name their representation."
    )
    LP073 = (
        "Component '{name}': the label set {labels} ({scheme}) at token {token} of "
        "{doc} cannot be expressed in {own}, the scheme of the component. Use scheme = "
        '"{scheme}" or "O+C" there, or allow all labels of the type.'
    )
    LP074 = (
        "Component '{name}': incorrect_spans_key needs a scheme whose labels say where "
        'an entity begins or ends, and {scheme} does not. Use "O+C".'
    )
    LP079 = (
        "Component '{name}' has a threshold ({threshold}) but no scores to compare "
        'with it. Set scores = "marginal" or "margin", or threshold = 0.'
    )
    LP080 = (
        "Component '{name}' answers nothing on the held-out data that is annotated, "
        "so there is nothing to calibrate. Check that the data carries its annotation, "
        "and that the component is trained."
    )
    LP081 = (
        "The pipeline has no component '{name}' that can be calibrated; it has: "
        "{known}. Name one of them (--component NAME)."
    )
    LP082 = (
        "The pipeline has several components that can be calibrated: {known}. Name one "
        "of them (--component NAME)."
    )
    LP093 = (
        "Component '{name}' cannot begin from {path}: {error}. Give init_from the "
        "folder of a trained pipeline, such as training/model-last, or the name of an "
        "installed one."
    )
    LP094 = (
        "Component '{name}' cannot begin from {path}: there is no component '{wanted}' "
        "of spacy_latperc in it; there are: {known}. Name the right one in "
        "init_component."
    )
    LP098 = (
        "Component '{name}': init_component is '{component}', but init_from is not "
        "set. Give the folder of a trained pipeline in init_from."
    )
    LP450 = (
        "Component '{name}': scheme is '{scheme}' and schemes are {schemes}. Give "
        "scheme for one chain, or schemes for several that vote, but not both."
    )
    LP451 = (
        "Component '{name}': the weights of the votes are {weights}. Give a positive "
        "number for each of {schemes}, in that order, or null for equal ones."
    )
    LP452 = (
        "Component '{name}': schemes are {schemes}. A vote needs two or more different "
        "ones, such as IOB1, IOB2, IOE1, IOE2 and O+C."
    )
    LP476 = (
        "Several components can be calibrated: {known}. Name the one in the config, "
        "[training.before_to_disk] component; those of frozen_components are passed "
        "over."
    )
    LP520 = (
        "Component '{name}': {label} cannot be a label, since it cannot be written as "
        "UTF-8. Remove the lone surrogates from it."
    )
    LP521 = (
        "Component '{name}': {where} cannot be used: {problem}. The file was damaged "
        "or changed by hand: copy the whole pipeline again, or train it again."
    )
    LP523 = (
        "Component '{name}': its {size} bytes are not what to_bytes of a component "
        "gave ({error}). They were cut short or changed on the way."
    )
    LP525 = (
        "Component '{name}': {where} does not belong to the model beside it. The "
        "labels are {cfg} by cfg, and {model} by the model. The folder mixes two "
        "pipelines, as after an interrupted copy: copy the whole pipeline again."
    )
    LP526 = (
        "Component '{name}': the config says {key} = {mine}, but {where} was trained "
        "with {saved}. The weights are tied to it: set {key} to {saved} in the config, "
        "or train again."
    )
    LP660 = (
        "Component '{name}': the outside scores '{key}' of {doc} are {found}. The "
        "function must return an array of the shape {wanted}: tokens, labels."
    )
    LP661 = (
        "Component '{name}': the outside scores '{key}' give {value} for '{label}' at "
        "token {token} of {doc}. Give probabilities; a row of NaN says nothing."
    )
    LP662 = (
        "Outside scores have the label '{label}', which {scheme} does not have. Give "
        "labels such as O and B-PER, and their representation as scheme."
    )
    LP663 = (
        "Component '{name}': outside scores ({outside}) can be pooled, but have no "
        'vote. Set vote = "pool" in [components.{name}].'
    )


class Warnings:
    """Warnings, by code."""

    LP911 = (
        "Component '{name}' has templates over {column}, which is empty in a whole "
        "batch. Put {component} before it in the pipeline (and into "
        "annotating_components while training), or let the corpus reader give "
        "it: inputs = [...] names the columns that are given, not predicted."
    )
    LP912 = (
        "Component '{name}': {n} gold span(s) cross a sentence boundary or do not fall "
        "on token boundaries, first in {doc}. Their tokens count as not annotated."
    )
    LP913 = (
        "Component '{name}': {n} sentence(s) have gold labels that cannot follow each "
        "other, first in {doc}. They are left out of training."
    )
    LP914 = (
        "The extension {owner}._.{name} is already registered by other code and stays "
        "as it is. Read ours with {getter}."
    )
    LP915 = (
        "Component '{name}' is calibrated on {n} answers, of which {right} are right: "
        "too few to tell. Use more held-out data, none of it seen in training."
    )
    LP923 = (
        "Components '{other}' and '{name}' both write to doc.spans['{key}']: '{name}' "
        "replaces what '{other}' wrote. Give one of them another spans_key, or set "
        "keep_spans = true in '{name}'."
    )
