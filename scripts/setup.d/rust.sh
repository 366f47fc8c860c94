# A Rust that is new enough for the workspace's rust-version: found, or installed. Sourced, POSIX sh.

rust_wanted=$(sed -n 's/^rust-version *= *"\([0-9.]*\)".*/\1/p' Cargo.toml)

# rust_at DIRECTORY: whether its cargo and rustc run and are new enough.
rust_at() {
    for program in cargo rustc; do
        [ -x "$1/$program" ] || return 1
        version=$("$1/$program" --version 2>/dev/null | awk '{ print $2; exit }')
        [ -n "$version" ] || return 1
        at_least "${version%%[-+]*}" "$rust_wanted" || return 1
    done
}

# find_rust: sets rust_bin to the folder of the first that will do. Ubuntu keeps its versioned ones aside.
find_rust() {
    on_path=$(command -v cargo 2>/dev/null) && on_path=$(dirname "$on_path")
    for rust_bin in "$on_path" "${CARGO_HOME:-$HOME/.cargo}/bin" /usr/bin $(versioned_folders); do
        [ -n "$rust_bin" ] && rust_at "$rust_bin" && return 0
    done
    rust_bin=
    return 1
}

versioned_folders() {
    ls -d /usr/lib/rust-*/bin 2>/dev/null | sort -rV
}

# packaged_rust: prints the packages of this host's archive that hold a Rust new enough; Debian 12 has the one
# that its browsers are built with (rustc-web), Ubuntu one package a version.
packaged_rust() {
    if package_will_do rustc && package_will_do cargo; then
        echo "rustc cargo"
        return 0
    fi
    if package_will_do rustc-web && package_will_do cargo-web; then
        echo "rustc-web cargo-web"
        return 0
    fi
    for name in $(apt-cache pkgnames rustc-1. 2>/dev/null | sort -rV); do
        release=${name#rustc-}
        if at_least "$release" "$rust_wanted" && [ -n "$(candidate "$name")" ] &&
            [ -n "$(candidate "cargo-$release")" ]; then
            echo "$name cargo-$release"
            return 0
        fi
    done
    return 1
}

package_will_do() {
    version=$(candidate "$1")
    [ -n "$version" ] && dpkg --compare-versions "$version" ge "$rust_wanted"
}

# Both are the Rust project's own; the second is where rustup takes its toolchains from.
rustup_installers="https://sh.rustup.rs https://static.rust-lang.org/rustup/rustup-init.sh"

# rustup_installer FILE: fetches rustup's installer into FILE.
rustup_installer() {
    has curl || { has_apt && root_prefix >/dev/null && install "curl" curl ca-certificates; }
    has curl || return 1
    for address in $rustup_installers; do
        curl --proto '=https' --tlsv1.2 -sSf -m 60 "$address" -o "$1" 2>/dev/null && return 0
    done
    return 1
}

need_rust() {
    find_rust && return 0
    say "no Rust $rust_wanted or newer was found"
    if has_apt; then
        update_apt
        if packages=$(packaged_rust); then
            # shellcheck disable=SC2086
            install "Rust $rust_wanted or newer" $packages
            find_rust && return 0
        fi
    fi
    installer=$(mktemp)
    if rustup_installer "$installer"; then
        say "installing Rust into ~/.cargo by rustup's own installer"
        sh "$installer" -y -q --profile minimal --component rustfmt --component clippy --no-modify-path >&2 ||
            say "rustup's installer failed; its own message stands above"
    fi
    rm -f "$installer"
    find_rust || fail "no Rust $rust_wanted or newer: neither here, nor in this host's archive, nor by rustup." \
        "install Rust $rust_wanted or newer from rustup.rs, then run make again"
}
