#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/algorithms.h"

namespace haichi::collectives {

/// What a line of a table asks of a call.
struct SelectionConditions {
    std::int64_t least_members = 1;
    std::int64_t most_members = INT64_MAX;
    bool power_of_two = false;
    bool ordered = false;  ///< the operation does not commute
    bool commutes = false;
    bool user_defined = false;  ///< the operation is the program's
    bool fewer_items = false;   ///< than the largest power of two of members that there is
    bool equal_blocks = false;
};

/// One of a line: up to a size, the algorithm. No algorithm: later lines say.
struct SelectionChoice {
    const AlgorithmRow* row = nullptr;
    Tuning tuning;
    std::int64_t most_bytes = INT64_MAX;
};

/// A line of a table. The first one counts whose conditions hold and that has an algorithm that can do it.
struct SelectionLine {
    SelectionConditions conditions;
    bool by_total = false;  ///< sizes are of all members' blocks together, not of one
    std::vector<SelectionChoice> choices;
};

/// Which algorithm for which call: tables as data.
class CollectiveSelection {
  public:
    /// As MPICH chooses.
    CollectiveSelection();

    /// "mpich", "openmpi", a file (of either's rules, or of lines as in the tables here), or OPERATION=ALGORITHM with a
    /// segment size: "broadcast=pipeline:64KiB"; or with sizes up to which an algorithm is taken:
    /// "allreduce=recursive-doubling:2KiB,ring". What is set later comes first. Throws OptionError, and InputError with
    /// file and line.
    void set(std::string_view text);
    /// What counts where no table has been set: a text(). Unknown tables are taken for "mpich".
    void set_default(std::string_view text);
    /// What has been set, but for files: "mpich", or "openmpi broadcast=binary".
    [[nodiscard]] std::string text() const;
    /// A file's text; `name` is for errors.
    void set_text(std::string_view text, const std::string& name);

    struct Chosen {
        const AlgorithmRow* row = nullptr;
        Tuning tuning;
    };
    /// The same for all members of a call.
    [[nodiscard]] Chosen choose(const CollectiveArguments& arguments, int rank, int members) const;

    /// The lines of a collective operation, first one first.
    [[nodiscard]] const std::vector<SelectionLine>& lines(CollectiveKind collective) const {
        return lines_[static_cast<std::size_t>(collective)];
    }

  private:
    using Lines = std::array<std::vector<SelectionLine>, kCollectives>;
    void put_first(const Lines& lines);

    Lines lines_;
    Lines own_;  ///< those of them that are not of a table
    std::string table_;
    std::vector<std::string> settings_;  ///< OPERATION=ALGORITHM, first one first
};

/// The built-in tables: a name and its text.
struct SelectionTableRow {
    std::string name;
    std::string sentence;
    std::string_view text;
};
const Table<SelectionTableRow>& selection_tables();

/// Bytes that choices go by: of the vector (broadcasts, reductions) or of one block; an average where blocks differ.
struct CollectiveBytes {
    std::int64_t one = 0;
    std::int64_t total = 0;  ///< of all members' blocks
    std::int64_t items = 0;  ///< of a reduction
};
CollectiveBytes bytes_of(const CollectiveArguments& arguments, int rank, int members);

}  // namespace haichi::collectives
