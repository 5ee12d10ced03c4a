"""``python -m haichi``: the commands of the program that are written in Python, ``compare`` and ``report``."""

import sys

from haichi.commands import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
