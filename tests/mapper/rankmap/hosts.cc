#include <gtest/gtest.h>

#include "base/errors.h"
#include "mapper/rankmap/hosts.h"

namespace haichi {
namespace {

std::vector<std::string> expanded(std::string_view list, std::int64_t most = 100) {
    return expand_host_list(list, most, {"§hosts", 0});
}

using Names = std::vector<std::string>;

TEST(HostPattern, ranges_are_written_as_slurm_does) {
    EXPECT_EQ(expanded("node[000-002]"), (Names{"node000", "node001", "node002"}));
    EXPECT_EQ(expanded("n[8-11]"), (Names{"n8", "n9", "n10", "n11"}));
    EXPECT_EQ(expanded("n[08-10].site.org"), (Names{"n08.site.org", "n09.site.org", "n10.site.org"}));
    EXPECT_EQ(expanded("n[3,1,07-08],gpu1"), (Names{"n3", "n1", "n07", "n08", "gpu1"}));
}

TEST(HostPattern, is_a_list_without_brackets_or_with_steps_or_braces) {
    EXPECT_EQ(expanded("c427-032,c429-002"), (Names{"c427-032", "c429-002"}));
    EXPECT_EQ(expanded("node7"), Names{"node7"});
    EXPECT_EQ(expanded("n[1-3:2,08-12/2]"), (Names{"n1", "n3", "n08", "n10", "n12"}));
    EXPECT_EQ(expanded("node{1..2},n{01..05..2}"), (Names{"node1", "node2", "n01", "n03", "n05"}));
    EXPECT_EQ(expanded("{login,gpu}1-[1-2]"), (Names{"login1-1", "login1-2", "gpu1-1", "gpu1-2"}));
}

TEST(HostNames, are_read_from_a_list_or_from_a_file_of_lists) {
    EXPECT_EQ(HostNames::read("c427-032,c429-002", 2).names(), (Names{"c427-032", "c429-002"}));
    EXPECT_EQ(HostNames::read("node7", 1).names(), Names{"node7"});
    EXPECT_EQ(HostNames::parse_list("node[1-2]\nx,y\n", "hosts", 4).names(), (Names{"node1", "node2", "x", "y"}));
    try {
        (void)HostNames::read("node7", 2);
        ADD_FAILURE() << "one name for two nodes";
    } catch (const InputError& error) {
        EXPECT_STREQ(error.what(), "cannot read node7: No such file or directory");
        EXPECT_NE(std::string(error.hint()).find("node1,node2"), std::string::npos);
    }
}

TEST(HostPattern, of_several_ranges_the_last_is_the_fastest) {
    EXPECT_EQ(expanded("r[1-2]n[0-1]"), (Names{"r1n0", "r1n1", "r2n0", "r2n1"}));
}

TEST(HostPattern, padding_is_that_of_the_first_number) {
    EXPECT_EQ(expanded("n[9-10]"), (Names{"n9", "n10"}));
    EXPECT_EQ(expanded("n[09-10]"), (Names{"n09", "n10"}));
    EXPECT_EQ(expanded("n[099-100]"), (Names{"n099", "n100"}));
}

TEST(HostPattern, a_printf_pattern_counts_from_zero) {
    const HostNames names = HostNames::read("node%04d.cluster", 3);
    EXPECT_EQ(names.name(NodeId(0)), "node0000.cluster");
    EXPECT_EQ(names.name(NodeId(2)), "node0002.cluster");
    EXPECT_EQ(HostNames::read("n%d", 12).name(NodeId(11)), "n11");
}

TEST(HostNames, are_found_by_name) {
    const HostNames names = HostNames::parse_pattern("a[1-3]", 3);
    EXPECT_EQ(names.node("a3"), NodeId(2));
    EXPECT_FALSE(names.node("a4").valid());
    EXPECT_FALSE(names.node("").valid());
}

TEST(HostNames, a_list_has_comments_and_blank_lines) {
    const HostNames names = HostNames::parse_list("# the job\nc3\n\n  c1 # first rack\r\nc2", "hosts", 3);
    EXPECT_EQ(names.name(NodeId(0)), "c3");
    EXPECT_EQ(names.node("c1"), NodeId(1));
}

struct MalformedPattern {
    const char* text;
    const char* quoted;
};

TEST(HostPatternMalformed, is_an_error_that_names_the_option_and_the_value) {
    for (const auto& [text, quoted] : std::vector<MalformedPattern>{
             {"n[0-3", "brackets do not match in 'n[0-3'"},
             {"n0-3]", "brackets do not match"},
             {"n[[0-3]]", "brackets do not match"},
             {"n[]", "expected a whole number, found ''"},
             {"n[3-1]", "the range '3-1' is descending"},
             {"n[a-b]", "'a'"},
             {"n[1-]", "expected a whole number, found ''"},
             {"n[1-3:0]", "a step of 0"},
             {"n[1-3:]", "expected a whole number, found ''"},
             {"n{1..}", "expected a whole number, found ''"},
             {"n{0..3]", "brackets do not match"},
             {"n{a b}", "invalid host name: 'na b'"},
             {"n[1,]", "found ''"},
             {"n[0-999999999]", "expected at most 4 names, found more"},
             {"n[0-9999999999]", "'9999999999' has more than 9 digits"},
             {"n[0-1][0-1][0-1][0-1][0-1]", "more than 4 brackets"},
             {"n[0-2],", "invalid host name: ''"},
             {"n[0-2],-x", "invalid host name: '-x'"},
             {"n[0-2] ", "invalid host name: 'n0 '"},
             {"n[0-2]", "3 host names for the 4 nodes"},
             {"n[0-4]", "expected at most 4 names, found more"},
             {"n[0-2,1]", "duplicate host name 'n1'"},
             {"n%s", "one %d"},
             {"n%d%d", "one %d"},
             {"n%4d", "pads with blanks"},
             {"n%0999d", "too large"},
             {"n/%d", "invalid host name: 'n/0'"},
             {"n%", "one %d"},
         }) {
        try {
            (void)HostNames::parse_pattern(text, 4);
            ADD_FAILURE() << text << " was read";
        } catch (const InputError& error) {
            EXPECT_TRUE(std::string(error.what()).starts_with("§hosts: ")) << error.what();
            EXPECT_NE(std::string(error.what()).find(quoted), std::string::npos) << error.what();
        }
    }
}

TEST(HostListMalformed, is_an_error_that_names_the_line_and_the_value) {
    for (const auto& [text, message] : std::vector<MalformedPattern>{
             {"", "hosts: 0 host names for the 2 nodes of the job"},
             {"a\n", "hosts: 1 host name for the 2 nodes of the job"},
             {"a\nb\nc\n", "hosts: 3 host names for the 2 nodes of the job"},
             {"a\nr[1-2000]\n", "hosts:2: expected at most 1015 names, found more"},
             {"r[1-600]\nr[601-1100]\n", "hosts:2: expected at most 425 names, found more"},
             {"a\n\na\n", "hosts:3: duplicate host name 'a', first on line 1"},
             {"a b\n", "hosts:1: expected one host name, found 'a b'"},
             {"a\n_b\n", "hosts:2: invalid host name: '_b'"},
             {"a\n\x01\n", "hosts:2: invalid host name: '\\x01'"},
         }) {
        try {
            (void)HostNames::parse_list(text, "hosts", 2);
            ADD_FAILURE() << text << " was read";
        } catch (const InputError& error) {
            EXPECT_STREQ(error.what(), message);
        }
    }
}

}  // namespace
}  // namespace haichi
