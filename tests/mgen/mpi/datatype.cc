#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <vector>

#include "mgen/mpi/buffer.h"
#include "mgen/mpi/type_constructors.h"

namespace haichi::mpi {
namespace {

using Integers = std::vector<std::int64_t>;

const DatatypeRef& basic(BasicType type) { return Datatype::basic(type); }

/// 0, 1, 2, ...
std::vector<std::int32_t> numbers(std::size_t count) {
    std::vector<std::int32_t> values(count);
    std::iota(values.begin(), values.end(), 0);
    return values;
}

std::vector<std::int32_t> packed(const Datatype& type, const std::vector<std::int32_t>& data, std::int64_t count = 1) {
    std::vector<std::int32_t> result(static_cast<std::size_t>(type.packed_bytes(count)) / sizeof(std::int32_t));
    type.pack(data.data(), count, reinterpret_cast<std::byte*>(result.data()));
    return result;
}

void expect_bounds(const Datatype& type, std::int64_t lower, std::int64_t extent, std::int64_t true_lower,
                   std::int64_t true_extent) {
    EXPECT_EQ(type.lower_bound(), lower);
    EXPECT_EQ(type.extent(), extent);
    EXPECT_EQ(type.true_lower_bound(), true_lower);
    EXPECT_EQ(type.true_extent(), true_extent);
}

TEST(BasicTypes, have_the_sizes_of_their_c_types) {
    EXPECT_EQ(info(BasicType::kLong).size, static_cast<std::int32_t>(sizeof(long)));
    EXPECT_EQ(info(BasicType::kWchar).size, static_cast<std::int32_t>(sizeof(wchar_t)));
    EXPECT_EQ(info(BasicType::kLongDouble).size, static_cast<std::int32_t>(sizeof(long double)));
    EXPECT_EQ(info(BasicType::kCBool).size, static_cast<std::int32_t>(sizeof(bool)));
    struct Pair {
        long double value;
        int index;
    };
    EXPECT_EQ(info(BasicType::kLongDoubleInt).extent, static_cast<std::int32_t>(sizeof(Pair)));
    EXPECT_EQ(info(BasicType::kLongDoubleInt).size, 20);
    EXPECT_EQ(basic_types().size(), static_cast<std::size_t>(kBasicTypes));
}

TEST(BasicTypes, are_the_same_object_each_time) {
    EXPECT_EQ(basic(BasicType::kInt), basic(BasicType::kInt));
    EXPECT_EQ(basic(BasicType::kInt)->named(), BasicType::kInt);
    EXPECT_EQ(basic(BasicType::kInt)->contents().combiner, Combiner::kNamed);
}

TEST(BasicTypes, pairs_leave_out_what_is_between_value_and_index) {
    const Datatype& pair = *basic(BasicType::kShortInt);
    EXPECT_EQ(pair.size(), 6);
    expect_bounds(pair, 0, 8, 0, 8);
    expect_bounds(*basic(BasicType::kDoubleInt), 0, 16, 0, 12);
    const std::vector<std::uint8_t> data = {1, 2, 99, 99, 3, 4, 5, 6};
    std::vector<std::uint8_t> result(6);
    pair.pack(data.data(), 1, reinterpret_cast<std::byte*>(result.data()));
    EXPECT_EQ(result, (std::vector<std::uint8_t>{1, 2, 3, 4, 5, 6}));
}

TEST(Vector, takes_a_column_of_a_matrix) {
    const DatatypeRef column = make_vector(3, 1, 4, basic(BasicType::kInt));
    expect_bounds(*column, 0, 36, 0, 36);
    EXPECT_EQ(packed(*column, numbers(12)), (std::vector<std::int32_t>{0, 4, 8}));
    // Resized to one element, consecutive columns are adjacent: the transpose.
    const DatatypeRef next = make_resized(column, 0, 4);
    EXPECT_EQ(packed(*next, numbers(12), 4), (std::vector<std::int32_t>{0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11}));
    expect_bounds(*next, 0, 4, 0, 36);
}

TEST(Vector, of_a_million_blocks_takes_the_memory_of_one) {
    const DatatypeRef matrix = make_vector(1 << 20, 3, 5, basic(BasicType::kDouble));
    EXPECT_EQ(matrix->layout_ref()->kind(), Layout::Kind::kLoop);
    EXPECT_EQ(matrix->size(), std::int64_t{3 * 8} << 20);
    EXPECT_EQ(matrix->elements(), std::int64_t{3} << 20);
}

TEST(Vector, without_gaps_is_contiguous) {
    EXPECT_TRUE(make_vector(7, 3, 3, basic(BasicType::kInt))->is_contiguous());
    EXPECT_FALSE(make_vector(7, 3, 4, basic(BasicType::kInt))->is_contiguous());
    EXPECT_FALSE(make_resized(basic(BasicType::kInt), 0, 8)->is_contiguous());
}

TEST(Vector, with_a_negative_stride_begins_below_its_address) {
    expect_bounds(*make_vector(3, 2, -4, basic(BasicType::kInt)), -32, 40, -32, 40);
}

TEST(Contiguous, of_a_type_with_negative_extent_goes_down) {
    const DatatypeRef down = make_resized(basic(BasicType::kInt), 0, -8);
    expect_bounds(*make_contiguous(3, down), -16, 8, -16, 20);
}

TEST(Contiguous, of_nothing_is_nothing) {
    const DatatypeRef nothing = make_contiguous(0, basic(BasicType::kInt));
    expect_bounds(*nothing, 0, 0, 0, 0);
    EXPECT_EQ(nothing->whole_count(0), 0);
    EXPECT_EQ(nothing->whole_count(4), std::nullopt);
}

TEST(Contiguous, counts_to_two_to_the_forty_and_says_where_it_ends) {
    const std::int64_t many = std::int64_t{1} << 40;
    const DatatypeRef large = make_contiguous(many, basic(BasicType::kDouble), CountForm::kLarge);
    EXPECT_EQ(large->size(), many * 8);
    EXPECT_EQ(large->extent(), many * 8);
    EXPECT_EQ(large->contents().large_counts, Integers{many});
    EXPECT_EQ(large->element_count(many * 4), many / 2);
    EXPECT_THROW(make_contiguous(many, large), UnsupportedError);
    EXPECT_THROW(static_cast<void>(large->packed_bytes(many)), UnsupportedError);
}

TEST(Indexed, keeps_the_order_of_its_blocks) {
    const DatatypeRef triangle = make_indexed({Integers{1, 2, 0, 1}, Integers{6, 2, 90, 0}}, basic(BasicType::kInt));
    EXPECT_EQ(packed(*triangle, numbers(8)), (std::vector<std::int32_t>{6, 2, 3, 0}));
    expect_bounds(*triangle, 0, 28, 0, 28);
}

TEST(Indexed, blocks_that_touch_are_one_run) {
    EXPECT_TRUE(make_indexed({Integers{1, 2, 1}, Integers{0, 1, 3}}, basic(BasicType::kInt))->is_contiguous());
    EXPECT_EQ(make_indexed_block(2, Integers{0, 5, 10, 15}, basic(BasicType::kInt))->layout_ref()->kind(),
              Layout::Kind::kLoop);
}

TEST(Indexed, bytes_may_be_addresses) {
    std::int32_t value = 42;
    const auto address = reinterpret_cast<std::int64_t>(&value);
    const DatatypeRef absolute = make_hindexed_block(1, Integers{address}, basic(BasicType::kInt));
    std::int32_t result = 0;
    absolute->pack(nullptr, 1, reinterpret_cast<std::byte*>(&result));
    EXPECT_EQ(result, 42);
    const std::int32_t other = 43;
    absolute->unpack(nullptr, 1, reinterpret_cast<const std::byte*>(&other), 4);
    EXPECT_EQ(value, 43);
}

TEST(Struct, is_padded_as_the_compiler_pads) {
    struct Particle {
        double place[3];
        char kind;
    };
    const std::array types = {basic(BasicType::kDouble), basic(BasicType::kChar)};
    const DatatypeRef particle = make_struct({Integers{3, 1}, Integers{0, 24}}, types);
    expect_bounds(*particle, 0, sizeof(Particle), 0, 25);
    EXPECT_EQ(particle->size(), 25);
    EXPECT_EQ(particle->only_basic_type(), std::nullopt);
    // The struct is padded from its lower bound on.
    const DatatypeRef below =
        make_struct({Integers{1, 1}, Integers{-5, 0}}, std::array{basic(BasicType::kChar), basic(BasicType::kDouble)});
    expect_bounds(*below, -5, 16, -5, 13);
}

TEST(Struct, markers_of_mpi_1_set_its_bounds) {
    const std::array types = {basic(BasicType::kLowerBound), basic(BasicType::kDouble), basic(BasicType::kUpperBound)};
    const DatatypeRef wide = make_struct({Integers{1, 1, 1}, Integers{-5, 0, 40}}, types);
    expect_bounds(*wide, -5, 45, 0, 8);
    expect_bounds(*make_contiguous(2, wide), -5, 90, 0, 53);
}

TEST(Struct, does_not_notice_empty_parts) {
    const DatatypeRef nothing = make_contiguous(0, basic(BasicType::kDouble));
    const DatatypeRef type = make_struct({Integers{1, 1, 0}, Integers{64, 4, 100}},
                                         std::array{nothing, basic(BasicType::kInt), basic(BasicType::kDouble)});
    expect_bounds(*type, 4, 4, 4, 4);
    EXPECT_EQ(type->only_basic_type(), BasicType::kInt);
}

TEST(Subarray, in_both_orders) {
    const Integers sizes = {3, 4};
    const Integers subsizes = {2, 2};
    const Integers starts = {1, 2};
    const DatatypeRef c = make_subarray({sizes, subsizes, starts, ArrayOrder::kC}, 56, basic(BasicType::kInt));
    EXPECT_EQ(packed(*c, numbers(12)), (std::vector<std::int32_t>{6, 7, 10, 11}));
    expect_bounds(*c, 0, 48, 24, 24);
    const DatatypeRef fortran =
        make_subarray({sizes, subsizes, starts, ArrayOrder::kFortran}, 57, basic(BasicType::kInt));
    EXPECT_EQ(packed(*fortran, numbers(12)), (std::vector<std::int32_t>{7, 8, 10, 11}));
    EXPECT_EQ(c->contents().integers, (std::vector<std::int32_t>{2, 3, 4, 2, 2, 1, 2, 56}));
    EXPECT_THROW(make_subarray({sizes, subsizes, Integers{2, 2}, ArrayOrder::kC}, 56, basic(BasicType::kInt)),
                 CallError);
    EXPECT_THROW(make_subarray({sizes, Integers{0, 1}, starts, ArrayOrder::kC}, 56, basic(BasicType::kInt)), CallError);
}

TEST(DistributedArrays, share_out_all_elements) {
    const Integers sizes = {7, 10};
    const std::vector<Distribution> distributions = {Distribution::kBlock, Distribution::kCyclic};
    const std::vector<std::int32_t> arguments = {DistributedArray::kDefaultArgument, 3};
    const std::vector<std::int32_t> grid = {3, 2};
    for (const ArrayOrder order : {ArrayOrder::kC, ArrayOrder::kFortran}) {
        std::vector<int> seen(70, 0);
        for (int rank = 0; rank < 6; ++rank) {
            const DatatypeRef part = make_darray({6, rank, sizes, distributions, arguments, grid, order},
                                                 std::vector<std::int32_t>{121, 122}, 56, basic(BasicType::kInt));
            EXPECT_EQ(part->extent(), 280);
            for (const std::int32_t at : packed(*part, numbers(70))) ++seen[static_cast<std::size_t>(at)];
        }
        EXPECT_EQ(seen, std::vector<int>(70, 1));
    }
}

TEST(DistributedArrays, cyclic_blocks_are_in_the_order_of_the_array) {
    const std::vector<std::int32_t> arguments = {2};
    const DatatypeRef part = make_darray({2, 1, Integers{7}, std::vector{Distribution::kCyclic}, arguments,
                                          std::vector<std::int32_t>{2}, ArrayOrder::kC},
                                         std::vector<std::int32_t>{122}, 56, basic(BasicType::kInt));
    EXPECT_EQ(packed(*part, numbers(7)), (std::vector<std::int32_t>{2, 3, 6}));
    EXPECT_EQ(part->contents().integers, (std::vector<std::int32_t>{2, 1, 1, 7, 122, 2, 2, 56}));
}

TEST(DistributedArrays, refuse_blocks_that_do_not_hold_them) {
    EXPECT_THROW(make_darray({2, 0, Integers{7}, std::vector{Distribution::kBlock}, std::vector<std::int32_t>{3},
                              std::vector<std::int32_t>{2}, ArrayOrder::kC},
                             std::vector<std::int32_t>{121}, 56, basic(BasicType::kInt)),
                 CallError);
}

TEST(Contents, are_what_the_call_gave) {
    const DatatypeRef old = basic(BasicType::kFloat);
    const DatatypeRef blocks = make_hindexed({Integers{1, 2}, Integers{8, 64}}, old);
    EXPECT_EQ(blocks->contents().combiner, Combiner::kHindexed);
    EXPECT_EQ(blocks->contents().integers, (std::vector<std::int32_t>{2, 1, 2}));
    EXPECT_EQ(blocks->contents().addresses, (Integers{8, 64}));
    EXPECT_EQ(blocks->contents().types, std::vector{old});
    const DatatypeRef large = make_hindexed({Integers{1, 2}, Integers{8, 64}}, old, CountForm::kLarge);
    EXPECT_EQ(large->contents().large_counts, (Integers{2, 1, 2, 8, 64}));
    EXPECT_TRUE(large->contents().integers.empty() && large->contents().addresses.empty());
    EXPECT_EQ(make_dup(blocks)->contents().types, std::vector{blocks});
    EXPECT_EQ(make_f90(Combiner::kF90Real, BasicType::kReal8, std::array{15, 307})->only_basic_type(),
              BasicType::kReal8);
}

TEST(Elements, of_received_bytes) {
    const DatatypeRef pairs = make_contiguous(2, basic(BasicType::kDoubleInt));
    EXPECT_EQ(pairs->elements(), 4);
    EXPECT_EQ(pairs->element_count(8), 1);
    EXPECT_EQ(pairs->element_count(12), 2);
    EXPECT_EQ(pairs->element_count(24 + 12 + 8), 4 + 3);
    EXPECT_EQ(pairs->element_count(13), std::nullopt);
    EXPECT_EQ(pairs->whole_count(36), std::nullopt);
    EXPECT_EQ(pairs->whole_count(48), 2);
}

TEST(Unpacking, of_less_than_the_type_leaves_the_rest_alone) {
    const DatatypeRef column = make_vector(3, 1, 2, basic(BasicType::kInt));
    std::vector<std::int32_t> data(12, -1);
    const std::vector<std::int32_t> received = {7, 8, 9, 10};
    EXPECT_EQ(column->unpack(data.data(), 2, reinterpret_cast<const std::byte*>(received.data()), 16), 16);
    EXPECT_EQ(data, (std::vector<std::int32_t>{7, -1, 8, -1, 9, 10, -1, -1, -1, -1, -1, -1}));
    EXPECT_EQ(column->unpack(data.data(), 1, reinterpret_cast<const std::byte*>(received.data()), 16), 12);
}

TEST(Copying, between_types_of_the_same_signature) {
    const std::vector<std::int32_t> from = numbers(60'000);
    std::vector<std::int32_t> to(60'000, -1);
    const DatatypeRef odd = make_vector(30'000, 1, 2, basic(BasicType::kInt));
    const DatatypeRef reversed = make_vector(30'000, 1, -2, basic(BasicType::kInt));
    copy_typed(from.data(), 1, *odd, &to[59'998], 1, *reversed);
    EXPECT_EQ(to[59'998], 0);
    EXPECT_EQ(to[0], 59'998);
    EXPECT_EQ(to[59'999], -1);
    EXPECT_EQ((Buffer{to.data(), 2, odd.get()}).bytes(), 240'000);
}

}  // namespace
}  // namespace haichi::mpi
