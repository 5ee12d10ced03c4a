#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "commlog/ccs/rank_window.h"

namespace haichi {

/// Messages that were sent before the cut and are received behind it, by channel; less than 0: the receiver's
/// repetition begins that much later than the sender's. Without those of 0.
using InFlight = std::map<Channel, std::int64_t>;

/// Common cuts of the ranks' repetitions: places, one in each rank, where every message sent before has been received
/// before and every collective has been reached by all its members.
class CommonCuts {
  public:
    /// All must outlive this.
    CommonCuts(const JobLog& job, const std::vector<RankLoops>& loops, std::vector<RankWindow>& windows);
    ~CommonCuts();

    /// Sets RankWindow::cut of all ranks to the earliest common cut from the first repetition on. False, and all cuts
    /// at the beginning of the ranks' loops, when there is none: pipelines, in which messages are always on their way.
    bool first();
    /// Whether that is where the loops of all ranks begin.
    [[nodiscard]] bool is_where_loops_begin() const;
    /// Sets the earliest one with each rank at least so many events behind its first; false when there is none near.
    bool behind(const std::vector<std::int64_t>& events);

    /// Messages that are on their way where the loops begin.
    [[nodiscard]] InFlight in_flight() const;

  private:
    class Search;
    std::unique_ptr<Search> search_;
};

}  // namespace haichi
