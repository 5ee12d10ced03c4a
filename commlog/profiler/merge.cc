#include "commlog/profiler/merge.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "commlog/log/rank_bytes.h"
#include "commlog/profiler/job_file.h"
#include "commlog/profiler/real_functions.h"

namespace haichi::profiler {

namespace {

constexpr int kTag = 0x4841;
constexpr std::size_t kPiece = 1U << 24;  // of a record, for MPIs that dislike large messages

/// Empty when the part cannot be read, which is told.
std::vector<std::byte> record_of(const ProfileMemory& memory) {
    try {
        return encode_rank(read_rank(memory, "memory of rank " + std::to_string(memory.header.rank)));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "haichi-prof: %s\n", error.what());
        return {};
    }
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
    // A limit on file sizes is to be an error like a full disk, not the end of the process.
    struct sigaction ignore {};
    struct sigaction before {};
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGXFSZ, &ignore, &before);
    JobFile job(file, ranks);
    bool is_whole = true;
    for (int rank = 0; rank < ranks; ++rank) {
        if (rank != 0) receive_record(record, rank, comm);
        is_whole = is_whole && !record.empty();
        job.write_record(record);
    }
    const bool is_written = is_whole && job.commit();
    const int error = errno;
    sigaction(SIGXFSZ, &before, nullptr);
    if (is_written) return true;
    std::fprintf(stderr, "haichi-prof: cannot write '%s' (%s)%s%s%s\n", job.path().c_str(),
                 is_whole ? std::strerror(error) : "a part is damaged", has_part ? ": the parts " : "",
                 has_part ? file : "", has_part ? ".RANK.part stay, and can be read instead" : "");
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
            std::fprintf(stderr, "haichi-prof: %s: the parts %s.RANK.part stay\n", error.what(), file);
        }
    } else {
        send_record(record, comm);
    }
    real.Bcast(&is_done, sizeof(is_done), handles.byte, 0, comm);
    real.Comm_free(&comm);
    return is_done != 0;
}

}  // namespace haichi::profiler
