#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "commlog/ccs/rank_window.h"

namespace haichi {

/// Messages that are sent before the cut and received after it, by channel, without channels that have none. A negative
/// number means that the receiver's iteration begins that much later than the sender's.
using InFlight = std::map<Channel, std::int64_t>;

/// Common cuts of the ranks' iterations. A cut has one position in each rank. Every message sent before the cut is
/// received before it, and all members of a collective reach it on the same side.
class CommonCuts {
  public:
    /// All arguments must outlive the object.
    CommonCuts(const JobLog& job, const std::vector<RankLoops>& loops, std::vector<RankWindow>& windows);
    ~CommonCuts();

    /// Sets RankWindow::cut of all ranks to the earliest common cut from the first iteration on. If there is none, it
    /// returns false and cuts at the beginning of the ranks' loops. Pipelines have none, because their messages are
    /// always under way.
    bool first();
    /// Returns whether the common cut is at the beginning of all ranks' loops.
    [[nodiscard]] bool is_where_loops_begin() const;
    /// Sets the earliest common cut at least `events` after each rank's first one. Returns false if there is none
    /// nearby.
    bool behind(const std::vector<std::int64_t>& events);

    /// Returns the messages under way where the loops begin.
    [[nodiscard]] InFlight in_flight() const;

  private:
    class Search;
    std::unique_ptr<Search> search_;
};

}  // namespace haichi
