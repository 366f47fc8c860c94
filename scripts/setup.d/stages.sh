# The stages of a script: each is run whatever became of those before, and the time that it took is told at the end.
# Sourced, POSIX sh.

stages=$(mktemp)
PRONGHORN_DURATIONS=$(mktemp) # where tests/conftest.py leaves what each test took
export PRONGHORN_DURATIONS
status=0
begun=$(date +%s)

# stage NAME COMMAND…: `status` is 1 from the first that fails.
stage() {
    name=$1
    shift
    say "$name: $*"
    since=$(date +%s)
    outcome=
    "$@" || { status=1 outcome=" FAILED"; }
    printf '%5d s  %s%s\n' "$(($(date +%s) - since))" "$name" "$outcome" >>"$stages"
}

# tell_times: of the ten slowest tests in Python, of each stage, and of the whole.
tell_times() {
    echo "the slowest tests in Python:"
    sort -rn "$PRONGHORN_DURATIONS" | head -n 10 |
        awk '{ printf "time: %7.1f s  ", $1; sub(/^[^ ]* /, ""); print }'
    echo "each stage, and the whole:"
    sed 's/^/time: /' "$stages"
    printf 'time: %5d s  in all\n' "$(($(date +%s) - begun))"
}

forget_stages() { rm -f "$stages" "$PRONGHORN_DURATIONS"; }
