"""What every other package uses: options, numbers and file names as arguments, files that are written whole."""
