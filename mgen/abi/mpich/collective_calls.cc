// Collective operations: checks and meaning of each call's arguments. generate_exports.py makes the blocking,
// nonblocking and persistent forms from these functions.

#include <algorithm>
#include <array>

#include <calls_generated.h>
#include "collectives/selection.h"
#include "mgen/abi/mpich/mpich_rank.h"
#include "mgen/mpi/world.h"

namespace haichi::abi::mpich {

namespace {

using collectives::CollectiveArguments;
using collectives::CollectiveKind;
using mpi::Buffer;
using mpi::ErrorClass;

/// Checks arguments and holds the objects that they refer to.
class Builder {
  public:
    Builder(CollectiveKind collective, MPI_Comm comm) : state_(MpichRank::current()) {
        call_.comm = comm;
        call_.membership = state_.comm(comm).membership;
        call_.parts = std::make_shared<CollectiveCall::Parts>();
        arguments().collective = collective;
        if (is_inter()) arguments().is_first_group = call_.membership->communicator->side() == 0;
    }

    CollectiveArguments& arguments() { return call_.parts->arguments; }
    [[nodiscard]] bool is_inter() const { return call_.membership->communicator->is_inter(); }
    [[nodiscard]] int rank() const { return call_.membership->rank; }

    /// Sets the root. With an inter-communicator, `of_call` states if this rank is the root, in the root's group, or in
    /// the other group.
    void root(int of_call) {
        if (is_inter()) {
            if (of_call == MPI_ROOT) {
                arguments().root = collectives::kRootIsThis;
            } else if (of_call == MPI_PROC_NULL) {
                arguments().root = collectives::kRootIsAnother;
            } else {
                check_root(of_call, call_.membership->communicator->remote->size());
            }
            return;
        }
        check_root(of_call, call_.membership->size());
    }
    /// True if this rank provides or receives the data of all ranks.
    [[nodiscard]] bool is_root() {
        return is_inter() ? arguments().root == collectives::kRootIsThis : arguments().root == rank();
    }
    /// True if this rank takes part with data of its own.
    [[nodiscard]] bool is_member() { return !is_inter() || arguments().root >= 0; }

    const mpi::Datatype* type(MPI_Datatype handle) {
        call_.parts->types.push_back(state_.committed_type(handle));
        return call_.parts->types.back().get();
    }
    Buffer buffer(const void* data, std::int64_t count, MPI_Datatype handle) {
        type(handle);  // holds a reference to the type
        return state_.buffer(data, count, handle);
    }
    void send(const void* data, std::int64_t count, MPI_Datatype handle) {
        if (data == MPI_IN_PLACE) {
            set_in_place();
        } else {
            arguments().send = buffer(data, count, handle);
        }
    }
    void receive(void* data, std::int64_t count, MPI_Datatype handle) {
        if (data == MPI_IN_PLACE) {
            set_in_place();
        } else {
            arguments().receive = buffer(data, count, handle);
        }
    }
    void send_blocks(const void* data, Counts counts, Counts offsets, MPI_Datatype handle, std::size_t blocks) {
        if (data == MPI_IN_PLACE) return set_in_place();
        arguments().send = blocks_of(data, counts, handle, blocks);
        arguments().send_counts = counts;
        arguments().send_offsets = offsets;
    }
    void receive_blocks(void* data, Counts counts, Counts offsets, MPI_Datatype handle, std::size_t blocks) {
        arguments().receive = blocks_of(data, counts, handle, blocks);
        arguments().receive_counts = counts;
        arguments().receive_offsets = offsets;
    }
    void send_typed_blocks(const void* data, Counts counts, Counts offsets, const MPI_Datatype* handles,
                           std::size_t blocks) {
        if (data == MPI_IN_PLACE) return set_in_place();
        arguments().send = {const_cast<void*>(data), 0, nullptr};
        arguments().send_counts = counts;
        arguments().send_offsets = offsets;
        for (std::size_t b = 0; b < blocks; ++b) call_.parts->send_types.push_back(block_type(counts, handles, b));
        arguments().send_types = call_.parts->send_types;
    }
    void receive_typed_blocks(void* data, Counts counts, Counts offsets, const MPI_Datatype* handles,
                              std::size_t blocks) {
        arguments().receive = {data, 0, nullptr};
        arguments().receive_counts = counts;
        arguments().receive_offsets = offsets;
        for (std::size_t b = 0; b < blocks; ++b) call_.parts->receive_types.push_back(block_type(counts, handles, b));
        arguments().receive_types = call_.parts->receive_types;
    }
    void reduction(const void* send_data, void* receive_data, std::int64_t count, MPI_Datatype handle, MPI_Op op) {
        operation(op, handle);
        send(send_data, count, handle);
        if (receive_data == send_data && count > 0 && send_data != MPI_IN_PLACE) {
            raise(ErrorClass::kBuffer, "the send and receive buffers are the same; use MPI_IN_PLACE");
        }
        arguments().receive = buffer(receive_data, count, handle);
    }
    void operation(MPI_Op op, MPI_Datatype handle) {
        call_.parts->operation = state_.op(op);
        call_.parts->operation->check(*state_.type(handle));
        arguments().operation = call_.parts->operation.get();
    }
    void neighbors() {
        Neighbors of = state_.neighbors(call_.comm);
        call_.parts->sources = std::move(of.sources);
        call_.parts->destinations = std::move(of.destinations);
        arguments().sources = call_.parts->sources;
        arguments().destinations = call_.parts->destinations;
        arguments().is_grid = of.is_grid;
    }
    [[nodiscard]] std::size_t partners() const {
        return static_cast<std::size_t>(call_.membership->communicator->partners().size());
    }
    CollectiveCall done() { return std::move(call_); }

