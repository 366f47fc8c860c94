# tshark, by which tests read captures. Sourced after host.sh, POSIX sh.

need_tshark() {
    has tshark || install "tshark" tshark
}
