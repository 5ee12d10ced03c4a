#pragma once

#include <atomic>
#include <cstdint>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "cli/interrupt.h"
#include "mgen/host/host.h"

namespace haichi::cli {

class LiveProgram;

/// Observes the code of ranks between their MPI calls, which haichi cannot interrupt. Warns if the code blocks in the
/// operating system, where it may wait for another rank forever. Ends an interrupted run if the code does not return.
class RankWatch final : public host::RankMemory, private RunMonitor {
  public:
    RankWatch(const LiveProgram& program, std::int32_t ranks, std::function<std::string(const void*)> place_name);
    ~RankWatch() override;
    RankWatch(const RankWatch&) = delete;
    RankWatch& operator=(const RankWatch&) = delete;

    void begin(const host::LiveRank& rank) { ranks_[rank.id().index()] = &rank; }

    // The host calls these functions.
    void put_in_place(RankId /*rank*/) override {}
    void will_run(RankId rank) override;
    void has_stopped(RankId rank, std::int64_t now_ps) override;

  private:
    [[nodiscard]] bool must_end(bool is_interrupted) override;
    /// A text such as "rank 1 has not returned to MPI after its last call in main (ring.c:12)".
    [[nodiscard]] std::string state_of_rank() const;

    const LiveProgram* program_;
    std::function<std::string(const void*)> place_name_;
    std::vector<const host::LiveRank*> ranks_;
    std::atomic<std::int32_t> rank_{-1};      ///< rank whose code ran last
    std::atomic<std::uint64_t> switches_{0};  ///< odd while the code of a rank runs
    // Only the thread that handles signals uses these.
    std::uint64_t seen_switches_ = 0;
    int unchanged_seconds_ = 0;
    int interrupted_seconds_ = 0;
    std::clock_t seen_cpu_time_ = 0;
    bool has_warned_ = false;
};

}  // namespace haichi::cli
