# Sourced by the scripts: says what is being done and how long it took.

# step NAME COMMAND...
step() {
    local name=$1 start=$SECONDS
    shift
    printf '==> %s\n' "$name"
    "$@"
    printf '==> %s: %d s\n' "$name" $((SECONDS - start))
}

# Shows a command's output only when it fails.
quietly() {
    local output
    if ! output=$("$@" 2>&1); then
        printf '%s\n' "$output" >&2
        return 1
    fi
}
