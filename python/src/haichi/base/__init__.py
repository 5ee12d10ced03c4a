"""Foundations of all other packages: options, numbers and file names as arguments, and atomic output files."""
