#include "objectives/registry.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace haichi {

std::vector<ObjectiveInfo> objective_infos() {
    std::vector<ObjectiveInfo> infos;
    for_each_objective([&](auto tag) { infos.push_back(decltype(tag)::type::kInfo); });
    return infos;
}

std::vector<ObjectiveInfo> named_objectives() {
    std::vector<ObjectiveInfo> infos = objective_infos();
    infos.push_back(kSimulatedTime);
    return infos;
}

namespace {

void check_name(std::string_view name) {
    std::vector<std::string> names;
    for (const ObjectiveInfo& info : named_objectives()) names.emplace_back(info.name);
    if (std::ranges::find(names, name) != names.end()) return;
    std::string all;
    for (const std::string& known : names) all += (all.empty() ? "" : ", ") + known;
    const std::string near = did_you_mean(name, names);
    throw OptionError("unknown objective " + shown(name), near.empty() ? "objectives are " + all : near);
}

double parse_weight(std::string_view text, std::string_view whole) {
    double weight = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), weight);
    // The limits keep every sum far from infinity and from zero.
    constexpr double kSmallest = 1e-12;
    constexpr double kLargest = 1e12;
    if (error != std::errc{} || end != text.data() + text.size() || !(weight >= kSmallest && weight <= kLargest)) {
        throw OptionError("weight " + shown(text) + " in " + shown(whole) + " is not a number from 1e-12 to 1e12");
    }
    return weight;
}

}  // namespace

ObjectiveSpec parse_objective(std::string_view text) {
    ObjectiveSpec spec;
    const auto open = text.find('(');
    spec.name = std::string(text.substr(0, open));
    check_name(spec.name);
    if (open == std::string_view::npos) {
        if (spec.name == Weighted::kInfo.name) {
            throw OptionError("objective weighted needs its terms", "an example is weighted(hop-bytes=0.7,tac3=0.3)");
        }
        return spec;
    }
    if (spec.name != Weighted::kInfo.name || !text.ends_with(')')) {
        throw OptionError("cannot read objective " + shown(text), "an example is weighted(hop-bytes=0.7,tac3=0.3)");
    }
    std::string_view terms = text.substr(open + 1, text.size() - open - 2);
    while (true) {
        const auto comma = terms.find(',');
        const std::string_view term = terms.substr(0, comma);
        const auto equals = term.find('=');
        if (equals == std::string_view::npos) {
            throw OptionError("term " + shown(term) + " of " + shown(text) + " is not NAME=WEIGHT");
        }
        const std::string name(term.substr(0, equals));
        check_name(name);
        if (name == Weighted::kInfo.name) throw OptionError("weighted() cannot hold weighted()");
        if (name == kSimulatedTime.name) {
            throw OptionError("weighted() cannot hold " + name, "it ranks the placements that a search has found");
        }
        spec.weights.emplace_back(name, parse_weight(term.substr(equals + 1), text));
        if (comma == std::string_view::npos) return spec;
        terms.remove_prefix(comma + 1);
    }
}

std::string to_string(const ObjectiveSpec& spec) {
    if (spec.weights.empty()) return spec.name;
    std::string terms;
    for (const auto& [name, weight] : spec.weights) {
        char buffer[32];
        const auto [end, error] = std::to_chars(std::begin(buffer), std::end(buffer), weight);
        terms += (terms.empty() ? "" : ",") + name + "=" + std::string(buffer, end);
    }
    return spec.name + "(" + terms + ")";
}

}  // namespace haichi
