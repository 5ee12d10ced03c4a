#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/algorithms.h"

namespace haichi::collectives {

/// The conditions under which a table line applies to a call.
struct SelectionConditions {
    std::int64_t least_members = 1;
    std::int64_t most_members = INT64_MAX;
    bool power_of_two = false;
    bool ordered = false;  ///< the operation does not commute
    bool commutes = false;
    bool user_defined = false;  ///< the program defines the operation
    bool fewer_items = false;  ///< the vector has fewer items than the largest power of two up to the number of members
    bool equal_blocks = false;
};

/// One choice of a line: an algorithm for sizes up to a limit. Without an algorithm, later lines decide.
struct SelectionChoice {
    const AlgorithmRow* row = nullptr;
    Tuning tuning;
    std::int64_t most_bytes = INT64_MAX;
};

/// A line of a table. The first line whose conditions hold and whose algorithm supports the call applies.
struct SelectionLine {
    SelectionConditions conditions;
    bool by_total = false;  ///< sizes refer to all members' blocks together, not to one block
    std::vector<SelectionChoice> choices;
};

/// Selects an algorithm for each call, by tables.
class CollectiveSelection {
  public:
    /// Selects as MPICH does.
    CollectiveSelection();

    /// The text is "mpich", "openmpi", a file, or OPERATION=ALGORITHM. A file contains rules of Open MPI, or lines as
    /// in the tables here. An algorithm may have a segment size: "broadcast=pipeline:64KiB". If there are several, each
    /// except the last has the size up to which it applies: "allreduce=recursive-doubling:2KiB,ring". Later settings
    /// take precedence. Throws OptionError, and InputError with file and line.
    void set(std::string_view text);
    /// Sets the selection, a text(), that applies if no table has been set. Unknown tables count as "mpich".
    void set_default(std::string_view text);
    /// The settings except files, such as "mpich" or "openmpi broadcast=binary".
    [[nodiscard]] std::string text() const;
    /// Sets the text of a file; `name` is used in errors.
    void set_text(std::string_view text, const std::string& name);

    struct Chosen {
        const AlgorithmRow* row = nullptr;
        Tuning tuning;
    };
    /// Returns the same choice for all members of a call.
    [[nodiscard]] Chosen choose(const CollectiveArguments& arguments, int rank, int members) const;

    /// The lines of a collective operation, in the order of precedence.
    [[nodiscard]] const std::vector<SelectionLine>& lines(CollectiveKind collective) const {
        return lines_[static_cast<std::size_t>(collective)];
    }

  private:
    using Lines = std::array<std::vector<SelectionLine>, kCollectives>;
    void put_first(const Lines& lines);

    Lines lines_;
    Lines own_;  ///< lines that are not from a table
    std::string table_;
    std::vector<std::string> settings_;  ///< OPERATION=ALGORITHM, in the order of the calls
};

/// A built-in table.
struct SelectionTableRow {
    std::string name;
    std::string sentence;
    std::string_view text;
};
const Table<SelectionTableRow>& selection_tables();

/// The sizes that choices depend on. A size is the size of the vector (broadcasts, reductions) or of one block; if
/// blocks differ, their mean.
struct CollectiveBytes {
    std::int64_t one = 0;
    std::int64_t total = 0;  ///< for the blocks of all members
    std::int64_t items = 0;  ///< for a reduction
};
CollectiveBytes bytes_of(const CollectiveArguments& arguments, int rank, int members);

}  // namespace haichi::collectives
