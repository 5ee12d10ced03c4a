#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/errors.h"
#include "commlog/workload/workload_json.h"

namespace haichi {
namespace {

struct MalformedJson {
    std::string name;
    std::string text;
    std::size_t line;                 ///< line that the error must name
    std::vector<std::string> quoted;  ///< texts that the error must contain: the position in the document, the value
    std::string hint;                 ///< part of the hint, or "" for any
};

void PrintTo(const MalformedJson& document, std::ostream* os) { *os << document.name; }

/// Returns a whole document with `sets` on lines 2 and following.
std::string with_sets(const std::string& sets) {
    return "{\"schema\": \"haichi-workload/1\", \"ranks\": 4,\n\"sets\": " + sets + "}";
}
/// Returns a document with the messages on lines 3 and following.
std::string with_messages(const std::string& messages) { return with_sets("[{\"messages\": [\n" + messages + "]}]"); }
/// Returns a document with the field on line 2.
std::string with_field(const std::string& field) {
    return "{\"schema\": \"haichi-workload/1\", \"sets\": [],\n" + field + "}";
}

std::vector<MalformedJson> malformed_json() {
    const std::string most_messages = "[0,1,281474976710656]";
    std::string overflow;
    for (int i = 0; i < 32767; ++i) overflow += most_messages + ",\n";
    return {
        {"empty", "", 1, {"not valid JSON"}, ""},
        {"blanks_only", "\n\n  \n", 3, {"not valid JSON"}, ""},
        {"binary",
         std::string("\x7f"
                     "ELF\x02\x01\x01\0\0\0",
                     10),
         1,
         {"not valid JSON", "\\x7f"},
         ""},
        {"nul_after_the_document", with_sets("[]") + std::string("\0garbage", 8), 2, {"NUL"}, ""},
        {"nul_in_the_document", std::string("{\n\0}", 4), 2, {"NUL"}, ""},
        {"trailing_garbage", with_sets("[]") + "\nx", 3, {"not valid JSON", "x'"}, ""},
        {"second_document", with_sets("[]") + "\n{}", 3, {"not valid JSON"}, ""},
        {"truncated_in_the_root", "{\"schema\": \"haichi-workload/1\",", 1, {"unexpected end of input"}, ""},
        {"truncated_in_a_message", "{\"sets\": [{\"messages\": [\n[0, 1,", 2, {"unexpected end of input"}, ""},
        {"truncated_in_a_text", "{\n\"sche", 2, {"missing closing quote"}, ""},
        {"trailing_comma", with_messages("[0,1,2],"), 3, {"not valid JSON", "]"}, ""},
        {"comment", "// sets\n{}", 1, {"not valid JSON"}, ""},
        {"invalid_utf8_in_a_label", with_sets("[{\"label\":\n\"a\xff\"}]"), 3, {"UTF-8", "\\xff"}, ""},
        {"invalid_utf8_in_a_key", "{\n\"\xc3\x28\": 1}", 2, {"UTF-8"}, ""},
        {"half_a_surrogate", with_sets("[{\"label\":\n\"\\ud800\"}]"), 3, {"surrogate"}, ""},
        {"half_a_byte_order_mark", "\xef\xbb{}", 1, {"BOM"}, ""},

        {"root_is_a_list", "\n[]", 2, {"expected an object", "a list"}, ""},
        {"root_is_a_number", "64", 1, {"expected an object", "64"}, ""},
        {"root_is_null", "null", 1, {"expected an object", "null"}, ""},
        {"unknown_key", with_field("\"rank\": 4"), 2, {"unknown key 'rank'"}, "did you mean 'ranks'?"},
        {"unknown_key_in_a_set",
         with_sets("[{\"messages\": []}, {\n\"lable\": 1}]"),
         3,
         {"sets[1]: unknown key 'lable'"},
         "did you mean 'label'?"},
        {"key_of_the_other_object", with_field("\"label\": \"x\""), 2, {"unknown key 'label'"}, ""},
        {"duplicate_key", with_field("\"ranks\": 4,\n\"ranks\": 4"), 3, {"duplicate key 'ranks'"}, ""},
        {"duplicate_key_in_a_set",
         with_sets("[{\"messages\": [],\n\"messages\": []}]"),
         3,
         {"sets[0]: duplicate key 'messages'"},
         ""},
        {"schema_missing", "{\"ranks\": 4, \"sets\": []\n}", 2, {"'schema' is missing"}, ""},
        {"ranks_missing", "{\"schema\": \"haichi-workload/1\", \"sets\": []\n}", 2, {"'ranks' is missing"}, ""},
        {"sets_missing", "{\"schema\": \"haichi-workload/1\", \"ranks\": 4\n}", 2, {"'sets' is missing"}, ""},
        {"messages_missing",
         with_sets("[{\"messages\": []},\n{\"label\": \"x\"}]"),
         3,
         {"sets[1]: the key 'messages' is missing"},
         ""},
        {"other_schema", "{\n\"schema\": \"haichi-workload/2\"}", 2, {"schema", "'haichi-workload/2'"}, ""},
        {"schema_is_a_number", "{\n\"schema\": 1}", 2, {"schema: expected the text", "found 1"}, ""},

        {"ranks_is_a_text", with_field("\"ranks\": \"64\""), 2, {"ranks: expected a whole number", "'64'"}, ""},
        {"ranks_is_null", with_field("\"ranks\": null"), 2, {"ranks: expected a whole number", "null"}, ""},
        {"ranks_is_a_list", with_field("\"ranks\": [4]"), 2, {"ranks: expected a whole number", "a list"}, ""},
        {"ranks_is_a_float", with_field("\"ranks\": 64.0"), 2, {"ranks", "'64.0'"}, "digits only"},
        {"ranks_is_zero", with_field("\"ranks\": 0"), 2, {"ranks: 0 is outside 1..134217728"}, ""},
        {"ranks_is_negative", with_field("\"ranks\": -4"), 2, {"ranks: must not be negative, found -4"}, ""},
        {"ranks_above_the_limit", with_field("\"ranks\": 134217729"), 2, {"134217729 is outside"}, ""},
        {"ranks_of_64_bits", with_field("\"ranks\": 18446744073709551615"), 2, {"18446744073709551615"}, ""},
        {"ranks_of_more_than_64_bits",
         with_field("\"ranks\": 99999999999999999999"),
         2,
         {"ranks: the number '99999999999999999999' is too large"},
         ""},
        {"ranks_with_an_exponent", with_field("\"ranks\": 1e30"), 2, {"ranks", "'1e30'"}, "digits only"},
        {"ranks_beyond_a_double", with_field("\"ranks\": 1e400"), 2, {"ranks", "'1e400' is too large"}, ""},
        {"iterations_is_zero", with_field("\"iterations\": 0"), 2, {"iterations: 0 is outside"}, ""},
        {"iterations_is_negative", with_field("\"iterations\": -1"), 2, {"iterations: ", "-1"}, ""},
        {"iterations_beyond_63_bits",
         with_field("\"iterations\": 9223372036854775808"),
         2,
         {"9223372036854775808 is outside"},
         ""},
        {"iterations_is_true", with_field("\"iterations\": true"), 2, {"iterations: expected", "true"}, ""},

        {"sets_is_an_object", with_sets("{}"), 2, {"sets: expected a list of sets, found an object"}, ""},
        {"set_is_a_list", with_sets("[\n[]]"), 3, {"sets[0]: expected a set", "a list"}, ""},
        {"set_is_a_number", with_sets("[{\"messages\": []},\n7]"), 3, {"sets[1]: expected a set", "found 7"}, ""},
        {"label_is_a_number", with_sets("[{\"label\": 7}]"), 2, {"sets[0].label: expected a string, found 7"}, ""},
        {"compute_seconds_is_a_text",
         with_sets("[{\"compute_seconds\": \"1s\"}]"),
         2,
         {"sets[0].compute_seconds: expected a number", "'1s'"},
         ""},
        {"compute_seconds_is_negative",
         with_sets("[{\"compute_seconds\": -0.5}]"),
         2,
         {"sets[0].compute_seconds", "'-0.5'"},
         ""},
        {"compute_seconds_is_a_negative_integer",
         with_sets("[{\"compute_seconds\": -1}]"),
         2,
         {"sets[0].compute_seconds", "-1"},
         ""},
        {"compute_seconds_is_too_long",
         with_sets("[{\"compute_seconds\": 1e308}]"),
         2,
         {"sets[0].compute_seconds", "at most 2305843 seconds", "'1e308'"},
         ""},
        {"compute_seconds_is_too_large_an_integer",
         with_sets("[{\"compute_seconds\": 2305844}]"),
         2,
         {"sets[0].compute_seconds", "at most 2305843 seconds", "'2305844'"},
         ""},
        {"compute_seconds_is_infinite", with_sets("[{\"compute_seconds\": 1e999}]"), 2, {"'1e999' is too large"}, ""},
        {"compute_seconds_is_nan", with_sets("[{\"compute_seconds\":\nNaN}]"), 3, {"not valid JSON", "N'"}, ""},
        {"messages_is_an_object", with_sets("[{\"messages\": {}}]"), 2, {"expected a list of messages"}, ""},

        {"message_is_a_number",
         with_messages("[0,1,2],\n5"),
         4,
         {"sets[0].messages[1]", "expected a message", "found 5"},
         ""},
        {"message_is_an_object", with_messages("{\"src\": 0}"), 3, {"sets[0].messages[0]", "an object"}, ""},
        {"message_of_none", with_messages("[]"), 3, {"sets[0].messages[0]", "found only 0"}, ""},
        {"message_of_two", with_messages("[0,1,2],\n[0,1]"), 4, {"sets[0].messages[1]", "found only 2"}, ""},
        {"message_of_four", with_messages("[0,1,2,3]"), 3, {"sets[0].messages[0]", "fourth number 3"}, ""},
        {"message_with_a_text",
         with_messages("[0,\"1\",2]"),
         3,
         {"the destination rank must be a whole number", "'1'"},
         ""},
        {"message_with_a_list",
         with_messages("[0,1,[2]]"),
         3,
         {"the message size must be a whole number, found a list"},
         ""},
        {"message_with_null",
         with_messages("[0,1,null]"),
         3,
         {"the message size must be a whole number, found null"},
         ""},
        {"source_outside", with_messages("[4,1,2]"), 3, {"source rank 4 is outside 0..3"}, ""},
        {"destination_outside", with_messages("[0,\n1000,2]"), 4, {"destination rank 1000 is outside 0..3"}, ""},
        {"source_negative", with_messages("[-1,1,2]"), 3, {"sets[0].messages[0]", "-1"}, ""},
        {"source_beyond_32_bits", with_messages("[4294967296,1,2]"), 3, {"4294967296 is outside"}, ""},
        {"bytes_negative", with_messages("[0,1,-1048576]"), 3, {"-1048576"}, ""},
        {"bytes_above_2_to_the_48", with_messages("[0,1,281474976710657]"), 3, {"281474976710657 is outside"}, ""},
        {"bytes_of_more_than_64_bits",
         with_messages("[0,1,99999999999999999999]"),
         3,
         {"'99999999999999999999' is too large"},
         ""},
        {"bytes_below_minus_2_to_the_63",
         with_messages("[0,1,-99999999999999999999]"),
         3,
         {"'-99999999999999999999'"},
         ""},
        {"bytes_is_a_float", with_messages("[0,1,1048576.0]"), 3, {"'1048576.0'"}, "not 1048576.0"},
        {"bytes_with_an_exponent", with_messages("[0,1,1e6]"), 3, {"'1e6'"}, "or 1e6"},
        {"bytes_with_a_leading_zero", with_messages("[0,1,010]"), 3, {"not valid JSON"}, ""},
        {"bytes_in_hexadecimal", with_messages("[0,1,0x10]"), 3, {"not valid JSON"}, ""},
        {"total_beyond_2_to_the_63",
         with_messages(overflow + most_messages),
         32770,
         {"sets[0].messages[32767]", "281474976710656", "2^63 - 1"},
         ""},
        {"ranks_after_the_sets",
         "{\"schema\": \"haichi-workload/1\",\n\"sets\": [{\"messages\": [[0,3,1]]}, {\"messages\": []},\n"
         "{\"messages\": [[1,2,1],\n[1,70,1]]}],\n\"ranks\": 64}",
         4,
         {"sets[2].messages[1]: rank 70 is outside 0..63"},
         ""},
        {"deep_lists", std::string(1000000, '['), 1, {"a list"}, ""},
        {"deep_objects",
         [] {
             std::string text;
             for (int i = 0; i < 100000; ++i) text += "{\"sets\":[";
             return text;
         }(),
         1,
         {"sets[0]: unknown key 'sets'"},
         ""},
        {"deep_messages", with_messages(std::string(1000000, '[')), 3, {"a list"}, ""},
        {"key_of_a_megabyte", "{\"" + std::string(1000000, 'k') + "\": 1}", 1, {"unknown key 'kkkk"}, ""},
        {"number_of_a_megabyte", "{\"ranks\": " + std::string(1000000, '9') + "}", 1, {"too large"}, ""},
        {"token_of_a_megabyte", "{\"ranks\": \"" + std::string(1000000, '9'), 1, {"not valid JSON"}, ""},
    };
}

class MalformedWorkload : public testing::TestWithParam<MalformedJson> {};

TEST_P(MalformedWorkload, is_refused_with_line_and_value) {
    const MalformedJson& document = GetParam();
    try {
        read_workload_json(document.text, "w.json");
        FAIL() << "accepted";
    } catch (const InputError& error) {
        const std::string what = error.what();
        EXPECT_TRUE(what.starts_with("w.json:" + std::to_string(document.line) + ": ")) << what;
        for (const std::string& quoted : document.quoted) EXPECT_NE(what.find(quoted), std::string::npos) << what;
        EXPECT_NE(error.hint().find(document.hint), std::string::npos) << error.hint();
        EXPECT_LT(what.size(), 400U) << what;
        for (const char c : what) EXPECT_TRUE(c >= 0x20 && c < 0x7f) << what;
    }
}

INSTANTIATE_TEST_SUITE_P(Documents, MalformedWorkload, testing::ValuesIn(malformed_json()),
                         [](const auto& instance) { return instance.param.name; });

TEST(MalformedWorkload, no_prefix_of_a_document_is_accepted_or_crashes) {
    const std::string text =
        "{\"schema\": \"haichi-workload/1\", \"ranks\": 4, \"iterations\": 3, \"sets\": [{\"label\": \"\xc3\xa9\","
        "\"compute_seconds\": 0.5, \"messages\": [[0, 1, 5], [1, 0, 5]]}]}";
    for (std::size_t length = 0; length < text.size(); ++length) {
        EXPECT_THROW(read_workload_json(text.substr(0, length), "w.json"), InputError) << length;
    }
    EXPECT_NO_THROW(read_workload_json(text, "w.json"));
}

}  // namespace
}  // namespace haichi
