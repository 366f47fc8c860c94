# rustfmt and clippy of the Rust that rust.sh found. Sourced after it, POSIX sh.

lint_tools_work() {
    PATH="$rust_bin:$PATH" cargo fmt --version >/dev/null 2>&1 &&
        PATH="$rust_bin:$PATH" cargo clippy --version >/dev/null 2>&1
}

# lint_packages: prints the packages that hold them, named after the one that holds the compiler.
lint_packages() {
    case $rust_bin in
        /usr/lib/rust-*)
            release=${rust_bin#/usr/lib/rust-}
            release=${release%/bin}
            echo "rustfmt-$release rust-$release-clippy"
            ;;
        /usr/bin)
            if dpkg -s rustc-web >/dev/null 2>&1; then
                echo "rustfmt-web rust-web-clippy"
            else
                echo "rustfmt rust-clippy"
            fi
            ;;
        *) return 1 ;;
    esac
}

need_lint_tools() {
    lint_tools_work && return 0
    if [ -x "$rust_bin/rustup" ]; then
        say "installing rustfmt and clippy by rustup"
        "$rust_bin/rustup" component add rustfmt clippy >&2 || true
    elif packages=$(lint_packages); then
        # shellcheck disable=SC2086
        install "rustfmt and clippy" $packages
    fi
    lint_tools_work || fail "rustfmt or clippy is missing beside the Rust in $rust_bin." \
        "rustup component add rustfmt clippy, or the packages of that Rust"
}
