#pragma once

/// A shared library with variables, as in user programs. One is a number with the value 41 in the file, to which the
/// library's constructor adds 1; the other is a pointer to it.
extern "C" int* host_test_library_counter();
extern "C" int** host_test_library_pointer();
