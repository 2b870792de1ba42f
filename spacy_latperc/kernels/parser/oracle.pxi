# Oracles over known trees, for tests and tools.


def oracle(const int32_t[::1] heads, const int32_t[::1] relations):
    """Return the actions that lead to a whole tree, for tests and tools."""
    cdef vector[State] states
    cdef Oracle known
    read_tree(&known, heads, relations)
    cdef int32_t step
    states.push_back(State())
    actions = []
    for step in range(2 * heads.shape[0]):
        actions.append(known.next(states, states[step]))
        states.push_back(after(states, step, actions[step]))
    return actions


def lost_heads(
    const int32_t[::1] heads, const int32_t[::1] relations, const int32_t[::1] actions
):
    """Count the known heads that each kind of action would lose after these actions
    (-1 where it is not allowed), for tests and tools."""
    cdef vector[State] states
    cdef Oracle known
    read_tree(&known, heads, relations)
    cdef vector[uint8_t] anywhere
    cdef Limits limits
    cdef int32_t step
    cdef int kind
    anywhere.resize(heads.shape[0], 1)
    limits.n = <int32_t>heads.shape[0]
    limits.may_start = anywhere.data()
    states.push_back(State())
    for step in range(actions.shape[0]):
        if not allowed(states, limits, states[step], kind_of(actions[step])):
            raise wrong_number("actions", actions[step], 0, MOST_RELATIONS)
        states.push_back(after(states, step, actions[step]))
    return [
        known.lost(states, states.back(), kind)
        if allowed(states, limits, states.back(), kind) else -1
        for kind in range(kStructural)
    ]


cdef int read_tree(
    Oracle* result, const int32_t[::1] heads, const int32_t[::1] relations
) except -1:
    cdef KnownTree tree
    cdef int32_t head
    check_tokens("relations", relations.shape[0], heads.shape[0])
    for head in heads:
        if not -1 <= head < heads.shape[0]:
            raise wrong_number("heads", head, -1, heads.shape[0] - 1)
    if heads.shape[0]:
        tree.heads = &heads[0]
        tree.relations = &relations[0]
    result.read(tree, <int32_t>heads.shape[0])
    return 0
