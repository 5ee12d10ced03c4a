#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace haichi::mpi {

class Layout;
using LayoutRef = std::shared_ptr<const Layout>;

/// The positions of a data type's bytes in the order of packing. It is a tree of runs, loops and lists, so a vector of
/// a million blocks takes no more memory than a vector of two.
class Layout {
  public:
    enum class Kind : std::uint8_t {
        kRun,   ///< one run of bytes() bytes at offset 0
        kLoop,  ///< `count` copies of `child`, `stride` bytes apart
        kRuns,  ///< a list of runs
        kList,  ///< a list of loops
    };
    /// The packed bytes from this `start` to the next entry's `start` are at `offset` in memory.
    struct RunAt {
        std::int64_t start;
        std::int64_t offset;
    };
    struct LoopAt {
        std::int64_t start;
        std::int64_t offset;
        std::int64_t count;
        std::int64_t stride;
        LayoutRef child;
    };

    /// A layout of `bytes` bytes at `offset`.
    static LayoutRef run(std::int64_t offset, std::int64_t bytes);
    struct Run {
        std::int64_t offset;
        std::int64_t bytes;
    };
    /// A layout of runs in the order of packing. Empty runs are omitted, adjacent ones are merged, and evenly spaced
    /// ones become a loop.
    static LayoutRef runs(std::span<const Run> given);
    /// A layout of `count` copies of `child`, the first one at `offset`.
    static LayoutRef loop(std::int64_t offset, std::int64_t count, std::int64_t stride, const LayoutRef& child);
    /// A layout of parts in the order of packing. The function sets `start`, omits empty parts and merges adjacent
    /// ones.
    static LayoutRef list(std::vector<LoopAt> parts);

    [[nodiscard]] Kind kind() const { return kind_; }
    [[nodiscard]] std::int64_t bytes() const { return bytes_; }
    /// True for a single run at offset 0 and for an empty layout.
    [[nodiscard]] bool is_run() const { return kind_ == Kind::kRun; }

  private:
    friend class LayoutWalk;
    Layout() = default;
    static LoopAt merged(LoopAt part);

    [[nodiscard]] std::int64_t end_of(std::size_t run) const {
        return run + 1 < runs_.size() ? runs_[run + 1].start : bytes_;
    }

    Kind kind_ = Kind::kRun;
    std::int64_t bytes_ = 0;
    std::int64_t count_ = 0;
    std::int64_t stride_ = 0;
    LayoutRef child_;
    std::vector<RunAt> runs_;
    std::vector<LoopAt> list_;
};

}  // namespace haichi::mpi
