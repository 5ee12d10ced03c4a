#include "commlog/workload/patterns.h"

#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "base/errors.h"
#include "base/random.h"
#include "commlog/workload/pattern_builders.h"

namespace haichi {

namespace {

/// The random stream for shuffling. A shuffle must not use the same random numbers as a pattern with the same seed.
constexpr std::uint64_t kShuffleStream = 1;

std::string product_text(const std::vector<int>& dims) {
    std::string text;
    for (const int dim : dims) text += (text.empty() ? "" : "x") + std::to_string(dim);
    return text;
}

int product(const std::vector<int>& dims) {
    std::int64_t result = 1;
    for (const int dim : dims) {
        if (dim < 1) throw OptionError("every dimension of " + product_text(dims) + " must be at least 1");
        result *= dim;
        if (result > kMostRanks) {
            throw OptionError("§dims " + product_text(dims) + " have more than " + std::to_string(kMostRanks) +
                              " ranks, the limit of a workload");
        }
    }
    return static_cast<int>(result);
}

void check_numbers(const PatternOptions& options) {
    if (options.ranks < 0 || options.ranks > kMostRanks) {
        throw OptionError("the number of ranks must be 1 to " + std::to_string(kMostRanks) + ", found " +
                          std::to_string(options.ranks));
    }
    if (options.message_bytes < 0 || options.message_bytes > kLargestMessageBytes) {
        throw OptionError("message size " + std::to_string(options.message_bytes) + " is outside 0..2^48 bytes");
    }
    if (options.iterations && *options.iterations < 1) {
        throw OptionError("iterations must be at least 1, found " + std::to_string(*options.iterations));
    }
    if (!std::isfinite(options.mean_degree) || options.mean_degree <= 0) {
        throw OptionError("the mean degree must be above 0, found " + std::to_string(options.mean_degree));
    }
}

/// Determines missing ranks, dims and points; throws OptionError if the options contradict each other.
void complete(const PatternRow& row, PatternOptions& options) {
    const std::string pattern = "pattern " + shown(row.name);
    check_numbers(options);
    if (row.dimensions == 0 && !options.dims.empty())
        throw OptionError(pattern + " cannot be combined with §dims", "give §ranks instead");
    if (!options.dims.empty()) {
        if (options.dims.size() != static_cast<std::size_t>(row.dimensions)) {
            throw OptionError(pattern + " requires " + std::to_string(row.dimensions) + " sizes in §dims, found " +
                              shown(product_text(options.dims)));
        }
        const int ranks = product(options.dims);
        if (options.ranks != 0 && options.ranks != ranks) {
            throw OptionError("§dims " + product_text(options.dims) + " have " + std::to_string(ranks) +
                              " ranks, but §ranks is " + std::to_string(options.ranks));
        }
        options.ranks = ranks;
    }
    if (options.ranks == 0) {
        throw OptionError(pattern + " requires a number of ranks",
                          row.dimensions > 0 ? "give §ranks or §dims" : "give §ranks");
    }
    if (row.dimensions > 0 && options.dims.empty()) options.dims = balanced_dims(options.ranks, row.dimensions);

    if (row.points.empty()) {
        if (options.points != 0) throw OptionError(pattern + " cannot be combined with §points");
        if (options.periodic) throw OptionError(pattern + " cannot be made periodic");
        return;
    }
    if (options.points == 0) options.points = row.points.front();
    std::string known;
    for (const int points : row.points) {
        if (points == options.points) return;
        known += (known.empty() ? "" : ", ") + std::to_string(points);
    }
    throw OptionError(pattern + " has no " + std::to_string(options.points) + "-point stencil",
                      "choose one of these numbers of points: " + known);
}

/// Returns two factors of n that are as close as possible, the larger one first. For n below 2^27, there are at most
/// 11,585 trial divisions.
std::vector<int> two_factors(int n) {
    int small = static_cast<int>(std::sqrt(static_cast<double>(n)));
    while (n % small != 0) --small;
    return {n / small, small};
}

}  // namespace

std::vector<int> balanced_dims(int ranks, int dimensions) {
    if (ranks < 1 || ranks > kMostRanks) throw OptionError(std::to_string(ranks) + " ranks cannot be factored");
    switch (dimensions) {
        case 1:
            return {ranks};
        case 2:
            return two_factors(ranks);
        case 3: {
            // Finds the smallest divisor that can be the largest of three factors. Divisors above the square root are
            // cofactors of those below it, so even a prime number takes few trials.
            std::vector<int> divisors;
            std::vector<int> cofactors;
            for (int d = 1; std::int64_t{d} * d <= ranks; ++d) {
                if (ranks % d != 0) continue;
                divisors.push_back(d);
                if (d != ranks / d) cofactors.push_back(ranks / d);
            }
            divisors.insert(divisors.end(), cofactors.rbegin(), cofactors.rend());
            for (const int largest : divisors) {
                const std::vector<int> rest = two_factors(ranks / largest);
                if (rest[0] <= largest) return {largest, rest[0], rest[1]};
            }
            break;
        }
        default:
            break;
    }
    throw OptionError("ranks can be distributed over 1 to 3 dimensions, found " + std::to_string(dimensions));
}

PatternBuilder::PatternBuilder(PatternOptions options)
    : options_(std::move(options)), workload_(options_.ranks, options_.iterations.value_or(1)) {
    if (!options_.shuffle_seed) return;
    shuffled_.resize(static_cast<std::size_t>(options_.ranks));
    std::iota(shuffled_.begin(), shuffled_.end(), 0);
    Random(*options_.shuffle_seed, kShuffleStream).shuffle(std::span(shuffled_));
}

void PatternBuilder::expect_messages(std::uint64_t count) {
    if (count > static_cast<std::uint64_t>(kMostMessages)) {
        throw OptionError("with " + std::to_string(options_.ranks) + " ranks this pattern has about " +
                              std::to_string(count) + " messages, more than the limit of " +
                              std::to_string(kMostMessages) + " for a workload",
                          "use fewer ranks");
    }
    const std::uint64_t most_bytes = std::numeric_limits<std::int64_t>::max();
    if (options_.message_bytes > 0 && count > most_bytes / static_cast<std::uint64_t>(options_.message_bytes)) {
        throw OptionError(std::to_string(count) + " messages of " + std::to_string(options_.message_bytes) +
                              " bytes are more than 2^63 - 1 bytes",
                          "use smaller messages");
    }
    workload_.reserve_messages(count);
}

void PatternBuilder::start_set(std::string label) {
    label_ = std::move(label);
    set_pending_ = true;
}

void PatternBuilder::add(int source, int destination, std::int64_t size_bytes) {
    if (source == destination) return;
    if (set_pending_) workload_.add_set(std::move(label_));
    set_pending_ = false;
    const auto relabelled = [this](int rank) {
        return RankId(shuffled_.empty() ? std::int32_t{rank} : shuffled_[static_cast<std::size_t>(rank)]);
    };
    workload_.add_message(relabelled(source), relabelled(destination), size_bytes);
}

const Table<PatternRow>& patterns() {
    static const Table<PatternRow> kRows(
        {"pattern", "patterns"},
        {
            {"cg",
             "NPB CG kernel on 2^k ranks: log2(columns) exchanges inside the rows, then the transpose exchange.",
             build_cg,
             0,
             {},
             1000},
            {"stencil2d",
             "Halo exchange of a 5- or 9-point stencil on a 2D grid: one set per direction.",
             build_stencil2d,
             2,
             {5, 9}},
            {"stencil3d",
             "Halo exchange of a 7-, 19- or 27-point stencil on a 3D grid: one set per direction.",
             build_stencil3d,
             3,
             {7, 19, 27}},
            {"fft", "Pencil FFT on a 2D grid: pairwise all-to-all within the rows, then within the columns.", build_fft,
             2},
            {"sweep",
             "2D wavefront from corner (0,0): each diagonal has a set along the last axis, then a set along the first.",
             build_sweep, 2},
            {"ring", "Every rank sends to the next, the last to the first.", build_ring},
            {"random-ring", "A ring of the ranks in random order, like the random ring of HPCC.", build_random_ring},
            {"recursive-doubling", "All-reduce by recursive doubling: step k exchanges with rank XOR 2^k.",
             build_recursive_doubling},
            {"alltoall-pairwise", "All-to-all in ranks - 1 steps: exchange with rank XOR i, or send to rank + i.",
             build_alltoall_pairwise},
            {"alltoall-bruck", "Bruck's all-to-all in log2(ranks) steps: joined blocks go to rank + 2^k.",
             build_alltoall_bruck},
            {"random-geometric",
             "Random points in the unit square exchange with all points in a radius: an irregular matrix.",
             build_random_geometric},
        });
    return kRows;
}

Workload make_pattern(std::string_view name, PatternOptions options) {
    const PatternRow& row = patterns().at(name);
    complete(row, options);
    if (!options.iterations) options.iterations = row.iterations;
    PatternBuilder builder(std::move(options));
    row.build(builder);
    return builder.take();
}

}  // namespace haichi
