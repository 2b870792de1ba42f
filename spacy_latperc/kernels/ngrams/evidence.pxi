# Evidence: tables of the n-grams of a text, and look-ups for the tokens of sentences.

cdef extern from "ngrams/evidence_table.hh" namespace "latperc" nogil:
    cdef cppclass SlotTable:
        const uint32_t* slots
        size_t size
        size_t steps
    cdef cppclass SlotFilling:
        vector[uint32_t] slots
        size_t steps
    cdef cppclass EvidenceTable:
        SlotTable slots
        SlotTable plain
        const uint8_t* adjusted
        const uint16_t* total
        const uint16_t* rest
        const uint8_t* marks
        @staticmethod
        void note_marks(const SlotTable& table, uint8_t* marks)


cdef extern from "ngrams/evidence_counting.hh" namespace "latperc" nogil:
    cdef cppclass EvidenceCounting:
        EvidenceCounting(
            const int32_t* ids, const int64_t* bounds, size_t sentences,
            const vector[uint64_t]& keys, int order, size_t most
        ) except +
        SlotFilling slots
        SlotFilling plain
        vector[uint8_t] adjusted
        vector[uint16_t] total
        vector[uint16_t] rest
        vector[uint32_t] least
        vector[double] discounts
        double tokens
        double words
        double word_total
        double word_rest


cdef extern from "ngrams/evidence.hh" namespace "latperc" nogil:
    cdef struct EvidenceColumns:
        uint8_t* left
        uint8_t* right
        float* prob
        float* next
        float* gap
        float* count
        float* pair
        float* middle
    cdef struct EvidenceTotals:
        double words
        double word_total
        double word_rest
    cdef cppclass CEvidence "latperc::Evidence":
        CEvidence(
            EvidenceTable table, int order, const vector[uint32_t]& least,
            const vector[double]& discounts, EvidenceTotals totals
        ) except +
        void judge(
            const uint64_t* keys, size_t n, const EvidenceColumns& out, size_t first
        ) except +


BEGIN_KEY, END_KEY = 1, 2
MARKS = 1 << 24


def count_evidence(
    const int32_t[::1] ids,
    const int64_t[::1] bounds,
    const uint64_t[::1] keys,
    *,
    object order,
    size_t most,
):
    """Count the n-grams of a text in hash tables.

    keys: word number -> hash of the word.
    most: the limit on the bytes of the tables, for which rare n-grams are left out.
    RETURNS: two dicts: tables (see EvidenceTable), and numbers: least, discounts (by
        length), totals, steps. None if there are no words.
    """
    cdef int longest = whole("order", order, 2, MAX_ORDER)
    cdef size_t n = max(bounds.shape[0] - 1, 0)
    cdef Py_ssize_t i
    cdef vector[uint64_t] names
    check_sentences(ids, bounds, <int32_t>keys.shape[0])
    if n == 0 or keys.shape[0] < 4:
        return None
    for i in range(keys.shape[0]):
        names.push_back(keys[i])
    names[BEGIN] = BEGIN_KEY
    names[END] = END_KEY
    cdef const int32_t* text = &ids[0] if ids.shape[0] else NULL
    cdef EvidenceCounting* counting = NULL
    try:
        with nogil:
            counting = new EvidenceCounting(
                text, &bounds[0], n, names, longest, most
            )
        tables = {
            "slots": counts(counting.slots.slots),
            "plain": counts(counting.plain.slots),
            "adjusted": copied(
                counting.adjusted.data(), counting.adjusted.size(), np.uint8
            ),
            "total": copied(
                counting.total.data(), counting.total.size(), np.uint16
            ),
            "rest": copied(
                counting.rest.data(), counting.rest.size(), np.uint16
            ),
        }
        return tables, {
            "least": list(counting.least),
            "discounts": list(counting.discounts),
            "totals": (
                counting.tokens, counting.words, counting.word_total, counting.word_rest
            ),
            "steps": [counting.slots.steps, counting.plain.steps],
        }
    finally:
        del counting


