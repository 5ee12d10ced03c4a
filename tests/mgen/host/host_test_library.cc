#include "tests/mgen/host/host_test_library.h"

namespace {

int counter = 41;
int* pointer = &counter;

[[gnu::constructor]] void begin() { ++counter; }

}  // namespace

extern "C" int* host_test_library_counter() { return &counter; }
extern "C" int** host_test_library_pointer() { return &pointer; }
