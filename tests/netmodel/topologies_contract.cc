// The contract of every entry in the topology table: the built-in topologies, and one that exists only here.

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "base/errors.h"
#include "netmodel/machine/machine.h"
#include "netmodel/routing/topologies.h"
#include "tests/netmodel/topology_contract.h"

namespace haichi {
namespace {

using namespace topology_contract;

std::string file_of_topology(const std::string& topology, std::int64_t link_bandwidth_bytes_per_s = 3'000'000'000) {
    return R"({"schema": "haichi-machine/1", "link": {"bandwidth": ")" + std::to_string(link_bandwidth_bytes_per_s) +
           R"(B/s"}, "topology": )" + topology + "}";
}

Machine machine_of_file(const TopologyRow& row, std::int64_t link_bandwidth_bytes_per_s = 3'000'000'000) {
    NamedFile other;
    if (!row.example_file.empty()) other.text = row.example_file;
    return parse_machine(file_of_topology(row.example, link_bandwidth_bytes_per_s), row.name + ".json", &other);
}

Machine machine_of_preset(const TopologyRow& row) {
    NamedFile other;
    if (!row.example_file.empty()) other.text = row.example_file;
    return preset_machine(row.preset->example, &other).value();
}

/// The name without its last letter.
std::string mistyped(std::string word) { return word.erase(word.size() / 2, 1); }

class EveryTopology : public ::testing::TestWithParam<std::string> {
  protected:
    const TopologyRow& row = topologies().at(GetParam());
    NetworkOptions options{.link_bandwidth_bytes_per_s = 3'000'000'000};
};

TEST_P(EveryTopology, keeps_the_contract) {
    const Fabric fabric{machine_of_file(row).topology};
    expect_contract(Network(fabric, options));
}

TEST_P(EveryTopology, keeps_it_on_node_lists_and_past_faulty_nodes) {
    expect_contract_of_parts({machine_of_file(row).topology}, options);
}

TEST_P(EveryTopology, is_the_same_from_a_file_and_by_name) {
    if (!row.preset) GTEST_SKIP() << "no preset";
    const Machine by_name = machine_of_preset(row);
    const Machine from_file = machine_of_file(row, by_name.link_bandwidth_bytes_per_s);
    const Topology& a = *from_file.topology;
    const Topology& b = *by_name.topology;
    EXPECT_EQ(a.description(), b.description());
    EXPECT_EQ(a.description()["kind"], row.name);
    EXPECT_EQ(from_file.routing, by_name.routing);
    EXPECT_TRUE(std::ranges::equal(a.link_classes(), b.link_classes()));
    ASSERT_EQ(a.link_count(), b.link_count());
    for (std::int32_t l = 0; l < a.link_count(); ++l) {
        if (a.link_exists(LinkId(l))) {
            EXPECT_EQ(a.link_name(LinkId(l)), b.link_name(LinkId(l)));
        }
    }
}

TEST_P(EveryTopology, is_found_by_a_name_that_is_nearly_right) {
    const std::string kind = "\"kind\": \"";
    std::string section = row.example;
    section.replace(section.find(kind) + kind.size(), row.name.size(), mistyped(row.name));
    const auto hint_of = [](const auto& read) -> std::string {
        try {
            read();
        } catch (const Error& error) {
            return error.hint();
        }
        return "no error";
    };
    EXPECT_NE(hint_of([&] { (void)parse_machine(file_of_topology(section), "m.json"); }).find(row.name),
              std::string::npos);
    if (!row.preset) return;
    const std::string word = mistyped(row.preset->word);
    EXPECT_NE(hint_of([&] { (void)load_machine(word + ":2"); }).find(row.preset->word), std::string::npos) << word;
}

TEST_P(EveryTopology, says_what_it_is) {
    EXPECT_FALSE(row.sentence.empty() || row.keys.empty() || row.routings.empty());
    const Machine machine = machine_of_file(row);
    EXPECT_THROW((void)machine.topology->routing("no such routing"), OptionError);
    if (!row.preset) return;
    EXPECT_TRUE(row.preset->pattern.starts_with(row.preset->word));
    EXPECT_FALSE(row.preset->sentence.empty());
    EXPECT_GT(machine_of_preset(row).link_bandwidth_bytes_per_s, 0);
}

INSTANTIATE_TEST_SUITE_P(Topologies, EveryTopology, ::testing::ValuesIn(topologies().names()), [](const auto& of) {
    std::string name = of.param;
    std::ranges::replace(name, '-', '_');
    return name;
});

}  // namespace
}  // namespace haichi
