#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mgen/host/host.h"
#include "mgen/host/program_image.h"
#include "mgen/live_choices.h"

namespace haichi::host {

/// Gives each rank its own global variables. While a rank runs, its variables are in place.
class Globals : public RankMemory {
  public:
    [[nodiscard]] virtual std::size_t bytes_per_rank() const = 0;
    /// The rank's own counterpart of `address`, a code or variable address in the program as it was loaded.
    [[nodiscard]] virtual const void* own_address(RankId /*rank*/, const void* address) const { return address; }
    template <class T>
    [[nodiscard]] T* own(RankId rank, T* address) const {
        return reinterpret_cast<T*>(const_cast<void*>(own_address(rank, reinterpret_cast<const void*>(address))));
    }
    /// The inverse of own_address(), for any rank.
    [[nodiscard]] virtual const void* original(const void* address) const { return address; }
    /// Address range of the ranks' copies of the program; may be empty.
    [[nodiscard]] virtual std::span<const std::byte> copies() const { return {}; }
    /// Called when all memory of the rank is in place, before its first code runs. Takes over the C library's variables
    /// that are inside the program.
    virtual void begin(RankId /*rank*/) {}
    [[nodiscard]] bool holds(const void* address) const override;

  protected:
    explicit Globals(const std::vector<PrivateRange>& ranges);
    /// Distance from the thread-local variables in the private ranges to those of the calling thread. The loader uses a
    /// fixed offset from the thread pointer for modules that are present at program start.
    [[nodiscard]] std::ptrdiff_t thread_distance() const;

  private:
    struct Variables {
        std::span<const std::byte> bytes;
        bool is_of_thread;
    };
    std::vector<Variables> variables_;
    const std::byte* thread_;
};

/// Gives each rank its own variables by copying them at each switch. The variables of the other ranks are in reserved
/// memory, which takes pages only for ranks that have begun and not ended.
class CopiedGlobals : public Globals {
  public:
    /// Throws OptionError when the address space is too small.
    CopiedGlobals(std::vector<PrivateRange> ranges, std::int32_t ranks);
    ~CopiedGlobals() override;
    CopiedGlobals(const CopiedGlobals&) = delete;
    CopiedGlobals& operator=(const CopiedGlobals&) = delete;

    void put_in_place(RankId rank) override;
    void has_ended(RankId rank, std::int64_t now_ps) override;

    [[nodiscard]] std::size_t bytes_per_rank() const override { return bytes_; }

  private:
    [[nodiscard]] std::byte* kept(RankId rank) const { return begin_ + rank.index() * stride_; }
    void keep(RankId rank) const;
    [[nodiscard]] std::byte* place(const PrivateRange& range) const {
        return range.bytes.data() + (range.is_of_thread ? distance_ : 0);
    }

    std::vector<PrivateRange> ranges_;
    std::size_t bytes_ = 0;
    std::size_t stride_ = 0;
    std::size_t reserved_ = 0;
    std::byte* begin_ = nullptr;
    std::vector<bool> has_begun_, has_ended_;
    RankId in_place_;
    std::ptrdiff_t distance_ = 0;  ///< thread_distance() of the rank whose variables are in place
};

/// Returns null if the ranks share the program's variables, or if the program has none. `addresses` are variables
/// outside of the program that hold addresses within the program. If each rank has a copy of the program, these
/// variables are private, too. Throws OptionError if this kernel does not support `way`, and UnsupportedError if the
/// program does not allow it.
std::unique_ptr<Globals> make_globals(ProgramImage& image, GlobalsWay way, std::int32_t ranks,
                                      const std::vector<std::span<std::byte>>& addresses = {});

}  // namespace haichi::host
