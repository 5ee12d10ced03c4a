"""Results of haichi: evaluations, simulations, advice, logs and extracted communication sets."""
