#include "commlog/traces/dumpi_communicators.h"

#include <algorithm>
#include <numeric>

namespace haichi {

namespace {

constexpr std::size_t kMostMakings = std::size_t{1} << 22;

}  // namespace

bool DumpiCommunicators::makes(const DumpiCall& call) {
    const std::string& name = call.name();
    return name == "MPI_Comm_dup" || name == "MPI_Comm_split" || name == "MPI_Comm_create" ||
           name == "MPI_Cart_create" || name == "MPI_Graph_create" || name == "MPI_Cart_sub" ||
           name == "MPI_Intercomm_create" || name == "MPI_Intercomm_merge";
}

std::int64_t DumpiCommunicators::old_handle(const DumpiCall& call) {
    for (const char* const argument : {"oldcomm", "localcomm", "comm"}) {
        if (call.has(argument)) return call.whole(argument);
    }
    call.fail("missing argument for the communicator");
}

DumpiCommunicators::Making DumpiCommunicators::making_of(const DumpiCall& call) {
    Making making;
    making.old_handle = old_handle(call);
    making.new_handle = call.whole("newcomm");
    const std::string& name = call.name();
    if (name == "MPI_Comm_dup") {
        making.how = How::kDuplicate;
    } else if (name == "MPI_Comm_split") {
        making.how = How::kSplit;
        making.color = call.whole("color");
        making.key = call.whole("key");
    } else if (name == "MPI_Comm_create" || name == "MPI_Graph_create") {
        making.how = How::kSubset;
    } else if (name == "MPI_Cart_create") {
        making.how = How::kGrid;
        making.dims = call.numbers("dims");
    } else if (name == "MPI_Cart_sub") {
        making.how = How::kSubgrid;
        making.dims = call.numbers("remain_dims");
    }
    return making;
}

void DumpiCommunicators::note(std::int32_t rank, const DumpiCall& call) {
    if (!makes(call)) return;
    if (++making_count_ > kMostMakings) call.fail("more than 2^22 communicators");
    makings_[rank].push_back(making_of(call));
}

void DumpiCommunicators::resolve(std::int32_t ranks) {
    unknown_ = job_->add_communicator({});
    // The ranks that have reached each creating call on each communicator. The new communicator is created as soon as
    // all members have reached the call.
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::int32_t>> arrived;
    for (const auto& [rank, makings] : makings_) {
        states_[rank].handles = {{kWorld, 0}};
        movable_.push_back(rank);
    }
    while (!movable_.empty()) {
        const std::int32_t rank = movable_.back();
        movable_.pop_back();
        RankCommunicators& state = states_[rank];
        std::vector<Making>& makings = makings_[rank];
        if (state.next == makings.size()) continue;
        const Making& making = makings[state.next];
        const auto old = state.handles.find(making.old_handle);
        if (making.how == How::kUnknown || old == state.handles.end() || old->second == unknown_) {
            // The only communicators created from MPI_COMM_SELF are copies of it.
            const bool own = making.old_handle == kSelf && making.new_handle != kNull;
            if (!own) ++unresolved_;
            advance(rank, own ? job_->add_communicator({rank}) : unknown_);
            continue;
        }
        const std::uint32_t communicator = old->second;
        std::vector<std::int32_t>& here = arrived[{communicator, state.calls_on[communicator]++}];
        here.push_back(rank);
        const std::size_t size =
            communicator == 0 ? static_cast<std::size_t>(ranks) : job_->members(communicator).size();
        if (here.size() < size) continue;
        std::vector<std::int32_t> members = job_->members(communicator);
        if (communicator == 0) {
            members.resize(size);
            std::iota(members.begin(), members.end(), 0);
        }
        make_together(members, communicator);
    }
    // These ranks wait for ranks whose trace is missing or truncated.
    for (auto& [rank, state] : states_) {
        std::vector<Making>& makings = makings_[rank];
        for (; state.next < makings.size(); ++state.next) {
            makings[state.next].result = unknown_;
            ++unresolved_;
        }
    }
}

void DumpiCommunicators::advance(std::int32_t rank, std::uint32_t result) {
    RankCommunicators& state = states_[rank];
    Making& making = makings_[rank][state.next++];
    making.result = result;
    state.handles[making.new_handle] = result;
    movable_.push_back(rank);
}

void DumpiCommunicators::make_together(const std::vector<std::int32_t>& members, std::uint32_t old) {
    struct Part {
        std::vector<std::int64_t> group;
        std::int64_t key;
        std::int32_t rank;
    };
    std::vector<Part> parts;
    const auto grid = dims_.find(old);
    for (std::size_t i = 0; i < members.size(); ++i) {
        const Making& making = makings_[members[i]][states_[members[i]].next];
        if (making.new_handle == kNull) continue;
        Part part{{}, static_cast<std::int64_t>(i), members[i]};
        if (making.how == How::kSplit) {
            part.group = {making.color};
            part.key = making.key;
        } else if (making.how == How::kSubset) {
            ++unordered_;
        } else if (making.how == How::kSubgrid && grid != dims_.end()) {
            // The ranks of a grid are numbered in row-major order.
            auto rest = static_cast<std::int64_t>(i);
            for (std::size_t d = grid->second.size(); d-- > 0;) {
                const std::int64_t extent = std::max<std::int64_t>(grid->second[d], 1);
                const bool remains = d < making.dims.size() && making.dims[d] != 0;
                part.group.push_back(remains ? -1 : rest % extent);
                rest /= extent;
            }
        }
        parts.push_back(std::move(part));
    }
    std::ranges::stable_sort(
        parts, [](const Part& a, const Part& b) { return a.group != b.group ? a.group < b.group : a.key < b.key; });
    std::map<std::int32_t, std::uint32_t> result;
    for (std::size_t first = 0; first < parts.size();) {
        std::vector<std::int32_t> group;
        std::size_t end = first;
        for (; end < parts.size() && parts[end].group == parts[first].group; ++end) group.push_back(parts[end].rank);
        const std::uint32_t index = job_->add_communicator(group);
        const Making& making = makings_[parts[first].rank][states_[parts[first].rank].next];
        if (making.how == How::kGrid) dims_[index] = making.dims;
        if (making.how == How::kDuplicate && grid != dims_.end()) {
            const std::vector<std::int64_t> same = grid->second;
            dims_[index] = same;
        }
        if (making.how == How::kSubgrid && grid != dims_.end()) {
            std::vector<std::int64_t> left;
            for (std::size_t d = 0; d < grid->second.size(); ++d) {
                if (d < making.dims.size() && making.dims[d] != 0) left.push_back(grid->second[d]);
            }
            dims_[index] = left;
        }
        for (; first < end; ++first) result[parts[first].rank] = index;
    }
    for (const std::int32_t member : members) {
        const auto found = result.find(member);
        advance(member, found == result.end() ? unknown_ : found->second);
    }
}

void DumpiCommunicators::begin_rank(std::int32_t rank) {
    reading_ = rank;
    made_ = 0;
    handles_ = {{kWorld, 0}};
}

void DumpiCommunicators::made(const DumpiCall& call) {
    if (!makes(call)) return;
    const std::vector<Making>& makings = makings_[reading_];
    if (made_ < makings.size()) handles_[call.whole("newcomm")] = makings[made_++].result;
}

std::uint32_t DumpiCommunicators::of_handle(std::int64_t handle) const {
    const auto found = handles_.find(handle);
    return found == handles_.end() ? unknown_ : found->second;
}

}  // namespace haichi
