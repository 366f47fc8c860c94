# nft, by which the shipped firewall is checked. Sourced after host.sh, POSIX sh.

need_nft() {
    has nft || install "nft" nftables
}
