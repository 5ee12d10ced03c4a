"""What is asked of a job: `Job`, its shapes, advice, programs on the simulated machine."""
