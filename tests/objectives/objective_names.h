#pragma once

#include <limits>
#include <string>
#include <vector>

#include "mapper/anneal/objective_table.h"

namespace haichi::testing_problems {

/// A string that names the entry's objective; a sum is named with one of two terms.
inline std::string text_of(const ObjectiveRow& row) {
    return std::string(row.name) + (row.needs_terms ? "(hop-bytes=0.5,tac3=0.5)" : "");
}

/// All registered objectives that a search can evaluate often, without those that need seconds on large jobs.
inline std::vector<std::string> quick_objectives() {
    std::vector<std::string> names;
    for (const ObjectiveRow& row : objectives()) {
        const bool is_slow = row.most_messages < std::numeric_limits<std::int64_t>::max();
        if (row.bind != nullptr && !is_slow) names.push_back(text_of(row));
    }
    return names;
}

/// The objectives whose value is computed on the real topology, so that searches find its minimum.
inline std::vector<std::string> real_objectives() {
    std::vector<std::string> names;
    for (const std::string& name : quick_objectives()) {
        if (!objectives().at(name.substr(0, name.find('('))).needs_logical_torus) names.push_back(name);
    }
    return names;
}

/// "weighted(...)" of all objectives except sums, with different weights.
inline std::string weighted_sum_of_quick_objectives() {
    std::string sum;
    int weight = 1;
    for (const std::string& name : real_objectives()) {
        if (name.ends_with(')')) continue;
        sum += (sum.empty() ? "weighted(" : ",") + name + "=" + std::to_string(weight);
        weight = weight * 2 % 7;
    }
    return sum + ")";
}

}  // namespace haichi::testing_problems
