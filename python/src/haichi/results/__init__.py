"""Results of haichi: evaluations, simulations, advice, extracted communication sets."""
