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

/// Options for make_pattern(). An option that the pattern does not have is an error.
struct PatternOptions {
    int ranks = 0;          ///< if 0, the product of `dims`
    std::vector<int> dims;  ///< for grid patterns; if empty, `ranks` is factored as evenly as possible
    bool periodic = false;  ///< for stencils: the grid wraps around in all dimensions
    int points = 0;         ///< for stencils, 5 or 9 in 2D, and 7, 19 or 27 in 3D; 0 selects the smallest
    std::int64_t message_bytes = std::int64_t{1} << 20;  ///< size of every message; for all-to-alls, size of a block
    std::optional<std::int64_t> iterations;              ///< the default is the pattern's own, which is 1 except for cg
    std::uint64_t seed = 1;                              ///< random seed for patterns that use random numbers
    /// For random-geometric: number of partners of a rank far from the border.
    double mean_degree = 8;
    /// Renumbers the ranks by a random permutation with this seed. Rank numbers then do not reveal which ranks
    /// communicate.
    std::optional<std::uint64_t> shuffle_seed;
};

/// The checked and complete options of a pattern, and the sets that the pattern's function adds.
class PatternBuilder {
  public:
    /// `ranks` and `dims` must be set and consistent.
    explicit PatternBuilder(PatternOptions options);

    [[nodiscard]] const PatternOptions& options() const { return options_; }
    [[nodiscard]] int ranks() const { return options_.ranks; }

    /// Reserves memory for messages; throws OptionError for more than kMostMessages messages.
    void expect_messages(std::uint64_t count);
    /// Starts a set, to which the messages added next belong. A set without messages is omitted.
    void start_set(std::string label);
    /// Adds a message of the size in the options, or of `size_bytes`. A message from a rank to itself is ignored.
    void add(int source, int destination) { add(source, destination, options_.message_bytes); }
    void add(int source, int destination, std::int64_t size_bytes);

    Workload take() { return std::move(workload_); }

  private:
    PatternOptions options_;
    Workload workload_;
    std::vector<std::int32_t> shuffled_;  ///< new number of each rank; empty without shuffling
    std::string label_;
    bool set_pending_ = false;
};

struct PatternRow {
    std::string name;
    std::string sentence;
    void (*build)(PatternBuilder& builder);
    int dimensions = 0;  ///< required length of `dims`; 0 if the pattern has no grid
    /// Allowed numbers of stencil points, default first; empty if the pattern is not a stencil.
    std::vector<int> points = {};
    std::int64_t iterations = 1;
};

/// The table of all patterns, which help, `haichi list patterns` and the tests use. A new pattern needs a function and
/// a table entry.
const Table<PatternRow>& patterns();

/// Makes a pattern. Throws OptionError for an unknown name (with a suggestion) and for options that do not apply. Equal
/// options give equal workloads on every machine.
Workload make_pattern(std::string_view name, PatternOptions options);

/// Factors `ranks` into `dimensions` factors (1 to 3) that are as close to each other as possible, largest first. As in
/// MPI_Dims_create, the largest factor is as small as possible, and then the second largest.
std::vector<int> balanced_dims(int ranks, int dimensions);

}  // namespace haichi
