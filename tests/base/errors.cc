#include "base/errors.h"

#include <gtest/gtest.h>

namespace haichi {
namespace {

TEST(Errors, did_you_mean_finds_near_names_only) {
    const std::vector<std::string> names = {"hop-bytes", "rmatt", "tac3"};
    EXPECT_EQ(did_you_mean("tac", names), "did you mean 'tac3'?");
    EXPECT_EQ(did_you_mean("hopbytes", names), "did you mean 'hop-bytes'?");
    EXPECT_EQ(did_you_mean("xxxxxxxxxx", names), "");
}

TEST(Errors, shown_values_are_printable_and_short) {
    EXPECT_EQ(shown("a\n\xff"), "'a\\x0a\\xff'");
    EXPECT_LT(shown(std::string(10'000, 'a')).size(), 80U);
}

TEST(Errors, exit_codes_follow_the_contract) {
    EXPECT_EQ(exit_code(ErrorKind::kInput), 2);
    EXPECT_EQ(exit_code(ErrorKind::kOption), 2);
    EXPECT_EQ(exit_code(ErrorKind::kUnsupported), 2);
    EXPECT_EQ(exit_code(ErrorKind::kInternal), 70);
}

}  // namespace
}  // namespace haichi
