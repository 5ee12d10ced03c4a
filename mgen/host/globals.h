#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/table.h"
#include "mgen/host/host.h"
#include "mgen/host/program_image.h"

namespace haichi::host {

/// How each rank gets variables of its own (`--globals`).
enum class GlobalsWay : std::uint8_t {
    kAuto,   ///< as the program needs
    kNone,   ///< all ranks share them
    kCopy,   ///< copied out and in when another rank runs
    kRemap,  ///< their pages are exchanged when another rank runs
    kImage,  ///< each rank runs a copy of the whole program
};
struct GlobalsWord {
    std::string_view name;
    std::string_view sentence;
    GlobalsWay way;
};
const Table<GlobalsWord>& globals_words();
/// Throws OptionError with did-you-mean.
GlobalsWay parse_globals(std::string_view text);

/// Gives each rank variables of its own: those of the rank that runs are in place.
class Globals : public RankMemory {
  public:
    [[nodiscard]] virtual std::size_t bytes_per_rank() const = 0;
    /// Where the rank has what of the program, as it was loaded, lies at this address: code and variables.
    [[nodiscard]] virtual const void* own_address(RankId /*rank*/, const void* address) const { return address; }
    template <class T>
    [[nodiscard]] T* own(RankId rank, T* address) const {
        return reinterpret_cast<T*>(const_cast<void*>(own_address(rank, reinterpret_cast<const void*>(address))));
    }
    /// The other way round, of any rank.
    [[nodiscard]] virtual const void* original(const void* address) const { return address; }
    /// Where the ranks' copies of the program lie; may be empty.
    [[nodiscard]] virtual std::span<const std::byte> copies() const { return {}; }
    /// Before the rank runs its first code, when all that it has is in place: takes over the variables of the C library
    /// that are within the program.
    virtual void begin(RankId /*rank*/) {}
    [[nodiscard]] bool holds(const void* address) const override;

  protected:
    explicit Globals(const std::vector<PrivateRange>& ranges);
    /// How far the thread-local variables of the thread that calls lie behind those that the ranges name. The loader
    /// gives those of what is there when the program starts one distance from the thread's own address.
    [[nodiscard]] std::ptrdiff_t thread_distance() const;

  private:
    struct Variables {
        std::span<const std::byte> bytes;
        bool is_of_thread;
    };
    std::vector<Variables> variables_;
    const std::byte* thread_;
};

/// By copying: the variables of the other ranks are in reserved memory, which takes pages only for ranks that have
/// begun and not ended.
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
    std::ptrdiff_t distance_ = 0;  ///< thread_distance() of the rank that is in place
};

/// Null: the ranks share the variables of the program, or it has none. `addresses` are variables elsewhere that hold
/// addresses in the program: where each rank has a copy of that, they are its own, too. Throws OptionError for a way
/// that this kernel does not have, UnsupportedError for a program that does not allow it.
std::unique_ptr<Globals> make_globals(ProgramImage& image, GlobalsWay way, std::int32_t ranks,
                                      const std::vector<std::span<std::byte>>& addresses = {});

}  // namespace haichi::host
