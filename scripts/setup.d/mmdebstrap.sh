# mmdebstrap, which unpacks a newer Debian's servers. Sourced after host.sh, POSIX sh.

need_mmdebstrap() {
    has mmdebstrap && [ "$(id -u)" -eq 0 ] && return 0
    has mmdebstrap && has newuidmap && return 0
    install "mmdebstrap" mmdebstrap uidmap debian-archive-keyring
}
