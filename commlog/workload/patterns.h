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

/// Options of make_pattern(). An option that does not apply to a pattern is an error.
struct PatternOptions {
    int ranks = 0;          ///< 0 means the product of `dims`
    std::vector<int> dims;  ///< for grid patterns, or empty to factor `ranks` as evenly as possible
    bool periodic = false;  ///< stencils: whether the grid wraps around in every dimension
    int points = 0;         ///< stencils: 5 or 9 in 2D, 7, 19 or 27 in 3D, or 0 for the smallest
    std::int64_t message_bytes = std::int64_t{1} << 20;  ///< size of every message, or of a block for all-to-alls
    std::optional<std::int64_t> iterations;              ///< default: the pattern's own, which is 1 except for cg
    std::uint64_t seed = 1;                              ///< seed of the random patterns
    double mean_degree = 8;                              ///< random-geometric: partners of a rank far from the border
    /// Relabels the ranks by a random permutation with this seed. Then their numbers do not show which ranks
    /// communicate.
    std::optional<std::uint64_t> shuffle_seed;
};

/// The checked and completed options for a pattern's factory, and the sets that it fills.
class PatternBuilder {
  public:
    /// `ranks` and `dims` of the options are set and agree.
    explicit PatternBuilder(PatternOptions options);

    [[nodiscard]] const PatternOptions& options() const { return options_; }
    [[nodiscard]] int ranks() const { return options_.ranks; }

    /// Reserves memory, or throws OptionError for more than kMostMessages messages.
    void expect_messages(std::uint64_t count);
    /// Starts a set for the following messages. A set without messages is left out.
    void start_set(std::string label);
    /// Adds a message of the requested size, or of `size_bytes`. Messages from a rank to itself are dropped.
    void add(int source, int destination) { add(source, destination, options_.message_bytes); }
    void add(int source, int destination, std::int64_t size_bytes);

    Workload take() { return std::move(workload_); }

  private:
    PatternOptions options_;
    Workload workload_;
    std::vector<std::int32_t> shuffled_;  ///< new number of each rank, or empty if unchanged
    std::string label_;
    bool set_pending_ = false;
};

struct PatternRow {
    std::string name;
    std::string sentence;
    void (*build)(PatternBuilder& builder);
    int dimensions = 0;            ///< length of `dims`, or 0 if the pattern has none
    std::vector<int> points = {};  ///< allowed stencils, default first; empty if it has no stencil options
    std::int64_t iterations = 1;
};

/// All patterns: the table that help, `haichi list patterns` and the tests use. A new pattern is a function and a table
/// entry.
const Table<PatternRow>& patterns();

/// Makes a pattern. Throws OptionError for an unknown name (with a suggestion) and for options that do not apply. The
/// same options give the same workload on every machine.
Workload make_pattern(std::string_view name, PatternOptions options);

/// Factors `ranks` into `dimensions` (1 to 3) factors that are as close to each other as possible, largest first. As in
/// MPI_Dims_create, the largest factor is as small as possible, and then the second.
std::vector<int> balanced_dims(int ranks, int dimensions);

}  // namespace haichi
