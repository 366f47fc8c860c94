# A Python that is new enough and makes virtual environments. Sourced, POSIX sh.

python_wanted=3.11

python_works() {
    "$1" -c 'import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' 2>/dev/null
}

# find_python: prints the first that will do.
find_python() {
    for name in python3.13 python3.12 python3.11 python3 /usr/bin/python3; do
        if has "$name" && python_works "$name"; then
            command -v "$name"
            return 0
        fi
    done
    return 1
}

need_python() {
    python=$(find_python) && return 0
    install "Python with venv" python3 python3-venv
    python=$(find_python) ||
        fail "no Python from $python_wanted to 3.13 with venv was found; the system's is $(python3 --version 2>&1)." \
            "install Python $python_wanted or newer with its venv module (Debian 12 and Ubuntu 24.04 have one)"
}
