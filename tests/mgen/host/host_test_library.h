#pragma once

/// A shared library with variables, as programs bring them: a number that is 41 in the file, to which the constructor
/// of the library adds 1, and a pointer to it.
extern "C" int* host_test_library_counter();
extern "C" int** host_test_library_pointer();
