#include "commlog/profiler/open_parts.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "commlog/profiler/job_file.h"
#include "commlog/profiler/part_file.h"
#include "commlog/profiler/real_functions.h"

namespace haichi::profiler {

namespace {

/// Results of opening the parts of all ranks.
struct Outcome {
    int without_memory = 0, without_file = 0;
    bool is_taken = false;  ///< true if the file name of any rank already exists
    int error = 0;          ///< errno of a part that could not be created
};

Outcome gather(const OpenPart& part, int error, int ranks) {
    const int own[2] = {part.memory != nullptr ? 1 : 0, error};
    const auto all = std::make_unique<int[]>(2 * static_cast<std::size_t>(ranks));
    real.Allgather(own, sizeof(own), handles.byte, all.get(), sizeof(own), handles.byte, handles.world);
    Outcome outcome;
    for (int r = 0; r < ranks; ++r) {
        const int has_memory = all[2 * static_cast<std::size_t>(r)];
        const int of_rank = all[2 * static_cast<std::size_t>(r) + 1];
        if (of_rank == EEXIST) {
            outcome.is_taken = true;
        } else if (has_memory == 0) {
            ++outcome.without_memory;
        } else if (of_rank != 0) {
            ++outcome.without_file;
            outcome.error = of_rank;
        }
    }
    return outcome;
}

void give_up(OpenPart& part) {
    if (part.memory == nullptr) return;
    if (part.has_file) remove_part(part.path);
    unmap_part(part.memory);
    part.memory = nullptr;
}

/// Opens this process's part under the current name in the configuration.
int open_own(const Configuration& configuration, int rank, OpenPart& part) {
    int error = 0;
    std::snprintf(part.path, sizeof(part.path), "%s.%d.part", configuration.file, rank);
    part.memory = map_part(part.path, error);
    part.has_file = part.memory != nullptr && error == 0;
    // When a job ends, it creates its log before it removes its part. A process that could create the part therefore
    // also sees the log.
    if (rank == 0 && part.has_file && has_job_file(configuration.file)) {
        give_up(part);
        error = EEXIST;
    }
    return error;
}

void tell(const Configuration& c, const Outcome& outcome, int ranks, const char* wanted) {
    if (outcome.without_memory != 0) {
        std::fprintf(stderr, "haichi-prof: no log: %d of %d ranks have no memory for a profile\n",
                     outcome.without_memory, ranks);
        return;
    }
    if (outcome.without_file != 0) {
        std::fprintf(stderr,
                     "haichi-prof: %d of %d ranks cannot create '%s.RANK.part' (%s), "
                     "so they lose their profile if they are killed\n",
                     outcome.without_file, ranks, c.file, std::strerror(outcome.error));
    }
    // Users who keep the default name do not expect a particular file.
    if (!c.has_default_file && std::strcmp(c.file, wanted) != 0) {
        std::fprintf(stderr, "haichi-prof: the name '%s' already has a log or parts, so this log is '%s.haichi-log'\n",
                     wanted, c.file);
    }
}

}  // namespace

bool open_parts(Configuration& c, int rank, int ranks, OpenPart& part) {
    constexpr int kMostNames = 100'000;
    char wanted[sizeof(c.file)];
    std::memcpy(wanted, c.file, sizeof(wanted));
    Outcome outcome;
    int number = 1;
    for (;;) {
        // Ranks do not try names that rank 0 can rule out alone.
        while (rank == 0 && number < kMostNames && has_job_file(c.file)) numbered_name(wanted, ++number, c.file);
        real.Bcast(&number, sizeof(number), handles.byte, 0, handles.world);
        numbered_name(wanted, number, c.file);
        const int error = open_own(c, rank, part);
        outcome = gather(part, error, ranks);
        if (!outcome.is_taken || number >= kMostNames) break;
        give_up(part);
        numbered_name(wanted, ++number, c.file);
    }
    const bool has_all = outcome.without_memory == 0 && !outcome.is_taken;
    if (rank == 0) tell(c, outcome, ranks, wanted);
    if (!has_all) give_up(part);
    return has_all;
}

}  // namespace haichi::profiler
