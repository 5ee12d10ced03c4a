#include "netmodel/routing/dimension_order.h"

#include <algorithm>
#include <charconv>

#include "base/errors.h"
#include "base/split.h"

namespace haichi {

namespace {

bool single_letter_names(const Grid& grid) {
    return std::ranges::all_of(grid.axes(), [](const Axis& axis) { return axis.name.size() == 1; });
}

std::vector<std::string> axis_names(const Grid& grid) {
    std::vector<std::string> names;
    for (const Axis& axis : grid.axes()) names.push_back(axis.name);
    return names;
}

std::vector<std::size_t> parse_order(std::string_view text, const Grid& grid) {
    std::vector<std::string> words;
    if (single_letter_names(grid)) {
        for (const char c : text) words.emplace_back(1, c);
    } else {
        for (const std::string_view word : split(text, '.')) words.emplace_back(word);
    }
    const std::vector<std::string> names = axis_names(grid);
    std::vector<std::size_t> order;
    for (const std::string& word : words) {
        const auto found = std::ranges::find(names, word);
        if (found == names.end()) {
            throw OptionError(
                "routing order " + shown(text) + " names axis " + shown(word) + ", which the machine does not have",
                did_you_mean(word, names));
        }
        order.push_back(static_cast<std::size_t>(found - names.begin()));
    }
    for (std::size_t k = 0; k < names.size(); ++k) {
        const auto times = std::ranges::count(order, k);
        if (times == 0 && grid.axis(k).size > 1) {
            throw OptionError("routing order " + shown(text) + " leaves out axis " + names[k]);
        }
        if (times > 2) throw OptionError("routing order " + shown(text) + " names axis " + names[k] + " three times");
    }
    return order;
}

std::int32_t parse_column(std::string_view text, const Axis& axis, std::string_view whole) {
    std::int32_t column = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), column);
    if (error != std::errc{} || end != text.data() + text.size() || column < 0 || column >= axis.size) {
        throw OptionError("routing " + shown(whole) + ": invalid column " + shown(text) + " (axis " + axis.name +
                          " has " + std::to_string(axis.size) + " positions)");
    }
    return column;
}

}  // namespace

DimensionOrder parse_dimension_order(std::string_view text, const Grid& grid) {
    constexpr std::string_view kPrefix = "dor:";
    if (!text.starts_with(kPrefix)) {
        throw OptionError("routing " + shown(text) + " does not fit a mesh or torus", "an example is dor:XYZACB,tie=+");
    }
    const std::vector<std::string_view> parts = split(text.substr(kPrefix.size()), ',');
    const std::vector<std::size_t> order = parse_order(parts[0], grid);
    DimensionOrder routing;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const bool last =
            std::find(order.begin() + static_cast<std::ptrdiff_t>(i) + 1, order.end(), order[i]) == order.end();
        routing.stages.push_back({order[i], last, std::nullopt});
    }
    for (std::size_t p = 1; p < parts.size(); ++p) {
        if (parts[p] == "tie=+") {
            routing.tie = Sign::kPlus;
        } else if (parts[p] == "tie=-") {
            routing.tie = Sign::kMinus;
        } else if (parts[p].starts_with("column=")) {
            const auto values = split(parts[p].substr(7), '.');
            std::size_t next = 0;
            for (DimensionOrder::Stage& stage : routing.stages) {
                if (stage.to_destination) continue;
                if (next == values.size()) throw OptionError("too few coordinates in " + shown(parts[p]));
                stage.column = parse_column(values[next++], grid.axis(stage.axis), text);
            }
            if (next != values.size()) throw OptionError("too many coordinates in " + shown(parts[p]));
        } else {
            throw OptionError("unknown routing parameter " + shown(parts[p]),
                              "parameters are tie=+, tie=- and column=...");
        }
    }
    return routing;
}

std::string to_string(const DimensionOrder& routing, const Grid& grid) {
    std::string text = "dor:";
    std::string column;
    for (const DimensionOrder::Stage& stage : routing.stages) {
        if (!single_letter_names(grid) && text.size() > 4) text += '.';
        text += grid.axis(stage.axis).name;
        if (!stage.column) continue;
        if (!column.empty()) column += '.';
        column += std::to_string(*stage.column);
    }
    text += routing.tie == Sign::kPlus ? ",tie=+" : ",tie=-";
    if (!column.empty()) text += ",column=" + column;
    return text;
}

DimensionOrder default_dimension_order(const Grid& grid) {
    DimensionOrder routing;
    for (std::size_t k = 0; k < grid.axis_count(); ++k) routing.stages.push_back({k, true, std::nullopt});
    return routing;
}

}  // namespace haichi
