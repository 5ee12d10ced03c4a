#include "commlog/renumber/world.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "base/errors.h"
#include "commlog/renumber/coordinates.h"
#include "commlog/renumber/plan.h"

const char* const haichi::preload::library_name = "haichi-renumber";

namespace haichi::renumber {

using namespace preload;

World world;

namespace {

/// The data that each process sends to process 0, as raw bytes.
struct Card {
    char host[256];
    int axes;
    int node[kMostAxes];
};

Card own_card(int rank) {
    Card card{};
    gethostname(card.host, sizeof(card.host) - 1);
    const Coordinates node = asked_coordinates(rank);
    card.axes = static_cast<int>(node.size());
    std::memcpy(card.node, node.data(), node.size() * sizeof(int));
    return card;
}

std::vector<Process> processes_of(const std::vector<Card>& cards) {
    std::vector<Process> processes;
    for (const Card& card : cards) processes.push_back({card.host, Coordinates(card.node, card.node + card.axes)});
    return processes;
}

/// Decides the ranks of all processes, in process 0. Throws an Error if this is impossible.
std::vector<int> decided_ranks(const std::vector<Card>& cards) {
    const std::string maps = setting("HAICHI_RENUMBER_MAPS");
    if (maps.empty()) {
        throw InputError("HAICHI_RENUMBER_MAPS is not set",
                         "set HAICHI_RENUMBER_MAPS to a directory of maps, or to a file name with {shape}");
    }
    std::vector<Process> processes = processes_of(cards);
    if (const std::string table = setting("HAICHI_RENUMBER_TABLE"); !table.empty()) {
        read_coordinate_table(table, processes);
    }
    Coordinates shape = shape_of(processes);
    if (const std::string given = setting("HAICHI_RENUMBER_SHAPE"); !given.empty()) {
        const Coordinates stated = parse_shape(given);
        bool fits = stated.size() == shape.size();
        for (std::size_t k = 0; fits && k < shape.size(); ++k) fits = shape[k] <= stated[k];
        if (!fits)
            throw InputError("HAICHI_RENUMBER_SHAPE: " + shown(given) + " does not contain the shape of the job, " +
                             shape_text(shape));
        shape = stated;
    }
    const std::string file = map_file(maps, shape);
    std::vector<int> ranks = program_ranks(processes, shape, file);
    if (setting("HAICHI_RENUMBER_QUIET").empty()) {
        say(std::to_string(ranks.size()) + " processes, shape " + shape_text(shape) + ", renumbered by " + file);
    }
    return ranks;
}

/// As above, but prints a warning after an error and returns no ranks.
std::vector<int> decided_or_told(const std::vector<Card>& cards) {
    std::string why;
    std::string hint;
    try {
        return decided_ranks(cards);
    } catch (const Error& error) {
        why = error.what();
        hint = error.hint();
    } catch (const std::exception& error) {
        why = error.what();
    }
    const bool is_required = setting("HAICHI_RENUMBER_REQUIRE") == "1";
    say((is_required ? "error: " : "warning: ") + why + (is_required ? "" : "; ranks keep their numbers"));
    if (!hint.empty()) say("hint: " + hint);
    return {};
}

/// If another library with MPI_Init comes first, the MPI_Init of this library is never called. A warning about this is
/// printed before the program starts.
__attribute__((constructor)) void look_what_is_in_front() {
    const std::string rank = launched_rank();
    if (rank.empty() || is_in_front("MPI_Comm_rank") || dlsym(RTLD_DEFAULT, "PMPI_Init") == nullptr) return;
    const bool is_required = setting("HAICHI_RENUMBER_REQUIRE") == "1";
    if (rank == "0") {
        say((is_required ? "error: " : "warning: ") + std::string("another library with MPI functions precedes ") +
            "libhaichi-renumber" + (is_required ? "" : "; ranks keep their numbers"));
        say("hint: name libhaichi-renumber first in LD_PRELOAD");
    }
    if (is_required) _exit(1);
}

/// All processes take part in every step, so that none of them waits for a process on another branch.
void decide_with_all(const Handles& handles) {
    int rank = 0;
    int size = 1;
    OWN(PMPI_Comm_rank)(handles.world, &rank);
    OWN(PMPI_Comm_size)(handles.world, &size);
    const Card card = own_card(rank);
    std::vector<Card> cards(rank == 0 ? static_cast<std::size_t>(size) : 0);
    OWN(PMPI_Gather)(&card, sizeof(card), handles.byte, cards.data(), sizeof(card), handles.byte, 0, handles.world);
    std::vector<int> ranks;
    int is_decided = 0;
    if (rank == 0) {
        if (is_in_front("MPI_Comm_rank")) ranks = decided_or_told(cards);  // otherwise there was a warning at the start
        is_decided = ranks.empty() ? 0 : 1;
        if (is_decided == 0 && setting("HAICHI_RENUMBER_REQUIRE") == "1") {
            // Launchers discard pending output when a job aborts. The delay of half a second lets them print the
            // reason.
            std::fflush(stderr);
            usleep(500'000);
            OWN(PMPI_Abort)(handles.world, 1);
        }
    }
    OWN(PMPI_Bcast)(&is_decided, 1, handles.integer, 0, handles.world);
    if (is_decided == 0) return;
    int new_rank = 0;
    OWN(PMPI_Scatter)(ranks.data(), 1, handles.integer, &new_rank, 1, handles.integer, 0, handles.world);
    // This calls the next library instead of the MPI itself, because a profiler there has to know the communicator.
    MPI_Comm program{};
    NEXT(MPI_Comm_split)(handles.world, 0, new_rank, &program);
    OWN(PMPI_Comm_set_name)(program, "MPI_COMM_WORLD");
#if defined(OPEN_MPI)
    const MPI_Fint number = OWN(PMPI_Comm_c2f)(program);
#else
    const MPI_Fint number = program;  // C and Fortran handles are equal
#endif
    world = {handles.world, program, number, true};
}

}  // namespace

void renumber_world() {
    if (world.is_renumbered) return;  // already done, because a Fortran interface may call the C function
    static bool is_done = false;
    if (is_done) return;
    is_done = true;
    Handles handles{};
    if (!find_handles(handles)) {
        say("warning: this process uses another MPI than the one that libhaichi-renumber supports; ranks keep their "
            "numbers");
        return;
    }
    decide_with_all(handles);
}

}  // namespace haichi::renumber
