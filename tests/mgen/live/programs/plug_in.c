/* The library of loads.c. */

static int counted;

int count(void) { return ++counted; }
