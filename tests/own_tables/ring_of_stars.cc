#include "tests/own_tables/ring_of_stars.h"

#include <array>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "base/errors.h"
#include "netmodel/routing/routes.h"
#include "netmodel/topology/sizes.h"

namespace haichi {

namespace {

//     0  1     2  3
//      \/       \/
//      s0 ----- s1 ----- s2 .. (s0)
struct RingOfStars {
    std::int32_t switches = 3;
    std::int32_t hosts = 1;  ///< per switch

    [[nodiscard]] std::int32_t terminal_count() const { return switches * hosts; }
    [[nodiscard]] std::int32_t vertex_count() const { return terminal_count() + switches; }
    /// Links are numbered up, down, then clockwise and counter-clockwise for each switch.
    [[nodiscard]] std::int32_t link_count() const { return 2 * terminal_count() + 2 * switches; }
    [[nodiscard]] VertexId switch_vertex(std::int32_t s) const { return VertexId(terminal_count() + s); }
    [[nodiscard]] LinkId ring_link(std::int32_t from, bool is_clockwise) const {
        return LinkId(2 * terminal_count() + 2 * from + (is_clockwise ? 0 : 1));
    }
    /// The number of steps, positive if clockwise; the half-way switch is reached clockwise.
    [[nodiscard]] std::int32_t steps(VertexId s, VertexId d) const {
        const std::int32_t clockwise = (d.value / hosts - s.value / hosts + switches) % switches;
        return 2 * clockwise <= switches ? clockwise : clockwise - switches;
    }

    struct LinkEnds {
        VertexId from;
        VertexId to;
    };
    [[nodiscard]] LinkEnds link_ends(LinkId link) const {
        const VertexId terminal(link.value % terminal_count());
        if (link.value < terminal_count()) return {terminal, switch_vertex(terminal.value / hosts)};
        if (link.value < 2 * terminal_count()) return {switch_vertex(terminal.value / hosts), terminal};
        const std::int32_t number = link.value - 2 * terminal_count();
        const std::int32_t from = number / 2;
        const std::int32_t to = (from + (number % 2 == 0 ? 1 : switches - 1)) % switches;
        return {switch_vertex(from), switch_vertex(to)};
    }
    friend bool operator==(const RingOfStars&, const RingOfStars&) = default;
};

class Around final : public Routes {
  public:
    explicit Around(const RingOfStars& ring) : ring_(ring) {}
    [[nodiscard]] std::string name() const override { return "around"; }
    void append_route(VertexId s, VertexId d, std::vector<LinkId>& links) const override {
        std::vector<ChannelHop> hops;
        append_hops(s, d, hops);
        for (const ChannelHop& hop : hops) links.push_back(hop.link);
    }
    [[nodiscard]] std::int32_t hops(VertexId s, VertexId d) const override {
        return s == d ? 0 : 2 + std::abs(ring_.steps(s, d));
    }
    [[nodiscard]] std::int32_t longest() const override { return 2 + ring_.switches / 2; }
    [[nodiscard]] bool are_shortest() const override { return true; }
    [[nodiscard]] bool are_symmetric() const override { return true; }
    [[nodiscard]] std::shared_ptr<const ChannelRule> channels(const JobNodes&, std::int32_t) const override;

    /// As on a torus: a route uses VC 1 until it has passed between the last and the first switch, then VC 0.
    void append_hops(VertexId s, VertexId d, std::vector<ChannelHop>& hops) const {
        hops.push_back({LinkId(s.value), 0});
        std::int32_t at = s.value / ring_.hosts;
        const std::int32_t target = d.value / ring_.hosts;
        const std::int32_t steps = ring_.steps(s, d);
        for (std::int32_t i = 0; i < std::abs(steps); ++i) {
            const bool is_ahead = steps > 0 ? target < at : target > at;
            hops.push_back({ring_.ring_link(at, steps > 0), static_cast<std::uint8_t>(is_ahead ? 1 : 0)});
            at = (at + (steps > 0 ? 1 : ring_.switches - 1)) % ring_.switches;
        }
        hops.push_back({LinkId(ring_.terminal_count() + d.value), 0});
    }

