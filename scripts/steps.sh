# Functions for the other scripts, which source this file. They report the current step, its number and its duration.

step_count=0

# step NAME COMMAND... runs a command as the next step. The total number of steps is shown if the script has set
# `steps`.
step() {
    local name=$1 start=$SECONDS
    shift
    step_count=$((step_count + 1))
    local number=$step_count${steps:+/$steps}
    printf '==> [%s] %s\n' "$number" "$name"
    "$@"
    printf '==> [%s] done in %d s\n' "$number" $((SECONDS - start))
}

# quietly COMMAND... runs a command, and shows its output only if it fails.
quietly() {
    local output
    if ! output=$("$@" 2>&1); then
        printf '%s\n' "$output" >&2
        return 1
    fi
}

# configure_once [PRESET DIRECTORY] configures the build directory (by default build/release), unless it is already
# configured. Other settings of a user are kept.
configure_once() {
    [ -e "${2:-build/release}/build.ninja" ] || quietly cmake --preset "${1:-release}"
}

# The progress line of Ninja: finished steps, all steps, seconds.
export NINJA_STATUS='[%f of %t, %e s] '
