"""Jobs and their functions: `Job`, its shapes, advice, and programs on the simulated machine."""