  private:
    const RingOfStars& ring_;
};

class Dateline final : public ChannelRule {
  public:
    explicit Dateline(const Around& routes) : routes_(routes) {}
    [[nodiscard]] std::int32_t needed() const override { return 2; }
    void append_route(VertexId s, VertexId d, std::vector<ChannelHop>& hops) const override {
        routes_.append_hops(s, d, hops);
    }

  private:
    const Around& routes_;
};

std::shared_ptr<const ChannelRule> Around::channels(const JobNodes&, std::int32_t) const {
    return std::make_shared<Dateline>(*this);
}

class RingTopology final : public TopologyOf<RingOfStars> {
  public:
    using TopologyOf::TopologyOf;
    [[nodiscard]] std::span<const PortClass> link_classes() const override { return classes_; }
    [[nodiscard]] std::size_t class_of_link(LinkId link) const override {
        return link.value < 2 * terminal_count() ? 0 : 1;
    }
    [[nodiscard]] std::string vertex_name(VertexId v) const override {
        if (v.value < terminal_count()) return "(host " + std::to_string(v.value) + ")";
        return "(star " + std::to_string(v.value - terminal_count()) + ")";
    }
    [[nodiscard]] std::string link_name(LinkId link) const override {
        const LinkEnds ends = link_ends(link);
        const bool is_clockwise = link.value % 2 == 0;  // with two switches both directions have the same ends
        const std::string kind = class_of_link(link) == 0 ? "ray" : is_clockwise ? "on" : "back";
        return kind + " " + vertex_name(ends.from) + "->" + vertex_name(ends.to);
    }
    [[nodiscard]] nlohmann::ordered_json description() const override {
        return {{"kind", "ring-of-stars"}, {"switches", value().switches}, {"hosts", value().hosts}};
    }
    [[nodiscard]] std::string routing(std::string_view text) const override {
        if (text.empty() || text == "around") return "around";
        throw OptionError("routing " + shown(text) + " does not fit a ring of stars", "its routing is around");
    }
    [[nodiscard]] std::shared_ptr<const Routes> routes(std::string_view text, const RouteLimits&) const override {
        (void)routing(text);
        return std::make_shared<Around>(value());
    }

  private:
    std::array<PortClass, 2> classes_ = {PortClass{.name = "rays"},
                                         PortClass{.name = "ring", .bandwidth_bytes_per_s = 1'000'000'000}};
};

std::shared_ptr<const Topology> ring_of(std::int32_t switches, std::int32_t hosts) {
    if (switches < 2 || hosts < 1) throw OptionError("a ring of stars has at least 2 switches with 1 host each");
    return std::make_shared<RingTopology>(RingOfStars{switches, hosts});
}

std::shared_ptr<const Topology> read_parameters(const TopologyParameters& from) {
    const std::vector<std::int32_t> numbers = parse_sizes(*from.text, from.machine, ',', "ring-of-stars:4,2");
    if (numbers.size() != 2) throw OptionError("machine " + shown(from.machine) + " needs two numbers");
    return ring_of(numbers[0], numbers[1]);
}

ReadTopology read_section(const TopologySection& from) {
    return {ring_of(from.section.integer("switches", 2, 1000), from.section.integer("hosts", 1, 1000))};
}

}  // namespace

TopologyRow ring_of_stars_row() {
    TopologyPreset preset;
    preset.word = "ring-of-stars";
    preset.pattern = "ring-of-stars:SWITCHES,HOSTS";
    preset.sentence = "switches in a ring with hosts on each, for tests";
    preset.example = "ring-of-stars:5,3";
    preset.machine_file = "fattree";
    preset.read = read_parameters;
    TopologyRow row;
    row.name = "ring-of-stars";
    row.sentence = "switches in a ring, hosts on each";
    row.keys = {"switches", "hosts"};
    row.example = R"({"kind": "ring-of-stars", "switches": 5, "hosts": 3})";
    row.routings = {{"around", "rings of stars: the shorter way"}};
    row.read = read_section;
    row.preset = preset;
    return row;
}

}  // namespace haichi
