#pragma once

#include "commlog/profiler/thread_state.h"

namespace haichi::profiler {

/// Parts of the program that it names itself: MPI_Pcontrol(1, "name") enters one, MPI_Pcontrol(-1, "name") leaves it
/// (IPM's convention). They are of the calling thread, and may lie in each other.
void enter_region(Thread& t, const char* name);
/// Leaves the innermost region of that name, and those inside it; without one nothing.
void leave_region(Thread& t, const char* name);
/// Leaves all: the job ends.
void leave_all_regions(Thread& t);

/// The text that a variadic call may have passed: MPI_Pcontrol(1) has none, and what stands in the argument's place is
/// then whatever was left there. Writes a name of a region to `name`; false: there is none.
bool passed_name(std::uintptr_t word, char (&name)[kLongestRegion]);

}  // namespace haichi::profiler
