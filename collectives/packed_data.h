#pragma once

#include "collectives/pieces.h"

namespace haichi::collectives {

/// The data of a broadcast as packed bytes. Types may differ between members in memory layout, but not in basic
/// elements. All members cut the packed data in the same way. A type without gaps is used in place.
class PackedData {
  public:
    PackedData(Exchange& exchange, const Buffer& data, bool is_full) : data_(data), bytes_(data.bytes()) {
        item_bytes_ = data.type->basic_bytes();
        if (data.type->is_contiguous()) {
            place_ = static_cast<std::byte*>(data.data);
            return;
        }
        place_ = exchange.scratch(bytes_);
        is_copy_ = true;
        if (is_full) exchange.copy(data_, whole());
    }

    [[nodiscard]] std::int64_t bytes() const { return bytes_; }
    /// The size of the smallest unit, which is never cut: the basic type, if there is only one.
    [[nodiscard]] std::int64_t item_bytes() const { return item_bytes_; }
    [[nodiscard]] Buffer part(std::int64_t first_byte, std::int64_t bytes) const {
        return packed(place_ + first_byte, bytes);
    }
    [[nodiscard]] Buffer whole() const { return part(0, bytes_); }
    /// Unpacks the data. Must be called when all data have been received.
    void finish(Exchange& exchange, bool was_full) const {
        if (is_copy_ && !was_full) exchange.copy(whole(), data_);
    }

  private:
    Buffer data_;
    std::int64_t bytes_ = 0;
    std::int64_t item_bytes_ = 1;
    std::byte* place_ = nullptr;
    bool is_copy_ = false;
};

}  // namespace haichi::collectives
