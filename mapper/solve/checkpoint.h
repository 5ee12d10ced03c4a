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

/// The best that one search has found so far.
struct KeptPlacement {
    std::string objective;  ///< as SearchRecord::objective
    std::uint64_t seed = 1;
    bool is_complete = false;  ///< the search has had its time
    double value = 0;          ///< unit of the objective
    std::vector<NodeId> node_of_rank{};
};

/// What a run limited by time leaves while it goes on, so that a later one can go on from there, however the first was
/// ended: the best placement of each search, and how long all has taken.
class Checkpoint {
  public:
    /// Puts the text where it outlives the process; must not throw.
    using Write = std::function<void(const std::string& text)>;

    explicit Checkpoint(Write write) : write_(std::move(write)) {}

    /// What an earlier run left. Throws InputError for a text that is something else.
    void read(std::string_view text, const std::string& file);

    /// That earlier runs took.
    [[nodiscard]] double seconds_before() const { return seconds_before_; }
    [[nodiscard]] const std::string& file() const { return file_; }
    /// Null: nothing is known of such a search.
    [[nodiscard]] const KeptPlacement* find(const std::string& objective, std::uint64_t seed) const;

    /// In place of the earlier one of the same search. From any thread.
    void keep(KeptPlacement placement);
    /// Time has passed without a better one: writes that down once a second. From any thread, as often as it likes.
    void tick();

  private:
    void write();
    [[nodiscard]] std::string text() const;

    Write write_;
    std::string file_;
    double seconds_before_ = 0;
    const std::chrono::steady_clock::time_point start_time_ = std::chrono::steady_clock::now();
    std::vector<KeptPlacement> before_;  ///< in the file that was read
    std::mutex mutex_;
    std::chrono::steady_clock::time_point written_at_ = start_time_;
    std::vector<KeptPlacement> kept_;
};

}  // namespace haichi
