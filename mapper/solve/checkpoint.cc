#include "mapper/solve/checkpoint.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/errors.h"
#include "base/json_text.h"
#include "mapper/search/progress_meter.h"

namespace haichi {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr const char* kSchema = "haichi-checkpoint/1";

bool is_of_same_search(const KeptPlacement& a, const std::string& objective, std::uint64_t seed) {
    return a.objective == objective && a.seed == seed;
}

KeptPlacement placement_of(const json& entry) {
    KeptPlacement kept{.objective = entry.at("objective"),
                       .seed = entry.at("seed"),
                       .is_complete = entry.at("is_complete"),
                       .value = entry.at("value")};
    for (const json& node : entry.at("node_of_rank")) kept.node_of_rank.emplace_back(node.get<std::int32_t>());
    return kept;
}

}  // namespace

void Checkpoint::read(std::string_view text, const std::string& file) {
    bool is_one = false;
    try {
        const json root = parse_json(text);
        is_one = root.at("schema") == kSchema;
        if (is_one) seconds_before_ = root.at("seconds");
        if (is_one) std::ranges::transform(root.at("searches"), std::back_inserter(before_), placement_of);
    } catch (const json::exception&) {
        is_one = false;  // only haichi writes these files, so a detailed error would not help
    }
    if (!is_one) throw InputError(file + " is not a checkpoint of haichi map", "remove it, or name another file");
    file_ = file;
    kept_ = before_;
}

const KeptPlacement* Checkpoint::find(const std::string& objective, std::uint64_t seed) const {
    const auto found = std::ranges::find_if(
        before_, [&](const KeptPlacement& kept) { return is_of_same_search(kept, objective, seed); });
    return found == before_.end() ? nullptr : &*found;
}

void Checkpoint::keep(KeptPlacement placement) {
    const std::scoped_lock lock(mutex_);
    const auto found = std::ranges::find_if(
        kept_, [&](const KeptPlacement& kept) { return is_of_same_search(kept, placement.objective, placement.seed); });
    if (found == kept_.end()) {
        kept_.push_back(std::move(placement));
    } else {
        *found = std::move(placement);
    }
    write();
}

void Checkpoint::tick() {
    constexpr double kSeconds = 1;
    const std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
    if (lock.owns_lock() && seconds_since(written_at_) >= kSeconds) write();
}

void Checkpoint::write() {
    write_(text());
    written_at_ = std::chrono::steady_clock::now();
}

std::string Checkpoint::text() const {
    ordered_json root;
    root["schema"] = kSchema;
    root["seconds"] = seconds_before_ + seconds_since(start_time_);
    auto& searches = root["searches"] = ordered_json::array();
    for (const KeptPlacement& kept : kept_) {
        ordered_json entry;
        entry["objective"] = kept.objective;
        entry["seed"] = kept.seed;
        entry["is_complete"] = kept.is_complete;
        entry["value"] = kept.value;
        auto& nodes = entry["node_of_rank"] = ordered_json::array();
        for (const NodeId node : kept.node_of_rank) nodes.push_back(node.value);
        searches.push_back(std::move(entry));
    }
    return json_text(root) + "\n";
}

}  // namespace haichi
