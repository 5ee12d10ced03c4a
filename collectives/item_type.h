#pragma once

#include <cstdint>

namespace haichi::collectives {

/// The extents of a type, in bytes from the address given in a call.
struct TypeBounds {
    std::int64_t lower = 0;
    std::int64_t upper = 0;
    std::int64_t true_lower = 0;
    std::int64_t true_upper = 0;
    std::int64_t alignment = 1;  ///< a struct pads its extent to this alignment
};

/// Throws the error of packed_bytes(). A separate function keeps its callers' loops small.
[[noreturn]] void throw_message_too_large();

/// The type of the items of a buffer, limited to the sizes and extents that algorithms use.
class ItemType {
  public:
    /// Items without gaps. `basic_bytes` is the size of their basic type, or 1 if they have several basic types.
    ItemType(std::int64_t size, std::int64_t basic_bytes)
        : ItemType({0, size, 0, size, 1}, size, basic_bytes, /*is_run=*/true) {}
    /// `is_run` means that the data of an item are one run of bytes.
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

    /// True if any number of items is one run of bytes that begins at the given address.
    [[nodiscard]] bool is_contiguous() const { return is_contiguous_; }

    /// The size of `count` items without gaps, as in a message. Throws UnsupportedError on overflow.
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

/// The type of bytes, into which algorithms pack items.
inline const ItemType& byte_type() {
    static const ItemType kByte(1, 1);
    return kByte;
}

/// The properties of a reduction's operation that algorithms use.
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
