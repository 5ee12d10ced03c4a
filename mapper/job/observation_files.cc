#include "mapper/job/observation_files.h"

#include <utility>

#include "base/errors.h"

namespace haichi {

ObservationFiles::ObservationFiles(std::string statistics_path, std::string history_path) {
    if (!statistics_path.empty() && statistics_path == history_path) {
        throw OptionError("statistics and buffer history would both be written to " + shown(statistics_path));
    }
    statistics_ = open(std::move(statistics_path));
    history_ = open(std::move(history_path));
}

ObservationFiles::Log ObservationFiles::open(std::string path) {
    Log log{std::move(path), std::nullopt};
    if (log.path.empty()) return log;
    if (log.path == "-") throw OptionError("what a simulation writes while it runs needs a file, not '-'");
    log.file.emplace(log.path, std::ios::trunc);
    if (!*log.file) throw InputError("cannot write " + shown(log.path));
    return log;
}

void ObservationFiles::observe(ObservationOptions& options) {
    if (statistics_.file) options.time_space = &*statistics_.file;
    if (history_.file) options.history = &*history_.file;
}

void ObservationFiles::close() {
    for (Log* const log : {&statistics_, &history_}) {
        if (!log->file) continue;
        log->file->close();
        if (!*log->file) throw InputError("cannot write all of " + shown(log->path), "is the disk full?");
    }
}

}  // namespace haichi
