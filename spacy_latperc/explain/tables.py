"""Tables in HTML, for notebooks and for the report."""

from typing import Any


def render(macro: str, *values: Any) -> str:
    """Fill in a macro of `tables.html`."""
    tables = environment().get_template("explain/tables.html").module
    return str(getattr(tables, macro)(*values))


def environment() -> Any:
    """Return the templates of the package; values are escaped."""
    from jinja2 import Environment, PackageLoader

    loader = PackageLoader("spacy_latperc", "")
    return Environment(loader=loader, autoescape=True, trim_blocks=True)
