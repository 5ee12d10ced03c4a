#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mgen/mpi/error.h"

namespace haichi::mpi {

/// MPI_Dims_create: replaces the zeros in `dims` so that the product of all entries is `nodes`. The new factors are in
/// non-increasing order and as close to each other as possible. The difference between the largest and the smallest
/// factor is minimal. Ties are broken in favour of the larger smallest factor, and so on. Throws CallError
/// (kDimensions) if there are no such factors.
void fill_dimensions(std::int32_t nodes, std::span<int> dims);

/// A row-major grid of ranks; each dimension may be periodic.
class CartTopology {
  public:
    /// Throws CallError for sizes below 1 (kDimensions), and for grids with more ranks than an int can hold
    /// (kArgument).
    CartTopology(std::vector<int> sizes, std::vector<bool> is_periodic);

    [[nodiscard]] int dimensions() const { return static_cast<int>(sizes_.size()); }
    [[nodiscard]] const std::vector<int>& sizes() const { return sizes_; }
    [[nodiscard]] const std::vector<bool>& is_periodic() const { return is_periodic_; }
    /// Number of ranks; 1 if there are no dimensions.
    [[nodiscard]] int size() const { return size_; }

    /// Wraps coordinates in periodic dimensions. In other dimensions, throws CallError (kArgument) for coordinates
    /// outside the grid.
    [[nodiscard]] int rank(std::span<const int> coordinates) const;
    [[nodiscard]] std::vector<int> coordinates(int rank) const;

    /// The rank that is `steps` away in a dimension; nullopt (MPI_PROC_NULL) if it would be outside the grid.
    [[nodiscard]] std::optional<int> neighbor(int rank, int dimension, std::int64_t steps) const;

    /// The result of MPI_Cart_sub for one rank. Ranks with the same color form a grid, ordered by key.
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

/// The graph of MPI_Graph_create, in which every rank knows the neighbours of all ranks.
class GraphTopology {
  public:
    /// Takes the arguments of MPI_Graph_create; index[i] is the number of neighbours of ranks 0 to i together.
    /// Throws CallError (kTopology, kArgument) if they are inconsistent.
    GraphTopology(std::vector<int> index, std::vector<int> edges);

    [[nodiscard]] int size() const { return static_cast<int>(index_.size()); }
    [[nodiscard]] const std::vector<int>& index() const { return index_; }
    [[nodiscard]] const std::vector<int>& edges() const { return edges_; }
    [[nodiscard]] std::span<const int> neighbors(int rank) const;

  private:
    std::vector<int> index_;
    std::vector<int> edges_;
};

/// One rank's own edges in a distributed graph.
struct DistGraphTopology {
    std::vector<int> sources;
    std::vector<int> source_weights;
    std::vector<int> destinations;
    std::vector<int> destination_weights;
    bool is_weighted = false;
};

/// The edges that one rank passes to MPI_Dist_graph_create; they may connect any ranks.
struct DistGraphEdges {
    std::vector<int> sources;
    std::vector<int> degrees;       ///< per source
    std::vector<int> destinations;  ///< the destinations of the first source, then of the second, and so on
    std::vector<int> weights;       ///< by destination; empty if unweighted
};

/// Throws CallError if an edge names a rank that is not below `size`, or if the vectors are inconsistent.
void check_edges(const DistGraphEdges& edges, int size);

/// Collects the edges of each rank from the calls of all ranks. Edges are in the order of the calling rank, and then in
/// the order of its call.
std::vector<DistGraphTopology> edges_by_rank(std::span<const DistGraphEdges> of_ranks);

}  // namespace haichi::mpi
