#include <string_view>
#include <utility>

#include "base/outputs.h"
#include "commlog/workload/patterns.h"
#include "commlog/workload/workload_json.h"
#include "library/data.h"

namespace haichi::v0 {

namespace {

std::shared_ptr<const detail::WorkloadData> as_data(const Traffic& traffic) {
    return std::make_shared<const detail::WorkloadData>(
        detail::WorkloadData{std::make_shared<const LoadedTraffic>(traffic)});
}

std::shared_ptr<const detail::WorkloadData> as_data(haichi::Workload workload) {
    return as_data(Traffic{.source = std::make_shared<const haichi::Workload>(std::move(workload))});
}

haichi::Workload with_sets(std::int32_t ranks, const std::vector<CommunicationSet>& sets, std::int64_t iterations) {
    haichi::Workload workload(ranks, iterations);
    std::size_t count = 0;
    for (const CommunicationSet& set : sets) count += set.messages.size();
    workload.reserve_messages(count);
    for (std::size_t t = 0; t < sets.size(); ++t) {
        const CommunicationSet& set = sets[t];
        workload.add_set(set.label.empty() ? "set " + std::to_string(t + 1) : set.label, set.compute_seconds,
                         set.is_put ? Transfer::kPut : Transfer::kMessages);
        for (const Message& m : set.messages) workload.add_message(RankId(m.source), RankId(m.destination), m.bytes);
    }
    return workload;
}

}  // namespace

Workload Workload::read(const std::string& path, const std::string& format) {
    return detail::converted([&] {
        return Workload(as_data(Traffic{.source = WorkloadFile{path, format}, .keeps_calls = true}));
    });
}

Workload Workload::pattern(std::string_view name, const PatternOptions& options) {
    return detail::converted([&] {
        haichi::PatternOptions wanted;
        wanted.ranks = options.ranks;
        wanted.dims = options.dims;
        wanted.periodic = options.periodic;
        wanted.points = options.points;
        wanted.message_bytes = options.message_bytes;
        wanted.iterations = options.iterations;
        wanted.seed = options.seed;
        wanted.mean_degree = options.mean_degree;
        wanted.shuffle_seed = options.shuffle_seed;
        return Workload(as_data(make_pattern(name, std::move(wanted))));
    });
}

Workload::Workload(std::int32_t ranks, const std::vector<CommunicationSet>& sets, std::int64_t iterations)
    : data_(detail::converted([&] { return as_data(with_sets(ranks, sets, iterations)); })) {}

Workload::Workload(std::int32_t ranks, std::vector<Message> messages, std::int64_t iterations)
    : Workload(ranks, std::vector<CommunicationSet>{{.messages = std::move(messages)}}, iterations) {}

Workload::Workload(std::shared_ptr<const detail::WorkloadData> data) : data_(std::move(data)) {}

std::int32_t Workload::ranks() const { return data_->traffic->rank_count(); }

std::int64_t Workload::iterations() const {
    return detail::converted([&] { return data_->traffic->workload().iterations(); });
}

std::int64_t Workload::total_bytes() const {
    return detail::converted([&] { return data_->traffic->workload().total_bytes(); });
}

std::vector<std::string> Workload::warnings() const {
    return detail::converted([&] { return data_->traffic->warnings(); });
}

std::vector<CommunicationSet> Workload::sets() const {
    return detail::converted([&] {
        const haichi::Workload& workload = data_->traffic->workload();
        std::vector<CommunicationSet> sets(workload.set_count());
        for (std::size_t t = 0; t < sets.size(); ++t) {
            const haichi::Workload::Set& set = workload.set(t);
            sets[t].label = set.label;
            sets[t].compute_seconds = set.compute_seconds;
            sets[t].is_put = set.transfer == Transfer::kPut;
            for (const haichi::Message& m : workload.messages(t)) {
                sets[t].messages.push_back({m.source.value, m.destination.value, m.size_bytes});
            }
        }
        return sets;
    });
}

void Workload::write(const std::string& path) const {
    detail::converted([&] {
        const haichi::Workload& workload = data_->traffic->workload();
        Outputs outputs;
        OutputFile& file = outputs.add_file(path);
        outputs.open();
        write_workload_json(workload, [&](std::string_view text) { file.write(text); });
        outputs.commit();
    });
}

}  // namespace haichi::v0
