#include "mgen/host/image_globals.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <vector>

#include "tests/mgen/host/host_test_library.h"

namespace haichi::host {
namespace {

/// Copies the test library only.
class HostImageGlobals : public testing::Test {
  protected:
    ProgramImage image_ = ProgramImage::of_process(reinterpret_cast<const void*>(&std::puts));
    const ProgramModule& library_ = *image_.module_of(host_test_library_counter());
    ImagePlan plan_{.modules = {static_cast<std::size_t>(&library_ - image_.modules().data())},
                    .moved = {},
                    .obstacle = {},
                    .hint = {}};

    static auto counter_of(const ImageGlobals& globals, int rank) {
        return globals.own(RankId(rank), &host_test_library_counter)();
    }
    static auto pointer_of(const ImageGlobals& globals, int rank) {
        return *globals.own(RankId(rank), &host_test_library_pointer)();
    }
};

TEST_F(HostImageGlobals, each_rank_has_code_that_finds_variables_of_its_own) {
    constexpr int kRanks = 3;
    const int loaded = *host_test_library_counter();
    ImageGlobals globals(image_, plan_, kRanks);
    EXPECT_GE(globals.bytes_per_rank(), sizeof(int) + sizeof(int*));
    for (int rank = 0; rank < kRanks; ++rank) globals.put_in_place(RankId(rank));
    for (int rank = 0; rank < kRanks; ++rank) {
        EXPECT_EQ(*counter_of(globals, rank), 41);                        // as in the file
        EXPECT_EQ(pointer_of(globals, rank), counter_of(globals, rank));  // relocated
        *counter_of(globals, rank) += rank;
    }
    // All copies exist at the same time, and none is the loaded original.
    for (int rank = 0; rank < kRanks; ++rank) EXPECT_EQ(*pointer_of(globals, rank), 41 + rank);
    EXPECT_EQ(*host_test_library_counter(), loaded);
    EXPECT_FALSE(globals.holds(counter_of(globals, 0)));
}

TEST_F(HostImageGlobals, addresses_are_found_both_ways) {
    const ImageGlobals globals(image_, plan_, 3);
    const void* const counter = host_test_library_counter();
    std::vector<const void*> own;
    for (int rank = 0; rank < 3; ++rank) {
        own.push_back(globals.own(RankId(rank), counter));
        EXPECT_NE(own.back(), counter);
        EXPECT_EQ(globals.original(own.back()), counter);
    }
    EXPECT_NE(own[0], own[1]);
    EXPECT_NE(own[1], own[2]);
    // These addresses have no copies.
    EXPECT_EQ(globals.own(RankId(1), &std::puts), &std::puts);
    EXPECT_EQ(globals.original(counter), counter);
    const int on_stack = 0;
    EXPECT_EQ(globals.own(RankId(1), &on_stack), &on_stack);
    EXPECT_EQ(globals.original(&on_stack), &on_stack);
}

TEST_F(HostImageGlobals, initialisers_of_a_copy_change_that_copy) {
    ImageGlobals globals(image_, plan_, 2);
    globals.put_in_place(RankId(0));
    globals.put_in_place(RankId(1));
    for (const auto initialise : library_.initialisers) globals.own(RankId(1), initialise)(0, nullptr, nullptr);
    EXPECT_EQ(*counter_of(globals, 0), 41);
    EXPECT_EQ(*counter_of(globals, 1), 42);
}

TEST_F(HostImageGlobals, a_rank_that_has_ended_takes_no_memory_for_its_variables) {
    ImageGlobals globals(image_, plan_, 2);
    globals.put_in_place(RankId(0));
    globals.put_in_place(RankId(1));
    int* const counter = counter_of(globals, 0);
    *counter = 7;
    *counter_of(globals, 1) = 8;
    globals.has_ended(RankId(0), 0);
    EXPECT_EQ(*counter, 41);  // the page shows the file's content again
    EXPECT_EQ(*counter_of(globals, 1), 8);
}

TEST_F(HostImageGlobals, variables_elsewhere_are_those_of_the_rank_in_place) {
    void* address = nullptr;
    ImageGlobals globals(image_, plan_, 2, {std::as_writable_bytes(std::span(&address, 1))});
    globals.put_in_place(RankId(0));
    address = counter_of(globals, 0);
    globals.put_in_place(RankId(1));
    EXPECT_EQ(address, nullptr);
    address = counter_of(globals, 1);
    globals.put_in_place(RankId(0));
    EXPECT_EQ(address, counter_of(globals, 0));
}

TEST(HostImagePlan, a_program_that_searches_for_names_has_no_copies) {
    // haichi itself, which is part of this program, searches for names.
    const ImagePlan plan = ImagePlan::of(ProgramImage::of_process(reinterpret_cast<const void*>(&std::puts)));
    EXPECT_FALSE(plan.obstacle.empty());
}

}  // namespace
}  // namespace haichi::host
