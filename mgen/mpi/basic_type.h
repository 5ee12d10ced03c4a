#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace haichi::mpi {

/// MPI's named data types for C and Fortran, on 64-bit Linux. INTEGER and LOGICAL have four bytes.
enum class BasicType : std::uint8_t {
    kChar,
    kSignedChar,
    kUnsignedChar,
    kByte,
    kWchar,
    kShort,
    kUnsignedShort,
    kInt,
    kUnsigned,
    kLong,
    kUnsignedLong,
    kFloat,
    kDouble,
    kLongDouble,
    kLongLong,
    kUnsignedLongLong,
    kPacked,
    kLowerBound,  ///< MPI_LB of MPI-1; it has no data
    kUpperBound,  ///< MPI_UB
    kInt8,
    kInt16,
    kInt32,
    kInt64,
    kUint8,
    kUint16,
    kUint32,
    kUint64,
    kCBool,
    kCFloatComplex,
    kCDoubleComplex,
    kCLongDoubleComplex,
    kAint,
    kOffset,
    kCount,
    kCxxBool,
    kCxxFloatComplex,
    kCxxDoubleComplex,
    kCxxLongDoubleComplex,
    kCharacter,
    kInteger,
    kLogical,
    kReal,
    kDoublePrecision,
    kComplex,
    kDoubleComplex,
    kInteger1,
    kInteger2,
    kInteger4,
    kInteger8,
    kReal4,
    kReal8,
    kReal16,
    kComplex8,
    kComplex16,
    kComplex32,
    // Pairs of a value and an index, for MPI_MAXLOC and MPI_MINLOC:
    kFloatInt,
    kDoubleInt,
    kLongInt,
    k2Int,
    kShortInt,
    kLongDoubleInt,
    k2Integer,
    k2Real,
    k2DoublePrecision,
};

inline constexpr int kBasicTypes = static_cast<int>(BasicType::k2DoublePrecision) + 1;

/// How the bytes of a basic type are interpreted. The kind determines which operations are defined on the type.
enum class BasicKind : std::uint8_t {
    kCharacter,  ///< text, without arithmetic
    kSigned,
    kUnsigned,
    kFloating,
    kFortranReal,  ///< like kFloating, but MPICH also allows logical operations
    kComplex,
    kLogical,         ///< any nonzero value is true
    kFortranLogical,  ///< like kLogical, with four bytes
    kByte,
    kPacked,
    kBound,
    kPair,
};

struct BasicTypeInfo {
    std::string_view name;  ///< as returned by MPI_Type_get_name: "MPI_INT"
    BasicKind kind;
    std::int32_t size;       ///< bytes of data
    std::int32_t extent;     ///< bytes in memory; larger than `size` for pairs with padding
    std::int32_t alignment;  ///< the compiler's alignment
    std::int32_t external32_size;
    /// The types of a pair's value and index. Both are the type itself if the type is not a pair.
    std::array<BasicType, 2> parts;
};

const BasicTypeInfo& info(BasicType type);

/// All basic types in the order of the enum.
std::span<const BasicTypeInfo> basic_types();

}  // namespace haichi::mpi
