"""Messages about the values of settings."""


class Errors:
    """Error messages, by code."""

    LP015 = "{setting} is {value}. It must be a finite number {range}."
    LP085 = "{setting} is {value}. Choose one of: {known}."
    LP086 = "{setting} is {value}. It must be a whole number {range}."
    LP590 = "{setting} is {value}. It must be {wanted}."