def evidence_marks(tables):
    """Return bits that exclude most unknown n-grams without a look-up in the tables,
    for a faster `read_evidence`.

    tables: those of `count_evidence`.
    """
    marks = np.zeros(MARKS // 8, dtype=np.uint8)
    cdef uint8_t* bits = first_byte(marks)
    cdef SlotTable table
    cdef const uint32_t[::1] slots
    for name in ("slots", "plain"):
        slots = tables[name]
        if slots.shape[0]:
            table.slots = &slots[0]
            table.size = slots.shape[0]
            with nogil:
                EvidenceTable.note_marks(table, bits)
    return marks


def read_evidence(
    tables,
    const uint64_t[::1] keys,
    const int64_t[::1] bounds,
    *,
    least,
    discounts,
    totals,
    steps,
    const uint8_t[::1] marks=None,
):
    """Look up the evidence for sentences in tables.

    tables, least, discounts, totals, steps: the result of `count_evidence`.
    keys, bounds: the hashes of the words of the sentences.
    marks: the result of `evidence_marks`.
    RETURNS: left, right (uint8); prob, next, gap, count, pair, middle (float32)
    """
    cdef const uint32_t[::1] slots = tables["slots"]
    cdef const uint32_t[::1] plain = tables["plain"]
    cdef vector[uint32_t] fewest = least
    cdef vector[double] taken = discounts
    cdef size_t n = max(bounds.shape[0] - 1, 0), s
    cdef int order = whole("order", <object>fewest.size(), 2, MAX_ORDER)
    cdef EvidenceTable table
    cdef EvidenceTotals all_of_it
    cdef EvidenceColumns out
    cdef SignalCheck signals
    cdef const uint8_t[::1] small
    cdef const uint16_t[::1] large
    for name in ("adjusted", "total", "rest"):
        if len(tables[name]) != len(slots):
            raise wrong_shape(name, (len(tables[name]),), f"[{len(slots)} slots]")
    if not 0 < slots.shape[0] < 1 << 32 or not 0 < plain.shape[0] < 1 << 32:
        raise wrong_shape("slots", (slots.shape[0],), "of 1 to 2 ** 32 slots")
    if taken.size() != fewest.size():
        raise wrong_shape("discounts", (taken.size(),), f"[{order} lengths]")
    table.slots.slots = &slots[0]
    table.slots.size = slots.shape[0]
    table.plain.slots = &plain[0]
    table.plain.size = plain.shape[0]
    table.slots.steps, table.plain.steps = steps
    if marks is not None:
        if marks.shape[0] != MARKS // 8:
            raise wrong_shape("marks", (marks.shape[0],), f"[{MARKS // 8}]")
        table.marks = &marks[0]
    small = tables["adjusted"]
    table.adjusted = &small[0]
    large = tables["total"]
    table.total = &large[0]
    large = tables["rest"]
    table.rest = &large[0]
    all_of_it.words, all_of_it.word_total, all_of_it.word_rest = totals[1:]
    check_bounds(bounds, keys.shape[0])
    columns = ("prob", "next", "gap", "count", "pair", "middle")
    numbers = {name: np.zeros(keys.shape[0], dtype=np.float32) for name in columns}
    left = np.zeros(keys.shape[0], dtype=np.uint8)
    right = np.zeros(keys.shape[0], dtype=np.uint8)
    found = {"left": left, "right": right, **numbers}
    if keys.shape[0] == 0:
        return found
    out.left = first_byte(left)
    out.right = first_byte(right)
    out.prob = first_float(numbers["prob"])
    out.next = first_float(numbers["next"])
    out.gap = first_float(numbers["gap"])
    out.count = first_float(numbers["count"])
    out.pair = first_float(numbers["pair"])
    out.middle = first_float(numbers["middle"])
    cdef CEvidence* evidence = new CEvidence(
        table, order, fewest, taken, all_of_it
    )
    try:
        with nogil:
            for s in range(n):
                signals.look()
                evidence.judge(
                    &keys[0] + bounds[s], bounds[s + 1] - bounds[s], out, bounds[s]
                )
    finally:
        del evidence
    return found


cdef uint8_t* first_byte(uint8_t[::1] array):
    return &array[0]


cdef float* first_float(float[::1] array):
    return &array[0]
