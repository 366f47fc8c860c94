# h2load as Debian has it (HTTP/1.1 and 2), by which tests and benches measure ours. Sourced after host.sh, POSIX sh.

need_h2load() {
    has h2load || install "h2load" nghttp2-client
}
