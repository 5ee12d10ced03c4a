#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mgen/host/globals.h"

namespace haichi::host {

/// Gives each rank its own variables by exchanging pages at each switch. The pages of the running rank are at the
/// addresses of the program's variables, and other ranks' pages are in reserved address space. The kernel moves pages
/// without reading their contents. All ranks begin with the same pages of an in-memory file, and a rank owns only the
/// pages that it writes. At the ends of a range, variables that share a page with others are copied.
class RemappedGlobals : public Globals {
  public:
    /// Ranges with less than `least_bytes` of whole pages are copied. Ranges for which the kernel has no mappings left
    /// are copied, too.
    RemappedGlobals(const std::vector<PrivateRange>& ranges, std::int32_t ranks, std::size_t least_bytes);
    ~RemappedGlobals() override;
    RemappedGlobals(const RemappedGlobals&) = delete;
    RemappedGlobals& operator=(const RemappedGlobals&) = delete;

    /// True if this kernel can move pages and keep their old addresses mapped (Linux 5.13).
    [[nodiscard]] static bool is_possible();
    /// Number of ranges that would be remapped.
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
        std::size_t in_file;  ///< offset of the pages in the file
        std::byte* kept;      ///< the pages that are kept for rank 0
        std::size_t stride;   ///< distance to the pages of the next rank
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
