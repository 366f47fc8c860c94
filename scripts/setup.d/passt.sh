# pasta, by which an ordinary user's far host reaches this host's services. Sourced after host.sh, POSIX sh.

need_pasta() {
    has pasta || install "pasta" passt
}
