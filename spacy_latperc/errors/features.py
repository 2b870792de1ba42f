"""Messages about templates and the attributes they read."""


class Errors:
    """Error messages, by code."""

    LP001 = (
        "Unknown attribute '{name}' in template '{template}'. Known attributes: "
        "{known}, '_.name' for a custom extension, 'spans.key' for labels of "
        "doc.spans['key']."
    )
    LP002 = (
        "Affix '{name}' in template '{template}' is out of range: prefixes and "
        "suffixes have 1 to {n} characters."
    )
    LP003 = (
        "Unknown prefix '{prefix}:' in template '{template}'. Use 'edge:' to conjoin "
        "with the previous label, 'tri:' with the two previous ones, or none."
    )
    LP004 = (
        "Cannot read '{part}' in template '{template}'. Write an attribute and an "
        "offset, such as 'w[0]' or 'suf3[-1]', joined by '|', or 'bias'."
    )
    LP005 = (
        "Offset {offset} in template '{template}' is out of range: templates look at "
        "most {n} tokens to either side."
    )
    LP006 = "Template '{template}' occurs twice. Remove one of the two."
    LP007 = "The list of templates is empty. Name at least one, such as 'w[0]'."
    LP010 = (
        "latent_templates names '{template}', which is not among the templates of the "
        "set. Add it there or remove it here."
    )
    LP700 = (
        "Template '{template}' names the source '{name}', which is not there. Sources "
        "of this set of templates: {known}. Add a block such as "
        "[components.ner.model.features.sources.NAME], or correct the name."
    )
    LP701 = (
        "The source '{name}' has a name that templates cannot write. Use letters, "
        "digits, '_' and '-'."
    )
    LP702 = "Template '{template}' cannot be read: {error}"
    LP703 = (
        "No template uses the source '{name}'. Name it in one, set source_templates = "
        "true to add the templates that usually help, or remove the source."
    )
    LP715 = (
        "Every template reads one of the sources {names}, and none of these has "
        "anything to learn from. Add a template that needs none, such as 'w[0]'."
    )
    LP030 = (
        "A template reads the extension '_.{name}', which tokens do not have. Register "
        "it with Token.set_extension before the pipeline runs."
    )
    LP540 = (
        "The attribute '{name}' is {found} at {place}. A token may have a string, a "
        "bool, a whole number, a float, a list of one of these, or a dict from strings "
        "to numbers."
    )
    LP750 = (
        "The attribute '{name}' has the value {found} at {place}. Values must be "
        "numbers from -1e15 to 1e15. Leave out what is not known: None, or an empty "
        "list, stands for nothing."
    )
    LP770 = (
        "Template '{template}': '{name}' asks for the labels of the same word "
        "elsewhere, but '{base}' is not a label that a component writes. Name ent, "
        "chunk, spans.KEY, tag, pos or an extension, as in near.ent[0]."
    )
    LP771 = (
        "Template '{template}': '{name}' looks at no sentences around. Name a number "
        "above 0, as in near15.ent, or the whole document, as in doc.ent."
    )
