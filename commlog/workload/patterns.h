#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/table.h"
#include "commlog/workload/workload.h"

namespace haichi {

/// What make_pattern() may be told. An option that a pattern has no use for is an error, not ignored.
struct PatternOptions {
    int ranks = 0;          ///< 0: the product of `dims`
    std::vector<int> dims;  ///< of the grid patterns; empty: `ranks` factored as evenly as possible
    bool periodic = false;  ///< stencils: the grid wraps around in every dimension
    int points = 0;         ///< stencils: 5 or 9 in 2D, 7, 19 or 27 in 3D; 0: the smallest
    std::int64_t message_bytes = std::int64_t{1} << 20;  ///< of every message; of a block for the all-to-alls
    std::optional<std::int64_t> iterations;              ///< default: the pattern's own, 1 for all but cg
    std::uint64_t seed = 1;                              ///< of the random patterns
    double mean_degree = 8;                              ///< random-geometric: partners of a rank far from the border
    /// Relabels the ranks by a random permutation with this seed, so that their numbers say nothing about who
    /// communicates with whom.
    std::optional<std::uint64_t> shuffle_seed;
};

/// What a pattern's factory fills: the checked and completed options, and the sets.
class PatternBuilder {
  public:
    /// `ranks` and `dims` of the options are set and agree.
    explicit PatternBuilder(PatternOptions options);

    [[nodiscard]] const PatternOptions& options() const { return options_; }
    [[nodiscard]] int ranks() const { return options_.ranks; }

    /// Throws OptionError when more than kMostMessages would come; else makes room for them.
    void expect_messages(std::uint64_t count);
    /// The messages from now on form a set of their own. A set that gets none is left out.
    void start_set(std::string label);
    /// A message of the size asked for, or of `size_bytes`. Messages to oneself are dropped.
    void add(int source, int destination) { add(source, destination, options_.message_bytes); }
    void add(int source, int destination, std::int64_t size_bytes);

    Workload take() { return std::move(workload_); }

  private:
    PatternOptions options_;
    Workload workload_;
    std::vector<std::int32_t> shuffled_;  ///< new rank of each rank; empty: they keep theirs
    std::string label_;
    bool set_pending_ = false;
};

struct PatternRow {
    std::string name;
    std::string sentence;
    void (*build)(PatternBuilder& builder);
    int dimensions = 0;            ///< length of `dims`; 0: takes none
    std::vector<int> points = {};  ///< the stencils it knows, default first; empty: takes neither points nor periodic
    std::int64_t iterations = 1;
};

/// All patterns: the table that help, `haichi list patterns` and the tests go by. A new pattern is a function and a
/// row.
const Table<PatternRow>& patterns();

/// Throws OptionError for an unknown name (with did-you-mean) and for options the pattern cannot take. Same options,
/// same workload, everywhere.
Workload make_pattern(std::string_view name, PatternOptions options);

/// `ranks` as a product of `dimensions` (1 to 3) factors as close to each other as possible, largest first, as
/// MPI_Dims_create does: the largest factor is as small as it can be, then the second.
std::vector<int> balanced_dims(int ranks, int dimensions);

}  // namespace haichi
