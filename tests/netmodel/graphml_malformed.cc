// Each malformed graph file causes an InputError that names the file, the line and the value.

#include <gtest/gtest.h>

#include <ostream>

#include "base/errors.h"
#include "netmodel/topology/graphml.h"

namespace haichi {
namespace {

struct BrokenGraphmlText {
    std::string claim;
    std::string text;
    std::string place;  ///< expected start of the message
    std::string value;  ///< expected somewhere in the message

    friend void PrintTo(const BrokenGraphmlText& broken, std::ostream* out) { *out << broken.claim; }
};

const std::string kHead =
    "<graphml>\n"
    "<key id=\"t\" for=\"node\" attr.name=\"terminal\" attr.type=\"boolean\"/>\n"
    "<key id=\"b\" for=\"edge\" attr.name=\"bandwidth\" attr.type=\"string\"/>\n"
    "<key id=\"l\" for=\"edge\" attr.name=\"latency\" attr.type=\"string\"/>\n"
    "<graph edgedefault=\"undirected\">\n";
const std::string kNodes = "<node id=\"a\"/><node id=\"b\"/>\n";

/// Lines 1 to 5 hold the header, line 6 holds the nodes, and `body` starts on line 7.
std::string graphml_with(const std::string& body) { return kHead + kNodes + body + "\n</graph>\n</graphml>\n"; }
/// The edge is on line 8.
std::string edge_with(const std::string& data) {
    return graphml_with("\n<edge source=\"a\" target=\"b\">" + data + "</edge>");
}
std::string bandwidth(const std::string& text) { return edge_with("<data key=\"b\">" + text + "</data>"); }
std::string latency(const std::string& text) {
    return edge_with("<data key=\"b\">1GB/s</data><data key=\"l\">" + text + "</data>");
}
std::string repeated(const std::string& text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += text;
    return all;
}

std::vector<BrokenGraphmlText> broken_graphml_files() {
    std::string nodes;
    for (int v = 0; v < 530'000; ++v) nodes += "<node id=\"x" + std::to_string(v) + "\"/>\n";
    std::string terminals;
    for (int v = 0; v < 262'145; ++v) terminals += "<node id=\"x" + std::to_string(v) + "\"/>\n";
    std::string bandwidths;
    for (int e = 1; e <= 65; ++e) {
        bandwidths += "<edge source=\"a\" target=\"b\"><data key=\"b\">" + std::to_string(e) + "</data></edge>\n";
    }
    return {
        // XML
        {"empty", "", "g.xml:1", "no element"},
        {"blank", "\n\n", "g.xml:3", "no element"},
        {"json", "{\"schema\": 1}", "g.xml:1", "schema"},
        {"binary", std::string("\x7f\x45LF\x02\x00\x01", 7), "g.xml:1", "\\x02"},
        {"nul_byte", std::string("<graphml>\n\0</graphml>", 21), "g.xml:2", "\\x00"},
        {"cut_in_utf16", std::string("\xff\xfe<\0g\0", 6), "g.xml:1", "<\\x00g"},
        {"encoding_that_nobody_knows", "<?xml version=\"1.0\" encoding=\"Shift_JIS\"?><graphml/>", "g.xml:1",
         "encoding"},
        {"encoding_that_it_is_not", "<?xml version=\"1.0\" encoding=\"UTF-16\"?><graphml/>", "g.xml:1", "encoding"},
        {"latin1", graphml_with("<node id=\"\xe4\"/>"), "g.xml:7", "\\xe4"},
        {"surrogate_in_utf8", graphml_with("<node id=\"\xed\xa0\x80\"/>"), "g.xml:7", "\\xed"},
        {"overlong_utf8", graphml_with("<node id=\"\xc0\xaf\"/>"), "g.xml:7", "\\xc0"},
        {"cut_in_utf8", "<graphml>\xe2\x82", "g.xml:1", "\\xe2"},
        {"many_attributes",
         [] {
             std::string tag = "<graphml";
             for (int i = 0; i < 200'000; ++i) tag += " a" + std::to_string(i) + "=\"\"";
             return tag + "/>";
         }(),
         "g.xml:1", "element 'graphml' has 200000 attributes"},
        {"cut_in_tag", kHead + "<node", "g.xml:6", "<node"},
        {"cut_in_value", kHead + "<node id=\"a", "g.xml:6", "unclosed token near '<node id=\"a'"},
        {"cut_in_comment", kHead + "<!-- x", "g.xml:6", "unclosed token near '<!-- x'"},
        {"cut_in_declaration", "<?xml version", "g.xml:1", "unclosed token near '<?xml version'"},
        {"not_closed", kHead, "g.xml:6", "'graph' of line 5"},
        {"closed_by_another", kHead + "<node id=\"a\">\n</edge>", "g.xml:7", "</edge>"},
        {"closes_nothing", "</graphml>", "g.xml:1", "</graphml>"},
        {"second_root", "<graphml><graph edgedefault=\"directed\"/></graphml>\n<graphml/>", "g.xml:2", "junk"},
        {"text_after_root", "<graphml></graphml>\n\nx", "g.xml:3", "near 'x'"},
        {"text_before_root", "x<graphml/>", "g.xml:1", "'x"},
        {"value_without_quotes", graphml_with("<node id=a/>"), "g.xml:7", "id=a/>"},
        {"attribute_without_value", graphml_with("<node id/>"), "g.xml:7", "id/>"},
        {"attribute_twice", graphml_with("<node id=\"x\" id=\"y\"/>"), "g.xml:7", "duplicate attribute near '"},
        {"attributes_without_blank", graphml_with("<node id=\"x\"x=\"y\"/>"), "g.xml:7", "x\"x=\"y"},
        {"tag_in_value", graphml_with("<node id=\"<\"/>"), "g.xml:7", "id=\"<\"/>"},
        {"entity_bomb",
         "<?xml version=\"1.0\"?>\n<!DOCTYPE g [<!ENTITY a \"aaaa\"><!ENTITY b "
         "\"&a;&a;&a;\">]>\n<graphml>&b;</graphml>",
         "g.xml:2", "DOCTYPE"},
        {"external_entity", "<!DOCTYPE g SYSTEM \"file:///etc/passwd\">\n<graphml>&e;</graphml>", "g.xml:2",
         "unknown entity 'e'"},
        {"unknown_entity_in_value", graphml_with("<node id=\"&b;\"/>"), "g.xml:7", "&b;"},
        {"unknown_entity_in_text", graphml_with("\n<desc>&nbsp;</desc>"), "g.xml:8", "&nbsp;"},
        {"entity_of_a_control_character", graphml_with("<node id=\"&#7;\"/>"), "g.xml:7", "&#7;"},
        {"entity_beyond_unicode", graphml_with("<node id=\"&#x110000;\"/>"), "g.xml:7", "&#x110000;"},
        {"entity_without_number", graphml_with("<node id=\"&#;\"/>"), "g.xml:7", "&#;"},
        {"deep", repeated("<graphml>\n", 100'000), "g.xml:65", "deeper than 64"},
        {"long_tag",
         [] {
             std::string tag = "<graphml>\n<a";
             for (int i = 0; i < 1'000'000; ++i) tag += " a" + std::to_string(i) + "=\"\"";
             return tag + "/></graphml>";
         }(),
         "g.xml:2", "longer than 1 MiB: '<a a0="},
        {"long_text", "<graphml>" + std::string(std::size_t{64} << 20, ' '), "g.xml", "64 MiB: 67108873 bytes"},
        {"many_elements", "<graphml>" + repeated("<a/>", 4'200'000), "g.xml:1", "4194304 elements"},
        {"prefix_of_no_namespace", graphml_with("<y:node id=\"c\"/>"), "g.xml:7", "prefix"},
        // GraphML
        {"other_root", "<svg/>", "g.xml:1", "'svg'"},
        {"prefixed_and_empty", "<g:graphml xmlns:g=\"x\"/>", "g.xml", "no <graph>"},
        {"no_graph", "<graphml>\n</graphml>", "g.xml", "no <graph>"},
        {"two_graphs", kHead + kNodes + "</graph>\n<graph edgedefault=\"directed\"/></graphml>", "g.xml:8",
         "duplicate <graph>"},
        {"no_edgedefault", "<graphml>\n<graph>\n</graph></graphml>", "g.xml:2", "edgedefault"},
        {"unknown_edgedefault", "<graphml>\n<graph edgedefault=\"both\"/></graphml>", "g.xml:2", "both"},
        {"no_node", kHead + "</graph></graphml>", "g.xml", "no terminal"},
        {"node_without_id", graphml_with("<node/>"), "g.xml:7", "'id'"},
        {"node_with_empty_id", graphml_with("<node id=\"\"/>"), "g.xml:7", "''"},
        {"node_with_long_id", graphml_with("<node id=\"" + std::string(256, 'x') + "\"/>"), "g.xml:7", "xxx"},
        {"node_id_of_two_lines", graphml_with("<node id=\"x&#10;y\"/>"), "g.xml:7", "x\\x0ay"},
        {"node_twice", graphml_with("<node id=\"a\"/>"), "g.xml:7", "on lines 6 and 7"},
        {"node_twice_by_entity", graphml_with("<node id=\"&#97;\"/>"), "g.xml:7", "on lines 6 and 7"},
        {"too_many_nodes", graphml_with(nodes), "g.xml:524293", "524288 nodes"},
        {"too_many_terminals", kHead + terminals + "</graph></graphml>", "g.xml", "262145"},
        {"edge_without_source", graphml_with("<edge target=\"b\"/>"), "g.xml:7", "'source'"},
        {"edge_without_target", graphml_with("<edge source=\"b\"/>"), "g.xml:7", "'target'"},
        {"edge_to_undeclared_node", graphml_with("\n<edge source=\"a\" target=\"c\"/>"), "g.xml:8", "'c'"},
        {"edge_to_itself", graphml_with("<edge source=\"a\" target=\"a\"/>"), "g.xml:7", "'a'"},
        {"edge_of_unknown_direction", graphml_with("<edge source=\"a\" target=\"b\" directed=\"yes\"/>"), "g.xml:7",
         "'yes'"},
        {"too_many_links", graphml_with("<desc/>\n" + repeated("<edge source=\"a\" target=\"b\"/>\n", 1'048'577)),
         "g.xml:1048584", "2097152 links"},
        {"edge_without_bandwidth", edge_with(""), "g.xml:8", "bandwidth"},
        {"hyperedge", graphml_with("<hyperedge><endpoint node=\"a\"/></hyperedge>"), "g.xml:7", "hyperedge"},
        {"graph_in_node", graphml_with("<node id=\"n\">\n<graph edgedefault=\"directed\"/></node>"), "g.xml:8",
         "inside a node"},
        {"graph_in_edge", graphml_with("\n<edge source=\"a\" target=\"b\"><graph edgedefault=\"directed\"/></edge>"),
         "g.xml:8", "inside an edge"},
        {"not_connected", graphml_with(""), "g.xml", "no path from 'a' to 'b'"},
        {"data_without_key", edge_with("<data>5GB/s</data>"), "g.xml:8", "'key'"},
        {"data_of_unknown_key", edge_with("<data key=\"q\">5GB/s</data>"), "g.xml:8", "'q'"},
        {"data_twice", edge_with("<data key=\"b\">5GB/s</data>\n<data key=\"b\">6GB/s</data>"), "g.xml:9", "'b'"},
        {"key_without_id", "<graphml>\n<key for=\"node\"/></graphml>", "g.xml:2", "'id'"},
        {"key_twice", "<graphml><key id=\"t\" for=\"node\"/>\n<key id=\"t\" for=\"edge\"/></graphml>", "g.xml:2",
         "'t'"},
        {"key_for_something_else", "<graphml>\n<key id=\"t\" for=\"cat\"/></graphml>", "g.xml:2", "'cat'"},
        {"too_many_keys",
         [] {
             std::string text = "<graphml>\n";
             for (int k = 0; k < 1025; ++k) text += "<key id=\"" + std::to_string(k) + "\" for=\"node\"/>\n";
             return text + "</graphml>";
         }(),
         "g.xml:1026", "1024 keys"},
        {"key_of_edges_at_a_node", graphml_with("<node id=\"x\"><data key=\"b\">1</data></node>"), "g.xml:7",
         "'bandwidth'"},
        {"default_that_is_no_value",
         "<graphml><key id=\"b\" for=\"edge\" "
         "attr.name=\"bandwidth\">\n<default>fast</default></key></graphml>",
         "g.xml:2", "'fast'"},
        {"default_twice",
         "<graphml><key id=\"b\" for=\"edge\" "
         "attr.name=\"bandwidth\"><default>1</default>\n<default>2</default></key>"
         "</graphml>",
         "g.xml:2", "'b'"},
        {"element_in_a_value", bandwidth("<b>5</b>"), "g.xml:8", "'b' inside a value"},
        {"value_by_two_keys_of_one_name",
         "<graphml><key id=\"i\" for=\"edge\" attr.name=\"bandwidth\"/><key id=\"j\" for=\"edge\" "
         "attr.name=\"bandwidth\"/>"
         "<graph edgedefault=\"directed\">\n<edge source=\"a\" target=\"b\"><data key=\"i\">1</data>\n"
         "<data key=\"j\">1</data></edge></graph></graphml>",
         "g.xml:3", "'j'"},
        {"terminal_is_maybe", graphml_with("<node id=\"x\"><data key=\"t\">maybe</data></node>"), "g.xml:7", "'maybe'"},
        {"terminal_is_two", graphml_with("<node id=\"x\"><data key=\"t\">2</data></node>"), "g.xml:7", "'2'"},
        {"terminal_is_empty", graphml_with("<node id=\"x\"><data key=\"t\"/></node>"), "g.xml:7", "''"},
        {"only_switches", kHead + "<node id=\"x\"><data key=\"t\">0</data></node></graph></graphml>", "g.xml",
         "no terminal"},
        {"bandwidth_negative", bandwidth("-5GB/s"), "g.xml:8", "-5GB/s"},
        {"bandwidth_negative_number", bandwidth("-5e9"), "g.xml:8", "-5e9"},
        {"bandwidth_zero", bandwidth("0"), "g.xml:8", "'0'"},
        {"bandwidth_zero_with_unit", bandwidth("0GB/s"), "g.xml:8", "0GB/s"},
        {"bandwidth_in_bytes", bandwidth("5GB"), "g.xml:8", "5GB"},
        {"bandwidth_is_text", bandwidth("fast"), "g.xml:8", "fast"},
        {"bandwidth_is_empty", bandwidth(""), "g.xml:8", "''"},
        {"bandwidth_is_nan", bandwidth("nan"), "g.xml:8", "nan"},
        {"bandwidth_is_infinite", bandwidth("inf"), "g.xml:8", "inf"},
        {"bandwidth_beyond_doubles", bandwidth("1e999"), "g.xml:8", "1e999"},
        {"bandwidth_too_large", bandwidth("5000TB/s"), "g.xml:8", "5000TB/s"},
        {"bandwidth_number_too_large", bandwidth("1e16"), "g.xml:8", "1e16"},
        {"bandwidths_all_different", graphml_with(bandwidths), "g.xml:71", "64 different"},
        {"latency_negative", latency("-1"), "g.xml:8", "-1"},
        {"latency_in_bytes", latency("5B"), "g.xml:8", "5B"},
        {"latency_too_long", latency("1e7"), "g.xml:8", "1e7"},
        {"latency_finer_than_a_picosecond", latency("0.5ps"), "g.xml:8", "0.5ps"},
    };
}

class BrokenGraphml : public ::testing::TestWithParam<BrokenGraphmlText> {};

TEST_P(BrokenGraphml, is_refused_with_place_and_value) {
    const BrokenGraphmlText& broken = GetParam();
    try {
        (void)parse_graphml(broken.text, "g.xml", std::nullopt);
        FAIL() << "accepted:\n" << broken.text.substr(0, 1000);
    } catch (const InputError& error) {
        const std::string what = error.what();
        EXPECT_TRUE(what.starts_with(broken.place + ": ")) << what;
        EXPECT_NE(what.find(broken.value), std::string::npos) << what;
    }
}

INSTANTIATE_TEST_SUITE_P(, BrokenGraphml, ::testing::ValuesIn(broken_graphml_files()),
                         [](const auto& test) { return test.param.claim; });

TEST(Graphml, cut_at_any_byte_is_an_input_error) {
    const std::string whole = bandwidth("5GB/s");
    const std::size_t end = whole.rfind('>');
    for (std::size_t length = 0; length < end; ++length) {
        EXPECT_THROW((void)parse_graphml(whole.substr(0, length), "g.xml", std::nullopt), InputError) << length;
    }
    EXPECT_NO_THROW((void)parse_graphml(whole, "g.xml", std::nullopt));
}

TEST(Graphml, with_any_byte_changed_is_an_input_error_or_a_graph) {
    const std::string whole = latency("1us");
    for (std::size_t at = 0; at < whole.size(); ++at) {
        for (const char c : {'<', '>', '"', '&', '/', ' ', '0', '\n', '\x80', '!'}) {
            std::string changed = whole;
            changed[at] = c;
            try {
                (void)parse_graphml(changed, "g.xml", std::nullopt);
            } catch (const InputError& error) {
                EXPECT_TRUE(std::string(error.what()).starts_with("g.xml")) << error.what();
            }
        }
    }
}

}  // namespace
}  // namespace haichi
