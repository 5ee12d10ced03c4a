#include "mgen/mpi/topology.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

namespace haichi::mpi {

namespace {

/// Splits a number into factors that are as close to each other as possible.
class BalancedFactors {
  public:
    BalancedFactors(std::int64_t number, std::size_t count) {
        for (std::int64_t i = 1; i * i <= number; ++i) {
            if (number % i != 0) continue;
            divisors_.push_back(i);
            if (i * i != number) divisors_.push_back(number / i);
        }
        std::ranges::sort(divisors_);
        // The largest factor is at least the count-th root of the number, and the smallest is at most that root. The
        // minimum difference therefore grows with the largest factor.
        std::int64_t below_root = 1;
        for (const std::int64_t largest : divisors_) {
            if (!holds(largest, count, number)) {
                below_root = largest;
                continue;
            }
            const bool is_root = !holds(largest - 1, count, number) && power_is(largest, count, number);
            if (!best_.empty() && !is_root && largest - below_root > difference(best_)) break;
            chosen_ = {largest};
            choose(number / largest, count - 1);
        }
    }

    /// The factors in non-increasing order.
    [[nodiscard]] const std::vector<std::int64_t>& factors() const { return best_; }

  private:
    static std::int64_t difference(const std::vector<std::int64_t>& factors) {
        return factors.front() - factors.back();
    }

    /// True if factor^count >= number.
    static bool holds(std::int64_t factor, std::size_t count, std::int64_t number) {
        std::int64_t product = 1;
        for (std::size_t i = 0; i < count && product < number; ++i) product *= std::min(factor, number);
        return product >= number;
    }
    static bool power_is(std::int64_t factor, std::size_t count, std::int64_t number) {
        for (std::size_t i = 0; i < count; ++i) {
            if (number % factor != 0) return false;
            number /= factor;
        }
        return number == 1;
    }

    [[nodiscard]] bool is_better() const {
        if (best_.empty()) return true;
        if (difference(chosen_) != difference(best_)) return difference(chosen_) < difference(best_);
        return std::lexicographical_compare(best_.rbegin(), best_.rend(), chosen_.rbegin(), chosen_.rend());
    }

    /// Chooses `count` more factors of `rest`; none may exceed the factor chosen last.
    void choose(std::int64_t rest, std::size_t count) {
        if (count == 0) {
            if (rest == 1 && is_better()) best_ = chosen_;
            return;
        }
        const auto end = std::ranges::upper_bound(divisors_, chosen_.back());
        for (auto factor = end; factor != divisors_.begin();) {
            --factor;
            if (!holds(*factor, count, rest)) break;
            if (!best_.empty() && chosen_.front() - *factor > difference(best_)) break;
            if (rest % *factor != 0) continue;
            chosen_.push_back(*factor);
            choose(rest / *factor, count - 1);
            chosen_.pop_back();
        }
    }

