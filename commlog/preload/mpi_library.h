#pragma once

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <initializer_list>
#include <string>

namespace haichi::preload {

/// The base of the libraries that are preloaded into a program and call its MPI.

/// The name of this library in messages, such as "haichi-renumber". Each library defines it.
extern const char* const library_name;

/// Returns the next function: another preloaded library's, or the MPI's. Ends the program if no library has it.
void* find_next(const char* name);
/// The same, but returns null.
void* find_next_or_null(const char* name);
/// Returns a symbol of this process, or null. For functions that are not replaced here.
void* find_symbol(const char* name);

template <class Function>
Function next_function(const char* name) {
    return reinterpret_cast<Function>(find_next(name));
}

/// Returns the function of the MPI itself, bypassing all preloaded libraries.
template <class Function>
Function own(const char* name) {
    return reinterpret_cast<Function>(find_symbol(name));
}
#define OWN(function) haichi::preload::own<decltype(&::function)>(#function)
#define NEXT(function) haichi::preload::next_function<decltype(&::function)>(#function)

/// Predefined handles. Open MPI's handles are addresses of its variables, and loading a library must not require them.
struct Handles {
    MPI_Comm world;
    MPI_Datatype integer, byte;
    MPI_Op largest;
};

/// Returns false if the library was built for another MPI.
bool find_handles(Handles& handles);

/// Returns the value of an environment variable, or "".
std::string setting(const char* name);

/// Prints a line on standard error, after the name of the library.
void say(const std::string& text);

/// Returns the first of these variables that is set, or "".
std::string first_setting(std::initializer_list<const char*> names);

/// Returns the process's number from its launcher, or "" in other programs: the launcher itself is preloaded, too.
std::string launched_rank();

/// Returns whether the calls of this function reach this library. If two libraries have the same names, the first gets
/// them.
bool is_in_front(const char* function);

}  // namespace haichi::preload
