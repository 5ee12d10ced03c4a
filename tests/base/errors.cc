#include "base/errors.h"

#include <gtest/gtest.h>

namespace haichi {
namespace {

TEST(Errors, did_you_mean_finds_near_names_only) {
    const std::vector<std::string> names = {"hop-bytes", "rmatt", "tac3"};
    EXPECT_EQ(did_you_mean("tac", names), "did you mean 'tac3'?");
    EXPECT_EQ(did_you_mean("hopbytes", names), "did you mean 'hop-bytes'?");
    EXPECT_EQ(did_you_mean("xxxxxxxxxx", names), "");
    const std::vector<std::string> short_names = {"k", "1d", "max"};
    EXPECT_EQ(did_you_mean("x", short_names), "");
    EXPECT_EQ(did_you_mean("-1", short_names), "");
    EXPECT_EQ(did_you_mean("mx", short_names), "did you mean 'max'?");
}

TEST(Errors, shown_values_are_printable_and_short) {
    EXPECT_EQ(shown("a\n\xff"), "'a\\x0a\\xff'");
    EXPECT_LT(shown(std::string(10'000, 'a')).size(), 80U);
}

TEST(Errors, messages_of_any_length_are_cut_in_their_middle) {
    const std::string whole(8192, 'a');
    EXPECT_EQ(InputError(whole).what(), whole);
    std::string name;
    for (int i = 0; i < 50'000; ++i) name += "\u00e9";
    for (const char* const before : {"", "a"}) {
        const InputError error(SourcePlace{before + name, 0}, "cannot be read: File name too long", name);
        const std::string text = error.what();
        EXPECT_LE(text.size(), 8200U);
        EXPECT_TRUE(text.ends_with("\u00e9: cannot be read: File name too long"));
        // Cutting text never leaves half of a two-byte letter.
        EXPECT_EQ((text.find(" ... ") - std::string(before).size()) % 2, 0U);
        EXPECT_EQ(text[text.find(" ... ") + 5], '\xc3');
        EXPECT_LE(error.hint().size(), 8200U);
    }
}

TEST(Errors, exit_codes_follow_the_contract) {
    EXPECT_EQ(exit_code(ErrorKind::kInput), 2);
    EXPECT_EQ(exit_code(ErrorKind::kOption), 2);
    EXPECT_EQ(exit_code(ErrorKind::kUnsupported), 2);
    EXPECT_EQ(exit_code(ErrorKind::kInternal), 70);
}

}  // namespace
}  // namespace haichi
