#include "commlog/profiler/merge.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <span>
#include <string>
#include <vector>

#include "commlog/log/rank_bytes.h"
#include "commlog/profiler/job_file.h"
#include "commlog/profiler/real_functions.h"

namespace haichi::profiler {

namespace {

constexpr int kTag = 0x4841;
// Maximum size of a message, because some MPIs have problems with large messages.
constexpr std::size_t kPiece = 1U << 24;

/// A record begins with kGood, or with kDamaged and the reason why the part cannot be read.
constexpr std::byte kGood{1};
constexpr std::byte kDamaged{0};

std::vector<std::byte> record_of(const ProfileMemory& memory) {
    std::vector<std::byte> record = {kGood};
    try {
        const auto bytes = encode_rank(read_rank(memory, "memory of rank " + std::to_string(memory.header.rank)));
        record.insert(record.end(), bytes.begin(), bytes.end());
    } catch (const std::exception& error) {
        record = {kDamaged};
        for (const char* c = error.what(); *c != '\0'; ++c) record.push_back(static_cast<std::byte>(*c));
    }
    return record;
}

void send_record(const std::vector<std::byte>& record, MPI_Comm comm) {
    char go = 0;
    real.Recv(&go, 1, handles.byte, 0, kTag, comm, MPI_STATUS_IGNORE);
    const std::uint64_t size = record.size();
    real.Send(&size, sizeof(size), handles.byte, 0, kTag, comm);
    for (std::size_t at = 0; at < size; at += kPiece) {
        const std::size_t piece = size - at < kPiece ? size - at : kPiece;
        real.Send(record.data() + at, static_cast<int>(piece), handles.byte, 0, kTag, comm);
    }
}

void receive_record(std::vector<std::byte>& record, int rank, MPI_Comm comm) {
    char go = 1;
    real.Send(&go, 1, handles.byte, rank, kTag, comm);
    std::uint64_t size = 0;
    real.Recv(&size, sizeof(size), handles.byte, rank, kTag, comm, MPI_STATUS_IGNORE);
    record.resize(size);
    for (std::size_t at = 0; at < size; at += kPiece) {
        const std::size_t piece = size - at < kPiece ? size - at : kPiece;
        real.Recv(record.data() + at, static_cast<int>(piece), handles.byte, rank, kTag, comm, MPI_STATUS_IGNORE);
    }
}

bool gather_records(std::vector<std::byte>& record, const char* file, bool has_part, int ranks, MPI_Comm comm) {
    // Exceeding a limit on file sizes must be an error, as a full disk is, instead of a fatal signal.
    struct sigaction ignore {};
    struct sigaction before {};
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGXFSZ, &ignore, &before);
    JobFile job(file, ranks);
    std::string damage;
    for (int rank = 0; rank < ranks; ++rank) {
        if (rank != 0) receive_record(record, rank, comm);
        const auto content = std::span(record).subspan(1);
        if (record.front() == kGood) {
            job.write_record(content);
        } else if (damage.empty()) {
            damage.assign(reinterpret_cast<const char*>(content.data()), content.size());
        }
    }
    const bool is_written = damage.empty() && job.commit();
    const int error = errno;
    sigaction(SIGXFSZ, &before, nullptr);
    if (is_written) {
        // The name was free when the job began, but another job has used it since.
        if (job.path() != std::string(file) + ".haichi-log") {
            std::fprintf(stderr, "haichi-prof: '%s' has the log of another job, so this log is '%s'\n", file,
                         job.path().c_str());
        }
        return true;
    }
    std::fprintf(stderr, "haichi-prof: cannot write '%s' (%s)%s%s%s\n", job.path().c_str(),
                 damage.empty() ? std::strerror(error) : damage.c_str(), has_part ? "; haichi can read the parts " : "",
                 has_part ? file : "", has_part ? ".RANK.part instead" : "");
    return false;
}

}  // namespace

bool merge_parts(const ProfileMemory& memory, const char* file, bool has_part) {
    MPI_Comm comm;
    if (real.Comm_dup(handles.world, &comm) != MPI_SUCCESS) return false;
    std::vector<std::byte> record = record_of(memory);
    int is_done = 0;
    if (memory.header.rank == 0) {
        try {
            is_done = gather_records(record, file, has_part, memory.header.ranks, comm) ? 1 : 0;
        } catch (const std::exception& error) {
            std::fprintf(stderr, "haichi-prof: %s; haichi can read the parts %s.RANK.part instead\n", error.what(),
                         file);
        }
    } else {
        send_record(record, comm);
    }
    real.Bcast(&is_done, sizeof(is_done), handles.byte, 0, comm);
    real.Comm_free(&comm);
    return is_done != 0;
}

}  // namespace haichi::profiler
