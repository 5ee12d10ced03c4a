#pragma once

#include <cstdint>
#include <queue>
#include <span>
#include <vector>

#include "objectives/problem.h"

namespace haichi {

/// A few iterations of the workload without barriers, with messages as flows: a rank goes to its next set once its
/// messages of this one are through; a message starts kGap after both its ends have come to its set, and moves at the
/// bandwidth of the worst link of its route, shared by as many as are under way there. No start-up costs, no packets:
/// about a thousandth of the packet simulator's work. Integers throughout: a pure function of the placement.
///
/// Time in ticks: the largest message, alone, takes ticks_of_largest() * scale of the link. run() costs O(iterations *
/// messages * hops * messages sharing a link), and the queue's logarithm. Memory O(messages * hops + links).
class FreeRun {
  public:
    /// Enough that placements differ as they do in the packet simulator; fewer tell them apart less well.
    static constexpr std::int64_t kIterations = 6;
    /// The pause of both ends before a message, as part of a mean message's time: what desynchronises ranks. Chosen
    /// with the iterations, see docs/concepts.md.
    static constexpr std::int64_t kGapsPerMessage = 4;

    explicit FreeRun(const Problem& problem);

    /// Ticks until the last rank has made all iterations.
    [[nodiscard]] std::int64_t run(std::span<const NodeId> node_of_rank);
    /// run() is not less for any placement.
    [[nodiscard]] std::int64_t lower_bound() const;

    /// Of one iteration when run() takes `ticks`.
    [[nodiscard]] double seconds(std::int64_t ticks) const;
    [[nodiscard]] std::int64_t ticks_of_mean_message() const { return mean_ticks_; }
    [[nodiscard]] std::int64_t gap_ticks() const { return gap_ticks_; }

  private:
    struct Flow {
        RankId source, destination;
        std::int64_t size_ticks = 0;
        std::size_t set = 0;

        std::int64_t left_ticks = 0;  ///< as if alone on a link of scale 1
        std::int64_t slowness = 0;    ///< ticks of time for a tick of size; 0: not under way
        std::int64_t updated = 0;
        std::int32_t ends_missing = 2;
        std::uint32_t plan = 0;  ///< events of older plans are void
        std::vector<LinkId> route;
    };
    /// One rank's flows in one set.
    struct Step {
        std::size_t first = 0;  ///< in flow_of_step_
        std::size_t count = 0;
    };
    struct Rank {
        std::size_t first_step = 0;
        std::size_t steps = 0;
        std::size_t now = 0;  ///< of steps * kIterations
        std::size_t open = 0;
    };
    struct Event {
        std::int64_t time = 0;
        std::uint32_t flow = 0;
        std::uint32_t plan = 0;
        /// Earliest first, then in the order of the workload.
        friend bool operator>(const Event& a, const Event& b) {
            if (a.time != b.time) return a.time > b.time;
            return a.flow != b.flow ? a.flow > b.flow : a.plan > b.plan;
        }
    };

    void index_steps();
    void choose_ticks();
    void enter_step(Rank& rank, std::int64_t now);
    void begin(std::uint32_t flow, std::int64_t now);
    void end(std::uint32_t flow, std::int64_t now);
    /// The flows on the links of `route` are faster or slower from now on.
    void change_pace(const std::vector<LinkId>& route, std::int64_t now);
    void plan(std::uint32_t flow, std::int64_t time);

    const Problem* problem_;
    std::int64_t ticks_of_largest_ = std::int64_t{1} << 20;
    std::int64_t largest_bytes_ = 1;
    std::int64_t mean_ticks_ = 1;
    std::int64_t gap_ticks_ = 0;
    std::vector<Flow> flows_;
    std::vector<Rank> ranks_;
    std::vector<Step> steps_;
    std::vector<std::uint32_t> flow_of_step_;
    std::vector<std::vector<std::uint32_t>> flows_on_link_;
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
    std::vector<LinkId> scratch_;
};

}  // namespace haichi
