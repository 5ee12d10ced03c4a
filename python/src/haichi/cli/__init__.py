"""The commands of the program that are written in Python."""
