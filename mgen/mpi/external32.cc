#include "mgen/mpi/external32.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "mgen/mpi/checked.h"

namespace haichi::mpi {

namespace {

/// The numbers in one element of a basic type.
struct Numbers {
    std::int64_t count;  ///< 1, or 2 for a complex number
    std::int64_t native_bytes;
    std::int64_t external_bytes;
    bool is_signed;
    bool is_extended;  ///< long double: 80 bits in memory, quadruple precision in external32
};

Numbers numbers_in(BasicType type) {
    const BasicTypeInfo& row = info(type);
    const std::int64_t count = row.kind == BasicKind::kComplex ? 2 : 1;
    const bool is_extended = type == BasicType::kLongDouble || type == BasicType::kCLongDoubleComplex ||
                             type == BasicType::kCxxLongDoubleComplex;
    return {count, row.size / count, row.external32_size / count, row.kind == BasicKind::kSigned, is_extended};
}

void to_external(const Numbers& number, const std::byte* from, std::byte* to) {
    std::array<std::byte, 16> bytes{};
    std::copy_n(from, number.native_bytes, bytes.begin());
    if (number.is_extended) {
        long double extended = 0;
        std::memcpy(&extended, from, sizeof(extended));
        const auto quad = static_cast<__float128>(extended);
        std::memcpy(bytes.data(), &quad, sizeof(quad));
    }
    // The native representation is little-endian.
    std::reverse_copy(bytes.begin(), bytes.begin() + number.external_bytes, to);
}

void to_native(const Numbers& number, const std::byte* from, std::byte* to) {
    std::array<std::byte, 16> bytes{};
    std::reverse_copy(from, from + number.external_bytes, bytes.begin());
    if (number.is_extended) {
        __float128 quad = 0;
        std::memcpy(&quad, bytes.data(), sizeof(quad));
        const auto extended = static_cast<long double>(quad);
        bytes = {};
        std::memcpy(bytes.data(), &extended, 10);
    } else if (number.is_signed && (from[0] & std::byte{0x80}) != std::byte{0}) {
        std::fill(bytes.begin() + number.external_bytes, bytes.end(), std::byte{0xff});
    }
    std::copy_n(bytes.begin(), number.native_bytes, to);
}

/// Converts all elements of `count` items by calling convert(numbers, native position, external position).
template <class Convert>
void visit_numbers(std::int64_t count, const Datatype& type, Convert&& convert) {
    std::int64_t native = 0;
    std::int64_t external = 0;
    for (std::int64_t item = 0; item < count; ++item) {
        type.signature().visit_runs([&](const Signature::Run& run) {
            const Numbers number = numbers_in(run.type);
            for (std::int64_t i = 0; i < run.count * number.count; ++i) {
                convert(number, native, external);
                native += number.native_bytes;
                external += number.external_bytes;
            }
            return true;
        });
    }
}

}  // namespace

std::int64_t external32_bytes(std::int64_t count, const Datatype& type) {
    return checked_product(count, type.signature().external32_bytes());
}

void pack_external32(const void* data, std::int64_t count, const Datatype& type, std::byte* to) {
    std::vector<std::byte> packed(static_cast<std::size_t>(type.packed_bytes(count)));
    type.pack(data, count, packed.data());
    visit_numbers(count, type, [&](const Numbers& number, std::int64_t native, std::int64_t external) {
        to_external(number, packed.data() + native, to + external);
    });
}

void unpack_external32(void* data, std::int64_t count, const Datatype& type, const std::byte* from) {
    std::vector<std::byte> packed(static_cast<std::size_t>(type.packed_bytes(count)));
    visit_numbers(count, type, [&](const Numbers& number, std::int64_t native, std::int64_t external) {
        to_native(number, from + external, packed.data() + native);
    });
    type.unpack(data, count, packed.data(), std::ssize(packed));
}

}  // namespace haichi::mpi
