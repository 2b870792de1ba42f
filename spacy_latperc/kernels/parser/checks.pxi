# Checks of the arguments of parsers.


cdef Prefix prefix_of(str name) except *:
    if name not in METHODS:
        raise wrong_number("method", name, METHODS[0], METHODS[3])
    return <Prefix><int>METHODS.index(name)


cdef int check_columns(
    ParserTemplates templates, const uint64_t[:, ::1] attrs
) except -1:
    if attrs.shape[1] != templates.columns:
        raise wrong_shape(
            "attrs", (attrs.shape[0], attrs.shape[1]),
            f"[tokens, {templates.columns} attributes]",
        )
    return 0


cdef int check_tokens(str name, Py_ssize_t found, Py_ssize_t n) except -1:
    if found != n:
        raise wrong_shape(name, (found,), f"[{n} tokens]")
    return 0
