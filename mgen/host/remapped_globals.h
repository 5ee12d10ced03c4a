#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mgen/host/globals.h"

namespace haichi::host {

/// By exchanging pages: those of the rank that runs are where the program has its variables, those of the others lie in
/// reserved address space, and the kernel moves them to and fro without looking at what they hold. All ranks begin with
/// the same pages of one file in memory, and only pages that a rank writes are its own. What shares a page with others
/// at the ends of a range is copied.
class RemappedGlobals : public Globals {
  public:
    /// Ranges with fewer bytes of whole pages are copied as well, and so are those for which the kernel has no mappings
    /// left.
    RemappedGlobals(const std::vector<PrivateRange>& ranges, std::int32_t ranks, std::size_t least_bytes);
    ~RemappedGlobals() override;
    RemappedGlobals(const RemappedGlobals&) = delete;
    RemappedGlobals& operator=(const RemappedGlobals&) = delete;

    /// Whether this kernel can move pages and leave their place mapped (Linux 5.13).
    [[nodiscard]] static bool is_possible();
    /// How many of the ranges it would remap.
    [[nodiscard]] static std::size_t remapped(const std::vector<PrivateRange>& ranges, std::int32_t ranks,
                                              std::size_t least_bytes);

    void put_in_place(RankId rank) override;
    void has_ended(RankId rank, std::int64_t now_ps) override;

    [[nodiscard]] std::size_t bytes_per_rank() const override { return bytes_; }

  private:
    /// Whole pages of the program that are exchanged.
    struct Pages {
        std::byte* place;
        std::size_t bytes;
        std::size_t in_file;  ///< where they begin in the file
        std::byte* kept;      ///< those of rank 0
        std::size_t stride;   ///< to those of the next rank
    };
    struct Split {
        std::vector<PrivateRange> pages, copied;
    };
    static Split split(const std::vector<PrivateRange>& ranges, std::int32_t ranks, std::size_t least_bytes);
    void begin_with_file(const Pages& pages) const;
    void reserve(const Pages& pages, RankId rank) const;

    std::size_t bytes_ = 0;
    std::int32_t ranks_;
    int file_ = -1;
    std::vector<Pages> pages_;
    CopiedGlobals copied_;
    std::vector<bool> has_begun_, has_ended_;
    RankId in_place_;
};

}  // namespace haichi::host
