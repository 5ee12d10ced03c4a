#pragma once

// Passes a value to the next rank; what the one before has passed.
int ring_step(int value, int rank, int ranks);