    std::vector<std::int64_t> divisors_;
    std::vector<std::int64_t> chosen_;
    std::vector<std::int64_t> best_;
};

[[noreturn]] void refuse_dimensions(const std::string& what) { throw CallError(ErrorClass::kDimensions, what); }

void check_rank(int rank, int size) {
    if (rank < 0 || rank >= size) {
        throw CallError(ErrorClass::kRank, "invalid rank: " + std::to_string(rank) + " (the topology has " +
                                               std::to_string(size) + " ranks)");
    }
}

}  // namespace

void fill_dimensions(std::int32_t nodes, std::span<int> dims) {
    if (nodes < 1) refuse_dimensions("invalid number of nodes: " + std::to_string(nodes));
    std::int64_t given = 1;
    std::size_t open = 0;
    for (const int size : dims) {
        if (size < 0) refuse_dimensions("invalid size of a dimension: " + std::to_string(size));
        if (size == 0) {
            ++open;
        } else {
            given = std::min<std::int64_t>(given * size, std::int64_t{nodes} + 1);
        }
    }
    if (nodes % given != 0 || (open == 0 && given != nodes)) {
        refuse_dimensions("the given dimensions do not divide " + std::to_string(nodes) + " nodes");
    }
    if (open == 0) return;
    const BalancedFactors balanced(nodes / given, open);
    auto factor = balanced.factors().begin();
    for (int& size : dims) {
        if (size == 0) size = static_cast<int>(*factor++);
    }
}

CartTopology::CartTopology(std::vector<int> sizes, std::vector<bool> is_periodic)
    : sizes_(std::move(sizes)), is_periodic_(std::move(is_periodic)) {
    std::int64_t ranks = 1;
    for (const int size : sizes_) {
        if (size < 1) refuse_dimensions("invalid size of a grid dimension: " + std::to_string(size));
        ranks *= size;
        if (ranks > std::numeric_limits<int>::max()) throw CallError(ErrorClass::kArgument, "a grid is too large");
    }
    size_ = static_cast<int>(ranks);
}

int CartTopology::rank(std::span<const int> coordinates) const {
    int rank = 0;
    for (std::size_t d = 0; d < sizes_.size(); ++d) {
        int coordinate = coordinates[d];
        if (coordinate < 0 || coordinate >= sizes_[d]) {
            if (!is_periodic_[d]) {
                throw CallError(ErrorClass::kArgument, "coordinate " + std::to_string(coordinate) +
                                                           " is outside dimension " + std::to_string(d) + " of size " +
                                                           std::to_string(sizes_[d]));
            }
            coordinate %= sizes_[d];
            if (coordinate < 0) coordinate += sizes_[d];
        }
        rank = rank * sizes_[d] + coordinate;
    }
    return rank;
}

std::vector<int> CartTopology::coordinates(int rank) const {
    check_rank(rank, size_);
    std::vector<int> result(sizes_.size());
    for (std::size_t d = sizes_.size(); d-- > 0; rank /= sizes_[d]) result[d] = rank % sizes_[d];
    return result;
}

std::optional<int> CartTopology::neighbor(int rank, int dimension, std::int64_t steps) const {
    if (dimension < 0 || dimension >= dimensions()) {
        throw CallError(ErrorClass::kArgument, "invalid dimension of a grid: " + std::to_string(dimension));
    }
    const auto d = static_cast<std::size_t>(dimension);
    std::vector<int> place = coordinates(rank);
    std::int64_t moved = place[d] + steps;
    if (moved < 0 || moved >= sizes_[d]) {
        if (!is_periodic_[d]) return std::nullopt;
        moved %= sizes_[d];
        if (moved < 0) moved += sizes_[d];
    }
    place[d] = static_cast<int>(moved);
    return this->rank(place);
}

CartTopology::Part CartTopology::part(std::span<const int> remains, int rank) const {
    const std::vector<int> place = coordinates(rank);
    std::vector<int> sizes;
    std::vector<bool> is_periodic;
    int color = 0;
    int key = 0;
    for (std::size_t d = 0; d < sizes_.size(); ++d) {
        if (remains[d] != 0) {
            sizes.push_back(sizes_[d]);
            is_periodic.push_back(is_periodic_[d]);
            key = key * sizes_[d] + place[d];
        } else {
            color = color * sizes_[d] + place[d];
        }
    }
    return {CartTopology(std::move(sizes), std::move(is_periodic)), color, key};
}

GraphTopology::GraphTopology(std::vector<int> index, std::vector<int> edges)
    : index_(std::move(index)), edges_(std::move(edges)) {
    int before = 0;
    for (const int end : index_) {
        if (end < before) throw CallError(ErrorClass::kArgument, "the index of a graph decreases");
        before = end;
    }
    if (static_cast<std::size_t>(before) > edges_.size()) {
        throw CallError(ErrorClass::kArgument, "the index of a graph exceeds its number of edges");
    }
    edges_.resize(static_cast<std::size_t>(before));
    for (const int edge : edges_) {
        if (edge < 0 || edge >= size()) {
            throw CallError(ErrorClass::kArgument, "invalid edge: to node " + std::to_string(edge) +
                                                       " (the graph has " + std::to_string(size()) + " nodes)");
        }
    }
}

std::span<const int> GraphTopology::neighbors(int rank) const {
    check_rank(rank, size());
    const auto r = static_cast<std::size_t>(rank);
    const int begin = rank == 0 ? 0 : index_[r - 1];
    return std::span(edges_).subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(index_[r] - begin));
}

void check_edges(const DistGraphEdges& edges, int size) {
    std::int64_t destinations = 0;
    for (const int degree : edges.degrees) {
        if (degree < 0)
            throw CallError(ErrorClass::kArgument, "invalid degree of a graph node: " + std::to_string(degree));
        destinations += degree;
    }
    if (edges.degrees.size() != edges.sources.size() || destinations != std::ssize(edges.destinations)) {
        throw CallError(ErrorClass::kArgument, "the degrees of a graph do not match its number of edges");
    }
    for (const std::vector<int>* ranks : {&edges.sources, &edges.destinations}) {
        for (const int rank : *ranks) check_rank(rank, size);
    }
}

std::vector<DistGraphTopology> edges_by_rank(std::span<const DistGraphEdges> of_ranks) {
    std::vector<DistGraphTopology> ranks(of_ranks.size());
    bool has_weights = false;
    for (const DistGraphEdges& given : of_ranks) {
        const bool is_weighted = !given.weights.empty();
        has_weights = has_weights || is_weighted;
        std::size_t edge = 0;
        for (std::size_t i = 0; i < given.sources.size(); ++i) {
            DistGraphTopology& from = ranks[static_cast<std::size_t>(given.sources[i])];
            for (int n = 0; n < given.degrees[i]; ++n, ++edge) {
                const int weight = is_weighted ? given.weights[edge] : 1;
                DistGraphTopology& to = ranks[static_cast<std::size_t>(given.destinations[edge])];
                from.destinations.push_back(given.destinations[edge]);
                from.destination_weights.push_back(weight);
                to.sources.push_back(given.sources[i]);
                to.source_weights.push_back(weight);
            }
        }
    }
    for (DistGraphTopology& rank : ranks) rank.is_weighted = has_weights;
    return ranks;
}

}  // namespace haichi::mpi
