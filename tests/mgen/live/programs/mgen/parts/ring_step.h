#pragma once

// Passes a value to the next rank and returns the previous rank's value.
int ring_step(int value, int rank, int ranks);
