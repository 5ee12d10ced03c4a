#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mgen/mpi/error.h"

namespace haichi::mpi {

/// MPI_Dims_create: fills the zeros of `dims` so that the product of all is `nodes`, with factors as close to each
/// other as possible (the least difference of the largest and the smallest; of those, the largest smallest one, and so
/// on), in non-increasing order. CallError (kDimensions) if there are none.
void fill_dimensions(std::int32_t nodes, std::span<int> dims);

/// A grid of ranks, row-major, some of its dimensions closed to rings.
class CartTopology {
  public:
    /// CallError for sizes below 1 (kDimensions), and for grids of more ranks than an int holds (kArgument).
    CartTopology(std::vector<int> sizes, std::vector<bool> is_periodic);

    [[nodiscard]] int dimensions() const { return static_cast<int>(sizes_.size()); }
    [[nodiscard]] const std::vector<int>& sizes() const { return sizes_; }
    [[nodiscard]] const std::vector<bool>& is_periodic() const { return is_periodic_; }
    /// Ranks; 1 without dimensions.
    [[nodiscard]] int size() const { return size_; }

    /// Coordinates outside of a periodic dimension are wrapped; of another one: CallError (kArgument).
    [[nodiscard]] int rank(std::span<const int> coordinates) const;
    [[nodiscard]] std::vector<int> coordinates(int rank) const;

    /// The rank `steps` away in a dimension; nullopt (MPI_PROC_NULL) beyond an end.
    [[nodiscard]] std::optional<int> neighbor(int rank, int dimension, std::int64_t steps) const;

    /// What MPI_Cart_sub makes of it, as one rank sees it: ranks with the same color are in one grid, in the order of
    /// their keys.
    struct Part;
    [[nodiscard]] Part part(std::span<const int> remains, int rank) const;

    friend bool operator==(const CartTopology&, const CartTopology&) = default;

  private:
    std::vector<int> sizes_;
    std::vector<bool> is_periodic_;
    int size_ = 1;
};

struct CartTopology::Part {
    CartTopology topology;
    int color = 0;
    int key = 0;
};

/// The graph of MPI_Graph_create: the neighbours of all ranks are known to all of them.
class GraphTopology {
  public:
    /// As the call gives them: index[i] is the number of neighbours of ranks 0 to i. CallError (kTopology, kArgument)
    /// if they do not fit each other.
    GraphTopology(std::vector<int> index, std::vector<int> edges);

    [[nodiscard]] int size() const { return static_cast<int>(index_.size()); }
    [[nodiscard]] const std::vector<int>& index() const { return index_; }
    [[nodiscard]] const std::vector<int>& edges() const { return edges_; }
    [[nodiscard]] std::span<const int> neighbors(int rank) const;

  private:
    std::vector<int> index_;
    std::vector<int> edges_;
};

/// What one rank knows of a distributed graph: its own edges.
struct DistGraphTopology {
    std::vector<int> sources;
    std::vector<int> source_weights;
    std::vector<int> destinations;
    std::vector<int> destination_weights;
    bool is_weighted = false;
};

/// What one rank gives to MPI_Dist_graph_create: edges of any ranks.
struct DistGraphEdges {
    std::vector<int> sources;
    std::vector<int> degrees;       ///< of each source
    std::vector<int> destinations;  ///< of the first source, then of the next one
    std::vector<int> weights;       ///< of each destination; empty: unweighted
};

/// CallError if the edges name ranks that are not among `size`, or numbers do not fit each other.
void check_edges(const DistGraphEdges& edges, int size);

/// The edges of each rank among those that all ranks gave, in the order of the ranks and of what each gave.
std::vector<DistGraphTopology> edges_by_rank(std::span<const DistGraphEdges> of_ranks);

}  // namespace haichi::mpi
