# Chromium, with which tests load pages; Ubuntu's package only starts a snap, which won't do. Sourced after host.sh, POSIX sh.

need_chromium() {
    [ -n "${PRONGHORN_CHROMIUM:-}" ] || has chromium || has google-chrome || install "Chromium" chromium
}
