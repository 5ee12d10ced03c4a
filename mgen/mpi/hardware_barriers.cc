#include "mgen/mpi/hardware_barriers.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "base/errors.h"

namespace haichi::mpi {

std::optional<std::int32_t> HardwareBarriers::group_of(const CommunicatorRef& communicator, host::Host& host) {
    const host::Host::Setup& machine = host.setup();
    if (machine.barrier_step_ps == 0) return std::nullopt;
    if (const auto found = entries_.find(communicator->context); found != entries_.end()) return found->second.group;
    Entry entry;
    entry.communicator = communicator;
    std::vector<RankId> ranks;
    for (int r = 0; r < communicator->group->size(); ++r) ranks.push_back(communicator->group->world_rank(r));
    for (const RankId rank : ranks) entry.nodes.push_back(host.node_of(rank));
    std::ranges::sort(entry.nodes);
    entry.nodes.erase(std::ranges::unique(entry.nodes).begin(), entry.nodes.end());
    const auto is_full = [&] {
        return machine.barrier_groups > 0 && std::ranges::any_of(entry.nodes, [&](NodeId node) {
                   const auto used = used_.find(node);
                   return used != used_.end() && used->second >= machine.barrier_groups;
               });
    };
    if (is_full()) give_back();
    if (is_full() && machine.threads > 1) {
        throw OptionError("§threads: the order of threads would decide which communicators get the " +
                              std::to_string(machine.barrier_groups) + " barrier groups of a node",
                          "leave out §threads, or use §collectives barrier=dissemination");
    }
    if (is_full()) {
        entry.nodes.clear();
    } else {
        for (const NodeId node : entry.nodes) ++used_[node];
        const auto steps = static_cast<std::int64_t>(std::bit_width(ranks.size() - 1));
        entry.group = host.add_barrier_group(std::move(ranks), steps * machine.barrier_step_ps);
    }
    return entries_.emplace(communicator->context, std::move(entry)).first->second.group;
}

/// Gives the groups of communicators that all members have freed back to the machine.
void HardwareBarriers::give_back() {
    std::erase_if(entries_, [&](const auto& of_context) {
        const Entry& entry = of_context.second;
        if (!entry.communicator.expired()) return false;
        for (const NodeId node : entry.nodes) --used_[node];
        return true;
    });
}

}  // namespace haichi::mpi
