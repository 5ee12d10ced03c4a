#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace haichi {

/// A 32-bit index that cannot be confused with an index of another kind. -1 is the invalid index.
template <class Tag>
struct StrongId {
    std::int32_t value = -1;

    constexpr StrongId() = default;
    constexpr explicit StrongId(std::int32_t v) : value(v) {}
    constexpr explicit StrongId(std::size_t v) : value(static_cast<std::int32_t>(v)) {}

    /// The position in an array that is indexed by this kind of ID. Requires a valid ID.
    [[nodiscard]] constexpr std::size_t index() const { return static_cast<std::size_t>(value); }
    [[nodiscard]] constexpr bool valid() const { return value >= 0; }

    friend constexpr auto operator<=>(StrongId, StrongId) = default;
};

}  // namespace haichi

template <class Tag>
struct std::hash<haichi::StrongId<Tag>> {
    std::size_t operator()(haichi::StrongId<Tag> id) const noexcept { return std::hash<std::int32_t>{}(id.value); }
};
