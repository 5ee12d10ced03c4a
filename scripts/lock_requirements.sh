#!/usr/bin/env bash
# Pins the packages in requirements/*.in, and all packages that they depend on, in requirements/*.txt. Each version has
# the hashes of all its files, so that other processors and versions of Python can also install the packages. Requires
# pip-compile (pip install pip-tools). Run it with the oldest Python that haichi supports, because newer ones need fewer
# packages.
#
#   scripts/lock_requirements.sh [options of pip-compile, such as --upgrade or --upgrade-package NAME]
#
# Without these options, existing pins do not change.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../requirements"
constraints=()
for level in run build wheel service test docs release; do
    # A level uses the pinned versions of the levels before it.
    CUSTOM_COMPILE_COMMAND=scripts/lock_requirements.sh pip-compile --quiet --no-config --generate-hashes --allow-unsafe \
        --strip-extras --no-emit-index-url --no-emit-trusted-host --no-emit-find-links --no-emit-options \
        --no-annotate "${constraints[@]}" "$@" --output-file="$level.txt" "$level.in"
    constraints+=(--constraint="$level.txt")
done
