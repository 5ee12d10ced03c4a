#include "base/located_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

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

/// Errors do not show the whole input, repeat its invalid bytes or contain the JSON library's own position.
TEST(LocatedJson, errors_show_the_end_of_what_was_read) {
    const std::string ones(100'000, '1');
    for (const auto& [text, what] : std::vector<std::pair<std::string, std::string>>{
             {ones, "m.json:1: the number '" + ones.substr(0, 60) + "...' is too large"},
             {"\n{\"a\": \"\xff\"}",
              "m.json:2: not valid JSON: syntax error while parsing value - invalid string: ill-formed UTF-8 byte; "
              "last read: '\"\\xff'"},
             {"\n\"" + ones,
              "m.json:2: not valid JSON: syntax error while parsing value - invalid string: missing closing quote; "
              "last read: '" +
                  ones.substr(0, 40) + "'"},
         }) {
        try {
            (void)LocatedJson::parse(text, "m.json");
            ADD_FAILURE() << "accepted: " << text.substr(0, 40);
        } catch (const InputError& error) {
            EXPECT_EQ(error.what(), what);
        }
    }
}

TEST(ReadFile, of_a_device_without_an_end_stops_at_the_first_nul_byte) {
    try {
        (void)read_file("/dev/zero", std::size_t{1} << 40);
        ADD_FAILURE() << "accepted";
    } catch (const InputError& error) {
        EXPECT_STREQ(error.what(), "/dev/zero:1: expected text, found a NUL byte (\\x00)");
    }
}

TEST(LocatedJson, a_missing_file_and_a_folder_are_errors) {
    EXPECT_THROW(LocatedJson::read("/no/such/file.json"), InputError);
    EXPECT_THROW(LocatedJson::read("/"), InputError);
}

}  // namespace
}  // namespace haichi
