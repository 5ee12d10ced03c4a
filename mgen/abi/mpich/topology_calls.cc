// Topologies of communicators: Cartesian grids, graphs, and distributed graphs. Ranks are never reordered.

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>

#include <calls_generated.h>
#include "mgen/abi/mpich/mpich_rank.h"
#include "mgen/abi/mpich/new_communicator.h"
#include "mgen/mpi/communicators.h"

namespace haichi::abi::mpich {

namespace {

using mpi::CartTopology;
using mpi::DistGraphEdges;
using mpi::DistGraphTopology;
using mpi::ErrorClass;
using mpi::GraphTopology;
using mpi::MembershipRef;

const CartTopology& cart(MpichRank& state, MPI_Comm handle) {
    const Comm& comm = state.comm(handle);
    if (!comm.topology.cart) raise(ErrorClass::kTopology, "the communicator has no Cartesian topology");
    return *comm.topology.cart;
}

const GraphTopology& graph(MpichRank& state, MPI_Comm handle) {
    const Comm& comm = state.comm(handle);
    if (!comm.topology.graph) raise(ErrorClass::kTopology, "the communicator has no graph topology");
    return *comm.topology.graph;
}

const DistGraphTopology& dist_graph(MpichRank& state, MPI_Comm handle) {
    const Comm& comm = state.comm(handle);
    if (!comm.topology.dist_graph) raise(ErrorClass::kTopology, "the communicator has no distributed graph topology");
    return *comm.topology.dist_graph;
}

void check_count(std::int64_t count, const char* what) {
    if (count < 0) raise(ErrorClass::kArgument, "the number of " + std::string(what) + " is negative");
}

/// Throws CallError if the caller's array is too small.
void check_room(int room, int needed) {
    if (room < needed) {
        raise(ErrorClass::kArgument,
              "the array has room for " + std::to_string(room) + " of " + std::to_string(needed) + " numbers");
    }
}

void check_rank(int rank, int size) {
    if (rank < 0 || rank >= size) {
        raise(ErrorClass::kRank,
              "invalid rank: " + std::to_string(rank) + " (the topology has " + std::to_string(size) + " ranks)");
    }
}

std::vector<int> array(const int* data, int count) {
    return count > 0 ? std::vector<int>(data, data + count) : std::vector<int>();
}

CartTopology make_cart(int dimensions, const int* sizes, const int* periods) {
    if (dimensions < 0) raise(ErrorClass::kArgument, "the number of dimensions is negative");
    std::vector<bool> is_periodic;
    for (int d = 0; d < dimensions; ++d) is_periodic.push_back(periods[d] != 0);
    return {array(sizes, dimensions), std::move(is_periodic)};
}

void check_size(int nodes, const MembershipRef& of) {
    if (nodes > of->size()) {
        raise(ErrorClass::kArgument, "the topology has " + std::to_string(nodes) + " ranks, but the communicator has " +
                                         std::to_string(of->size()));
    }
}

/// Creates a communicator of the first `ranks` ranks.
MembershipRef make_of_first(MpichRank& state, const MembershipRef& of, int ranks) {
    const mpi::GroupRef& group = of->communicator->group;
    if (ranks == group->size()) return create(state.process, of, group);
    const std::array<mpi::Group::Range, 1> first = {{{0, ranks - 1, 1}}};
    return create(state.process, of, ranks == 0 ? mpi::Group::empty() : group->include_ranges(first));
}

/// All ranks have equal graphs, so they share one object.
struct SharedGraph {
    std::shared_ptr<const GraphTopology> topology;
};

/// The arguments that all ranks pass to MPI_Dist_graph_create, and then the result of each rank.
struct GatheredEdges {
    std::vector<DistGraphEdges> given;
    std::vector<DistGraphTopology> ranks;
    bool is_weighted = false;
};

mpi::World::AgreementKey next_creation(mpi::Membership& of) { return {of.communicator->context, of.creations++, 0}; }

std::shared_ptr<const DistGraphTopology> gather(MpichRank& state, const MembershipRef& made, DistGraphEdges edges,
                                                bool is_weighted) {
    const auto gathered = state.process.world().agree<GatheredEdges>(next_creation(*made), made->size());
    gathered->given.resize(static_cast<std::size_t>(made->size()));
    const auto bytes = static_cast<std::int64_t>(edges.destinations.size() * 3 * sizeof(int));
    gathered->given[static_cast<std::size_t>(made->rank)] = std::move(edges);
    gathered->is_weighted = gathered->is_weighted || is_weighted;
    state.process.meet(made, {.bytes = std::max<std::int64_t>(bytes, 1), .gathers = true});
    if (gathered->ranks.empty()) {
        gathered->ranks = mpi::edges_by_rank(gathered->given);
        gathered->given.clear();
    }
    auto own = std::make_shared<DistGraphTopology>(std::move(gathered->ranks[static_cast<std::size_t>(made->rank)]));
    own->is_weighted = gathered->is_weighted;
    return own;
}

}  // namespace

int Dims_create(int nodes, int dimensions, int sizes[]) {
    if (dimensions < 0) raise(ErrorClass::kArgument, "the number of dimensions is negative");
    mpi::fill_dimensions(nodes, std::span(sizes, static_cast<std::size_t>(dimensions)));
    return MPI_SUCCESS;
}
int Topo_test(MPI_Comm comm, int* kind) {
    *kind = MpichRank::current().comm(comm).topology.kind();
    return MPI_SUCCESS;
}

int Cart_create(MPI_Comm comm, int dimensions, const int sizes[], const int periods[], int /*reorder*/,
                MPI_Comm* made) {
    MpichRank& state = MpichRank::current();
    *made = MPI_COMM_NULL;
    const MembershipRef& of = intra(state, comm);
    auto topology = std::make_shared<const CartTopology>(make_cart(dimensions, sizes, periods));
    check_size(topology->size(), of);
    MembershipRef grid = make_of_first(state, of, topology->size());
    *made = add_communicator(state, comm, std::move(grid), {.cart = std::move(topology)});
    return MPI_SUCCESS;
}
int Cart_map(MPI_Comm comm, int dimensions, const int sizes[], const int periods[], int* rank) {
    const MembershipRef& of = intra(MpichRank::current(), comm);
    const CartTopology topology = make_cart(dimensions, sizes, periods);
    check_size(topology.size(), of);
    *rank = of->rank < topology.size() ? of->rank : MPI_UNDEFINED;
    return MPI_SUCCESS;
}
int Cartdim_get(MPI_Comm comm, int* dimensions) {
    *dimensions = cart(MpichRank::current(), comm).dimensions();
    return MPI_SUCCESS;
}
int Cart_get(MPI_Comm comm, int room, int sizes[], int periods[], int coordinates[]) {
    MpichRank& state = MpichRank::current();
    const CartTopology& topology = cart(state, comm);
    check_room(room, topology.dimensions());
    std::ranges::copy(topology.sizes(), sizes);
    std::ranges::copy(topology.is_periodic(), periods);
    std::ranges::copy(topology.coordinates(state.comm(comm).membership->rank), coordinates);
    return MPI_SUCCESS;
}
int Cart_rank(MPI_Comm comm, const int coordinates[], int* rank) {
    const CartTopology& topology = cart(MpichRank::current(), comm);
    *rank = topology.rank(std::span(coordinates, static_cast<std::size_t>(topology.dimensions())));
    return MPI_SUCCESS;
}
int Cart_coords(MPI_Comm comm, int rank, int room, int coordinates[]) {
    const CartTopology& topology = cart(MpichRank::current(), comm);
    check_rank(rank, topology.size());
    check_room(room, topology.dimensions());
    std::ranges::copy(topology.coordinates(rank), coordinates);
    return MPI_SUCCESS;
}
int Cart_shift(MPI_Comm comm, int dimension, int steps, int* source, int* destination) {
    MpichRank& state = MpichRank::current();
    const CartTopology& topology = cart(state, comm);
    if (dimension < 0 || dimension >= topology.dimensions()) {
        raise(ErrorClass::kArgument, "invalid dimension: " + std::to_string(dimension) + " (the grid has " +
                                         std::to_string(topology.dimensions()) + " dimensions)");
    }
    const int rank = state.comm(comm).membership->rank;
    *source = topology.neighbor(rank, dimension, -std::int64_t{steps}).value_or(MPI_PROC_NULL);
    *destination = topology.neighbor(rank, dimension, steps).value_or(MPI_PROC_NULL);
    return MPI_SUCCESS;
}
int Cart_sub(MPI_Comm comm, const int remains[], MPI_Comm* made) {
    MpichRank& state = MpichRank::current();
    *made = MPI_COMM_NULL;
    const CartTopology& topology = cart(state, comm);
    const MembershipRef& of = state.comm(comm).membership;
    CartTopology::Part part =
        topology.part(std::span(remains, static_cast<std::size_t>(topology.dimensions())), of->rank);
    // If no dimensions remain, MPICH makes a grid of only the first rank, as in MPI_Cart_create.
    const bool is_in = part.topology.dimensions() > 0 || of->rank == 0;
    MembershipRef grid = split(state.process, of, is_in ? std::optional(part.color) : std::nullopt, part.key);
    *made = add_communicator(state, comm, std::move(grid),
                             {.cart = std::make_shared<const CartTopology>(std::move(part.topology))});
    return MPI_SUCCESS;
}

int Graph_create(MPI_Comm comm, int nodes, const int index[], const int edges[], int /*reorder*/, MPI_Comm* made) {
    MpichRank& state = MpichRank::current();
    *made = MPI_COMM_NULL;
    const MembershipRef& of = intra(state, comm);
    check_count(nodes, "nodes");
    check_size(nodes, of);
    const int ends = nodes == 0 ? 0 : index[nodes - 1];
    check_count(ends, "edges");
    GraphTopology given(array(index, nodes), array(edges, ends));
    MembershipRef ranks = make_of_first(state, of, nodes);
    if (!ranks) return MPI_SUCCESS;
    const auto shared = state.process.world().agree<SharedGraph>(next_creation(*ranks), ranks->size());
    if (!shared->topology) shared->topology = std::make_shared<const GraphTopology>(std::move(given));
    *made = add_communicator(state, comm, std::move(ranks), {.graph = shared->topology});
    return MPI_SUCCESS;
}
int Graph_map(MPI_Comm comm, int nodes, const int /*index*/[], const int /*edges*/[], int* rank) {
    const MembershipRef& of = intra(MpichRank::current(), comm);
    if (nodes < 1) raise(ErrorClass::kArgument, "the graph has no nodes");
    check_size(nodes, of);
    *rank = of->rank < nodes ? of->rank : MPI_UNDEFINED;
    return MPI_SUCCESS;
}
int Graphdims_get(MPI_Comm comm, int* nodes, int* edges) {
    const GraphTopology& topology = graph(MpichRank::current(), comm);
    *nodes = topology.size();
    *edges = static_cast<int>(topology.edges().size());
    return MPI_SUCCESS;
}
int Graph_get(MPI_Comm comm, int index_room, int edge_room, int index[], int edges[]) {
    const GraphTopology& topology = graph(MpichRank::current(), comm);
    check_room(index_room, topology.size());
    check_room(edge_room, static_cast<int>(topology.edges().size()));
    std::ranges::copy(topology.index(), index);
    std::ranges::copy(topology.edges(), edges);
    return MPI_SUCCESS;
}
int Graph_neighbors_count(MPI_Comm comm, int rank, int* count) {
    const GraphTopology& topology = graph(MpichRank::current(), comm);
    check_rank(rank, topology.size());
    *count = static_cast<int>(topology.neighbors(rank).size());
    return MPI_SUCCESS;
}
int Graph_neighbors(MPI_Comm comm, int rank, int room, int neighbors[]) {
    const GraphTopology& topology = graph(MpichRank::current(), comm);
    check_rank(rank, topology.size());
    check_room(room, static_cast<int>(topology.neighbors(rank).size()));
    std::ranges::copy(topology.neighbors(rank), neighbors);
    return MPI_SUCCESS;
}

int Dist_graph_create_adjacent(MPI_Comm comm, int in_degree, const int sources[], const int source_weights[],
                               int out_degree, const int destinations[], const int destination_weights[],
                               MPI_Info /*info*/, int /*reorder*/, MPI_Comm* made) {
    MpichRank& state = MpichRank::current();
    *made = MPI_COMM_NULL;
    const MembershipRef& of = intra(state, comm);
    check_count(in_degree, "sources");
    check_count(out_degree, "destinations");
    DistGraphTopology own;
    own.sources = array(sources, in_degree);
    own.destinations = array(destinations, out_degree);
    for (const int rank : own.sources) check_rank(rank, of->size());
    for (const int rank : own.destinations) check_rank(rank, of->size());
    own.is_weighted = source_weights != MPI_UNWEIGHTED && destination_weights != MPI_UNWEIGHTED;
    if (own.is_weighted) {
        own.source_weights = array(source_weights, in_degree);
        own.destination_weights = array(destination_weights, out_degree);
    }
    *made = add_communicator(state, comm, duplicate(state.process, of),
                             {.dist_graph = std::make_shared<const DistGraphTopology>(std::move(own))});
    return MPI_SUCCESS;
}
int Dist_graph_create(MPI_Comm comm, int nodes, const int sources[], const int degrees[], const int destinations[],
                      const int weights[], MPI_Info /*info*/, int /*reorder*/, MPI_Comm* made) {
    MpichRank& state = MpichRank::current();
    *made = MPI_COMM_NULL;
    const MembershipRef& of = intra(state, comm);
    check_count(nodes, "sources");
    DistGraphEdges edges;
    edges.sources = array(sources, nodes);
    edges.degrees = array(degrees, nodes);
    int ends = 0;
    for (const int degree : edges.degrees) {
        check_count(degree, "edges of a source");
        ends += degree;
    }
    edges.destinations = array(destinations, ends);
    const bool is_weighted = weights != MPI_UNWEIGHTED;
    if (is_weighted) edges.weights = array(weights, ends);
    check_edges(edges, of->size());
    MembershipRef ranks = duplicate(state.process, of);
    auto topology = gather(state, ranks, std::move(edges), is_weighted);
    *made = add_communicator(state, comm, std::move(ranks), {.dist_graph = std::move(topology)});
    return MPI_SUCCESS;
}
int Dist_graph_neighbors_count(MPI_Comm comm, int* in_degree, int* out_degree, int* is_weighted) {
    const DistGraphTopology& topology = dist_graph(MpichRank::current(), comm);
    *in_degree = static_cast<int>(topology.sources.size());
    *out_degree = static_cast<int>(topology.destinations.size());
    *is_weighted = topology.is_weighted ? 1 : 0;
    return MPI_SUCCESS;
}
int Dist_graph_neighbors(MPI_Comm comm, int in_room, int sources[], int source_weights[], int out_room,
                         int destinations[], int destination_weights[]) {
    const DistGraphTopology& topology = dist_graph(MpichRank::current(), comm);
    check_count(in_room, "sources");
    check_count(out_room, "destinations");
    const auto copy = [](const std::vector<int>& from, int room, int* to) {
        std::copy_n(from.begin(), std::min<std::size_t>(from.size(), static_cast<std::size_t>(room)), to);
    };
    copy(topology.sources, in_room, sources);
    copy(topology.destinations, out_room, destinations);
    if (!topology.is_weighted) return MPI_SUCCESS;
    if (source_weights != MPI_UNWEIGHTED) copy(topology.source_weights, in_room, source_weights);
    if (destination_weights != MPI_UNWEIGHTED) copy(topology.destination_weights, out_room, destination_weights);
    return MPI_SUCCESS;
}

Neighbors MpichRank::neighbors(MPI_Comm handle) {
    const Comm& of = comm(handle);
    const int rank = of.membership->rank;
    Neighbors found;
    if (of.topology.cart) {
        found.is_grid = true;
        for (int d = 0; d < of.topology.cart->dimensions(); ++d) {
            for (const int steps : {-1, 1}) {
                found.sources.push_back(of.topology.cart->neighbor(rank, d, steps).value_or(MPI_PROC_NULL));
            }
        }
        found.destinations = found.sources;
    } else if (of.topology.graph) {
        const auto neighbors = of.topology.graph->neighbors(rank);
        found.sources.assign(neighbors.begin(), neighbors.end());
        found.destinations = found.sources;
    } else if (of.topology.dist_graph) {
        found.sources = of.topology.dist_graph->sources;
        found.destinations = of.topology.dist_graph->destinations;
    } else {
        raise(ErrorClass::kTopology, "the communicator has no topology");
    }
    return found;
}

}  // namespace haichi::abi::mpich
