"""The parts of a job: machine, workload, nodes and placement; options of searches and simulations."""
