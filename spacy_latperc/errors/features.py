"""Messages about templates and their attributes."""


class Errors:
    """Error messages, by code."""

    LP001 = (
        "Unknown attribute '{name}' in template '{template}'. Use one of {known}, "
        "'_.name' for a custom extension, or 'spans.key' for the labels in "
        "doc.spans['key']."
    )
    LP002 = (
        "Affix '{name}' in template '{template}' is out of range: prefixes and "
        "suffixes have 1 to {n} characters."
    )
    LP003 = (
        "Unknown prefix '{prefix}:' in template '{template}'. Use 'edge:' to conjoin "
        "with the previous label, 'tri:' with the previous two labels, or no prefix."
    )
    LP004 = (
        "Cannot read '{part}' in template '{template}'. Write attributes with offsets "
        "joined by '|', such as 'w[0]|suf3[-1]', or 'bias'."
    )
    LP005 = (
        "Offset {offset} in template '{template}' is out of range: the limit is {n} "
        "tokens to either side."
    )
    LP006 = "Template '{template}' is duplicated. Remove one of the two."
    LP007 = "The list of templates is empty. Add at least one, such as 'w[0]'."
    LP010 = (
        "latent_templates names '{template}', which is not among the templates. Add it "
        "to the templates, or remove it from latent_templates."
    )
    LP700 = (
        "Template '{template}' names an unknown source '{name}'. The available sources "
        "are {known}. Add a block [components.ner.model.features.sources.NAME], or "
        "correct the name."
    )
    LP701 = (
        "Invalid source name '{name}': templates cannot refer to it. Use letters, "
        "digits, '_' and '-'."
    )
    LP702 = "Cannot read template '{template}': {error}"
    LP703 = (
        "No template uses the source '{name}'. Add one, set source_templates = true to "
        "add the recommended templates, or remove the source."
    )
    LP715 = (
        "Every template reads one of the sources {names}, none of which has training "
        "data. Add a template without a source, such as 'w[0]'."
    )
    LP030 = (
        "A template reads the extension '_.{name}', which does not exist. Register it "
        "with Token.set_extension before running the pipeline."
    )
    LP540 = (
        "Attribute '{name}' is {found} at {place}. It must be a string, bool, integer "
        "or float, a list of these, or a dict from strings to numbers."
    )
    LP750 = (
        "Attribute '{name}' has the value {found} at {place}. Values must be numbers "
        "from -1e15 to 1e15. Use None or an empty list for missing values."
    )
    LP770 = (
        "Template '{template}': '{name}' reads labels of the same word elsewhere, but "
        "no component writes '{base}'. Use ent, chunk, spans.KEY, tag, pos or an "
        "extension, as in near.ent[0]."
    )
    LP771 = (
        "Template '{template}': '{name}' must have a window of at least one sentence, "
        "as in near15.ent. For the whole document use doc.ent."
    )
