"""The class `Job`, the shapes of a job, advice, and programs on the simulated machine."""
