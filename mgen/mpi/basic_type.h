#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace haichi::mpi {

/// The named data types of MPI, of C and Fortran (64-bit Linux; INTEGER and LOGICAL have four bytes).
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
    kLowerBound,  ///< MPI_LB of MPI-1: no data
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

/// How the bytes of a basic type are read. Which operations are allowed on it follows from the kind.
enum class BasicKind : std::uint8_t {
    kCharacter,  ///< text: no arithmetic
    kSigned,
    kUnsigned,
    kFloating,
    kFortranReal,  ///< the same; MPICH allows logical operations on it
    kComplex,
    kLogical,         ///< any value but zero is true
    kFortranLogical,  ///< the same, four bytes
    kByte,
    kPacked,
    kBound,
    kPair,
};

struct BasicTypeInfo {
    std::string_view name;  ///< as MPI_Type_get_name says: "MPI_INT"
    BasicKind kind;
    std::int32_t size;       ///< bytes of data
    std::int32_t extent;     ///< in memory; above the size for pairs with padding
    std::int32_t alignment;  ///< as the compiler aligns it
    std::int32_t external32_size;
    /// Of a pair: its value's type, then its index's. The type itself otherwise.
    std::array<BasicType, 2> parts;
};

const BasicTypeInfo& info(BasicType type);

/// All of them, in the order of the enum.
std::span<const BasicTypeInfo> basic_types();

}  // namespace haichi::mpi
