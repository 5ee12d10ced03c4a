#include "base/printable.h"

#include <gtest/gtest.h>

namespace haichi {
namespace {

TEST(WithoutControls, keeps_text_of_any_language) {
    for (const char* text : {"", "node 1", "計算機", "ähnlich", "\xf0\x9f\x98\x80", "\xc2\xa0"}) {
        EXPECT_EQ(without_controls(text), text);
    }
    EXPECT_EQ(without_controls("a\tb\n", "\n\t"), "a\tb\n");
}

TEST(WithoutControls, escapes_what_terminals_obey) {
    EXPECT_EQ(without_controls("a\x1b[31m\x7f\n"), "a\\x1b[31m\\x7f\\x0a");
    EXPECT_EQ(without_controls("\xc2\x9b"
                               "31m"),
              "\\xc2\\x9b31m");                                      // CSI of 8 bits
    EXPECT_EQ(without_controls("\xe2\x80\xae"), "\\xe2\\x80\\xae");  // right-to-left override
    EXPECT_EQ(without_controls("\xe2\x81\xa6\xd8\x9c"), "\\xe2\\x81\\xa6\\xd8\\x9c");
    EXPECT_EQ(without_controls("\x9b \xe2\x80"), "\\x9b \\xe2\\x80");  // invalid UTF-8
    EXPECT_EQ(without_controls("\xc1\x9b\xff"), "\\xc1\\x9b\\xff");
}

}  // namespace
}  // namespace haichi
