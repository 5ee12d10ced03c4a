#include <gtest/gtest.h>

#include <array>
#include <complex>
#include <vector>

#include "mgen/mpi/external32.h"
#include "mgen/mpi/operation.h"
#include "mgen/mpi/type_constructors.h"

namespace haichi::mpi {
namespace {

using Kind = OperationKind;

template <class T>
std::vector<T> applied(Kind kind, BasicType type, const std::vector<T>& in, std::vector<T> inout) {
    const Operation& operation = *Operation::predefined(kind);
    operation.check(*Datatype::basic(type));
    operation.apply(in.data(), inout.data(), std::ssize(in), *Datatype::basic(type));
    return inout;
}

TEST(Operations, of_integers) {
    using Values = std::vector<std::int32_t>;
    const Values a = {6, -3, 0};
    const Values b = {3, 5, 0};
    EXPECT_EQ(applied(Kind::kMax, BasicType::kInt, a, b), (Values{6, 5, 0}));
    EXPECT_EQ(applied(Kind::kMin, BasicType::kInt, a, b), (Values{3, -3, 0}));
    EXPECT_EQ(applied(Kind::kSum, BasicType::kInt, a, b), (Values{9, 2, 0}));
    EXPECT_EQ(applied(Kind::kProduct, BasicType::kInt, a, b), (Values{18, -15, 0}));
    EXPECT_EQ(applied(Kind::kLogicalAnd, BasicType::kInt, a, b), (Values{1, 1, 0}));
    EXPECT_EQ(applied(Kind::kLogicalOr, BasicType::kInt, a, {0, 0, 0}), (Values{1, 1, 0}));
    EXPECT_EQ(applied(Kind::kLogicalXor, BasicType::kInt, a, b), (Values{0, 0, 0}));
    EXPECT_EQ(applied(Kind::kBitAnd, BasicType::kInt, a, b), (Values{2, 5, 0}));
    EXPECT_EQ(applied(Kind::kBitOr, BasicType::kInt, a, b), (Values{7, -3, 0}));
    EXPECT_EQ(applied(Kind::kBitXor, BasicType::kInt, a, b), (Values{5, -3 ^ 5, 0}));
}

TEST(Operations, know_signs_and_widths) {
    EXPECT_EQ(applied<std::uint8_t>(Kind::kMax, BasicType::kUint8, {200}, {100}), (std::vector<std::uint8_t>{200}));
    EXPECT_EQ(applied<std::int8_t>(Kind::kMax, BasicType::kInt8, {-56}, {100}), (std::vector<std::int8_t>{100}));
    EXPECT_EQ(applied<std::uint16_t>(Kind::kProduct, BasicType::kUint16, {65535}, {65535}),
              (std::vector<std::uint16_t>{1}));
    EXPECT_EQ(applied<std::int64_t>(Kind::kSum, BasicType::kAint, {INT64_MAX}, {1}),
              (std::vector<std::int64_t>{INT64_MIN}));
}

TEST(Operations, of_real_and_complex_numbers) {
    EXPECT_EQ(applied<double>(Kind::kSum, BasicType::kDoublePrecision, {1.5}, {2}), std::vector{3.5});
    EXPECT_EQ(applied<long double>(Kind::kProduct, BasicType::kLongDouble, {1.5L}, {2}), std::vector{3.0L});
    using Complex = std::complex<float>;
    EXPECT_EQ(applied<Complex>(Kind::kProduct, BasicType::kComplex8, {{0, 1}}, {{0, 1}}),
              (std::vector<Complex>{{-1, 0}}));
    const std::vector<__float128> sum = applied<__float128>(Kind::kSum, BasicType::kReal16, {1}, {2});
    EXPECT_TRUE(sum[0] == 3);
}

TEST(Operations, find_the_place_of_the_best) {
    struct DoubleInt {
        double value;
        int index;
        bool operator==(const DoubleInt&) const = default;
    };
    const std::vector<DoubleInt> a = {{3, 7}, {1, 7}, {2, 7}};
    const std::vector<DoubleInt> b = {{2, 4}, {2, 4}, {2, 4}};
    EXPECT_EQ(applied(Kind::kMaxLocation, BasicType::kDoubleInt, a, b),
              (std::vector<DoubleInt>{{3, 7}, {2, 4}, {2, 4}}));
    EXPECT_EQ(applied(Kind::kMinLocation, BasicType::kDoubleInt, a, b),
              (std::vector<DoubleInt>{{2, 4}, {1, 7}, {2, 4}}));
    using TwoReals = std::array<float, 2>;
    EXPECT_EQ(applied<TwoReals>(Kind::kMaxLocation, BasicType::k2Real, {{1, 2}}, {{1, 1}}),
              (std::vector<TwoReals>{{1, 1}}));
}

TEST(Operations, are_refused_where_mpi_does_not_define_them) {
    EXPECT_TRUE(is_defined(Kind::kLogicalAnd, BasicType::kLogical));
    EXPECT_TRUE(is_defined(Kind::kBitAnd, BasicType::kByte));
    EXPECT_FALSE(is_defined(Kind::kSum, BasicType::kByte));
    EXPECT_FALSE(is_defined(Kind::kMax, BasicType::kComplex));
    EXPECT_FALSE(is_defined(Kind::kBitAnd, BasicType::kDouble));
    EXPECT_FALSE(is_defined(Kind::kMaxLocation, BasicType::kInt));
    EXPECT_FALSE(is_defined(Kind::kSum, BasicType::kDoubleInt));
    EXPECT_FALSE(is_defined(Kind::kReplace, BasicType::kInt));
    const Operation& sum = *Operation::predefined(Kind::kSum);
    EXPECT_THROW(sum.check(*Datatype::basic(BasicType::kCBool)), CallError);
    EXPECT_THROW(sum.check(*make_contiguous(2, Datatype::basic(BasicType::kInt))), CallError);
    sum.check(*make_f90(Combiner::kF90Real, BasicType::kReal8, std::array{15, 307}));
}

// Every operation runs on every type for which it is declared as defined, and writes only the type's bytes.
TEST(Operations, run_on_all_types_that_they_are_defined_on) {
    for (int k = 0; k < kOperationKinds; ++k) {
        for (int t = 0; t < kBasicTypes; ++t) {
            const auto kind = static_cast<Kind>(k);
            const auto type = static_cast<BasicType>(t);
            if (!is_defined(kind, type)) continue;
            alignas(32) std::array<std::uint8_t, 96> in{};
            alignas(32) std::array<std::uint8_t, 96> inout{};
            inout.fill(7);
            const auto end = static_cast<std::size_t>(2 * info(type).extent);
            std::fill_n(inout.begin(), end, std::uint8_t{0});
            Operation::predefined(kind)->apply(in.data(), inout.data(), 2, *Datatype::basic(type));
            for (std::size_t i = 0; i < inout.size(); ++i) {
                EXPECT_EQ(inout[i], i < end ? 0 : 7) << name(kind) << " on " << info(type).name;
            }
        }
    }
}

TEST(Operations, of_programs_are_called_in_the_order_of_mpi) {
    // An operation that does not commute: inout = 10 in + inout.
    const Operation digits(
        [](const void* in, void* inout, std::int64_t count, const Datatype&) {
            for (std::int64_t i = 0; i < count; ++i) {
                static_cast<int*>(inout)[i] += 10 * static_cast<const int*>(in)[i];
            }
        },
        false);
    const int in = 1;
    int inout = 2;
    digits.check(*Datatype::basic(BasicType::kByte));
    digits.apply(&in, &inout, 1, *Datatype::basic(BasicType::kInt));
    EXPECT_EQ(inout, 12);
    EXPECT_FALSE(digits.commutes());
}

TEST(Accumulate, combines_what_lies_apart) {
    const DatatypeRef column = make_vector(3, 1, 2, Datatype::basic(BasicType::kInt));
    std::vector<std::int32_t> target = {1, 2, 3, 4, 5, 6};
    const std::vector<std::int32_t> from = {10, 20, 30};
    const auto* bytes = reinterpret_cast<const std::byte*>(from.data());
    Operation::predefined(Kind::kSum)->accumulate(bytes, target.data(), 1, *column);
    EXPECT_EQ(target, (std::vector<std::int32_t>{11, 2, 23, 4, 35, 6}));
    Operation::predefined(Kind::kReplace)->accumulate(bytes, target.data(), 1, *column);
    EXPECT_EQ(target, (std::vector<std::int32_t>{10, 2, 20, 4, 30, 6}));
    Operation::predefined(Kind::kNoOperation)->accumulate(bytes, target.data(), 1, *column);
    EXPECT_EQ(target[0], 10);
    const DatatypeRef mixed =
        make_struct({std::array<std::int64_t, 2>{1, 1}, std::array<std::int64_t, 2>{0, 4}},
                    std::array{Datatype::basic(BasicType::kInt), Datatype::basic(BasicType::kFloat)});
    EXPECT_THROW(Operation::predefined(Kind::kSum)->accumulate(bytes, target.data(), 1, *mixed), CallError);
}

TEST(Accumulate, of_pairs_whose_padding_is_not_sent) {
    struct LongInt {
        long value;
        int index;
    };
    std::array<LongInt, 2> target = {{{5, 1}, {9, 1}}};
    const std::array<LongInt, 2> origin = {{{7, 0}, {8, 0}}};
    const Datatype& type = *Datatype::basic(BasicType::kLongInt);
    std::array<std::byte, 24> packed{};
    type.pack(origin.data(), 2, packed.data());
    Operation::predefined(Kind::kMaxLocation)->accumulate(packed.data(), target.data(), 2, type);
    EXPECT_EQ(target[0].value, 7);
    EXPECT_EQ(target[0].index, 0);
    EXPECT_EQ(target[1].value, 9);
}

template <class T>
std::vector<int> external(BasicType type, T value) {
    const Datatype& datatype = *Datatype::basic(type);
    std::vector<std::byte> bytes(static_cast<std::size_t>(external32_bytes(1, datatype)));
    pack_external32(&value, 1, datatype, bytes.data());
    T back{};
    unpack_external32(&back, 1, datatype, bytes.data());
    EXPECT_TRUE(back == value);
    std::vector<int> result;
    for (const std::byte byte : bytes) result.push_back(std::to_integer<int>(byte));
    return result;
}

TEST(External32, is_big_endian_with_sizes_of_its_own) {
    EXPECT_EQ(external<std::int32_t>(BasicType::kInt, 0x01020304), (std::vector{1, 2, 3, 4}));
    EXPECT_EQ(external<std::int64_t>(BasicType::kLong, -2), (std::vector{255, 255, 255, 254}));
    EXPECT_EQ(external<std::uint64_t>(BasicType::kUnsignedLong, 0xfffffffe), (std::vector{255, 255, 255, 254}));
    EXPECT_EQ(external<double>(BasicType::kDouble, -1.5), (std::vector{0xbf, 0xf8, 0, 0, 0, 0, 0, 0}));
    EXPECT_EQ(external<std::complex<float>>(BasicType::kComplex, {1, -2}),
              (std::vector{0x3f, 0x80, 0, 0, 0xc0, 0, 0, 0}));
    const std::vector<int> quad = external<long double>(BasicType::kLongDouble, -1.5L);
    EXPECT_EQ(quad.size(), 16U);
    EXPECT_EQ((std::vector<int>(quad.begin(), quad.begin() + 4)), (std::vector{0xbf, 0xff, 0x80, 0}));
}

TEST(External32, of_a_struct_has_no_gaps) {
    struct Item {
        char letter;
        long number;
    };
    const DatatypeRef type =
        make_struct({std::array<std::int64_t, 2>{1, 1}, std::array<std::int64_t, 2>{0, 8}},
                    std::array{Datatype::basic(BasicType::kChar), Datatype::basic(BasicType::kLong)});
    EXPECT_EQ(external32_bytes(2, *type), 10);
    const std::array<Item, 2> items = {{{'a', 258}, {'b', -1}}};
    std::array<std::byte, 10> bytes{};
    pack_external32(items.data(), 2, *type, bytes.data());
    EXPECT_EQ(bytes[0], std::byte{'a'});
    EXPECT_EQ(bytes[3], std::byte{1});
    EXPECT_EQ(bytes[4], std::byte{2});
    std::array<Item, 2> back{};
    unpack_external32(back.data(), 2, *type, bytes.data());
    EXPECT_EQ(back[1].letter, 'b');
    EXPECT_EQ(back[1].number, -1);
}

}  // namespace
}  // namespace haichi::mpi
