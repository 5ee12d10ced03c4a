#include "commlog/ccs/extraction_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace haichi {

namespace {

nlohmann::json kernel_json(const KernelSummary& kernel, const Extraction& extraction) {
    return {{"repetitions", kernel.repetitions},
            {"ranks", kernel.ranks},
            {"events_per_rank", {kernel.events_per_rank_least, kernel.events_per_rank_most}},
            {"messages", kernel.messages},
            {"share_of_messages", Extraction::share(kernel.messages, extraction.total_messages)},
            {"bytes", kernel.bytes},
            {"share_of_bytes", Extraction::share(kernel.bytes, extraction.total_bytes)},
            {"loop_of", kernel.around < 0 ? nlohmann::json() : nlohmann::json(kernel.around + 1)}};
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
    json kernels = json::array();
    for (const KernelSummary& kernel : extraction.kernels) kernels.push_back(kernel_json(kernel, extraction));
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
        {"kernel", extraction.chosen < 0 ? json("whole") : json(extraction.chosen + 1)},
        {"repetitions", workload.iterations()},
        {"kernels", std::move(kernels)},
        {"total_bytes", extraction.total_bytes},
        {"kernel_bytes", extraction.kernel_bytes},
        {"share_of_bytes", extraction.share_of_bytes()},
        {"total_messages", extraction.total_messages},
        {"kernel_messages", extraction.kernel_messages},
        {"share_of_messages", extraction.share_of_messages()},
        {"levels", extraction.levels},
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
    return report.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace haichi
