"""Messages about invalid settings."""


class Errors:
    """Error messages, by code."""

    LP015 = "{setting} must be a finite number {range}{hint}, not {value}."
    LP085 = "{setting} must be one of {known}{hint}, not {value}."
    LP086 = "{setting} must be an integer {range}{hint}, not {value}."
    LP590 = "{setting} must be {wanted}{hint}, not {value}."
