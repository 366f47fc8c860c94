# Runs a program behind so many paths, each within the one before. Arguments: how many, the folder for their
# counters, the words of a path, then the program. OUTERMOST is the first one's far side.
set -e
depth=$1 folder=$2 path=$3
: "${OUTERMOST:=$PRONGHORN_SERVER}"
export OUTERMOST
if [ "$depth" -eq 0 ]; then
    shift 3
    exec "$@"
fi
shift 1
exec "$PYTHON" -m pronghorn path $path --quiet --json "$folder/$depth.json" -- sh "$0" $((depth - 1)) "$@"
