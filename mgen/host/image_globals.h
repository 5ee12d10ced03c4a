#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mgen/host/globals.h"
#include "mgen/host/image_plan.h"
#include "mgen/host/image_template.h"

namespace haichi::host {

/// Gives each rank a copy of the program and its libraries at its own address. The code of a copy accesses the
/// variables next to it. A switch therefore copies only thread-local variables, and the variables of private libraries
/// without copies. The copies map one in-memory file, so a page takes memory for a rank only if the rank writes to it.
class ImageGlobals : public Globals {
  public:
    /// Makes the modules private that `plan` copies; see make_globals() for `addresses`. Throws OptionError if the
    /// address space is too small, or if the kernel allows no mapping with executable code.
    ImageGlobals(ProgramImage& image, const ImagePlan& plan, std::int32_t ranks,
                 const std::vector<std::span<std::byte>>& addresses = {});
    ~ImageGlobals() override;
    /// True if the kernel allows code to run in a mapping of an in-memory file.
    [[nodiscard]] static bool is_possible();
    ImageGlobals(const ImageGlobals&) = delete;
    ImageGlobals& operator=(const ImageGlobals&) = delete;

    void put_in_place(RankId rank) override;
    void has_ended(RankId rank, std::int64_t now_ps) override;

    [[nodiscard]] std::size_t bytes_per_rank() const override;
    [[nodiscard]] const void* own_address(RankId rank, const void* address) const override;
    [[nodiscard]] const void* original(const void* address) const override;
    [[nodiscard]] std::span<const std::byte> copies() const override { return {begin_, stride_ * ranks_}; }
    void begin(RankId rank) override;

  private:
    ImageGlobals(ProgramImage& image, const ImagePlan& plan, std::int32_t ranks, std::vector<PrivateRange> beside);
    [[nodiscard]] std::byte* copy(RankId rank) const { return begin_ + rank.index() * stride_; }
    void make_copy(RankId rank) const;
    void begin_thread_variables(RankId rank) const;

    /// Initial thread-local variables of a module, which are stored in the copies.
    struct ThreadVariables {
        std::byte* place;  ///< address in the thread that created this object
        std::size_t offset, bytes;
    };

    ImageTemplate template_;
    std::vector<ImagePlan::MovedObject> shared_;
    std::vector<ThreadVariables> thread_variables_;
    CopiedGlobals copied_;
    std::byte* reserved_ = nullptr;
    std::size_t reserved_bytes_ = 0;
    std::byte* begin_ = nullptr;  ///< the copy of rank 0
    std::size_t stride_ = 0;
    std::size_t ranks_;
    bool is_protected_ = false;  ///< code pages are not writable
    std::vector<bool> has_begun_;
};

}  // namespace haichi::host
