# Sourced by the scripts: says what is being done, how far it is, and how long it took.

step_count=0

# step NAME COMMAND...: one of `steps` steps, where the script has set that number.
step() {
    local name=$1 start=$SECONDS
    shift
    step_count=$((step_count + 1))
    local number=$step_count${steps:+/$steps}
    printf '==> [%s] %s\n' "$number" "$name"
    "$@"
    printf '==> [%s] done in %d s\n' "$number" $((SECONDS - start))
}

# Shows a command's output only when it fails.
quietly() {
    local output
    if ! output=$("$@" 2>&1); then
        printf '%s\n' "$output" >&2
        return 1
    fi
}

# Configures build/release where that is still to be done; whoever has configured it otherwise keeps that.
configure_once() {
    [ -e build/release/build.ninja ] || quietly cmake --preset release
}

# What ninja shows of a build: steps that are done, all steps, seconds.
export NINJA_STATUS='[%f of %t, %e s] '
