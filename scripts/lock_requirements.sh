#!/usr/bin/env bash
# Pins what requirements/*.in name, and all that those need, in requirements/*.txt, with the hashes of all files of each
# version: other processors and versions of Python install from them, too. Needs pip-compile (pip install pip-tools),
# run by the oldest Python that haichi supports, since newer ones need fewer packages.
#
#   scripts/lock_requirements.sh [options of pip-compile, as --upgrade or --upgrade-package NAME]
#
# What was pinned stays as it is without such options.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../requirements"
constraints=()
for level in run build service test docs; do
    # A later level installs the versions of those before.
    CUSTOM_COMPILE_COMMAND=scripts/lock_requirements.sh pip-compile --quiet --no-config --generate-hashes --allow-unsafe \
        --strip-extras --no-emit-index-url --no-emit-trusted-host --no-emit-find-links --no-emit-options \
        --no-annotate "${constraints[@]}" "$@" --output-file="$level.txt" "$level.in"
    constraints+=(--constraint="$level.txt")
done
