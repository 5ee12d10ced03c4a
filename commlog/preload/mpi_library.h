#pragma once

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <initializer_list>
#include <string>

namespace haichi::preload {

/// Common functions of the libraries that are preloaded into a program and call its MPI.

/// The library's name in messages, such as "haichi-renumber". Each preloaded library defines this variable.
extern const char* const library_name;

/// Returns the next function with this name, of another preloaded library or of the MPI. Ends the program if there is
/// no such function.
void* find_next(const char* name);
/// Like find_next(), but returns null if there is no such function.
void* find_next_or_null(const char* name);
/// Returns a symbol of this process, or null if it does not exist. It is for functions that this library does not
/// replace.
void* find_symbol(const char* name);

template <class Function>
Function next_function(const char* name) {
    return reinterpret_cast<Function>(find_next(name));
}

/// Returns the function of the MPI itself, which bypasses all preloaded libraries.
template <class Function>
Function own(const char* name) {
    return reinterpret_cast<Function>(find_symbol(name));
}
#define OWN(function) haichi::preload::own<decltype(&::function)>(#function)
#define NEXT(function) haichi::preload::next_function<decltype(&::function)>(#function)

/// Predefined handles of the MPI. Open MPI's handles are addresses of its variables, and a library must load even
/// without these.
struct Handles {
    MPI_Comm world;
    MPI_Datatype integer, byte;
    MPI_Op largest;
};

/// Returns false if the library was built for another MPI.
bool find_handles(Handles& handles);

/// Returns the value of an environment variable; an empty string if it is not set.
std::string setting(const char* name);

/// Prints a line that begins with the library's name to standard error.
void say(const std::string& text);

/// Returns the value of the first of these variables that is set; an empty string if none is set.
std::string first_setting(std::initializer_list<const char*> names);

/// Returns the process's rank from its launcher. The result is empty in other programs, such as the launcher, which is
/// preloaded, too.
std::string launched_rank();

/// Returns true if the program's calls of this function reach this library. If several libraries define the function,
/// the first library gets the calls.
bool is_in_front(const char* function);

}  // namespace haichi::preload
