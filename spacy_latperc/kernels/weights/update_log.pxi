# A log of the changes of a chain's weights, and its replay: see
# weights/update_log.hh.

def record(Chain chain):
    """Start the log of the chain's plain steps."""
    deref(chain.trainer).update_log().on = True


def take(Chain chain):
    """Take the entries of the log since the last call.

    RETURNS: (examples before each update, its number of changes; and for each change
    its block, feature hash, unpadded cell and difference).
    """
    cdef UpdateLog* log = &deref(chain.trainer).update_log()
    cdef size_t e
    cdef size_t n = log.entries.size()
    examples = np.array(log.examples, dtype=np.int64)
    sizes = np.array(log.sizes, dtype=np.uint32)
    blocks = np.empty(n, dtype=np.uint8)
    keys = np.empty(n, dtype=np.uint64)
    cells = np.empty(n, dtype=np.uint32)
    values = np.empty(n, dtype=np.float32)
    for e in range(n):
        b = log.entries[e].block
        blocks[e] = b
        keys[e] = chain.space.keys[log.entries[e].feature]
        cells[e] = cell_number(deref(chain.trainer).shape(b), log.entries[e].cell)
        values[e] = log.entries[e].value
    log.clear()
    return examples, sizes, blocks, keys, cells, values


def replay(
    Chain chain, int64_t examples, blocks, keys, cells, values, *, bint grow=False
):
    """Repeat the changes of one update, as after so many examples.

    grow: add features that the chain's space does not have; else leave them out.
    """
    cdef const unsigned char[::1] to_blocks = blocks
    cdef const uint64_t[::1] to_keys = keys
    cdef const uint32_t[::1] to_cells = cells
    cdef const float[::1] to_values = values
    cdef size_t place
    cdef Py_ssize_t e
    cdef int32_t feature
    cdef const int32_t[::1] known = chain.space.find_features(keys)
    deref(chain.trainer).set_examples(examples)
    for e in range(to_keys.shape[0]):
        if to_blocks[e] >= deref(chain.trainer).n_blocks():
            raise ValueError("an update of a block that is not there")
        if to_cells[e] >= chain.structure.cells(to_blocks[e]):
            raise ValueError("a cell lies outside its row")
        feature = known[e]
        if feature <= 0:
            if not grow:
                continue
            feature = chain.space.grow_feature(to_keys[e])
            if chain.space.min_count > 1:
                chain.space.counts[feature] = chain.space.min_count
        place = padded_cell(deref(chain.trainer).shape(to_blocks[e]), to_cells[e])
        deref(chain.trainer).change(to_blocks[e], feature, place, to_values[e])
    chain.set_index()
