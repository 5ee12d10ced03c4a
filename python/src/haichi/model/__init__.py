"""What a job is made of: machine, workload, nodes and placement; the options of a search and of a simulation."""
