#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "netmodel/topology/ids.h"

namespace haichi {

/// The best placement that one search has found so far.
struct KeptPlacement {
    std::string objective;  ///< as in SearchRecord::objective
    std::uint64_t seed = 1;
    bool is_complete = false;  ///< true if the search has used all its time
    double value = 0;          ///< in the unit of the objective
    std::vector<NodeId> node_of_rank{};
};

/// The checkpoint of a run with a time limit. A later run can continue from it, however the first run ended. It
/// contains the best placement of each search and the total time.
class Checkpoint {
  public:
    /// Stores the text so that it outlives the process. Must not throw.
    using Write = std::function<void(const std::string& text)>;

    explicit Checkpoint(Write write) : write_(std::move(write)) {}

    /// Reads the checkpoint of an earlier run. Throws InputError if the text is not a checkpoint.
    void read(std::string_view text, const std::string& file);

    /// Time of the earlier runs.
    [[nodiscard]] double seconds_before() const { return seconds_before_; }
    [[nodiscard]] const std::string& file() const { return file_; }
    /// The placement of the search with this objective and seed; null if none is stored.
    [[nodiscard]] const KeptPlacement* find(const std::string& objective, std::uint64_t seed) const;

    /// Replaces the earlier placement of the same search. Thread-safe.
    void keep(KeptPlacement placement);
    /// Stores the elapsed time once a second if there is no better placement. Thread-safe, and may be called at any
    /// rate.
    void tick();

  private:
    void write();
    [[nodiscard]] std::string text() const;

    Write write_;
    std::string file_;
    double seconds_before_ = 0;
    const std::chrono::steady_clock::time_point start_time_ = std::chrono::steady_clock::now();
    std::vector<KeptPlacement> before_;  ///< placements in the file that was read
    std::mutex mutex_;
    std::chrono::steady_clock::time_point written_at_ = start_time_;
    std::vector<KeptPlacement> kept_;
};

}  // namespace haichi
