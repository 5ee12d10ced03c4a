#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "commlog/ccs/rank_window.h"

namespace haichi {

/// Number of messages that are sent before the cut and received after it, by channel; channels without such messages
/// are omitted. A negative number -n means that the receiver's iteration begins n messages later than the sender's.
using InFlight = std::map<Channel, std::int64_t>;

/// Finds common cuts of the ranks' iterations. A cut has one position for each rank. Each message sent before the cut
/// is also received before it, and all members call a collective on the same side of the cut.
class CommonCuts {
  public:
    /// All arguments must outlive the object.
    CommonCuts(const JobLog& job, const std::vector<RankLoops>& loops, std::vector<RankWindow>& windows);
    ~CommonCuts();

    /// Sets RankWindow::cut of all ranks to the earliest common cut after the beginning of the first iteration. If
    /// there is no common cut, returns false and cuts at the beginning of the ranks' loops. Pipelines have no common
    /// cut, because messages are always in flight.
    bool first();
    /// Returns true if the common cut is at the beginning of all ranks' loops.
    [[nodiscard]] bool is_where_loops_begin() const;
    /// Sets the earliest common cut that is at least `events` after the first cut in each rank. Returns false if no
    /// such cut is found within a few iterations.
    bool behind(const std::vector<std::int64_t>& events);

    /// Returns the messages in flight at the beginning of the loops.
    [[nodiscard]] InFlight in_flight() const;

  private:
    class Search;
    std::unique_ptr<Search> search_;
};

}  // namespace haichi
