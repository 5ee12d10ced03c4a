#include "mapper/job/loaded_traffic.h"

#include <utility>

#include "base/errors.h"
#include "commlog/readers/log_readers.h"
#include "commlog/readers/readers.h"

namespace haichi {

namespace {

std::shared_ptr<const Workload> with_size(std::shared_ptr<const Workload> workload,
                                          const std::optional<std::int64_t>& size_bytes) {
    if (!size_bytes) return workload;
    return std::make_shared<const Workload>(workload->with_message_size(*size_bytes));
}

}  // namespace

LoadedTraffic::LoadedTraffic(const Traffic& traffic, const Reading& reading)
    : message_size_bytes_(traffic.message_size_bytes) {
    if (const auto* shared = std::get_if<std::shared_ptr<const Workload>>(&traffic.source)) {
        workload_ = *shared;
    } else if (const auto* value = std::get_if<Workload>(&traffic.source)) {
        workload_ = std::make_shared<const Workload>(*value);
    } else if (const auto* of_log = std::get_if<WorkloadOfLog>(&traffic.source)) {
        is_of_log_ = true;
        workload_ = of_log->workload;
        path_ = of_log->log_path;
        has_unread_calls_ = !message_size_bytes_;  // calls have the sizes of the log
    } else if (const auto* program = std::get_if<ProgramTraffic>(&traffic.source)) {
        rank_count_ = program->rank_count;
        is_of_program_ = true;
        return;
    } else {
        const WorkloadFile& file = std::get<WorkloadFile>(traffic.source);
        std::variant<Workload, JobLog> read = read_traffic(file.path, file.format, reading);
        if (auto* job = std::get_if<JobLog>(&read); job == nullptr) {
            workload_ = std::make_shared<const Workload>(std::get<Workload>(std::move(read)));
        } else if (traffic.keeps_calls && job->has_calls) {
            calls_ = std::make_shared<const JobLog>(std::move(*job));
            is_of_log_ = true;
            path_ = file.path;
            rank_count_ = calls_->rank_count;
            return;
        } else {
            is_of_log_ = true;
            path_ = file.path;
            take_sets_of(*job, reading.log());
        }
    }
    workload_ = with_size(workload_, message_size_bytes_);
    rank_count_ = workload_->rank_count();
}

void LoadedTraffic::take_sets_of(const JobLog& job, const Log& log) const {
    SetsOfLog sets = sets_of(job, path_, log);
    workload_ = std::make_shared<const Workload>(std::move(sets.workload));
    warnings_ = std::move(sets.warnings);
    left_out_ = sets.left_out;
}

const JobLog* LoadedTraffic::calls(const Log& log) const {
    const std::scoped_lock lock(mutex_);
    if (has_unread_calls_) {
        JobLog read = read_log(path_, "", log);
        if (read.rank_count != rank_count_) {
            throw InputError(path_ + ": has " + std::to_string(read.rank_count) + " ranks, but had " +
                                 std::to_string(rank_count_) + " when its sets were read",
                             "create the job again");
        }
        if (read.has_calls) calls_ = std::make_shared<const JobLog>(std::move(read));
        has_unread_calls_ = false;
    }
    return calls_.get();
}

std::shared_ptr<const Workload> LoadedTraffic::shared_workload(const Log& log) const {
    const std::scoped_lock lock(mutex_);
    if (is_of_program_) {
        throw UnsupportedError("a live program has no communication sets",
                               "run it under the profiler, and use its log");
    }
    if (!workload_) {
        take_sets_of(*calls_, log);
        workload_ = with_size(workload_, message_size_bytes_);
    }
    return workload_;
}

const std::vector<std::string>& LoadedTraffic::warnings(const Log& log) const {
    (void)shared_workload(log);
    return warnings_;  // constant once the sets exist
}

LeftOutOfSets LoadedTraffic::left_out() const {
    const std::scoped_lock lock(mutex_);
    return left_out_;
}

std::shared_ptr<const LoadedTraffic> LoadedTraffic::with_message_size(std::int64_t size_bytes) const {
    const std::shared_ptr<LoadedTraffic> sized(new LoadedTraffic);
    sized->is_of_log_ = is_of_log_;
    sized->workload_ = std::make_shared<const Workload>(workload().with_message_size(size_bytes));
    sized->rank_count_ = rank_count_;
    sized->left_out_ = left_out();
    return sized;
}

std::shared_ptr<const LoadedTraffic> load_traffic(const Traffic& traffic, const Reading& reading) {
    if (const auto* shared = std::get_if<std::shared_ptr<const LoadedTraffic>>(&traffic.source)) return *shared;
    return std::make_shared<const LoadedTraffic>(traffic, reading);
}

}  // namespace haichi
