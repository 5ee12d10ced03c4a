// Reads DUMPI traces in text form, as printed by dumpi2ascii, with one file per rank.
#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/errors.h"
#include "base/input_file.h"
#include "commlog/readers/read_progress.h"
#include "commlog/readers/trace_lines.h"
#include "commlog/traces/dumpi_call.h"
#include "commlog/traces/dumpi_communicators.h"
#include "commlog/traces/dumpi_rank.h"
#include "commlog/traces/trace_readers.h"
#include "commlog/traces/traced_job.h"

namespace haichi {

namespace {

class DumpiReader {
  public:
    explicit DumpiReader(const std::string& file) : file_(file), job_("dumpi", file), communicators_(&job_) {}

    /// First pass over a rank's file. After all ranks had their first pass, call second() for each rank.
    void first(std::int32_t rank, TextStream stream) {
        TraceLines lines(&stream);
        DumpiCall call;
        while (call.read(lines)) {
            communicators_.note(rank, call);
            if (call.name() == "MPI_Comm_size" && call.whole("comm") == DumpiCommunicators::kWorld) {
                ranks_ = std::max(ranks_, call.whole("size", 1, kMostTracedRanks));
            }
        }
        ranks_ = std::max<std::int64_t>(ranks_, rank + 1);
        ++files_;
    }
    void resolve() {
        if (ranks_ > 1 || files_ > 1) job_.set_rank_count(ranks_);
        communicators_.resolve(static_cast<std::int32_t>(ranks_));
    }
    void second(std::int32_t rank, TextStream stream) {
        TraceLines lines(&stream);
        DumpiCall call;
        DumpiRank reader(rank, &job_, &communicators_);
        while (call.read(lines)) reader.read(call);
        untyped_ += reader.untyped();
        RankLog log = reader.finish(stream.place().file);
        job_.add_rank(std::move(log));
    }
    JobLog take() {
        if (untyped_ != 0) {
            job_.warn(
                std::to_string(untyped_) +
                " sizes are counts of datatypes of unknown size (Fortran, or made by missing calls); haichi uses the "
                "counts as bytes");
        }
        if (communicators_.unresolved() != 0) {
            job_.warn("the ranks of " + std::to_string(communicators_.unresolved()) +
                      " communicators are unknown: ranks are missing in the trace, or the call that made the "
                      "communicator does not name them");
        }
        if (communicators_.unordered() != 0) {
            job_.warn(
                "haichi assumes that communicators made by MPI_Comm_create have the order of the old communicator");
        }
        JobLog log = job_.finish(true);
        // Ranks without calls also have files.
        for (RankLog& rank : log.ranks) {
            if (!job_.has_rank(rank.rank)) rank.state = RankState::kRunning;
        }
        return log;
    }

  private:
    std::string file_;
    TracedJob job_;
    DumpiCommunicators communicators_;
    std::int64_t ranks_ = 0;
    std::size_t files_ = 0;
    std::uint64_t untyped_ = 0;
};

/// The rank number in a name such as "NAME-0003.txt" or "NAME-0003.txt.gz", and the position of its digits.
struct NumberedName {
    std::size_t first = 0, end = 0;
    std::int32_t number = 0;
};
std::optional<NumberedName> numbered(const std::string& name) {
    const std::size_t stem = without_compression_ending(name).size();
    const std::size_t end = std::min(name.substr(0, stem).rfind('.'), stem);
    std::size_t first = end;
    while (first > 0 && name[first - 1] >= '0' && name[first - 1] <= '9') --first;
    if (first == end || end - first > 7) return std::nullopt;
    return NumberedName{first, end, std::stoi(name.substr(first, end - first))};
}

std::vector<std::pair<std::int32_t, std::string>> files_of_ranks(const std::string& path) {
    const std::filesystem::path file(path);
    const std::string name = file.filename().string();
    const auto own = numbered(name);
    if (!own) return {{0, path}};
    std::vector<std::pair<std::int32_t, std::string>> files;
    std::error_code error;
    const auto folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
        const std::string other = entry.path().filename().string();
        const auto found = numbered(other);
        if (!found || found->first != own->first || other.compare(0, own->first, name, 0, own->first) != 0) continue;
        if (other.substr(found->end) != name.substr(own->end)) continue;
        files.emplace_back(found->number, entry.path().string());
    }
    std::ranges::sort(files);
    if (files.empty()) files.emplace_back(own->number, path);
    return files;
}

}  // namespace

JobLog read_dumpi(const std::string& path, ReadProgress& progress) {
    const auto files = files_of_ranks(path);
    for (const auto& [rank, file] : files) {
        progress.found_file(file);
        progress.expect(file, 2);
    }
    DumpiReader reader(path);
    for (const auto& [rank, file] : files) reader.first(rank, progress.open(file));
    reader.resolve();
    for (const auto& [rank, file] : files) reader.second(rank, progress.open(file));
    return reader.take();
}

JobLog parse_dumpi(std::string_view text, const std::string& file) {
    DumpiReader reader(file);
    reader.first(0, TextStream(text, file));
    reader.resolve();
    reader.second(0, TextStream(text, file));
    return reader.take();
}

}  // namespace haichi
