#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/errors.h"
#include "tests/mapper/rankmap/rankmap_job.h"

namespace haichi {
namespace {

struct MalformedMapJson {
    std::string name;
    std::string text;
    std::string start;                ///< start of the message: file and line
    std::vector<std::string> quoted;  ///< texts that the message must mention
};

void PrintTo(const MalformedMapJson& document, std::ostream* os) { *os << document.name; }

class RankMapJsonMalformed : public testing::TestWithParam<MalformedMapJson> {};

/// Two ranks on 8 nodes.
TEST_P(RankMapJsonMalformed, is_an_error_that_names_the_line_and_the_value) {
    const MalformedMapJson& document = GetParam();
    const Allocation job = rankmap_job("mesh:8");
    try {
        (void)parse_rank_map(document.text, "map", "json", {&job, 2});
        FAIL() << "was read";
    } catch (const InputError& error) {
        const std::string message = error.what();
        EXPECT_TRUE(message.starts_with(document.start)) << message;
        for (const std::string& part : document.quoted) EXPECT_NE(message.find(part), std::string::npos) << message;
    }
}

/// A document with this field on line 2.
std::string with(const std::string& field) { return "{\"schema\": \"haichi-mapping/1\",\n" + field + "}"; }

std::vector<MalformedMapJson> documents() {
    std::string deep;
    for (int i = 0; i < 100000; ++i) deep += "[";
    return {
        {"empty", "", "map:1: ", {"not valid JSON"}},
        {"truncated", with("\"node_of_rank\": [0,"), "map:2: ", {"not valid JSON"}},
        {"trailing_text", with("\"node_of_rank\": [0, 1]") + "\nx", "map:3: ", {"not valid JSON"}},
        {"nul", with("\"node_of_rank\": [0, 1]") + std::string("\0", 1), "map:2: ", {"NUL"}},
        {"list", "[0, 1]", "map:1: ", {"expected an object, found a list"}},
        {"number", "7", "map:1: ", {"expected an object, found 7"}},
        {"null_document", "null", "map:1: ", {"found null"}},
        {"no_schema", "\n{\"node_of_rank\": [0, 1]}", "map:2: ", {"'schema' is missing"}},
        {"other_schema", "{\n\"schema\": \"haichi-workload/1\"}", "map:2: ", {"'haichi-workload/1'"}},
        {"schema_is_a_number", "{\n\"schema\": 1}", "map:2: ", {"schema: expected a string, found 1"}},
        {"schema_is_an_object", "{\n\"schema\": {}}", "map:2: ", {"schema: expected a string, found an object"}},
        {"schema_twice", with("\"schema\": \"haichi-mapping/1\""), "map:2: ", {"duplicate key 'schema'"}},
        {"no_nodes", with("\"ranks\": 2"), "map:1: ", {"'node_of_rank' is missing"}},
        {"nodes_twice",
         with("\"node_of_rank\": [0, 1], \"node_of_rank\": [0, 1]"),
         "map:2: ",
         {"duplicate key 'node_of_rank'"}},
        {"nodes_are_an_object", with("\"node_of_rank\": {}"), "map:2: ", {"a list of node numbers, found an object"}},
        {"nodes_are_a_number", with("\"node_of_rank\": 3"), "map:2: ", {"a list of node numbers, found 3"}},
        {"node_is_negative", with("\"node_of_rank\": [0, -1]"), "map:2: ", {"node_of_rank[1]", "-1"}},
        {"node_outside", with("\"node_of_rank\": [0,\n8]"), "map:3: ", {"node_of_rank[1]", ": 8 ", "nodes 0..7"}},
        {"node_of_64_bits", with("\"node_of_rank\": [18446744073709551615, 1]"), "map:2: ", {"18446744073709551615"}},
        {"node_beyond_64_bits",
         with("\"node_of_rank\": [99999999999999999999, 1]"),
         "map:2: ",
         {"node_of_rank[0]", "99999999999999999999"}},
        {"node_is_a_fraction", with("\"node_of_rank\": [0, 1.0]"), "map:2: ", {"node_of_rank[1]", "1.0"}},
        {"node_is_a_text", with("\"node_of_rank\": [\"0\", 1]"), "map:2: ", {"node_of_rank[0]", "'0'"}},
        {"node_is_null", with("\"node_of_rank\": [0, null]"), "map:2: ", {"node_of_rank[1]", "null"}},
        {"node_is_a_list", with("\"node_of_rank\": [[0], 1]"), "map:2: ", {"node_of_rank[0]", "a list"}},
        {"node_is_true", with("\"node_of_rank\": [true, 1]"), "map:2: ", {"node_of_rank[0]", "true"}},
        {"no_ranks", with("\"node_of_rank\": []"), "map: ", {"0 nodes for 2 ranks"}},
        {"too_many", with("\"node_of_rank\": [0, 1, 2]"), "map: ", {"3 nodes for 2 ranks"}},
        {"ranks_disagree", with("\"ranks\": 3,\n\"node_of_rank\": [0, 1]"), "map:2: ", {"ranks is 3", "2 entries"}},
        {"ranks_negative", with("\"ranks\": -2"), "map:2: ", {"ranks: expected an integer, found -2"}},
        {"ranks_is_a_text", with("\"ranks\": \"2\""), "map:2: ", {"ranks", "'2'"}},
        {"node_too_full", with("\"node_of_rank\": [5,\n5]"), "map:3: ", {"rank 1", "does not fit on node (5)"}},
        {"deep", with("\"notes\": " + deep), "map:2: ", {"nested deeper"}},
        {"invalid_utf8", with("\"machine\": \"\xff\""), "map:2: ", {"not valid JSON", "\\xff"}},
        {"number_too_large", with("\"machine\": 1e400"), "map:2: ", {"the number '1e400' is too large"}},
    };
}

INSTANTIATE_TEST_SUITE_P(Documents, RankMapJsonMalformed, testing::ValuesIn(documents()),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace haichi
