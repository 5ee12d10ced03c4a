#pragma once

#include <vector>

#include "commlog/ccs/rank_window.h"

namespace haichi {

/// Messages that were sent before the cut and are received behind it, by channel; less than 0: the receiver's
/// repetition begins that much later than the sender's. Without those of 0.
using InFlight = std::map<Channel, std::int64_t>;

/// Sets RankWindow::cut of all ranks to the earliest common cut: from the first repetition on, the first place where
/// every message sent before it has been received before it and every collective has been reached by all its members.
/// Returns nothing in flight, then. Where there is none (pipelines, in which messages are always on their way) all cuts
/// are at the beginning of the ranks' loops, and what is in flight there is returned.
InFlight find_cut(const JobLog& job, const std::vector<RankLoops>& loops, std::vector<RankWindow>& windows);

}  // namespace haichi
