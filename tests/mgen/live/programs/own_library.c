#include "tests/mgen/live/programs/own_library.h"

static int hidden = 7;

int own_number = 5;
int* own_pointer = &own_number;
int (*own_call)(void);
struct own_pair own_pair = {&hidden, &own_pointer};

__attribute__((constructor)) static void begin(void) {
    ++hidden;
    own_number *= 2;
}

int own_next(void) {
    ++own_number;
    ++hidden;
    return own_call != 0 ? own_call() : hidden;
}
