#pragma once

#include <array>
#include <optional>
#include <vector>

#include "commlog/barriers/script.h"

namespace haichi::barriers {

/// Compares a rank's calls with its script. The loops with barriers may have more or fewer iterations than in the
/// script: the calls after a loop decide. Nothing is allocated after construction.
class Follower {
  public:
    explicit Follower(std::vector<Step> script);

    /// Takes the next post. Returns how many barriers precede it, or nothing if the script has another post there.
    std::optional<int> post(const Post& made);
    /// Returns how many barriers precede a wait or test here.
    int wait() { return take_barriers(StepKind::kBarrierAtWait); }
    /// Returns how many barriers precede a probe here. A probe may wait for a message that is sent after them.
    int probe() { return take_barriers(StepKind::kBarrier); }
    /// Returns how many barriers are due at the end of the run, or nothing if the script has more posts.
    std::optional<int> end();

    /// Returns whether the script has barriers from here on, if its loops have as many iterations as it states.
    [[nodiscard]] bool has_barriers_left() const;
    /// Returns the next post of the script, or "the end".
    [[nodiscard]] std::string expected();
    /// Returns the number of posts so far.
    [[nodiscard]] std::int64_t posts() const { return posts_; }

  private:
    struct OpenLoop {
        std::size_t begin = 0;
        std::uint64_t left = 0;  ///< iterations, this one included
    };
    /// A position in the script. Steps before `at` are done.
    struct Cursor {
        std::size_t at = 0;
        int passed = 0;  ///< barriers in the current call
        std::size_t depth = 0;
        std::array<OpenLoop, kMostNested> open{};
    };

    /// Goes on to a step that is neither the beginning nor the end of a loop. `others` gets the positions at which a
    /// run with a different number of iterations is.
    void settle(Cursor& cursor, bool keeps_others);
    /// Returns whether the post is the next one, and goes past it and the barriers before it.
    bool pass(Cursor& cursor, const Post& made, bool keeps_others);
    /// Begins a call in all cursors.
    void begin_call();
    int take_barriers(StepKind last);

    std::vector<Step> script_;
    std::size_t after_last_barrier_ = 0;
    Cursor cursor_;
    std::array<Cursor, 8> others_{};  ///< positions with other numbers of iterations that agree with the calls so far
    std::size_t other_count_ = 0;
    std::int64_t posts_ = 0;
};

}  // namespace haichi::barriers
