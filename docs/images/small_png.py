"""Converts a picture for the documentation to a small PNG, whose palette has 48 colours.

    .venv/bin/python docs/images/small_png.py build/validation/images/run_times.png \\
        studies/validation/images/run_times.png
    .venv/bin/python docs/images/small_png.py build/link_load.svg docs/images/link_load.png

SVG files require rsvg-convert (package librsvg2-bin).
"""

import io
import subprocess
import sys
from pathlib import Path

from PIL import Image

COLOURS = 48


def main(source: str, target: str) -> None:
    content = Path(source).read_bytes()
    if source.endswith(".svg"):
        command = ["rsvg-convert", "--background-color", "white"]
        content = subprocess.run(command, input=content, check=True, stdout=subprocess.PIPE).stdout
    picture = Image.open(io.BytesIO(content)).convert("RGB")
    few = picture.quantize(COLOURS, Image.Quantize.MAXCOVERAGE, kmeans=4, dither=Image.Dither.NONE)
    few.save(target, optimize=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
