"""The parts of a job (machine, workload, nodes and placement), and the options of searches and simulations."""
