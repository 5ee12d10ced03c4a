#pragma once

#include <array>
#include <cstddef>
#include <unordered_map>

#include "commlog/workload/workload.h"

namespace haichi::host {

/// The standard descriptors (0 to 2) of ranks that have replaced them, for example with dup2(). All other ranks share
/// the descriptors that were open when this object was created. A rank that replaces nothing adds no cost. Not
/// thread-safe.
class RankDescriptors {
  public:
    RankDescriptors();
    ~RankDescriptors();
    RankDescriptors(const RankDescriptors&) = delete;
    RankDescriptors& operator=(const RankDescriptors&) = delete;

    [[nodiscard]] static bool is_standard(int descriptor) { return descriptor >= 0 && descriptor < kCount; }
    /// Records that the running rank has replaced or closed a standard descriptor.
    void note_change(int descriptor) { changed_[static_cast<std::size_t>(descriptor)] = true; }
    [[nodiscard]] bool owns(RankId rank, int descriptor) const;

    /// Puts the rank's own descriptors in place before its code runs.
    void enter(RankId rank) noexcept;
    /// Puts the shared descriptors in place after the rank's code has run. Throws InputError if no descriptor is free.
    void leave(RankId rank);
    /// Like leave(), but does not keep the rank's descriptors, for a process that is about to end.
    void restore() const noexcept;
    /// Closes the descriptors of a rank that has ended.
    void end(RankId rank) noexcept;

    /// A shared descriptor, even while a rank has replaced it.
    [[nodiscard]] int shared(int descriptor) const { return shared_[static_cast<std::size_t>(descriptor)]; }

  private:
    static constexpr int kCount = 3;
    enum : int { kShared = -1, kClosed = -2 };  ///< values instead of a descriptor
    using Own = std::array<int, kCount>;

    std::array<int, kCount> shared_{};
    std::array<bool, kCount> changed_{};
    std::unordered_map<std::int32_t, Own> own_;
};

}  // namespace haichi::host