  private:
    void check_root(int of_call, int members) {
        if (of_call < 0 || of_call >= members) {
            raise(ErrorClass::kRoot, "invalid root: " + std::to_string(of_call) + " (the group has " +
                                         std::to_string(members) + " ranks)");
        }
        arguments().root = of_call;
    }
    void set_in_place() {
        if (is_inter()) raise(ErrorClass::kBuffer, "MPI_IN_PLACE is invalid for inter-communicators");
        arguments().in_place = true;
    }
    /// Blocks of the same type, each at its own offset from `data`.
    Buffer blocks_of(const void* data, Counts counts, MPI_Datatype handle, std::size_t blocks) {
        bool has_items = false;
        for (std::size_t b = 0; b < blocks; ++b) has_items |= count_of_block(counts, b) > 0;
        Buffer base = buffer(data, has_items ? 1 : 0, handle);
        base.count = 0;
        return base;
    }
    static std::int64_t count_of_block(Counts counts, std::size_t block) {
        if (counts.empty()) raise(ErrorClass::kArgument, "the array of counts is null");
        const std::int64_t count = counts[static_cast<int>(block)];
        if (count >= 0) return count;
        raise(ErrorClass::kCount,
              "the count " + std::to_string(count) + " of block " + std::to_string(block) + " is negative");
    }
    /// A block without items may have an invalid type.
    const mpi::Datatype* block_type(Counts counts, const MPI_Datatype* handles, std::size_t block) {
        const bool is_empty = count_of_block(counts, block) == 0;
        return type(is_empty && handles[block] == MPI_DATATYPE_NULL ? MPI_BYTE : handles[block]);
    }

