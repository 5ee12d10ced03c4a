"""What haichi answers: evaluations, simulations, advice, extracted communication sets."""
