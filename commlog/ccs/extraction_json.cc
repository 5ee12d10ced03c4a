#include "commlog/ccs/extraction_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json_text.h"

namespace haichi {

namespace {

nlohmann::json main_loop_json(const MainLoopSummary& main_loop, const Extraction& extraction) {
    return {{"iterations", main_loop.iterations},
            {"ranks", main_loop.ranks},
            {"events_per_rank", {main_loop.events_per_rank_least, main_loop.events_per_rank_most}},
            {"messages", main_loop.messages},
            {"fraction_of_messages", Extraction::fraction(main_loop.messages, extraction.total_messages)},
            {"bytes", main_loop.bytes},
            {"fraction_of_bytes", Extraction::fraction(main_loop.bytes, extraction.total_bytes)},
            {"loop_of", main_loop.around < 0 ? nlohmann::json() : nlohmann::json(main_loop.around + 1)}};
}

}  // namespace

SetSize set_size(const Workload& workload, std::size_t set) {
    SetSize size;
    for (const Message& message : workload.messages(set)) {
        ++size.messages;
        size.bytes += message.size_bytes;
        size.largest_bytes = std::max(size.largest_bytes, message.size_bytes);
    }
    return size;
}

std::string extraction_json(const Extraction& extraction, const std::string& log) {
    using nlohmann::json;
    const Workload& workload = extraction.workload;
    json main_loops = json::array();
    for (const MainLoopSummary& main_loop : extraction.main_loops)
        main_loops.push_back(main_loop_json(main_loop, extraction));
    json sets = json::array();
    for (std::size_t t = 0; t < workload.set_count(); ++t) {
        const SetSize size = set_size(workload, t);
        sets.push_back({{"label", workload.set(t).label},
                        {"messages", size.messages},
                        {"bytes", size.bytes},
                        {"largest_bytes", size.largest_bytes}});
    }
    json report = {
        {"schema", "haichi-ccs/1"},
        {"ranks", workload.rank_count()},
        {"main_loop", extraction.chosen < 0 ? json("whole") : json(extraction.chosen + 1)},
        {"iterations", workload.iterations()},
        {"main_loops", std::move(main_loops)},
        {"total_bytes", extraction.total_bytes},
        {"main_loop_bytes", extraction.main_loop_bytes},
        {"fraction_of_bytes", extraction.fraction_of_bytes()},
        {"total_messages", extraction.total_messages},
        {"main_loop_messages", extraction.main_loop_messages},
        {"fraction_of_messages", extraction.fraction_of_messages()},
        {"steps", extraction.steps},
        {"sets", std::move(sets)},
        {"compute_seconds", extraction.compute_seconds},
        {"in_flight", extraction.in_flight},
        {"relying_on_buffers", extraction.relying_on_buffers},
        {"to_oneself", extraction.to_oneself},
        {"outside", extraction.outside},
        {"collectives_not_expanded", extraction.collectives_left},
        {"warnings", extraction.warnings},
    };
    if (!log.empty()) report["log"] = log;
    return json_text(report) + "\n";
}

}  // namespace haichi