    MpichRank& state_;
    CollectiveCall call_;
};

}  // namespace

CollectiveCall Barrier(MPI_Comm comm) { return Builder(CollectiveKind::kBarrier, comm).done(); }

CollectiveCall Bcast(void* data, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm) {
    Builder call(CollectiveKind::kBroadcast, comm);
    call.root(root);
    if (call.is_member() || call.is_root()) call.receive(data, count, type);
    return call.done();
}

CollectiveCall Gather(const void* send_data, MPI_Count send_count, MPI_Datatype send_type, void* receive_data,
                      MPI_Count receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm) {
    Builder call(CollectiveKind::kGather, comm);
    call.root(root);
    if (call.is_member()) call.send(send_data, send_count, send_type);
    if (call.is_root()) call.receive(receive_data, receive_count, receive_type);
    return call.done();
}
CollectiveCall Gatherv(const void* send_data, MPI_Count send_count, MPI_Datatype send_type, void* receive_data,
                       Counts receive_counts, Counts offsets, MPI_Datatype receive_type, int root, MPI_Comm comm) {
    Builder call(CollectiveKind::kGatherv, comm);
    call.root(root);
    if (call.is_member()) call.send(send_data, send_count, send_type);
    if (call.is_root()) call.receive_blocks(receive_data, receive_counts, offsets, receive_type, call.partners());
    return call.done();
}
CollectiveCall Scatter(const void* send_data, MPI_Count send_count, MPI_Datatype send_type, void* receive_data,
                       MPI_Count receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm) {
    Builder call(CollectiveKind::kScatter, comm);
    call.root(root);
    if (call.is_root()) call.send(send_data, send_count, send_type);
    if (call.is_member()) call.receive(receive_data, receive_count, receive_type);
    return call.done();
}
CollectiveCall Scatterv(const void* send_data, Counts send_counts, Counts offsets, MPI_Datatype send_type,
                        void* receive_data, MPI_Count receive_count, MPI_Datatype receive_type, int root,
                        MPI_Comm comm) {
    Builder call(CollectiveKind::kScatterv, comm);
    call.root(root);
    if (call.is_root()) call.send_blocks(send_data, send_counts, offsets, send_type, call.partners());
    if (call.is_member()) call.receive(receive_data, receive_count, receive_type);
    return call.done();
}

CollectiveCall Allgather(const void* send_data, MPI_Count send_count, MPI_Datatype send_type, void* receive_data,
                         MPI_Count receive_count, MPI_Datatype receive_type, MPI_Comm comm) {
    Builder call(CollectiveKind::kAllgather, comm);
    call.send(send_data, send_count, send_type);
    call.receive(receive_data, receive_count, receive_type);
    return call.done();
}
CollectiveCall Allgatherv(const void* send_data, MPI_Count send_count, MPI_Datatype send_type, void* receive_data,
                          Counts receive_counts, Counts offsets, MPI_Datatype receive_type, MPI_Comm comm) {
    Builder call(CollectiveKind::kAllgatherv, comm);
    call.send(send_data, send_count, send_type);
    call.receive_blocks(receive_data, receive_counts, offsets, receive_type, call.partners());
    return call.done();
}
CollectiveCall Alltoall(const void* send_data, MPI_Count send_count, MPI_Datatype send_type, void* receive_data,
                        MPI_Count receive_count, MPI_Datatype receive_type, MPI_Comm comm) {
    Builder call(CollectiveKind::kAlltoall, comm);
    call.send(send_data, send_count, send_type);
    call.receive(receive_data, receive_count, receive_type);
    return call.done();
}
CollectiveCall Alltoallv(const void* send_data, Counts send_counts, Counts send_offsets, MPI_Datatype send_type,
                         void* receive_data, Counts receive_counts, Counts receive_offsets, MPI_Datatype receive_type,
                         MPI_Comm comm) {
    Builder call(CollectiveKind::kAlltoallv, comm);
    call.send_blocks(send_data, send_counts, send_offsets, send_type, call.partners());
    call.receive_blocks(receive_data, receive_counts, receive_offsets, receive_type, call.partners());
    return call.done();
}
CollectiveCall Alltoallw(const void* send_data, Counts send_counts, Counts send_offsets,
                         const MPI_Datatype send_types[], void* receive_data, Counts receive_counts,
                         Counts receive_offsets, const MPI_Datatype receive_types[], MPI_Comm comm) {
    Builder call(CollectiveKind::kAlltoallw, comm);
    call.send_typed_blocks(send_data, send_counts, send_offsets, send_types, call.partners());
    call.receive_typed_blocks(receive_data, receive_counts, receive_offsets, receive_types, call.partners());
    return call.done();
}

CollectiveCall Reduce(const void* send_data, void* receive_data, MPI_Count count, MPI_Datatype type, MPI_Op op,
                      int root, MPI_Comm comm) {
    Builder call(CollectiveKind::kReduce, comm);
    call.root(root);
    if (call.is_root() && call.is_member()) {
        call.reduction(send_data, receive_data, count, type, op);
    } else if (call.is_root()) {
        call.operation(op, type);
        call.receive(receive_data, count, type);
    } else if (call.is_member()) {
        call.operation(op, type);
        call.send(send_data, count, type);
    }
    return call.done();
}
CollectiveCall Allreduce(const void* send_data, void* receive_data, MPI_Count count, MPI_Datatype type, MPI_Op op,
                         MPI_Comm comm) {
    Builder call(CollectiveKind::kAllreduce, comm);
    call.reduction(send_data, receive_data, count, type, op);
    return call.done();
}
CollectiveCall Reduce_scatter(const void* send_data, void* receive_data, Counts receive_counts, MPI_Datatype type,
                              MPI_Op op, MPI_Comm comm) {
    Builder call(CollectiveKind::kReduceScatter, comm);
    call.operation(op, type);
    // Each rank of the local group receives one block.
    const auto blocks = static_cast<std::size_t>(MpichRank::current().comm(comm).membership->size());
    call.receive_blocks(receive_data, receive_counts, Counts(), type, blocks);
    std::int64_t all = 0;
    for (std::size_t b = 0; b < blocks; ++b) all += receive_counts[static_cast<int>(b)];
    call.send(send_data, all, type);
    return call.done();
}
CollectiveCall Reduce_scatter_block(const void* send_data, void* receive_data, MPI_Count receive_count,
                                    MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    Builder call(CollectiveKind::kReduceScatterBlock, comm);
    call.operation(op, type);
    const auto members = static_cast<std::int64_t>(MpichRank::current().comm(comm).membership->size());
    call.send(send_data, receive_count * members, type);
    call.receive(receive_data, receive_count, type);
    return call.done();
}
CollectiveCall Scan(const void* send_data, void* receive_data, MPI_Count count, MPI_Datatype type, MPI_Op op,
                    MPI_Comm comm) {
    Builder call(CollectiveKind::kScan, comm);
    if (call.is_inter()) raise(ErrorClass::kCommunicator, "the communicator is an inter-communicator");
    call.reduction(send_data, receive_data, count, type, op);
    return call.done();
}
CollectiveCall Exscan(const void* send_data, void* receive_data, MPI_Count count, MPI_Datatype type, MPI_Op op,
                      MPI_Comm comm) {
    Builder call(CollectiveKind::kExscan, comm);
    if (call.is_inter()) raise(ErrorClass::kCommunicator, "the communicator is an inter-communicator");
    call.reduction(send_data, receive_data, count, type, op);
    return call.done();
}

CollectiveCall Neighbor_allgather(const void* send_data, MPI_Count send_count, MPI_Datatype send_type,
                                  void* receive_data, MPI_Count receive_count, MPI_Datatype receive_type,
                                  MPI_Comm comm) {
    Builder call(CollectiveKind::kNeighborAllgather, comm);
    call.neighbors();
    call.send(send_data, send_count, send_type);
    call.receive(receive_data, receive_count, receive_type);
    return call.done();
}
CollectiveCall Neighbor_allgatherv(const void* send_data, MPI_Count send_count, MPI_Datatype send_type,
                                   void* receive_data, Counts receive_counts, Counts offsets, MPI_Datatype receive_type,
                                   MPI_Comm comm) {
    Builder call(CollectiveKind::kNeighborAllgatherv, comm);
    call.neighbors();
    call.send(send_data, send_count, send_type);
    call.receive_blocks(receive_data, receive_counts, offsets, receive_type, call.arguments().sources.size());
    return call.done();
}
CollectiveCall Neighbor_alltoall(const void* send_data, MPI_Count send_count, MPI_Datatype send_type,
                                 void* receive_data, MPI_Count receive_count, MPI_Datatype receive_type,
                                 MPI_Comm comm) {
    Builder call(CollectiveKind::kNeighborAlltoall, comm);
    call.neighbors();
    call.send(send_data, send_count, send_type);
    call.receive(receive_data, receive_count, receive_type);
    return call.done();
}
CollectiveCall Neighbor_alltoallv(const void* send_data, Counts send_counts, Counts send_offsets,
                                  MPI_Datatype send_type, void* receive_data, Counts receive_counts,
                                  Counts receive_offsets, MPI_Datatype receive_type, MPI_Comm comm) {
    Builder call(CollectiveKind::kNeighborAlltoallv, comm);
    call.neighbors();
    call.send_blocks(send_data, send_counts, send_offsets, send_type, call.arguments().destinations.size());
    call.receive_blocks(receive_data, receive_counts, receive_offsets, receive_type, call.arguments().sources.size());
    return call.done();
}
CollectiveCall Neighbor_alltoallw(const void* send_data, Counts send_counts, const MPI_Aint send_offsets[],
                                  const MPI_Datatype send_types[], void* receive_data, Counts receive_counts,
                                  const MPI_Aint receive_offsets[], const MPI_Datatype receive_types[], MPI_Comm comm) {
    Builder call(CollectiveKind::kNeighborAlltoallw, comm);
    call.neighbors();
    call.send_typed_blocks(send_data, send_counts, Counts(send_offsets), send_types,
                           call.arguments().destinations.size());
    call.receive_typed_blocks(receive_data, receive_counts, Counts(receive_offsets), receive_types,
                              call.arguments().sources.size());
    return call.done();
}

namespace {

/// Implements host::RankListener::work_needs_memory() for the steps of the rank. The steps read counts and types of
/// blocks from the program's memory when they need them.
bool needs_memory(const CollectiveArguments& arguments, const haichi::host::LiveRank& rank) {
    switch (arguments.collective) {
        case CollectiveKind::kBarrier:
            return false;
        case CollectiveKind::kBroadcast:
        case CollectiveKind::kGather:
        case CollectiveKind::kScatter:
        case CollectiveKind::kAllgather:
        case CollectiveKind::kAlltoall:
        case CollectiveKind::kReduce:
        case CollectiveKind::kAllreduce:
        case CollectiveKind::kReduceScatterBlock:
        case CollectiveKind::kScan:
        case CollectiveKind::kExscan:
            break;
        default:
            return true;
    }
    if (arguments.operation != nullptr && arguments.operation->is_user_defined()) return true;
    return std::ranges::any_of(std::array{&arguments.send, &arguments.receive}, [&](const collectives::Buffer* buffer) {
        if (buffer->count == 0) return false;
        // The type may contain absolute addresses.
        const bool is_plain = buffer->data != nullptr && buffer->type != nullptr && buffer->type->is_contiguous() &&
                              buffer->type->lower_bound() == 0;
        return !is_plain || rank.has_for_itself(buffer->data);
    });
}

/// Returns the function that begins the steps. The function holds a reference to the parts.
mpi::Process::BeginSteps steps_of(const CollectiveCall& call) {
    MpichRank& state = MpichRank::current();
    const collectives::CollectiveSelection* selection = state.selection;
    return {.begin =
                [parts = call.parts, selection](collectives::Exchange& exchange) {
                    return collectives::collective_steps(exchange, parts->arguments, *selection);
                },
            .need_memory = needs_memory(call.parts->arguments, state.process.rank())};
}

/// Performs a barrier on the machine's barrier network if possible; returns true if it did.
bool ran_by_hardware(const CollectiveCall& call) {
    if (!call.parts || call.parts->arguments.collective != CollectiveKind::kBarrier) return false;
    const mpi::Membership& membership = *call.membership;
    if (membership.communicator->is_inter() || membership.size() < 2) return false;
    MpichRank& state = MpichRank::current();
    const auto chosen = state.selection->choose(call.parts->arguments, membership.rank, membership.size());
    if (!chosen.row->by_hardware) return false;
    const auto group =
        state.process.world().hardware_barriers().group_of(membership.communicator, state.process.rank().host());
    if (group) state.process.rank().hardware_barrier(*group);
    return group.has_value();
}

}  // namespace

int run(const CollectiveCall& call) {
    if (ran_by_hardware(call)) return MPI_SUCCESS;
    MpichRank::current().process.run_collective(call.membership, steps_of(call));
    return MPI_SUCCESS;
}
int begin(const CollectiveCall& call, MPI_Request* request) {
    MpichRank& state = MpichRank::current();
    *request = state.add_request(state.process.begin_collective(call.membership, steps_of(call)));
    return MPI_SUCCESS;
}
int prepare(const CollectiveCall& call, MPI_Request* request) {
    MpichRank& state = MpichRank::current();
    *request = state.add_request(state.process.prepare_collective(call.membership, steps_of(call)));
    return MPI_SUCCESS;
}

}  // namespace haichi::abi::mpich
