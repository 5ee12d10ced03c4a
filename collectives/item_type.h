#pragma once

#include <cstdint>

namespace haichi::collectives {

/// The extents of a type, in bytes from the address that a call gives.
struct TypeBounds {
    std::int64_t lower = 0;
    std::int64_t upper = 0;
    std::int64_t true_lower = 0;
    std::int64_t true_upper = 0;
    std::int64_t alignment = 1;  ///< to which a struct pads its extent
};

/// The error of packed_bytes(), away from its callers' loops.
[[noreturn]] void throw_message_too_large();

/// The type of the items of a buffer, as far as algorithms depend on it: sizes and extents.
class ItemType {
  public:
    /// Items without gaps. `basic_bytes`: of the basic type that they consist of; 1 where there are several.
    ItemType(std::int64_t size, std::int64_t basic_bytes)
        : ItemType({0, size, 0, size, 1}, size, basic_bytes, /*is_run=*/true) {}
    /// `is_run`: the data of an item are one run of bytes.
    ItemType(const TypeBounds& bounds, std::int64_t size, std::int64_t basic_bytes, bool is_run)
        : bounds_(bounds),
          size_(size),
          basic_bytes_(basic_bytes),
          is_contiguous_(is_run && (size == 0 || bounds.upper - bounds.lower == size)) {}

    [[nodiscard]] std::int64_t size() const { return size_; }
    [[nodiscard]] std::int64_t extent() const { return bounds_.upper - bounds_.lower; }
    [[nodiscard]] std::int64_t lower_bound() const { return bounds_.lower; }
    [[nodiscard]] std::int64_t upper_bound() const { return bounds_.upper; }
    [[nodiscard]] std::int64_t true_extent() const { return bounds_.true_upper - bounds_.true_lower; }
    [[nodiscard]] std::int64_t true_lower_bound() const { return bounds_.true_lower; }
    [[nodiscard]] const TypeBounds& bounds() const { return bounds_; }
    [[nodiscard]] std::int64_t basic_bytes() const { return basic_bytes_; }

    /// Any count of it is one run of bytes that begins at the given address.
    [[nodiscard]] bool is_contiguous() const { return is_contiguous_; }

    /// Bytes of `count` of them without gaps: of a message. UnsupportedError where that overflows.
    [[nodiscard]] std::int64_t packed_bytes(std::int64_t count) const {
        std::int64_t bytes = 0;
        if (__builtin_mul_overflow(count, size_, &bytes)) throw_message_too_large();
        return bytes;
    }

  private:
    TypeBounds bounds_;
    std::int64_t size_ = 0;
    std::int64_t basic_bytes_ = 1;
    bool is_contiguous_ = false;
};

/// Bytes: what algorithms pack items into.
inline const ItemType& byte_type() {
    static const ItemType kByte(1, 1);
    return kByte;
}

/// What algorithms ask of the operation of a reduction.
class Reduction {
  public:
    Reduction(bool commutes, bool is_user_defined) : commutes_(commutes), is_user_defined_(is_user_defined) {}

    [[nodiscard]] bool commutes() const { return commutes_; }
    [[nodiscard]] bool is_user_defined() const { return is_user_defined_; }

  private:
    bool commutes_ = true;
    bool is_user_defined_ = false;
};

}  // namespace haichi::collectives
