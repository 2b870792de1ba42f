# Declarations of the headers of parsers.

cdef extern from "common/checked.hh" namespace "latperc" nogil:
    cdef cppclass Hashes "latperc::View<const uint64_t>":
        Hashes()
        Hashes(const uint64_t* p, size_t n)


cdef extern from "parser/state.hh" namespace "latperc::parsing" nogil:
    const int kStructural
    int action_count(int relations)
    cdef struct Limits:
        int32_t n
        const uint8_t* may_start
    cdef cppclass State:
        State()
    int kind_of(int action)
    cbool allowed(const vector[State]&, const Limits&, const State&, int kind)
    State after(const vector[State]&, int32_t at, int action)


cdef extern from "parser/state_templates.hh" namespace "latperc::parsing" nogil:
    const int kFacts
    const int kPlaces
    cdef struct Look:
        int32_t fact
        int32_t column
    cdef cppclass StateTemplates:
        StateTemplates(int columns) except +
        void add(uint64_t seed, const vector[Look]& looks) except +
        int size()
        int columns()


cdef extern from "parser/oracle.hh" namespace "latperc::parsing" nogil:
    cdef struct KnownTree:
        const int32_t* heads
        const int32_t* relations
    cdef cppclass Oracle:
        Oracle()
        void read(const KnownTree&, int32_t n) except +
        int next(const vector[State]&, const State&)
        int lost(const vector[State]&, const State&, int kind)


cdef extern from "parser/parser_search.hh" namespace "latperc::parsing" nogil:
    cdef cppclass Text:
        Hashes attrs
        int32_t visible
        Limits limits


cdef extern from "rules/prefix.hh" namespace "latperc" nogil:
    cdef enum class Prefix(int):
        standard
        early
        latest
        max


cdef extern from "weights/averaging.hh" namespace "latperc" nogil:
    cdef struct Averaging:
        cbool on
        int64_t epoch_size
        int64_t restart_every


cdef extern from "parser/parser_rows.hh" namespace "latperc::parsing" nogil:
    cdef cppclass LearningRows:
        size_t rows()
        size_t bytes()
        uint64_t key(size_t row)
        int32_t row_for(uint64_t key) except +
        void set(int32_t row, int cell, float w) except +
    cdef cppclass AnsweringRows:
        void reserve(size_t rows, size_t cells) except +
        void append(uint64_t key, const vector[pair[int, float]]& cells) except +
        size_t rows()
        size_t bytes()
        uint64_t key(size_t row)


cdef extern from "parser/parser_trainer.hh" namespace "latperc::parsing" nogil:
    cdef cppclass Learned:
        double loss
        int32_t prefix
        cbool violation
    cdef cppclass ParserTrainer:
        ParserTrainer(
            const StateTemplates&, int relations, int beam, const Averaging&,
            cbool adagrad
        ) except +
        cbool learn(
            const Text&, const KnownTree&, int32_t n, Prefix, float rate, Learned*
        ) except +
        cbool explore(
            const Text&, const KnownTree&, int32_t n, double follow, float rate,
            Random*, Learned*
        ) except +
        LearningRows& rows()
        int64_t examples()
        void set_examples(int64_t c)


cdef extern from "parser/frozen_parser.hh" namespace "latperc::parsing" nogil:
    cdef cppclass ParserQuery:
        const uint64_t* attrs
        const int64_t* bounds
        size_t texts
        const uint8_t* may_start
        int beam
    cdef cppclass CFrozenParser "latperc::parsing::FrozenParser":
        CFrozenParser(const StateTemplates&, int relations) except +
        AnsweringRows& rows()
        void take(const ParserTrainer&, size_t most) except +
        float unit()
        void set_unit(float)
        void parse(
            const ParserQuery&, int32_t* heads, int32_t* relations
        ) except +


cdef extern from *:
    """
    namespace latperc::parsing {
    // Lists the cells of all rows, for files.
    inline void list_cells(FrozenParser& frozen, std::vector<uint64_t>* keys,
                           std::vector<uint32_t>* sizes, std::vector<uint32_t>* names,
                           std::vector<float>* weights) {
      const AnsweringRows& rows = frozen.rows();
      for (size_t r = 0; r < rows.rows(); r++) {
        keys->push_back(rows.key(r));
        sizes->push_back(0);
        rows.for_each(r, [&](int cell, float w) {
          sizes->back()++;
          names->push_back(static_cast<uint32_t>(cell));
          weights->push_back(w);
        });
      }
    }
    }
    """
    void list_cells "latperc::parsing::list_cells"(
        CFrozenParser&, vector[uint64_t]*, vector[uint32_t]*, vector[uint32_t]*,
        vector[float]*
    ) except + nogil
