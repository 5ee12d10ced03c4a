#include "base/located_json.h"

#include <gtest/gtest.h>

namespace haichi {
namespace {

TEST(LocatedJson, knows_the_line_of_every_value) {
    const auto document = LocatedJson::parse("{\n \"a\": 1,\n \"b\": {\"c\":\n  [2,\n   3]}\n}\n", "m.json");
    EXPECT_EQ(document.place("/a").line, 2U);
    EXPECT_EQ(document.place("/b/c").line, 4U);
    EXPECT_EQ(document.place("/b/c/1").line, 5U);
    EXPECT_EQ(document.place("/b/missing").line, 3U) << "the enclosing object";
    EXPECT_EQ(document.root()["b"]["c"][1], 3);
}

TEST(LocatedJson, errors_name_file_and_line) {
    const std::string deep(100, '[');
    for (const std::string& text : {std::string(""), std::string("\n\n{\"a\": }"), std::string("{\"a\": 1}\nx"), deep,
                                    std::string("{\"a\":1,\n\"a\":2}"), std::string("{\"a\": \"\xff\"}"),
                                    std::string("{\"a\":1}\n\0garbage", 16), std::string("{\"a\": 01}")}) {
        try {
            (void)LocatedJson::parse(text, "m.json");
            ADD_FAILURE() << "accepted: " << text;
        } catch (const InputError& error) {
            EXPECT_TRUE(std::string(error.what()).starts_with("m.json:")) << error.what();
        }
    }
}

TEST(LocatedJson, a_missing_file_and_a_folder_are_errors) {
    EXPECT_THROW(LocatedJson::read("/no/such/file.json"), InputError);
    EXPECT_THROW(LocatedJson::read("/"), InputError);
}

}  // namespace
}  // namespace haichi
