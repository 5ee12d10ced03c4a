#pragma once

#include <array>
#include <optional>
#include <vector>

#include "commlog/barriers/script.h"

namespace haichi::barriers {

/// Compares the calls of a rank with its script. Loops with barriers may have more or fewer iterations than in the
/// script, and the calls after a loop decide when it has ended. After construction, it allocates no memory.
class Follower {
  public:
    explicit Follower(std::vector<Step> script);

    /// Processes the next post of the program. Returns the number of barriers before the post, or nothing if the script
    /// has another post at this position.
    std::optional<int> post(const Post& made);
    /// Returns the number of barriers before a wait or test at this position.
    int wait() { return take_barriers(StepKind::kBarrierAtWait); }
    /// Returns the number of barriers before a probe at this position. A probe may wait for a message that is sent only
    /// after these barriers.
    int probe() { return take_barriers(StepKind::kBarrier); }
    /// Returns the number of barriers at the end of the run, or nothing if the script has further posts.
    std::optional<int> end();

    /// Returns true if the rest of the script has barriers, provided that loops have the stated number of iterations.
    [[nodiscard]] bool has_barriers_left() const;
    /// Returns the next post of the script as text, or "the end".
    [[nodiscard]] std::string expected();
    /// Returns the number of posts so far.
    [[nodiscard]] std::int64_t posts() const { return posts_; }

  private:
    struct OpenLoop {
        std::size_t begin = 0;
        std::uint64_t left = 0;  ///< iterations left, including the current one
    };
    /// A position in the script: all steps before `at` are done.
    struct Cursor {
        std::size_t at = 0;
        int passed = 0;  ///< number of barriers passed in the current call
        std::size_t depth = 0;
        std::array<OpenLoop, kMostNested> open{};
    };

    /// Advances to a step that is neither the beginning nor the end of a loop. Adds the positions that a run with
    /// another number of iterations would have to `others`.
    void settle(Cursor& cursor, bool keeps_others);
    /// If the post is the next one in the script, moves beyond it and the barriers before it, and returns true.
    bool pass(Cursor& cursor, const Post& made, bool keeps_others);
    /// Marks the beginning of a call in all cursors.
    void begin_call();
    int take_barriers(StepKind last);

    std::vector<Step> script_;
    std::size_t after_last_barrier_ = 0;
    Cursor cursor_;
    /// Positions for other numbers of iterations, as far as these agree with the calls so far.
    std::array<Cursor, 8> others_{};
    std::size_t other_count_ = 0;
    std::int64_t posts_ = 0;
};

}  // namespace haichi::barriers
