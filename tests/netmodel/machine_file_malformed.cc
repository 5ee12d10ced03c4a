// Each malformed machine file causes an InputError that names the file, the line and the value.

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <sstream>

#include "base/errors.h"
#include "netmodel/machine/machine.h"

namespace haichi {
namespace {

struct BrokenText {
    std::string claim;
    std::string text;
    std::string place;   ///< expected start of the message
    std::string value;   ///< expected somewhere in the message
    std::string hint{};  ///< expected somewhere in the hint

    friend void PrintTo(const BrokenText& broken, std::ostream* out) { *out << broken.claim; }
};

/// A file with the schema on line 1, the topology on line 2, the link on line 3 and `rest` on line 4.
std::string file_with(const std::string& topology, const std::string& link = R"({"bandwidth": "5GB/s"})",
                      const std::string& rest = R"("name": "m")") {
    return "{\"schema\": \"haichi-machine/1\",\n\"topology\": " + topology + ",\n\"link\": " + link + ",\n" + rest +
           "}";
}
const std::string kRing = R"({"kind": "torus", "axes": [{"name": "X", "size": 4, "wraps": true}]})";
const std::string kLink = R"({"bandwidth": "5GB/s"})";

std::string machine_with(const std::string& rest) { return file_with(kRing, kLink, rest); }
std::string axes(const std::string& list) { return file_with("{\"kind\": \"torus\", \"axes\": " + list + "}"); }

std::vector<BrokenText> broken_machine_files() {
    return {
        {"empty", "", "m.json:1", ""},
        {"no_object", "[1]", "m.json:1", "[1]"},
        {"cut_off", "{\"schema\":\n", "m.json", "JSON"},
        {"no_schema", "{\n\"name\": \"a\"}", "m.json:1", "schema"},
        {"wrong_schema", "{\n\"schema\": \"haichi-machine/9\"}", "m.json:2", "haichi-machine/9"},
        {"schema_is_number", "{\n\"schema\": 1}", "m.json:2", "1"},
        {"no_topology", R"({"schema": "haichi-machine/1", "link": {"bandwidth": "5GB/s"}})", "m.json:1", "topology"},
        {"no_link", "{\"schema\": \"haichi-machine/1\", \"topology\": " + kRing + "}", "m.json:1", "link"},
        {"unknown_key", machine_with("\"rooter\": {}"), "m.json:4", "rooter", "router"},
        {"unknown_key_in_router", machine_with("\"router\": {\"routing_tim\": \"2ns\"}"), "m.json:4", "routing_tim",
         "routing_time"},
        {"unknown_key_in_node", machine_with("\"node\": {\n\"nic\": 4}"), "m.json:5", "nic", "nics"},
        {"unknown_key_in_packet", machine_with("\"packet\": {\"playload\": \"1B\"}"), "m.json:4", "playload",
         "payload"},
        {"unknown_key_in_link", file_with(kRing, R"({"bandwith": "5GB/s"})"), "m.json:3", "bandwith", "bandwidth"},
        {"unknown_key_in_routing", machine_with(R"("routing": {"kind": "dimension-order", "ordr": "X"})"), "m.json:4",
         "ordr", "order"},
        {"unknown_key_in_topology", file_with(R"({"kind": "torus", "axis": []})"), "m.json:2", "axis", "axes"},
        {"unknown_key_in_axis", axes(R"([{"name": "X", "siz": 4}])"), "m.json:2", "siz", "size"},
        {"duplicate_key", machine_with("\"name\": \"a\",\n\"name\": \"b\""), "m.json:5", "name"},
        {"name_is_empty", machine_with("\"name\": \"\""), "m.json:4", "''"},
        {"name_of_two_lines", machine_with(R"("name": "a\nerror: b")"), "m.json:4", "control"},
        {"name_colours_terminals", machine_with(R"("name": "\u001b[31ma")"), "m.json:4", "\\x1b"},
        {"name_of_100_kb", machine_with("\"name\": \"" + std::string(100'000, 'a') + "\""), "m.json:4", "255"},
        {"topology_is_text", file_with("\"torus\""), "m.json:2", "torus"},
        {"unknown_kind", file_with(R"({"kind": "tours", "axes": []})"), "m.json:2", "tours", "torus"},
        {"no_kind", file_with(R"({"axes": []})"), "m.json:2", "kind"},
        {"no_axes", file_with(R"({"kind": "torus"})"), "m.json:2", "axes"},
        {"empty_axes", axes("[]"), "m.json:2", "[]"},
        {"axes_are_numbers", axes("[4, 4]"), "m.json:2", "4"},
        {"axis_without_name", axes(R"([{"size": 4}])"), "m.json:2", "name"},
        {"axis_without_size", axes(R"([{"name": "X"}])"), "m.json:2", "size"},
        {"axis_name_twice", axes("[{\"name\": \"X\", \"size\": 2},\n{\"name\": \"X\", \"size\": 2}]"), "m.json:3", "X"},
        {"axis_name_with_dot", axes(R"([{"name": "a.b", "size": 2}])"), "m.json:2", "a.b"},
        {"axis_name_empty", axes(R"([{"name": "", "size": 2}])"), "m.json:2", "''"},
        {"axis_size_zero", axes("[{\"name\": \"X\",\n\"size\": 0}]"), "m.json:3", "0"},
        {"axis_size_negative", axes("[{\"name\": \"X\",\n\"size\": -4}]"), "m.json:3", "-4"},
        {"axis_size_fraction", axes(R"([{"name": "X", "size": 2.5}])"), "m.json:2", "2.5"},
        {"axis_size_text", axes(R"([{"name": "X", "size": "4"}])"), "m.json:2", "4"},
        {"axis_size_huge", axes(R"([{"name": "X", "size": 18446744073709551615}])"), "m.json:2",
         "18446744073709551615"},
        {"too_many_nodes", axes(R"([{"name": "X", "size": 60000}, {"name": "Y", "size": 60000}])"), "m.json:2",
         "8388608"},
        {"wraps_is_text", axes(R"([{"name": "X", "size": 4, "wraps": "yes"}])"), "m.json:2", "yes"},
        {"mesh_axis_that_wraps", file_with(R"({"kind": "mesh", "axes": [{"name": "X", "size": 4, "wraps": true}]})"),
         "m.json:2", "wraps"},
        {"too_many_axes",
         axes("[" +
              [] {
                  std::string list;
                  for (int k = 0; k < 13; ++k) {
                      if (k > 0) list += ",";
                      list += "{\"name\": \"d" + std::to_string(k) + "\", \"size\": 1}";
                  }
                  return list;
              }() +
              "]"),
         "m.json:2", "13"},
        {"logical_of_unknown_axis",
         file_with("{\"kind\": \"mesh\", \"axes\": [{\"name\": \"X\", \"size\": 4}],\n\"logical\": [[\"Q\"]]}"),
         "m.json:3", "Q"},
        {"logical_axis_twice",
         file_with(
             "{\"kind\": \"mesh\", \"axes\": [{\"name\": \"X\", \"size\": 4}],\n\"logical\": [[\"X\"], [\"X\"]]}"),
         "m.json:3", "X"},
        {"logical_leaves_out_an_axis",
         file_with(R"({"kind": "mesh", "axes": [{"name": "X", "size": 4}, {"name": "A", "size": 2}],
"logical": [["X"]]})"),
         "m.json:3", "A"},
        {"logical_is_flat",
         file_with("{\"kind\": \"mesh\", \"axes\": [{\"name\": \"X\", \"size\": 4}],\n\"logical\": [\"X\"]}"),
         "m.json:3", "X"},
        {"tree_without_children", file_with(R"({"kind": "tree"})"), "m.json:2", "children"},
        {"tree_with_parents", file_with(R"({"kind": "tree", "children": [2], "parents": [1]})"), "m.json:2", "parents"},
        {"fat_tree_without_parents", file_with(R"({"kind": "fattree", "children": [2]})"), "m.json:2", "parents"},
        {"fat_tree_of_two_lengths", file_with(R"({"kind": "fattree", "children": [2, 2], "parents": [1]})"), "m.json:2",
         "2 numbers of children"},
        {"tree_with_no_child", file_with("{\"kind\": \"tree\", \"children\": [2,\n0]}"), "m.json:3", "0"},
        {"tree_too_large", file_with(R"({"kind": "tree", "children": [60000, 60000]})"), "m.json:2", "8388608"},
        {"tree_with_too_many_bandwidths",
         file_with(R"({"kind": "tree", "children": [2], "bandwidth": ["1GB/s", "1GB/s"]})"), "m.json:2",
         "bandwidths must be 1 (one per level), not 2"},
        {"tree_bandwidth_is_number", file_with(R"({"kind": "tree", "children": [2], "bandwidth": [5]})"), "m.json:2",
         "5"},
        {"torus_with_children", file_with(R"({"kind": "torus", "children": [2]})"), "m.json:2", "children"},
        {"graph_without_file", file_with(R"({"kind": "graph"})"), "m.json:2", "file"},
        {"graph_file_is_number", file_with(R"({"kind": "graph", "file": 3})"), "m.json:2", "3"},
        {"graph_file_with_a_nul", file_with(R"({"kind": "graph", "file": "a\u0000b"})"), "m.json:2", "'a\\x00b'"},
        {"graph_from_standard_input", file_with(R"({"kind": "graph", "file": "-"})"), "m.json:2", "'-'"},
        {"graph_file_empty", file_with(R"({"kind": "graph", "file": ""})"), "m.json:2", "''"},
        {"graph_with_axes", file_with(R"({"kind": "graph", "axes": []})"), "m.json:2", "axes"},
        {"torus_with_file", file_with(R"({"kind": "torus", "file": "x"})"), "m.json:2", "file"},
        {"allocations_is_number", machine_with("\"allocations\": 3"), "m.json:4", "3"},
        {"allocations_is_empty", machine_with("\"allocations\": []"), "m.json:4", "[]"},
        {"allocation_is_number", machine_with("\"allocations\": [[2],\n2]"), "m.json:5", "2"},
        {"allocation_of_too_many_axes", machine_with("\"allocations\": [[2, 2]]"), "m.json:4", "[2,2]"},
        {"allocation_of_no_axes", machine_with("\"allocations\": [[]]"), "m.json:4", "[]"},
        {"allocation_too_large", machine_with("\"allocations\": [[4],\n[5]]"), "m.json:5", "5"},
        {"allocation_of_size_zero", machine_with("\"allocations\": [[0]]"), "m.json:4", "0"},
        {"allocation_of_text", machine_with("\"allocations\": [[\"4\"]]"), "m.json:4", "4"},
        {"allocation_fraction", machine_with("\"allocations\": [[1.5]]"), "m.json:4", "1.5"},
        {"allocation_huge", machine_with("\"allocations\": [[18446744073709551615]]"), "m.json:4",
         "18446744073709551615"},
        {"allocation_twice", machine_with("\"allocations\": [[2], [4],\n[2]]"), "m.json:5", "[2]"},
        {"allocations_of_a_tree", file_with(R"({"kind": "tree", "children": [4]})", kLink, "\"allocations\": [[4]]"),
         "m.json:4", "allocations: requires a mesh or torus"},
        {"faulty_is_number", machine_with("\"faulty\": 3"), "m.json:4", "3"},
        {"faulty_is_text", machine_with("\"faulty\": \"0\""), "m.json:4", "0"},
        {"faulty_is_object", machine_with("\"faulty\": {}"), "m.json:4", "{}"},
        {"faulty_node_outside", machine_with("\"faulty\": [1,\n4]"), "m.json:5", "4"},
        {"faulty_node_negative", machine_with("\"faulty\": [-1]"), "m.json:4", "-1"},
        {"faulty_node_fraction", machine_with("\"faulty\": [1.5]"), "m.json:4", "1.5"},
        {"faulty_node_huge", machine_with("\"faulty\": [18446744073709551615]"), "m.json:4", "18446744073709551615"},
        {"faulty_node_is_text", machine_with("\"faulty\": [\"1\"]"), "m.json:4", "1"},
        {"faulty_node_is_null", machine_with("\"faulty\": [null]"), "m.json:4", "null"},
        {"faulty_coordinate_outside", machine_with("\"faulty\": [[4]]"), "m.json:4", "4"},
        {"faulty_coordinate_is_text", machine_with("\"faulty\": [[\"1\"]]"), "m.json:4", "1"},
        {"faulty_of_too_many_coordinates", machine_with("\"faulty\": [[1, 2]]"), "m.json:4", "[1,2]"},
        {"faulty_of_no_coordinates", machine_with("\"faulty\": [[]]"), "m.json:4", "[]"},
        {"faulty_twice", machine_with("\"faulty\": [1,\n[1]]"), "m.json:5", "duplicate faulty node"},
        {"faulty_coordinates_on_a_tree", file_with(R"({"kind": "tree", "children": [2]})", kLink, "\"faulty\": [[0]]"),
         "m.json:4", "[0]"},
        {"link_is_text", file_with(kRing, "\"5GB/s\""), "m.json:3", "5GB/s"},
        {"bandwidth_missing", file_with(kRing, "{}"), "m.json:3", "bandwidth"},
        {"bandwidth_is_number", file_with(kRing, R"({"bandwidth": 5})"), "m.json:3", "5"},
        {"bandwidth_without_unit", file_with(kRing, R"({"bandwidth": "5"})"), "m.json:3", "5"},
        {"bandwidth_in_bytes", file_with(kRing, R"({"bandwidth": "5GB"})"), "m.json:3", "5GB", "GB/s"},
        {"bandwidth_zero", file_with(kRing, R"({"bandwidth": "0GB/s"})"), "m.json:3", "0GB/s"},
        {"bandwidth_negative", file_with(kRing, R"({"bandwidth": "-5GB/s"})"), "m.json:3", "-5GB/s"},
        {"bandwidth_too_large", file_with(kRing, R"({"bandwidth": "5000TB/s"})"), "m.json:3", "5000TB/s"},
        {"latency_in_bytes", file_with(kRing, R"({"bandwidth": "5GB/s", "cable_latency": "5B"})"), "m.json:3", "5B"},
        {"host_cables_of_a_torus", file_with(kRing, "{\"bandwidth\": \"5GB/s\",\n\"host_cable_latency\": \"5ns\"}"),
         "m.json:4", "each node of this network is a router", "'link.cable_latency'"},
        {"unknown_arbiter", machine_with(R"("router": {"arbiter": "oldest"})"), "m.json:4",
         "router.arbiter: unknown word 'oldest'", "round-robin, oldest-first or fixed-priority"},
        {"time_finer_than_a_picosecond", machine_with(R"("node": {"barrier": "1.5ps"})"), "m.json:4", "1.5ps"},
        {"routing_of_unknown_axis", machine_with(R"("routing": {"kind": "dimension-order", "order": "XQ"})"),
         "m.json:4", "Q"},
        {"routing_leaves_out_an_axis", machine_with(R"("routing": {"kind": "dimension-order", "order": ""})"),
         "m.json:4", "X"},
        {"routing_with_unknown_tie", machine_with(R"("routing": {"kind": "dimension-order", "tie": "up"})"), "m.json:4",
         "tie=up"},
        {"routing_with_column_outside",
         machine_with("\"routing\": {\"kind\": \"dimension-order\",\n\"order\": \"XX\", \"column\": \"4\"}"),
         "m.json:5", "4"},
        {"torus_routed_as_tree", machine_with(R"("routing": {"kind": "s-mod-k"})"), "m.json:4", "s-mod-k"},
        {"tree_routed_as_torus",
         file_with(R"({"kind": "tree", "children": [2]})", kLink, R"("routing": {"kind": "dimension-order"})"),
         "m.json:4", "dimension-order"},
        {"tree_with_a_former_name_of_its_routing",
         file_with(R"({"kind": "tree", "children": [2]})", kLink, R"("routing": {"kind": "up-straight"})"), "m.json:4",
         "up-straight", "s-mod-k"},
        {"dragonfly_without_terminals", file_with(R"({"kind": "dragonfly", "routers": 2, "global_links": 1})"),
         "m.json:2", "terminals"},
        {"dragonfly_with_too_many_groups",
         file_with(R"({"kind": "dragonfly", "terminals": 1, "routers": 2, "global_links": 1, "groups": 4})"),
         "m.json:2", "4 groups"},
        {"dragonfly_with_four_bandwidths",
         file_with(R"({"kind": "dragonfly", "terminals": 1, "routers": 2, "global_links": 1,
                       "bandwidth": ["1GB/s", "1GB/s", "1GB/s", "1GB/s"]})"),
         "m.json", "bandwidths must be 3 (one per level), not 4"},
        {"dragonfly_with_children",
         file_with(R"({"kind": "dragonfly", "terminals": 1, "routers": 2, "global_links": 1, "children": [2]})"),
         "m.json:2", "children"},
        {"dragonfly_routed_as_tree",
         file_with(R"({"kind": "dragonfly", "terminals": 1, "routers": 2, "global_links": 1})", kLink,
                   R"("routing": {"kind": "s-mod-k"})"),
         "m.json:4", "s-mod-k", "minimal"},
        {"routing_without_kind", machine_with(R"("routing": {"order": "X"})"), "m.json:4", "kind"},
        {"buffer_in_bytes", machine_with(R"("router": {"buffer": "8KiB"})"), "m.json:4", "8KiB", "8 packets"},
        {"buffer_of_nothing", machine_with(R"("router": {"buffer": "0 packets"})"), "m.json:4", "0 packets"},
        {"buffer_is_number", machine_with(R"("router": {"buffer": 8})"), "m.json:4", "8"},
        {"no_virtual_channel", machine_with(R"("router": {"virtual_channels": 0})"), "m.json:4", "0"},
        {"nics_is_text", machine_with(R"("node": {"nics": "4"})"), "m.json:4", "4"},
        {"no_nic", machine_with(R"("node": {"nics": 0})"), "m.json:4", "0"},
        {"slots_fraction", machine_with(R"("node": {"slots": 1.5})"), "m.json:4", "1.5"},
        {"unknown_progress", machine_with(R"("node": {"progress": "thread"})"), "m.json:4", "thread", "nic or calls"},
        {"unknown_nic_order", machine_with(R"("node": {"nic_order": "random"})"), "m.json:4", "random",
         "messages or packets"},
        {"unknown_send_copy", machine_with(R"("node": {"send_copy": true})"), "m.json:4", "true"},
        {"no_round_trip", machine_with(R"("node": {"rendezvous_round_trips": 0})"), "m.json:4", "0"},
        {"unknown_order_of_sends", machine_with(R"("node": {"sends": "together"})"), "m.json:4", "together",
         "overlap or one-by-one"},
        {"send_buffer_of_nothing", machine_with(R"("node": {"send_buffer": "0KiB"})"), "m.json:4", "0KiB"},
        {"node_key_misspelt", machine_with(R"("node": {"eager_overhed": "1us"})"), "m.json:4", "eager_overhed",
         "eager_overhead"},
        {"shared_memory_without_rate", machine_with(R"("node": {"shared_memory_bandwidth": "0GB/s"})"), "m.json:4",
         "0GB/s"},
        {"payload_zero", machine_with(R"("packet": {"payload": "0B"})"), "m.json:4", "0B"},
        {"name_is_null", machine_with("\"name\": null"), "m.json:4", "null"},
        {"node_is_list", machine_with("\"node\": []"), "m.json:4", "[]"},
        {"invalid_utf8", machine_with("\"name\": \"\xff\""), "m.json:4", ""},
    };
}

/// Every key with a number, on line 5, with values outside its range.
struct NumericKey {
    std::string path;  ///< in messages
    std::string text;  ///< the file, with VALUE
    std::vector<std::string> outside;

    friend void PrintTo(const NumericKey& key, std::ostream* out) { *out << key.path; }
};

std::vector<NumericKey> numeric_keys() {
    const std::vector<std::string> rates = {"\"0B/s\"", "\"1 B/s\"", "\"999B/s\"", "\"1001TB/s\"", "\"5GB\"", "7"};
    const std::vector<std::string> times = {"\"1001ms\"", "\"2h\"", "\"-1ns\"", "\"5\"", "\"5B\"", "7"};
    const std::vector<std::string> sizes = {"\"0B\"", "\"2000TiB\"", "\"-1B\"", "\"5\"", "\"5ns\"", "7"};
    const std::vector<std::string> limits = {"\"300TiB\"", "\"-1B\"", "\"5\"", "\"5ns\"", "7"};
    const std::vector<std::string> counts = {"0", "-1", "1.5", "\"2\"", "1e3", "18446744073709551615", "16777217"};
    std::vector<NumericKey> all;
    const auto add = [&](const std::string& part, const std::string& keys, const std::vector<std::string>& outside) {
        std::istringstream words(keys);
        for (std::string key; words >> key;) {
            const std::string object = "{\n\"" + key + "\": VALUE}";
            all.push_back({part + "." + key, machine_with("\"" + part + "\": " + object), outside});
        }
    };
    add("router", "bandwidth", rates);
    add("router", "routing_time vc_allocation_time switch_allocation_time switch_latency", times);
    add("router", "virtual_channels", counts);
    add("router", "buffer", {"\"0 packets\"", "\"1048577 packets\"", "\"8\"", "\"8KiB\"", "8"});
    add("packet", "payload", {"\"0B\"", "\"17MiB\"", "\"2048\"", "2048"});
    add("packet", "header", {"\"17MiB\"", "\"72\"", "72"});
    add("node", "nic_bandwidth dma_bandwidth shared_bus memory_bandwidth shared_memory_bandwidth", rates);
    add("node", "nic_packet_time shared_memory_latency mpi_call_overhead eager_overhead rendezvous_overhead", times);
    add("node", "rdma_overhead barrier barrier_step", times);
    add("node", "eager_limit trunk_from", limits);
    add("node", "send_buffer", sizes);
    add("node", "nics rendezvous_round_trips barrier_groups trunk slots", counts);
    const auto link = [&](const std::string& key, const std::vector<std::string>& outside) {
        const std::string rest = key == "bandwidth" ? "" : R"("bandwidth": "5GB/s", )";
        all.push_back({"link." + key, file_with(kRing, "{" + rest + "\n\n\"" + key + "\": VALUE}"), outside});
    };
    link("bandwidth", rates);
    link("cable_latency", times);
    link("host_cable_latency", times);
    const auto topology = [&](const std::string& path, const std::string& text,
                              const std::vector<std::string>& outside) {
        all.push_back({"topology." + path, file_with(text), outside});
    };
    const std::string clusters = R"({"kind": "clusters",
"clusters": [{"kind": "tree", "children": [2]}, {"kind": "tree", "children": [2]}],
"bridges": )";
    const auto bridges = [&](const std::string& keys, const std::vector<std::string>& outside) {
        std::istringstream words(keys);
        for (std::string key; words >> key;)
            topology("bridges." + key, clusters + "{\n\"" + key + "\": VALUE}}", outside);
    };
    bridges("bandwidth shared_bus", rates);
    bridges("latency delay timer packet_time", times);
    bridges("buffer mtu", sizes);
    bridges("count crossing_hops", counts);
    topology("bridges.0.shared_bus", clusters + "[{\"between\": [0, 1],\n\"shared_bus\": VALUE}]}", rates);
    topology("bridges.0.between.1", clusters + "[{\"between\": [0,\nVALUE]}]}", {"2", "-1", "\"1\"", "0.5"});
    topology("clusters.1.children.0",
             "{\"kind\": \"clusters\", \"bridges\": {},\n\"clusters\": [{\"kind\": \"tree\", \"children\": [2]},\n"
             "{\"kind\": \"tree\", \"children\": [\nVALUE]}]}",
             counts);
    topology("axes.1.size",
             "{\"kind\": \"torus\",\n\"axes\": [{\"name\": \"X\", \"size\": 4},\n{\"name\": \"Y\",\n\"size\": VALUE}]}",
             counts);
    topology("children.0", "{\"kind\": \"tree\",\n\n\n\"children\": [VALUE]}", counts);
    topology("bandwidth.1", "{\"kind\": \"tree\", \"children\": [2, 2],\n\n\n\"bandwidth\": [\"1GB/s\", VALUE]}",
             rates);
    const auto fabric = [&](const std::string& kind, const std::string& key, const std::string& others) {
        topology(key, "{\"kind\": \"" + kind + "\",\n" + others + ",\n\n\"" + key + "\": VALUE}", counts);
    };
    fabric("dragonfly", "terminals", R"("routers": 2, "global_links": 1)");
    fabric("dragonfly", "routers", R"("terminals": 2, "global_links": 1)");
    fabric("dragonfly", "groups", R"("routers": 2, "terminals": 2, "global_links": 1)");
    fabric("dragonfly-plus", "leaves", R"("spines": 2, "hosts": 1, "groups": 1)");
    fabric("dragonfly-plus", "spines", R"("leaves": 2, "hosts": 1, "groups": 1)");
    fabric("dragonfly-plus", "hosts", R"("leaves": 2, "spines": 1, "groups": 1)");
    fabric("dragonfly-plus", "groups", R"("leaves": 2, "spines": 1, "hosts": 1)");
    fabric("hyperx", "terminals", R"("sizes": [2, 2])");
    all.push_back({"faulty.1", machine_with("\"faulty\": [1,\nVALUE]"), {"4", "-1", "1.5", "\"2\""}});
    all.push_back({"faulty.0.0", machine_with("\"faulty\": [[\nVALUE]]"), {"4", "-1", "1.5", "\"2\""}});
    all.push_back({"allocations.1.0", machine_with("\"allocations\": [[2], [\nVALUE]]"), {"0", "5", "-1", "\"2\""}});
    return all;
}

class NumericKeys : public ::testing::TestWithParam<NumericKey> {};

TEST_P(NumericKeys, outside_their_range_are_refused_with_place_path_and_value) {
    const NumericKey& key = GetParam();
    const std::size_t at = key.text.find("VALUE");
    const auto line = 1 + std::count(key.text.begin(), key.text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    for (const std::string& value : key.outside) {
        std::string text = key.text;
        text.replace(at, 5, value);
        try {
            (void)parse_machine(text, "m.json");
            FAIL() << "accepted:\n" << text;
        } catch (const InputError& error) {
            const std::string what = error.what();
            EXPECT_TRUE(what.starts_with("m.json:" + std::to_string(line) + ": ")) << what;
            EXPECT_NE(what.find(key.path), std::string::npos) << what;
            const std::string shown = value.front() == '"' ? value.substr(1, value.size() - 2) : value;
            EXPECT_TRUE(what.find(shown) != std::string::npos || value == "1e3") << what;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(, NumericKeys, ::testing::ValuesIn(numeric_keys()), [](const auto& test) {
    std::string name = test.param.path + "_" + std::to_string(test.index);
    std::ranges::replace(name, '.', '_');
    return name;
});

class BrokenMachineFile : public ::testing::TestWithParam<BrokenText> {};

TEST_P(BrokenMachineFile, is_refused_with_place_and_value) {
    const BrokenText& broken = GetParam();
    try {
        (void)parse_machine(broken.text, "m.json");
        FAIL() << "accepted:\n" << broken.text;
    } catch (const InputError& error) {
        const std::string what = error.what();
        EXPECT_TRUE(what.starts_with(broken.place)) << what;
        EXPECT_NE(what.find(broken.value), std::string::npos) << what;
        EXPECT_NE(error.hint().find(broken.hint), std::string::npos) << what << "\nhint: " << error.hint();
    }
}

INSTANTIATE_TEST_SUITE_P(, BrokenMachineFile, ::testing::ValuesIn(broken_machine_files()),
                         [](const auto& test) { return test.param.claim; });

TEST(MachineFile, graph_file_is_looked_for_beside_it) {
    try {
        (void)parse_machine(file_with(R"({"kind": "graph", "file": "none.graphml"})"), "folder/m.json");
        FAIL();
    } catch (const InputError& error) {
        EXPECT_TRUE(std::string(error.what()).starts_with("folder/m.json:2: cannot read folder/none.graphml: "))
            << error.what();
    }
}

TEST(MachineFile, missing_file_and_directory_are_input_errors) {
    EXPECT_THROW((void)load_machine("./no-such-machine.json"), InputError);
    EXPECT_THROW((void)load_machine(::testing::TempDir()), InputError);
}

TEST(MachineFile, file_cut_at_any_byte_is_an_input_error_or_a_machine) {
    const std::string whole = machine_with(R"("node": {"nics": 4, "barrier": "5us"})");
    for (std::size_t length = 0; length < whole.size(); ++length) {
        EXPECT_THROW((void)parse_machine(whole.substr(0, length), "m.json"), InputError) << length;
    }
    EXPECT_NO_THROW((void)parse_machine(whole, "m.json"));
}

}  // namespace
}  // namespace haichi
