#pragma once

#include <cstdint>
#include <cstring>
#include <functional>

#include "commlog/barriers/script.h"
#include "commlog/preload/mpi_library.h"

namespace haichi::barriers {

/// Functions with which the generated MPI functions report the program's calls. Without a script to follow, they cost
/// nothing, because the MPI functions then jump to the next library.

/// Nesting depth of calls of the program that are being reported or made. If it is not 0, further calls are made by the
/// MPI itself and are not reported.
extern int inside;

/// Marks the lifetime of this object as time within a call of the program.
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

/// Converts a handle to a number.
template <class Handle>
std::uint64_t number_of(Handle handle) {
    std::uint64_t number = 0;
    static_assert(sizeof(handle) <= sizeof(number));
    std::memcpy(&number, &handle, sizeof(handle));
    return number;
}

// These are called before the MPI function.
void send(const Send& send, MPI_Comm comm, std::uint8_t flags);
void receive(const Receive& receive, MPI_Comm comm, std::uint8_t flags);
void send_and_receive(const Send& send, const Receive& receive, MPI_Comm comm);
void collective(CollectiveOperation operation, MPI_Comm comm, int root, std::uint8_t flags);
void free_communicator(MPI_Comm comm);
void object_operation(std::uint64_t object);
void receive_message(std::uint64_t message, std::uint8_t flags);
void start(std::uint64_t request);
/// Starts requests [first, end) of an array with the function of the next library, and returns the function's result.
using StartRange = std::function<int(int first, int end)>;
/// Reports and starts all requests of an array. The array is started in several parts if there are barriers between the
/// requests.
int start_all(int count, const MPI_Request* requests, const StartRange& start);
int start_all_fortran(int count, const MPI_Fint* requests, const StartRange& start);
void wait();
void probe();

// These are called after the MPI function.
void prepare_send(const Send& send, MPI_Comm comm, std::uint8_t flags, std::uint64_t request);
void prepare_receive(const Receive& receive, MPI_Comm comm, std::uint64_t request);
void prepare_collective(CollectiveOperation operation, MPI_Comm comm, int root, std::uint64_t request);
void found_message(const Receive& probe, MPI_Comm comm, std::uint64_t message);
void new_object(std::uint64_t object, MPI_Comm comm);
void made_by_members(MPI_Comm comm);

// Conversion of Fortran handles. In MPICH, Fortran handles equal C handles.
#if defined(OPEN_MPI)
MPI_Comm comm_of(MPI_Fint handle);
#else
inline MPI_Comm comm_of(MPI_Fint handle) { return handle; }
#endif
/// Converts Fortran handles of requests, messages, windows and files to numbers. These differ from the numbers of C
/// handles, except in MPICH.
std::uint64_t fortran_number(MPI_Fint handle);

/// An MPI function that this library replaces.
struct Replaced {
    const char* name;
    void* first;      ///< looks up the next library's function and calls it
    void* following;  ///< reports the call and then calls the next library's function
    void** slot;      ///< points to the function that is called
    void** next;      ///< the next library's function, after the lookup
};
/// Registers the functions of a generated file.
void add_replaced(Replaced* functions, int count);
/// Looks up the next library's function, which is then called directly.
void* take_next(Replaced& function);

/// Must be called after MPI_Init. All processes must call it.
void begin_job();
/// Must be called before MPI_Finalize. All processes must call it.
void end_job();

}  // namespace haichi::barriers
