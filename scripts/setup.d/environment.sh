# The virtual environment .venv: the locked packages, and this project by an editable install. Sourced, POSIX sh.

environment_stamp() {
    cat requirements-dev.lock pyproject.toml | cksum | tr ' ' '-'
}

# Only a finished environment has the stamp, so that an interrupted set-up is done again.
need_environment() {
    stamp=".venv/.pronghorn-$(environment_stamp)"
    [ -f "$stamp" ] && [ -x .venv/bin/pronghorn ] && .venv/bin/python -c '' 2>/dev/null && return 0
    need_python
    say "making .venv with $python ($("$python" --version 2>&1))"
    "$python" -m venv --clear .venv ||
        fail "$python could not make a virtual environment." "see that python3-venv is installed and the disk has room"
    .venv/bin/python -m pip install -q --disable-pip-version-check --require-hashes -r requirements-dev.lock ||
        fail "the Python packages could not be installed." \
            "see that a package index can be reached, then run make again"
    # setuptools-rust is left out of .venv: cargo builds the engine, once, and without it this step builds no Rust.
    .venv/bin/python -m pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e . ||
        fail "the editable install of this project failed." "its own message stands above"
    : >"$stamp"
}
