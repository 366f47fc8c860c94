# iperf3, by which the benches and the long tests measure a path's goodput. Sourced after host.sh, POSIX sh.

need_iperf3() {
    has iperf3 || install "iperf3" iperf3
}
