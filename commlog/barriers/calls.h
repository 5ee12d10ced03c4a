#pragma once

#include <cstdint>
#include <cstring>
#include <functional>

#include "commlog/barriers/script.h"
#include "commlog/preload/mpi_library.h"

namespace haichi::barriers {

/// The functions with which the generated MPI functions report the program's calls. They cost nothing while the library
/// does not follow the calls, because then the MPI functions jump to the next library's.

/// Whether a call of the program is being reported or made. Calls that the MPI makes by itself are not reported.
extern int inside;

/// Marks the time in which the MPI works on a call of the program.
class Inside {
  public:
    Inside() { ++inside; }
    ~Inside() { --inside; }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
};

struct Receive {
    int source, tag;
};
struct Send {
    int destination, tag;
};

/// Handles as numbers.
template <class Handle>
std::uint64_t number_of(Handle handle) {
    std::uint64_t number = 0;
    static_assert(sizeof(handle) <= sizeof(number));
    std::memcpy(&number, &handle, sizeof(handle));
    return number;
}

// Before the call.
void send(const Send& send, MPI_Comm comm, std::uint8_t flags);
void receive(const Receive& receive, MPI_Comm comm, std::uint8_t flags);
void send_and_receive(const Send& send, const Receive& receive, MPI_Comm comm);
void collective(CollectiveOperation operation, MPI_Comm comm, int root, std::uint8_t flags);
void free_communicator(MPI_Comm comm);
void object_operation(std::uint64_t object);
void receive_message(std::uint64_t message, std::uint8_t flags);
void start(std::uint64_t request);
/// Starts requests [first, end) of an array by the next library's function, and returns its result.
using StartRange = std::function<int(int first, int end)>;
/// Reports and starts all requests of an array. Barriers between them divide the call.
int start_all(int count, const MPI_Request* requests, const StartRange& start);
int start_all_fortran(int count, const MPI_Fint* requests, const StartRange& start);
void wait();
void probe();

// After the call.
void prepare_send(const Send& send, MPI_Comm comm, std::uint8_t flags, std::uint64_t request);
void prepare_receive(const Receive& receive, MPI_Comm comm, std::uint64_t request);
void prepare_collective(CollectiveOperation operation, MPI_Comm comm, int root, std::uint64_t request);
void found_message(const Receive& probe, MPI_Comm comm, std::uint64_t message);
void new_object(std::uint64_t object, MPI_Comm comm);
void made_by_members(MPI_Comm comm);

// Fortran handles. In MPICH they are the same numbers.
#if defined(OPEN_MPI)
MPI_Comm comm_of(MPI_Fint handle);
#else
inline MPI_Comm comm_of(MPI_Fint handle) { return handle; }
#endif
/// Numbers of Fortran handles of requests, messages, windows and files. C handles have other ones, except in MPICH.
std::uint64_t fortran_number(MPI_Fint handle);

/// A function of MPI that this library replaces.
struct Replaced {
    const char* name;
    void* first;      ///< looks the next function up and calls it
    void* following;  ///< reports the call
    void** slot;      ///< the function that is called
    void** next;      ///< the next library's function, once it has been looked up
};
/// Enters the functions of a generated file.
void add_replaced(Replaced* functions, int count);
/// Looks the next function up, and calls it from then on.
void* take_next(Replaced& function);

/// After MPI_Init. All processes take part.
void begin_job();
/// Before MPI_Finalize. All processes take part.
void end_job();

}  // namespace haichi::barriers
