"""``python -m haichi``: the commands that are written in Python, ``compare``, ``report``, ``calibrate`` and
``serve``."""

import sys

from haichi.cli.commands import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
