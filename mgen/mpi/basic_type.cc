#include "mgen/mpi/basic_type.h"

namespace haichi::mpi {

namespace {

using enum BasicType;

constexpr BasicTypeInfo row(std::string_view name, BasicKind kind, std::int32_t size, std::int32_t alignment,
                            std::int32_t external32_size, BasicType type) {
    return {name, kind, size, size, alignment, external32_size, {type, type}};
}

constexpr BasicTypeInfo row(std::string_view name, BasicKind kind, std::int32_t size, BasicType type) {
    return row(name, kind, size, kind == BasicKind::kComplex ? size / 2 : size, size, type);
}

constexpr BasicTypeInfo pair(std::string_view name, std::int32_t size, std::int32_t extent, std::int32_t alignment,
                             BasicType value, BasicType index) {
    return {name, BasicKind::kPair, size, extent, alignment, size, {value, index}};
}

// The external32 sizes are from table 13.2 of MPI 3.1, in which long and wchar_t have fewer bytes. REAL16 and COMPLEX32
// have MPICH's alignment, because MPICH handles them as bytes.
constexpr std::array<BasicTypeInfo, kBasicTypes> kTypes = {
    row("MPI_CHAR", BasicKind::kSigned, 1, kChar),
    row("MPI_SIGNED_CHAR", BasicKind::kSigned, 1, kSignedChar),
    row("MPI_UNSIGNED_CHAR", BasicKind::kUnsigned, 1, kUnsignedChar),
    row("MPI_BYTE", BasicKind::kByte, 1, kByte),
    row("MPI_WCHAR", BasicKind::kCharacter, 4, 4, 2, kWchar),
    row("MPI_SHORT", BasicKind::kSigned, 2, kShort),
    row("MPI_UNSIGNED_SHORT", BasicKind::kUnsigned, 2, kUnsignedShort),
    row("MPI_INT", BasicKind::kSigned, 4, kInt),
    row("MPI_UNSIGNED", BasicKind::kUnsigned, 4, kUnsigned),
    row("MPI_LONG", BasicKind::kSigned, 8, 8, 4, kLong),
    row("MPI_UNSIGNED_LONG", BasicKind::kUnsigned, 8, 8, 4, kUnsignedLong),
    row("MPI_FLOAT", BasicKind::kFloating, 4, kFloat),
    row("MPI_DOUBLE", BasicKind::kFloating, 8, kDouble),
    row("MPI_LONG_DOUBLE", BasicKind::kFloating, 16, kLongDouble),
    row("MPI_LONG_LONG_INT", BasicKind::kSigned, 8, kLongLong),
    row("MPI_UNSIGNED_LONG_LONG", BasicKind::kUnsigned, 8, kUnsignedLongLong),
    row("MPI_PACKED", BasicKind::kPacked, 1, kPacked),
    row("MPI_LB", BasicKind::kBound, 0, 1, 0, kLowerBound),
    row("MPI_UB", BasicKind::kBound, 0, 1, 0, kUpperBound),
    row("MPI_INT8_T", BasicKind::kSigned, 1, kInt8),
    row("MPI_INT16_T", BasicKind::kSigned, 2, kInt16),
    row("MPI_INT32_T", BasicKind::kSigned, 4, kInt32),
    row("MPI_INT64_T", BasicKind::kSigned, 8, kInt64),
    row("MPI_UINT8_T", BasicKind::kUnsigned, 1, kUint8),
    row("MPI_UINT16_T", BasicKind::kUnsigned, 2, kUint16),
    row("MPI_UINT32_T", BasicKind::kUnsigned, 4, kUint32),
    row("MPI_UINT64_T", BasicKind::kUnsigned, 8, kUint64),
    row("MPI_C_BOOL", BasicKind::kLogical, 1, kCBool),
    row("MPI_C_COMPLEX", BasicKind::kComplex, 8, kCFloatComplex),
    row("MPI_C_DOUBLE_COMPLEX", BasicKind::kComplex, 16, kCDoubleComplex),
    row("MPI_C_LONG_DOUBLE_COMPLEX", BasicKind::kComplex, 32, kCLongDoubleComplex),
    row("MPI_AINT", BasicKind::kSigned, 8, kAint),
    row("MPI_OFFSET", BasicKind::kSigned, 8, kOffset),
    row("MPI_COUNT", BasicKind::kSigned, 8, kCount),
    row("MPI_CXX_BOOL", BasicKind::kLogical, 1, kCxxBool),
    row("MPI_CXX_FLOAT_COMPLEX", BasicKind::kComplex, 8, kCxxFloatComplex),
    row("MPI_CXX_DOUBLE_COMPLEX", BasicKind::kComplex, 16, kCxxDoubleComplex),
    row("MPI_CXX_LONG_DOUBLE_COMPLEX", BasicKind::kComplex, 32, kCxxLongDoubleComplex),
    row("MPI_CHARACTER", BasicKind::kSigned, 1, kCharacter),
    row("MPI_INTEGER", BasicKind::kSigned, 4, kInteger),
    row("MPI_LOGICAL", BasicKind::kFortranLogical, 4, kLogical),
    row("MPI_REAL", BasicKind::kFortranReal, 4, kReal),
    row("MPI_DOUBLE_PRECISION", BasicKind::kFortranReal, 8, kDoublePrecision),
    row("MPI_COMPLEX", BasicKind::kComplex, 8, kComplex),
    row("MPI_DOUBLE_COMPLEX", BasicKind::kComplex, 16, kDoubleComplex),
    row("MPI_INTEGER1", BasicKind::kSigned, 1, kInteger1),
    row("MPI_INTEGER2", BasicKind::kSigned, 2, kInteger2),
    row("MPI_INTEGER4", BasicKind::kSigned, 4, kInteger4),
    row("MPI_INTEGER8", BasicKind::kSigned, 8, kInteger8),
    row("MPI_REAL4", BasicKind::kFortranReal, 4, kReal4),
    row("MPI_REAL8", BasicKind::kFortranReal, 8, kReal8),
    row("MPI_REAL16", BasicKind::kFortranReal, 16, 1, 16, kReal16),
    row("MPI_COMPLEX8", BasicKind::kComplex, 8, kComplex8),
    row("MPI_COMPLEX16", BasicKind::kComplex, 16, kComplex16),
    row("MPI_COMPLEX32", BasicKind::kComplex, 32, 1, 32, kComplex32),
    pair("MPI_FLOAT_INT", 8, 8, 4, kFloat, kInt),
    pair("MPI_DOUBLE_INT", 12, 16, 8, kDouble, kInt),
    {"MPI_LONG_INT", BasicKind::kPair, 12, 16, 8, 8, {kLong, kInt}},
    pair("MPI_2INT", 8, 8, 4, kInt, kInt),
    pair("MPI_SHORT_INT", 6, 8, 4, kShort, kInt),
    pair("MPI_LONG_DOUBLE_INT", 20, 32, 16, kLongDouble, kInt),
    pair("MPI_2INTEGER", 8, 8, 4, kInteger, kInteger),
    pair("MPI_2REAL", 8, 8, 4, kReal, kReal),
    pair("MPI_2DOUBLE_PRECISION", 16, 16, 8, kDoublePrecision, kDoublePrecision),
};

// Compilation fails if an entry other than a pair is out of order.
constexpr bool rows_are_in_order() {
    for (std::size_t i = 0; i < kTypes.size(); ++i) {
        if (kTypes[i].kind != BasicKind::kPair && static_cast<std::size_t>(kTypes[i].parts[0]) != i) return false;
    }
    return true;
}
static_assert(rows_are_in_order());

}  // namespace

const BasicTypeInfo& info(BasicType type) { return kTypes[static_cast<std::size_t>(type)]; }

std::span<const BasicTypeInfo> basic_types() { return kTypes; }

}  // namespace haichi::mpi
