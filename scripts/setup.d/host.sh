# Talking to the person, and installing with the host's package manager. Sourced, POSIX sh.

say() { printf '%s\n' "pronghorn: $*" >&2; }

# fail WHAT MEND: says what is missing and the command that mends it; exit status 3, "the host can't".
fail() {
    say "$1"
    printf '%s\n' "    mend: $2" >&2
    exit 3
}

has() { command -v "$1" >/dev/null 2>&1; }

# at_least VERSION WANTED: numbers with dots, compared field by field.
at_least() {
    [ "$(printf '%s\n%s\n' "$2" "$1" | sort -t. -k1,1n -k2,2n -k3,3n | head -n 1)" = "$2" ]
}

has_apt() { has apt-get && has apt-cache; }

root_prefix() {
    if [ "$(id -u)" -eq 0 ]; then
        echo ""
    elif has sudo && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
        echo "sudo "
    else
        return 1
    fi
}

apt_is_updated=no

update_apt() {
    [ "$apt_is_updated" = no ] || return 0
    prefix=$(root_prefix) || return 0
    say "reading the lists of packages (${prefix}apt-get update)"
    # shellcheck disable=SC2086
    ${prefix}apt-get update -q >&2 || say "apt-get update failed; going on with the lists at hand"
    apt_is_updated=yes
}

# candidate PACKAGE: the version that apt would install; nothing where there is none.
candidate() {
    LC_ALL=C apt-cache policy "$1" 2>/dev/null | awk '$1 == "Candidate:" && $2 != "(none)" { print $2 }'
}

# install WHAT PACKAGE…: what for, and the packages; leaves by `fail` where they can't be had.
install() {
    what=$1
    shift
    has_apt || fail "$what is missing, and this host has no apt-get." \
        "install it with the host's package manager (Debian and Ubuntu call it: $*)"
    prefix=$(root_prefix) || fail "$what is missing, and installing needs root or sudo." \
        "as root: apt-get update && apt-get install -y --no-install-recommends $*"
    update_apt
    say "installing $what: $*"
    # shellcheck disable=SC2086
    ${prefix}env DEBIAN_FRONTEND=noninteractive \
        apt-get -o DPkg::Lock::Timeout=300 install -y -q --no-install-recommends --no-remove "$@" >&2 ||
        fail "$what could not be installed." "${prefix}apt-get install $*   (its own message stands above)"
}
